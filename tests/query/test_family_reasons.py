"""Why a family is of its kind, as people read it."""

import pytest

from nearkin.query.families import reason_of
from nearkin.store.families import FamilyRow


def row(kind: str, members: int, parts: int = 0, view: str = "chain") -> FamilyRow:
    contents: list[tuple[int, str, bool, float | None]] = [(at, "member", at == 0, 1.0) for at in range(members)]
    contents += [(members + at, "part", False, None) for at in range(parts)]
    return FamilyRow(b"", view, 0.7, 0.9, kind, 4, (0, 1, 0.9041), 0.898, contents)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (row("identical", 1), "All documents have the same words."),
        (row("pair", 2), "Two texts resemble each other by at least 0.7."),
        (row("versions", 3), "3 texts each resemble another by at least 0.7."),
        (row("versions", 3, view="clique"), "3 texts all resemble each other by at least 0.7."),
        (row("versions", 3, view="greedy"), "3 texts each match the representative's signature by at least 0.7."),
        (
            row("contains", 1, 1),
            "At least 90 % of one text is inside another, which it resembles by less than 0.7.",
        ),
        (
            row("archive", 1, 5),
            "At least 90 % of each of 5 texts is inside one other text, which they resemble by less than 0.7.",
        ),
        (
            row("mixed", 3, 1),
            "3 texts each resemble another by at least 0.7; at least 90 % of another text is inside one of them.",
        ),
        (
            row("same-form", 5),
            (
                "A form filled in: 5 texts each resemble another by at least 0.7, mostly by wording that at least 50 %"
                " of them share. Without that wording, at least 80 % of them resemble no other document (all below"
                " 0.25)."
            ),
        ),
    ],
)
def test_each_kind(found: FamilyRow, said: str) -> None:
    assert reason_of(found, len(found.contents)) == said


def test_only_some_of_a_large_family_were_checked() -> None:
    assert "at least 80 % of those checked resemble" in reason_of(row("same-form", 12), 12)


def test_eight_documents_may_be_a_pair() -> None:
    pair = "Two texts resemble each other by at least 0.7."
    assert reason_of(row("pair", 2), 8) == f"{pair} 6 more documents have the same words as one of them."
    assert reason_of(row("pair", 2), 3) == f"{pair} 1 more document has the same words as one of them."
