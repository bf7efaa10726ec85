"""Numbers, names and values as people read them, on the screen and in reports."""

import json
from typing import Any

from nearkin.model import Family, Kind, Member, View

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a formula of a spreadsheet begins
JOINERS = "\u200c\u200d"  # belong to words of some scripts and to emoji

ONE = {
    "matches": "match",
    "families": "family",
    "sets of identical files": "set of identical files",
    "files or folders": "file or folder",
}


def size(number: int) -> str:
    """A number of bytes: 1.2 MB."""
    if number < 1000:
        return f"{number} B"
    value, unit = number / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def count(number: int, what: str = "") -> str:
    """A number with what is counted, in the plural unless it is one: 1,234 matches."""
    if number == 1 and what:
        what = ONE.get(what, what.removesuffix("s"))
    return f"{number:,} {what}".rstrip()


def share(value: float | None) -> str:
    """A share with three digits; never 1.000 for what is not 1."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value == 1.0 or value < 0.9995 else "0.999"


def percent(value: float) -> str:
    """A share in percent; never 100 for what is not all."""
    return "100 %" if value == 1.0 else f"{min(value, 0.999) * 100:.1f} %"


def marked(value: float | None, exact: bool | None) -> str:
    """A share, with ~ before it where it is an estimate."""
    return ("~" if value is not None and exact is False else "") + share(value)


def kind_of(family: Family) -> str:
    """The kind of a family in words: eight documents may be a pair of two texts, with copies."""
    copies = family.kind is Kind.PAIR and len(family.documents) > 2
    return f"{family.kind} with copies" if copies else str(family.kind)


def holds(family: Family, score: str = "resemblance") -> list[str]:
    """What a family hangs together by.

    The mean of a chain counts links weaker than those that hold it together, so it may be the lower of the two.
    """
    phrases = []
    mean = marked(family.mean_resemblance, family.mean_exact)
    if family.kind is Kind.PAIR:
        phrases.append(f"{score} {mean}")
    elif family.mean_resemblance is not None and family.kind is not Kind.IDENTICAL:
        phrases.append(f"{'mean' if score == 'resemblance' else f'mean {score}'} of all links {mean}")
        if family.weakest:
            weakest = marked(family.weakest.resemblance, family.weakest.exact)
            phrases.append(f"{'holds together at' if family.view == View.CHAIN else 'weakest link'} {weakest}")
    if family.most_distant:
        phrases.append(f"least alike members {marked(family.most_distant.resemblance, family.most_distant.exact)}")
    return phrases


def said_of(member: Member) -> str | None:
    """Whether the distance of a document from its family's pivot is exact or estimated."""
    return None if member.to_pivot is None else how(member.exact)


def only_copies(families: int) -> str:
    """Families of identical documents only are counted apart (Broder 1997 §1)."""
    return f"{families:,} of them {'contains' if families == 1 else 'contain'} only copies"


def how(exact: bool | None) -> str | None:
    """Whether a score was measured or estimated."""
    return None if exact is None else "exact" if exact else "estimated"


def safe(text: str) -> str:
    """A text without anything that could move the cursor or turn the direction of writing."""
    kept = (char if char.isprintable() or char in JOINERS else no_character(char) or ascii(char)[1:-1] for char in text)
    return "".join(kept)


def no_character(char: str) -> str | None:
    """A byte that is no UTF-8, where Python's surrogateescape keeps it; None: it is a character."""
    return f"\\x{ord(char) - 0xDC00:02x}" if "\udc80" <= char <= "\udcff" else None


def cell(value: Any, *, is_path: bool) -> str:
    """A value as a cell of CSV. No cell is a formula to a spreadsheet: a path that begins like one gets ./ before it,
    which names the same file, any other text an apostrophe. Lists are JSON."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case list() | tuple() | dict():
            return json.dumps(value)
        case str() if value.startswith(FORMULA):
            # ./-x.txt is the same file as -x.txt, and no formula.
            return f"./{value}" if is_path else f"'{value}"
        case _:
            return str(value)
