"""Why a family is of its kind, as people read it."""

from nearkin.report.reasons import reason_of
from nearkin.store.results import FamilyRow


def test_a_form_filled_in() -> None:
    contents: list[tuple[int, str, bool, float | None]] = [(at, "member", at == 0, 1.0) for at in range(5)]
    row = FamilyRow(b"", "chain", 0.7, 0.9, "same-form", 4, None, 0.8, contents)
    assert reason_of(row) == (
        "a form filled in: 5 texts each resemble another by at least 0.7, mostly by wording that 50% or more of them"
        " share. Without that, 80% or more of those looked at resemble no other by 0.250 or more"
    )
