"""What lies in a container is checked in with it."""

import io
from pathlib import Path

import pytest

from cli.containers import FILES, PATHS, changes, scan, write, zipped
from cli.world import Called, listed, paths
from nearkin.api.store import Store
from store.world import is_sound, listings


def test_what_is_added_is_added_with_all_that_lies_in_it(tmp_path: Path) -> None:
    """As a scan would have it: the next one finds nothing to do, and a store scanned at once says the same."""
    folder, store = write(tmp_path / "docs", {"a.txt": b"one"}), tmp_path / "kin.db"
    scan(store, folder)
    boxes = {name: FILES[name] for name in ("mail.eml", "arch.zip")}
    write(folder, boxes)
    for name in boxes:
        added = Called("check", folder / name, "--store", store, "--add")
        assert added.code == 0
        assert added.err.strip().endswith("documents in it.")
    expected = ["a.txt", *(path for path in PATHS if path.startswith(tuple(boxes)))]
    assert paths(store) == sorted(expected)
    assert {one["parent"] for one in listed("documents", store) if "!/" not in one["path"]} == {None}
    assert all(one["path"].startswith(f"{one['parent']}!/") for one in listed("documents", store) if one["parent"])
    write(tmp_path, {"plain.txt": FILES["plain.txt"]})
    found = Called("check", tmp_path / "plain.txt", "--store", store, "--format", "jsonl").records
    assert "arch.zip!/folder/a.txt" in [one["path"] for one in found]
    again = Called("check", folder / "arch.zip", "--store", store, "--add")
    assert "is already in the store, unchanged" in again.err
    assert changes(scan(store, folder)) == {}
    fresh = tmp_path / "fresh.db"
    scan(fresh, folder)
    assert listings(Store(store)) == listings(Store(fresh))
    assert is_sound(Store(store))


def test_what_is_added_again_replaces_what_lay_in_it(tmp_path: Path) -> None:
    folder, store = write(tmp_path / "docs", {"a.txt": b"one"}), tmp_path / "kin.db"
    scan(store, folder)
    box = folder / "box.zip"
    for members in ({"x.txt": b"an x", "y.txt": b"a y"}, {"y.txt": b"a y", "z.zip": zipped({"z.txt": b"a z"})}):
        box.write_bytes(zipped(members))
        assert Called("check", box, "--store", store, "--add").code == 0
    assert paths(store) == ["a.txt", "box.zip", "box.zip!/y.txt", "box.zip!/z.zip", "box.zip!/z.zip!/z.txt"]
    box.write_bytes(b"no box any more")
    assert Called("check", box, "--store", store, "--add").code == 0
    assert paths(store) == ["a.txt", "box.zip"]
    assert changes(scan(store, folder)) == {}
    assert is_sound(Store(store))


def test_boxes_from_elsewhere_and_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store = write(tmp_path / "docs", {"a.txt": b"one"}), tmp_path / "kin.db"
    elsewhere = write(tmp_path / "elsewhere", {"mail.eml": FILES["mail.eml"]}) / "mail.eml"
    scan(store, folder)
    assert Called("check", elsewhere, "--store", store, "--add").code == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FILES["mail.eml"])))
    assert Called("check", "-", "--store", store, "--add", "--name", "in/mail.eml").code == 0
    lying = [path.removeprefix("mail.eml") for path in PATHS if path.startswith("mail.eml")]
    for start in (str(elsewhere).lstrip("/"), "in/mail.eml"):
        assert [path for path in paths(store) if path.startswith(start)] == [start + rest for rest in lying]
    scan(store, elsewhere)  # which takes over from what was added
    assert [path for path in paths(store) if path.startswith(str(elsewhere).lstrip("/"))] == []
