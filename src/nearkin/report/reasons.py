"""Why a family is of its kind, in words: what the matches between its texts are."""

from nearkin.group.form import ASKED_TEXTS, MOST, NEARLY_ALL, unlike_among
from nearkin.model import Kind, Role, View
from nearkin.query.wording import count
from nearkin.store.matches import FamilyRow

ALIKE = {
    View.CHAIN: "each resemble another",
    View.PIVOT: "each resemble the pivot",
    View.CLIQUE: "all resemble each other",
    View.GREEDY: "each match the representative's signature",
}


def reason_of(row: FamilyRow, documents: int) -> str:
    """Texts are distinct ones: documents with the same words are one."""
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
