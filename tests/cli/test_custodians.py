from pathlib import Path

import pytest

from nearkin.api.store import Store

from .world import Called, edited, prose, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    files = {
        b"users/ann/plan.txt": prose(1),
        b"users/ann/old/plan.txt": edited(prose(1), 9),
        b"users/ben/copy.txt": prose(1),
        b"users/ben/loud.txt": prose(1).upper(),
        b"users/carl/other.txt": prose(2),
        b"shared/draft.txt": edited(prose(1), 50),
    }
    root = write(tmp_path / "tree", files)
    done = Called("scan", root, "--store", tmp_path / "store.db", "--custodian", "path:users", "-q")
    assert done.code == 0, done.err
    return tmp_path / "store.db"


def test_who_holds_a_document(store: Path) -> None:
    found = Called("custodians", "users/ann/plan.txt", "--store", store, "--format", "jsonl").records
    held = {
        one["custodian"]: {d["path"]: d["tier"] for d in one["documents"]}
        for one in found
        if one["known_by"] == "custodian"
    }
    assert held == {
        "ann": {"users/ann/plan.txt": "bytes", "users/ann/old/plan.txt": "near"},
        "ben": {"users/ben/copy.txt": "bytes", "users/ben/loud.txt": "words"},
    }
    (rest,) = [one for one in found if one["known_by"] != "custodian"]
    assert [d["path"] for d in rest["documents"]] == ["shared/draft.txt"]
    assert Store.open(store).custodians("users/ann/plan.txt").to_pylist() == found


def test_who_holds_a_family(store: Path) -> None:
    (family,) = Called("families", "--store", store, "--format", "jsonl").records
    found = Called("custodians", family["id"][:8], "--store", store, "--format", "jsonl").records
    assert sum(one["count"] for one in found) == len(family["documents"])
    assert {one["custodian"] for one in found} >= {"ann", "ben"}
    shown = Called("custodians", family["id"], "--store", store, "--format", "table").out
    assert "ann" in shown
    rows = Called("custodians", family["id"], "--store", store, "--format", "csv").out.splitlines()
    assert len(rows) == 1 + len(family["documents"])


@pytest.mark.parametrize(("name", "code"), [("feedbeef", 3), ("no such file", 3)])
def test_nobody_by_that_name(store: Path, name: str, code: int) -> None:
    done = Called("custodians", name, "--store", store)
    assert (done.code, done.err.count("\n")) == (code, 1)


def test_what_a_person_set_apart_is_nobodys_near_copy(store: Path) -> None:
    said = Called("verdict", "set", "users/ann/plan.txt", "shared/draft.txt", "not-similar", "--store", store)
    assert said.code == 0
    found = Called("custodians", "users/ann/plan.txt", "--store", store, "--format", "jsonl").records
    assert {one["custodian"] for one in found} == {"ann", "ben"}


def test_copies_of_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {b"ann/a.zip": "PK\3\4", b"ben/b.zip": "PK\3\4", b"ben/c.txt": prose(1)})
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "--custodian", "path:1", "-q").code == 0
    found = Called("custodians", "ann/a.zip", "--store", store, "--format", "jsonl").records
    assert {one["custodian"]: [d["tier"] for d in one["documents"]] for one in found} == {
        "ann": ["bytes"],
        "ben": ["bytes"],
    }
