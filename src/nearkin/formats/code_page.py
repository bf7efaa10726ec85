"""Code pages by their numbers, as RTF and Excel tell them: Python knows those of Windows and DOS as cp1252, those of
the Macintosh by name only."""

import codecs

MOST = 0xFFFF  # each number that is none is looked for in Python's folders
MACINTOSH = {
    10000: "mac-roman",
    10001: "shift-jis",
    10006: "mac-greek",
    10007: "mac-cyrillic",
    10029: "mac-latin2",
    10079: "mac-iceland",
    10081: "mac-turkish",
}


def codec_of_page(number: int) -> str:
    """Empty where nobody knows it. Looked up: nothing at all is decoded by any name."""
    codec = MACINTOSH.get(number, f"cp{number}")
    if not 0 < number <= MOST:
        return ""
    try:
        codecs.lookup(codec)
    except LookupError:
        return ""
    return codec
