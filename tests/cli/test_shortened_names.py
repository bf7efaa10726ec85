"""Names that stand together on a narrow screen can be told apart."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.world import Called, edited, prose, write
from nearkin.cli.wording import apart, cells, shortened

PATHS = [f"docs/reference/{version}/Microsoft.Management/Get-ChildItem.md" for version in ("5.1", "7.4", "7.5")]


def test_what_differs_is_seen() -> None:
    assert len({shortened(path, 39) for path in PATHS}) == 1
    assert apart(PATHS, 39) == [f"docs/re…nce/{one}/Micros…Get-ChildItem.md" for one in ("5.1", "7.4", "7.5")]


@pytest.mark.parametrize("width", [12, 13, 20])
@pytest.mark.parametrize("letters", ["ab", "漢字"])
def test_two_are_always_told_apart(width: int, letters: str) -> None:
    names = [f"{'漢字/' * 20}{letter}{'/below' * 20}" for letter in letters]
    shown = apart(names, width)
    assert len(set(shown)) == 2
    assert all(cells(one) <= width for one in shown)


def test_what_looks_unlike_is_cut_as_ever() -> None:
    names = ["a" * 90 + "/one.txt", "a" * 90 + "/two.txt"]
    assert apart(names, 40) == [shortened(name, 40) for name in names]


@pytest.mark.parametrize("width", [39, 60])
def test_many_versions_of_one_name(width: int) -> None:
    names = [f"{'folder/' * 9}{a}/{'below/' * 9}{b}/{'file/' * 5}name.txt" for a in range(3) for b in range(3)]
    shown = apart(names, width)
    assert len(set(shown)) == len(names)
    assert all(cells(one) <= width for one in shown)


@given(st.lists(st.text(alphabet="ab/漢é\u0301", min_size=1, max_size=60), min_size=1, max_size=5), st.integers(0, 40))
def test_never_wider_than_the_room(names: list[str], width: int) -> None:
    shown = apart(names, width)
    assert len(shown) == len(names)
    assert all(cells(one) <= max(width, 1) for one in shown)
    assert all(short == name for short, name in zip(shown, names, strict=True) if cells(name) <= width)


@pytest.mark.parametrize("command", ["matches", "families", "compare", "lineage"])
def test_no_two_documents_listed_together_look_the_same(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = prose(3, 900)
    names = [f"reference-of-all-commands/{one}/{'a-long-name-of-a-part/' * 3}Get-ChildItem.md" for one in "57"]
    root = write(tmp_path / "tree", {names[0].encode(): text, names[1].encode(): edited(text, 9)})
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    asked = {"compare": names, "lineage": names[:1]}.get(command, [])
    shown = Called(command, *asked, "--store", store, "--format", "table").out
    lines = [word for word in shown.split() if word.endswith("Get-ChildItem.md")]
    assert len(lines) == len(set(lines)) == 2, shown
    assert [line for line in shown.splitlines() if cells(line) > 80] == []
