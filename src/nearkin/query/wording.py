"""Numbers, names and reasons as people read them, on the screen and in reports.

Sentences say why a family is of its kind, and what a scan did not list, so that what is shown may not be all. Programs
find the latter in the metadata of a table.
"""

import sqlite3

from nearkin.group.form import ASKED_TEXTS, MOST, NEARLY_ALL, unlike_among
from nearkin.model import Family, Kind, Member, Role, View
from nearkin.store import runs
from nearkin.store.families import FamilyRow

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
    return None if exact is None else "exact" if exact else "estimated"


def safe(text: str) -> str:
    """A text without anything that could move the cursor or turn the direction of writing."""
    kept = (char if char.isprintable() or char in JOINERS else no_character(char) or ascii(char)[1:-1] for char in text)
    return "".join(kept)


def no_character(char: str) -> str | None:
    """A byte that is no UTF-8, where Python's surrogateescape keeps it; None: it is a character."""
    return f"\\x{ord(char) - 0xDC00:02x}" if "\udc80" <= char <= "\udcff" else None


ALIKE = {
    View.CHAIN: "each resemble another",
    View.PIVOT: "each resemble the pivot",
    View.CLIQUE: "all resemble each other",
    View.GREEDY: "each match the representative's signature",
}


def reason_of(row: FamilyRow, documents: int) -> str:
    """Why a family is of its kind. Documents with the same words count as one text."""
    copies = documents - len(row.contents)
    if row.kind == Kind.IDENTICAL:
        return "All documents have the same words."
    more = "1 more document has" if copies == 1 else f"{copies:,} more documents have"
    return _reason(row) + (f" {more} the same words as one of them." if copies > 0 else "")


def _reason(row: FamilyRow) -> str:
    parts = sum(role == Role.PART for _, role, *_ in row.contents)
    members = len(row.contents) - parts
    alike = f"{members:,} texts {ALIKE[View(row.view)]} by at least {row.threshold:g}"
    inside = f"{100 * row.containment:g} %"
    match Kind(row.kind):
        case Kind.PAIR:
            return f"Two texts resemble each other by at least {row.threshold:g}."
        case Kind.CONTAINS:
            return (
                f"At least {inside} of one text is inside another, which it resembles by less than {row.threshold:g}."
            )
        case Kind.ARCHIVE:
            weaker = f"which they resemble by less than {row.threshold:g}"
            return f"At least {inside} of each of {count(parts, 'texts')} is inside one other text, {weaker}."
        case Kind.SAME_FORM:
            # As it was found: some members were looked at, each beside those nearest to it.
            which = "them" if members <= ASKED_TEXTS else "those checked"
            form = f"A form filled in: {alike}, mostly by wording that at least {100 * MOST:g} % of them share."
            without = f"Without that wording, at least {100 * NEARLY_ALL:g} % of {which} resemble no other document"
            return f"{form} {without} (all below {unlike_among(members):.3g})."
        case Kind.MIXED if parts == 1:
            return f"{alike}; at least {inside} of another text is inside one of them."
        case Kind.MIXED:
            return f"{alike}; at least {inside} of each of {parts:,} others is inside one of them."
        case _:
            return f"{alike}."


def missing_from_families(connection: sqlite3.Connection, view: View, threshold: float | None) -> list[str]:
    """Why the families may not be all, as sentences; none: these are all.

    The greedy view is made from signatures, and needs no matches.
    """
    if view is View.GREEDY:
        return []
    run = runs.last(connection)
    scanned = run.settings["match"]["threshold"]
    asked = scanned if threshold is None else threshold
    sentences = []
    if asked < scanned:
        sentences.append(
            f"Incomplete below {scanned:g}: the scan kept only the strongest matches there."
            " Scan again with a lower --threshold."
        )
    (crowds,) = connection.execute(
        "SELECT count(*) FROM family WHERE scheme = ? AND unlisted > 0", (run.scheme,)
    ).fetchone()
    # A clique that is not known says so itself; chains at the scan's threshold hang together by their stars.
    if crowds and (view is View.PIVOT or (view is View.CHAIN and asked > scanned)):
        where = f"above {scanned:g}" if view is View.CHAIN else "in this view"
        families = f"{crowds:,} {'family' if crowds == 1 else 'families'}"
        sentences.append(
            f"Incomplete where very many documents are alike ({families}): not all of their pairs were listed, so"
            f" {where} a family may be split. Scan again with --threshold {asked:g} or a higher --hot."
        )
    return sentences


def missing_from_matches(
    connection: sqlite3.Connection, min_resemblance: float | None, min_containment: float | None
) -> list[str]:
    """Why the matches may not be all, as sentences; none: these are all."""
    run = runs.last(connection)
    limits = run.settings["match"]
    sentences = []
    for asked, limit in ((min_resemblance, "threshold"), (min_containment, "containment")):
        if asked is not None and asked < limits[limit]:
            sentences.append(
                f"Incomplete below {limits[limit]:g}: the scan kept only the strongest matches there."
                f" Scan again with a lower --{limit}."
            )
            break
    (unlisted,) = connection.execute("SELECT total(unlisted) FROM family WHERE scheme = ?", (run.scheme,)).fetchone()
    if unlisted:
        sentences.append(
            f"Incomplete where very many documents are alike: {unlisted:,.0f} pairs within such families are not"
            " listed. Scan again with a higher --hot."
        )
    return sentences
