"""Why a family is of its kind, in words: what the matches between its texts are."""

from nearkin.group.form import MOST, NEARLY_ALL, unlike_among
from nearkin.model import Kind, Role, View
from nearkin.report.wording import count
from nearkin.store.results import FamilyRow

ALIKE = {
    View.CHAIN: "each resemble another",
    View.PIVOT: "each resemble the pivot",
    View.CLIQUE: "all resemble each other",
    View.GREEDY: "each resemble the representative, as their signatures say,",
}


def reason_of(row: FamilyRow) -> str:
    """Texts are distinct ones: documents with the same words are one."""
    parts = sum(role == Role.PART for _, role, *_ in row.contents)
    members = len(row.contents) - parts
    weakest = "" if row.weakest is None else f", the weakest link at {_cut(row.weakest[2])}"
    alike = f"{members:,} texts {ALIKE[View(row.view)]} by at least {row.threshold:g}"
    inside = f"to at least {row.containment:g}"
    match Kind(row.kind):
        case Kind.IDENTICAL:
            return "all documents have the same words"
        case Kind.PAIR:
            return f"two texts resemble each other by at least {row.threshold:g}"
        case Kind.VERSIONS:
            return f"{alike}{weakest}"
        case Kind.CONTAINS:
            return f"one text lies in another {inside}, and does not resemble it by {row.threshold:g}"
        case Kind.ARCHIVE:
            return f"{count(parts, 'texts')} lie in one {inside}, and do not resemble it by {row.threshold:g}"
        case Kind.SAME_FORM:
            # As it was told: some members were looked at, each beside those nearest to it.
            mostly = f"mostly by wording that {MOST:.0%} or more of them share"
            without = f"Without that, {NEARLY_ALL:.0%} or more of those looked at resemble no other"
            return f"a form filled in: {alike}, {mostly}. {without} by {_cut(unlike_among(members))} or more"
        case Kind.MIXED:
            return f"{alike}, and {parts:,} more {'lies' if parts == 1 else 'lie'} in them {inside}"


def _cut(value: float) -> str:
    """Never 1 for what is not 1."""
    return f"{value:.3f}" if value == 1.0 or value < 0.9995 else "0.999"
