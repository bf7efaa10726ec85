"""Words that a line's end divides: joined again, unless their hyphen belongs to them.

Dividing leaves small letters after the hyphen. So what goes on with a capital or a figure (Springer-Verlag, 32-bit) is
two words, and so is what the document has with its hyphen elsewhere and nowhere without (full-screen).
"""

import re

# Both begin where a word does: from each of its letters on, a long word takes quadratic time.
# A hyphen that PDFium takes to divide a word: U+FFFE, in older ones U+0002.
DIVIDED = re.compile("((?<![^\\W_])[^\\W_]+|)[\ufffe\x02][ \r\n]*([^\\W_]*)")
HYPHENED = re.compile(r"(?<![^\W\d_])([^\W\d_]+-)(?=([^\W\d_]+))")  # of three words both pairs
WORD = re.compile(r"[^\W_]+")


def joined(pages: list[str]) -> list[str]:
    if not any("\ufffe" in page or "\x02" in page for page in pages):
        return pages
    hyphened = {f"{first}{second}".casefold() for page in pages for first, second in HYPHENED.findall(page)}
    parts = {pair for page in pages for pair in DIVIDED.findall(page)}
    in_doubt = {
        (first + second).casefold() for first, second in parts if f"{first}-{second}".casefold() in hyphened
    }  # fmt: skip
    if in_doubt:
        in_doubt -= {word.casefold() for page in pages for word in WORD.findall(page)}

    def whole(match: re.Match[str]) -> str:
        first, second = match.groups()
        starts = second[:1]
        if starts.isupper() or starts.isdecimal() or (first + second).casefold() in in_doubt:
            return f"{first}-{second}"
        return first + second

    return [DIVIDED.sub(whole, page) for page in pages]
