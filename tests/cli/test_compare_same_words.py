"""Texts of the same words may differ in characters that matter: a person who compares them is told."""

from pathlib import Path

import pytest

from .world import Called


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("it was -5000 euro in all", "it was 5000 euro in all", ["-5000 → 5000"]),
        ("The end, at last", "the end at last", ["The → the", "end, → end"]),
        ("the end - at last", "the end at last", ["only punctuation or spacing differs"]),
        ("the end  at last", "the end at last", ["other spacing"]),
        ("A B C D E F G", "a b c d e f g", ["A → a", "B → b", "C → c", "D → d", "E → e", "and 2 more"]),
    ],
)
def test_what_differs_is_said(tmp_path: Path, a: str, b: str, told: list[str]) -> None:
    for name, text in (("a.txt", a), ("b.txt", b)):
        (tmp_path / name).write_text(text)
    (found,) = Called("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--format", "jsonl").records
    assert found["relation"] == "same words"
    assert found["relation_details"] == told
    assert told[0] in Called("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--format", "table").out


def test_a_group_of_commands_alone_shows_its_help() -> None:
    alone = Called("verdict")
    assert alone.code == 2
    assert "\n  set" in alone.err
