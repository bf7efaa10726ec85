"""Sentences about a listing: why a family is of its kind, and what a scan did not list.

Why a listing may not be all is said to people, and to programs in the metadata of a table.
"""

import sqlite3

from nearkin.group.form import ASKED_TEXTS, MOST, NEARLY_ALL, unlike_among
from nearkin.model import Kind, Role, View
from nearkin.store import runs
from nearkin.store.families import FamilyRow
from nearkin.wording import count

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
