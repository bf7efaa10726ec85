"""A collection compared with the master: what of it is there already, and what is new."""

from pathlib import Path

import pytest

from cli.world import Called, edited, prose, scanned, write
from nearkin import Store


@pytest.fixture
def two_scopes(tmp_path: Path) -> Path:
    letter = prose(3, 600)
    master = {b"letter.txt": letter, b"copy.txt": letter, b"report.txt": prose(4, 1500), b"note.txt": prose(5, 100)}
    candidate = {
        b"letter.txt": letter,
        b"shouted.txt": letter.upper(),
        b"edited.txt": edited(letter, 10),
        b"excerpt.txt": prose(4, 1500)[2000:4000],
        b"wrapped.txt": f"{prose(6, 800)} {prose(5, 100)}",
        b"new.txt": prose(7, 300),
    }
    store = tmp_path / "kin.db"
    scanned(write(tmp_path / "m", master), store, "--scope", "master")
    scanned(write(tmp_path / "c", candidate), store, "--scope", "candidate")
    return store


def test_what_of_a_collection_is_in_the_master_already(two_scopes: Path) -> None:
    called = Called("matches", "--between", "master", "candidate", "--store", two_scopes)
    assert called.code == 0
    assert called.err == (
        "nearkin: Of 6 documents in candidate, 2 identical, 1 near, 1 contained in master; 2 new"
        " (1 of them contains documents of master).\n"
    )
    told = {record["b"]: (record["tier"], record["a"]) for record in called.records}
    assert told == {
        "letter.txt": ("bytes", "copy.txt"),
        "shouted.txt": ("words", "copy.txt"),
        "edited.txt": ("near", "copy.txt"),
        "excerpt.txt": ("near", "report.txt"),
        "wrapped.txt": ("near", "note.txt"),
    }
    assert {(record["a_scope"], record["b_scope"]) for record in called.records} == {("master", "candidate")}
    (part,) = (record for record in called.records if record["b"] == "excerpt.txt")
    assert part["b_in_a"] >= 0.9 > part["a_in_b"]
    (whole,) = (record for record in called.records if record["b"] == "wrapped.txt")
    assert whole["a_in_b"] >= 0.9 > whole["b_in_a"]
    every = Called("matches", "--between", "master", "candidate", "--all-copies", "--store", two_scopes)
    assert sorted(record["a"] for record in every.records if record["b"] == "letter.txt") == ["copy.txt", "letter.txt"]
    near = Called("matches", "--between", "master", "candidate", "--min-resemblance", "0.9", "--store", two_scopes)
    assert "2 identical, 1 near, 0 contained in master; 3 new." in near.err
    table = Called("matches", "--between", "master", "candidate", "--store", two_scopes, "--format", "table").out
    assert "same words" in table
    assert "2 identical" in table
    rows = Store(two_scopes).matches(between=("master", "candidate")).to_pylist()
    assert [row["b"] for row in rows] == [record["b"] for record in called.records]


@pytest.mark.parametrize(
    ("names", "code", "sentence"),
    [(("master", "nobody"), 3, "no scope 'nobody'"), (("master", "master"), 2, "cannot be compared with itself")],
)
def test_scopes_that_make_no_sense(two_scopes: Path, names: tuple[str, str], code: int, sentence: str) -> None:
    called = Called("matches", "--between", *names, "--store", two_scopes)
    assert called.code == code
    assert sentence in called.err


def test_new_documents_of_a_candidate(two_scopes: Path) -> None:
    command = ["matches", "--between", "master", "candidate", "--new", "--store", two_scopes]
    called = Called(*command)
    assert called.records == [
        {"path": "new.txt", "scope": "candidate", "size": len(prose(7, 300))},
        {"path": "wrapped.txt", "scope": "candidate", "size": len(prose(6, 800)) + 1 + len(prose(5, 100))},
    ]
    assert "2 new" in called.err
    table = Called(*command, "--format", "table").out
    assert "new.txt" in table
    assert "letter.txt" not in table
    rows = Store(two_scopes).new_documents("master", "candidate").to_pylist()
    assert rows == called.records
    wrong = Called("matches", "--new", "--store", two_scopes)
    assert (wrong.code, "--new goes with --between" in wrong.err) == (2, True)


def test_between_scopes_too_a_scheme_is_asked_only_what_it_can_tell(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    for scope in ("master", "candidate"):
        scanned(write(tmp_path / scope, {b"a.txt": prose(3)}), store, "--scope", scope, "--scheme", "min")
    for between in ((), ("--between", "master", "candidate")):
        called = Called("matches", *between, "--min-containment", "0.5", "--store", store)
        assert (called.code, "does not tell containment" in called.err) == (2, True), between


def test_empty_files_are_no_copies_of_one_another(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    for scope in ("master", "candidate"):
        scanned(write(tmp_path / scope, {b"e.txt": "", b"a.txt": prose(3)}), store, "--scope", scope)
    called = Called("matches", "--between", "master", "candidate", "--store", store)
    assert [record["b"] for record in called.records] == ["a.txt"]
    assert "Of 2 documents in candidate, 1 identical, 0 near, 0 contained in master; 1 new" in called.err
