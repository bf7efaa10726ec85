"""A scan as a habit: what changed is told, and families keep their names."""

import json
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose, scanned, write
from nearkin import Store, _native


def changes(summary: dict[str, Any]) -> dict[str, int]:
    return {name: summary[name] for name in ("new", "changed", "moved", "gone")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {f"{name}.txt".encode(): prose(number, 500) for number, name in enumerate("abcdef")}
    return write(tmp_path / "docs", texts)


def test_what_changed_since_the_last_scan(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    assert changes(scanned(folder, store)) == {"new": 6, "changed": 0, "moved": 0, "gone": 0}
    assert changes(scanned(folder, store)) == {"new": 0, "changed": 0, "moved": 0, "gone": 0}
    (folder / "a.txt").write_text("something else altogether")
    (folder / "b.txt").rename(folder / "z.txt")
    (folder / "c.txt").unlink()
    (folder / "new.txt").write_text("a text that nobody has seen")
    os.utime(folder / "d.txt", ns=(1, 1))  # touched: read again, and found to be the same
    assert changes(scanned(folder, store)) == {"new": 1, "changed": 1, "moved": 1, "gone": 1}
    paths = [record["path"] for record in Called("documents", "--store", store).records]
    assert paths == ["a.txt", "d.txt", "e.txt", "f.txt", "new.txt", "z.txt"]
    assert changes(scanned(folder, store)) == {"new": 0, "changed": 0, "moved": 0, "gone": 0}


def rewrite_unseen(file: Path) -> None:
    """Of the same size, and its clock turned back."""
    before = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_what_was_rewritten_and_set_back_is_read(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    rewrite_unseen(folder / "a.txt")
    assert scanned(folder, store)["changed"] == 1
    assert scanned(folder, store)["changed"] == 0


def test_only_what_looks_changed_is_read_unless_all_is_asked_for(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    with closing(sqlite3.connect(store)) as connection, connection:  # as a store of before version 5
        connection.execute("UPDATE document SET ctime_ns = 0")
    rewrite_unseen(folder / "a.txt")
    assert scanned(folder, store)["changed"] == 0
    assert scanned(folder, store, "--full")["changed"] == 1


def test_of_a_large_folder_some_files_are_asked_about_at_a_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "kin.db")
    store.scan(folder)
    asked = []
    unchanged = _native.unchanged

    def ask(paths: list[bytes], *rest: Any) -> bytes:
        asked.append(len(paths))
        return unchanged(paths, *rest)

    monkeypatch.setattr("nearkin.engine.scan_files.AT_ONCE", 4)
    monkeypatch.setattr("nearkin.engine.scan_files._native.unchanged", ask)
    assert not store.scan(folder).changed
    assert asked == [4, 2], "else Ctrl-C waits for all of it"


def test_what_was_only_touched_is_read_once_more_and_stays(folder: Path, tmp_path: Path) -> None:
    """Rights, another name by a hard link: all that does not change the bytes. Also of archives and tables."""
    store = tmp_path / "kin.db"
    (folder / "rows.jsonl").write_text(json.dumps({"text": prose(9)}))
    with zipfile.ZipFile(folder / "box.zip", "w") as box:
        box.writestr("in.txt", prose(8))
    with zipfile.ZipFile(folder / "again.zip", "w") as box:
        box.writestr("in.txt", prose(8))

    def known() -> dict[str, tuple[int, int]]:
        with closing(sqlite3.connect(store)) as connection:
            return {
                path.decode(): rest for path, *rest in connection.execute("SELECT path, id, ctime_ns FROM document")
            }

    tables = ("--text-column", "text")
    scanned(folder, store, *tables)
    before = known()
    names = [file.name for file in folder.iterdir()]
    assert {name: before[name][1] for name in names} == {name: (folder / name).stat().st_ctime_ns for name in names}
    assert {before[name][1] for name in before.keys() - names} == {0}, "members and rows have none"
    for name in names:
        (folder / name).chmod(0o600)
        (folder / name).chmod(0o644)
    assert changes(scanned(folder, store, *tables)) == {"new": 0, "changed": 0, "moved": 0, "gone": 0}
    after = known()
    assert {path: number for path, (number, _) in after.items()} == {
        path: number for path, (number, _) in before.items()
    }
    assert {name: after[name][1] for name in names} == {name: (folder / name).stat().st_ctime_ns for name in names}


def test_a_scan_of_a_subfolder_leaves_the_rest_alone(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"x/a.txt": prose(1, 150), b"y/b.txt": prose(2, 150)})
    store = tmp_path / "kin.db"
    scanned(folder, store)
    (folder / "y" / "b.txt").unlink()
    (folder / "x" / "a.txt").unlink()
    assert changes(scanned(folder / "x", store)) == {"new": 0, "changed": 0, "moved": 0, "gone": 1}
    assert [record["path"] for record in Called("documents", "--store", store).records] == ["y/b.txt"]


def families(store: Path) -> dict[str, set[str]]:
    return {
        record["id"]: {document["path"] for document in record["documents"]}
        for record in Called("families", "--store", store).records
    }


def test_a_family_keeps_its_id_when_a_larger_near_duplicate_comes(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    text = prose(0, 500)
    (folder / "a2.txt").write_text(edited(text, 10))
    scanned(folder, store)
    (name,) = families(store)
    larger = f"{edited(text, 20)} {prose(50, 60)}"
    for number in range(3):  # most linked and longest: the pivot from now on
        (folder / f"larger {number}.txt").write_text(f"{larger} {prose(60 + number, 10)}")
    scanned(folder, store)
    assert families(store).keys() == {name}
    assert len(families(store)[name]) == 5
    # Its founder edited beyond recognition, the others edited a little: it is still that family.
    (folder / "a.txt").write_text(prose(99, 300))
    for number in range(3):
        (folder / f"larger {number}.txt").write_text(f"{larger} {prose(70 + number, 10)}")
    scanned(folder, store)
    assert families(store)[name] == {"a2.txt", *(f"larger {number}.txt" for number in range(3))}
    assert [event["what"] for event in Called("families", "--history", "--store", store).records] == ["founded"]


def test_merges_and_splits_are_told(tmp_path: Path) -> None:
    one, two = prose(1, 500), prose(2, 500)
    texts = {b"1a.txt": one, b"1b.txt": edited(one, 10), b"1c.txt": edited(one, 20)}
    texts |= {b"2a.txt": two, b"2b.txt": edited(two, 30)}
    folder = write(tmp_path / "docs", texts)
    store = tmp_path / "kin.db"
    scanned(folder, store)
    names = {min(paths): name for name, paths in families(store).items()}
    for file in ("2a.txt", "2b.txt"):
        (folder / file).write_text(edited(one, ord(file[1])))
    scanned(folder, store)
    assert families(store).keys() == {names["1a.txt"]}
    merged, *_ = Called("families", "--history", "--store", store).records
    assert (merged["what"], merged["family"], merged["other"]) == ("merged", names["2a.txt"], names["1a.txt"])
    for file in ("2a.txt", "2b.txt"):
        (folder / file).write_text(edited(two, 2 * ord(file[1])))
    scanned(folder, store)
    split, *_ = Called("families", "--history", "--store", store).records
    assert (split["what"], split["other"], split["documents"]) == ("split", names["1a.txt"], 2)
    assert families(store).keys() == {names["1a.txt"], split["family"]}
    table = Called("families", "--history", "--store", store, "--format", "table").out
    assert f"{split['family']} from {names['1a.txt']}" in table
    history = Store(store).family_history().to_pylist()
    assert [event["what"] for event in history] == ["split", "merged", "founded", "founded"]
    latest = Called("families", "--history", "--limit", 1, "--store", store)
    assert latest.records == [split]
    assert "Showing the latest event only" in latest.err
    wrong = Called("families", "--history", "--threshold", "0.9", "--store", store)
    assert (wrong.code, "cannot be combined with --threshold" in wrong.err) == (2, True)


def test_what_changed_is_listed(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    assert [one["change"] for one in Called("documents", "--changes", "--store", store).records] == ["new"] * 6
    (folder / "a.txt").write_text("something else altogether")
    (folder / "b.txt").rename(folder / "z.txt")
    (folder / "c.txt").unlink()
    (folder / "new.txt").write_text("a text that nobody has seen")
    os.utime(folder / "d.txt", ns=(1, 1))
    shown = Called("scan", folder, "--store", store, "--format", "table").words
    assert f"1 new, 1 changed, 1 moved, 1 gone; see: nearkin documents --changes --store {store}" in shown
    called = Called("documents", "--changes", "--store", store)
    assert [(one["change"], one["path"], one["moved_from"]) for one in called.records] == [
        ("new", "new.txt", None),
        ("changed", "a.txt", None),
        ("moved", "z.txt", "b.txt"),
        ("gone", "c.txt", None),
    ]
    table = Called("documents", "--changes", "--store", store, "--format", "table").out
    assert "from b.txt" in table
    rows = Called("documents", "--changes", "--store", store, "--format", "csv").out.splitlines()
    assert rows[0].startswith("change,path,moved_from,size,")
    assert [row["change"] for row in Store(store).documents(changes=True).to_pylist()] == [
        "new",
        "changed",
        "moved",
        "gone",
    ]
    scanned(folder, store)
    unchanged = Called("documents", "--changes", "--store", store, "--format", "table").out
    assert unchanged == "The last scan found no changes.\n"
    assert Called("documents", "--changes", "--failed", "--store", store).code == 2


def test_what_was_added_and_met_by_a_scan_is_not_gone(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    loose = write(tmp_path / "loose", {b"x.txt": prose(9)})
    Called("check", loose / "x.txt", "--add", "--store", store)
    scanned(loose, store)
    called = Called("documents", "--changes", "--store", store).records
    assert [(one["change"], one["scope"], one["path"]) for one in called] == [("new", "loose", "x.txt")]
    (info,) = Called("store", "info", "--store", store).records
    assert (info["documents"], info["gone"]) == (7, 0)


def test_moved_documents_are_not_gone(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    (folder / "b.txt").rename(folder / "y.txt")
    scanned(folder, store)
    (folder / "y.txt").rename(folder / "z.txt")
    (folder / "c.txt").unlink()
    scanned(folder, store)
    Called("store", "compact", "--store", store)
    (info,) = Called("store", "info", "--store", store).records
    assert (info["documents"], info["gone"], info["versions"], info["runs"]) == (5, 1, 8, 3)
    assert "3 finished" in Called("store", "info", "--store", store, "--format", "table").out


def test_nothing_has_changed_is_said_only_where_it_is_true(folder: Path, tmp_path: Path) -> None:
    store, unchanged = tmp_path / "kin.db", "Nothing has changed since the last scan."
    (folder / "a2.txt").write_text(edited(prose(0, 500), 10))

    def shown(*options: str) -> str:
        return Called("scan", folder, "--store", store, "--format", "table", *options).out

    assert unchanged not in shown()
    assert unchanged in shown()
    other = shown("--threshold", "0.8")
    assert unchanged not in other
    assert "\nFamilies" in other


def test_no_files_were_found(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    sentence = "No files found. Check --include, --exclude and --hidden."
    first = Called("scan", tmp_path / "none", "--store", tmp_path / "kin.db", "--format", "table").words
    assert sentence in first
    assert "Nothing has changed" not in first
    folder = write(tmp_path / "docs", {b"a.txt": prose(1)})
    filtered = Called("scan", folder, "--include", "*.doc", "--store", tmp_path / "kin.db")
    assert sentence in filtered.err
    assert Called("scan", folder, "--include", "*.doc", "--store", tmp_path / "kin.db", "-q").err == ""


def test_the_headline_says_whose_documents_it_counts(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    shown = Called("scan", folder, "--store", store, "--format", "table").out
    assert "6 documents   " in shown
    assert "6 distinct texts" in shown
    other = write(tmp_path / "other", {b"sub/x.txt": prose(30), b"y.txt": prose(31)})
    assert "8 documents in the store" in Called("scan", other, "--store", store, "--format", "table").out
    part = write(tmp_path / "parts", {b"sub/x.txt": prose(32), b"y.txt": prose(33)})
    assert "2 documents   " in Called("scan", part, "--store", tmp_path / "2.db", "--format", "table").out
    again = Called("scan", part / "sub", "--store", tmp_path / "2.db", "--format", "table").out
    assert "2 documents in the store" in again


def test_other_filters_than_last_time_are_named(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store, "--exclude", "a.txt")
    called = Called("scan", folder, "--store", store)
    assert called.err == (
        "nearkin: The last scan used --exclude a.txt; files this scan skips count as gone, files it adds as new.\n"
    )
    assert Called("scan", folder, "--store", store).err == ""
    back = Called("scan", folder, "--store", store, "--include", "a*", "--max-size", "1M", "--format", "table").out
    assert "The last scan used --max-size 256M and no --include; files" in back


def test_texts_kept_earlier_stay(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    called = Called("scan", folder, "--store", store, "--no-text")
    purge = f"to remove one: nearkin store forget PATH --store {store}"
    assert called.err == f"nearkin: Texts kept by earlier scans stay in the store; {purge}\n"
    assert Called("scan", folder, "--store", tmp_path / "other.db", "--no-text").err == ""


def test_history_names_what_a_family_was_about(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    history = ["families", "--history", "--store", store]
    assert Called(*history, "--format", "table").out == "There have been no families yet.\n"
    (folder / "a2.txt").write_text(edited(prose(0, 500), 10))
    scanned(folder, store)
    (founded,) = Called(*history).records
    assert founded["path"] in ("a.txt", "a2.txt")
    for name in ("a.txt", "a2.txt"):
        (folder / name).unlink()
    scanned(folder, store)
    assert {event["path"] for event in Called(*history).records} == {founded["path"]}
    assert founded["path"] in Called(*history, "--format", "table").out
    Called("store", "forget", "a.txt", "a2.txt", "--yes", "--store", store)
    assert {event["path"] for event in Called(*history).records} == {None}
    assert "forgotten" in Called(*history, "--format", "table").out


def test_documents_without_text(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store)
    listing = ["documents", "--without-text", "--store", store]
    assert Called(*listing, "--format", "table").out == "All documents have text.\n"
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    (folder / "empty.txt").write_bytes(b"")
    shown = Called("scan", folder, "--store", store, "--format", "table").out
    assert "1 document has no readable text" in shown
    assert [one["path"] for one in Called(*listing).records] == ["image.png"]
    assert Store(store).documents(without_text=True).column("path").to_pylist() == ["image.png"]


def test_empty_documents_and_archives_are_not_said_to_have_text(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "empty.txt").write_bytes(b"")
    (folder / "letter.txt").write_text("a letter")
    listing = ["documents", "--without-text", "--format", "table", "--store", tmp_path / "kin.db"]
    scanned(folder, tmp_path / "kin.db")
    one = "except 1 that is empty, has no letters or digits, or only contains others (not listed)."
    assert Called(*listing).words == f"All documents have text, {one}"
    (folder / "spaces.txt").write_text("  \n \n")
    with zipfile.ZipFile(folder / "box.zip", "w") as box:
        box.writestr("a.txt", "a text in a box")
    scanned(folder, tmp_path / "kin.db")
    assert "except 3 that are empty" in Called(*listing).out
