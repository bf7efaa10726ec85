"""Numbers and names as people read them, on the screen and in reports."""

from nearkin.model import Member

JOINERS = "\u200c\u200d"  # belong to words of some scripts and to emoji

ONE = {
    "matches": "match",
    "families": "family",
    "sets of identical files": "set of identical files",
    "files or folders": "file or folder",
}


def size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    value, unit = number / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def count(number: int, what: str = "") -> str:
    if number == 1 and what:
        what = ONE.get(what, what.removesuffix("s"))
    return f"{number:,} {what}".rstrip()


def share(value: float | None) -> str:
    """Never 1.000 for what is not 1."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value == 1.0 or value < 0.9995 else "0.999"


def said_of(member: Member) -> str | None:
    """How it is known how far a document is from its family's pivot."""
    return None if member.to_pivot is None else "exact" if member.exact else "estimated"


def safe(text: str) -> str:
    """Without anything that could move the cursor or turn the direction of writing."""
    kept = (char if char.isprintable() or char in JOINERS else no_character(char) or ascii(char)[1:-1] for char in text)
    return "".join(kept)


def no_character(char: str) -> str | None:
    """A byte that is no UTF-8, where Python's surrogateescape keeps it; None: it is a character."""
    return f"\\x{ord(char) - 0xDC00:02x}" if "\udc80" <= char <= "\udcff" else None
