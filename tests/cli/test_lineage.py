import os
from pathlib import Path

import pytest

from nearkin.api.store import Store

from .world import Called, edited, prose, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    one = prose(1)
    two = edited(one, 40)
    three = edited(two, 120) + " and more"
    files = {b"zz.txt": one, b"mm.txt": two, b"copies/mm.txt": two, b"aa.txt": three, b"other.txt": prose(9)}
    root = write(tmp_path / "tree", files)
    for name, day in (("zz.txt", 1), ("mm.txt", 2), ("copies/mm.txt", 5), ("aa.txt", 3)):
        os.utime(root / name, (day * 86_400, day * 86_400))
    assert Called("scan", root, "--store", tmp_path / "store.db", "-q").code == 0
    return tmp_path / "store.db"


def family(store: Path) -> str:
    (found,) = Called("families", "--store", store, "--format", "jsonl").records
    return str(found["id"])


def test_the_order_in_which_versions_were_made(store: Path) -> None:
    found = Called("lineage", family(store)[:6], "--store", store, "--format", "jsonl").records
    assert [(one["path"], one["source"], one["depth"]) for one in found] == [
        ("zz.txt", None, 0),
        ("copies/mm.txt", "zz.txt", 1),
        ("aa.txt", "copies/mm.txt", 2),
    ]
    assert [one["copies"] for one in found] == [[], ["mm.txt"], []]
    assert [one["date"] for one in found] == ["1970-01-02 00:00", "1970-01-03 00:00", "1970-01-04 00:00"]
    assert found == Store.open(store).lineage(family(store)).to_pylist()
    undated = Called("lineage", family(store), "--store", store, "--no-dates", "--format", "jsonl").records
    assert {frozenset((one["path"], one["source"])) for one in undated if one["source"]} == {
        frozenset(("zz.txt", "copies/mm.txt")),
        frozenset(("aa.txt", "copies/mm.txt")),
    }
    shown = Called("lineage", family(store), "--store", store, "--format", "table").out
    assert shown.splitlines()[0].startswith("1970-01-02 00:00  zz.txt")


@pytest.mark.parametrize(("name", "code"), [("feedbeef", 3), ("no hex", 2)])
def test_no_such_family(store: Path, name: str, code: int) -> None:
    done = Called("lineage", name, "--store", store)
    assert (done.code, done.err.count("\n")) == (code, 1)
