"""What is proposed: certificates speak of what stays when the plan was carried out."""

import csv
import json
import zipfile
from pathlib import Path

import pytest

from cli.world import Called, no_file_longer_than, prose, write
from nearkin.errors import InputError
from nearkin.keep.plan import read_plan, write_plan

from .world import USUAL, Tree

RARE = " The files on asbestos are kept for forty years after the last exposure. "


def shared(folder: Path) -> Tree:
    """Two copies have a sentence that the kept one lacks."""
    text = prose(5)
    files = {b"master.txt": f"{text} {text[:400]}", b"b.txt": text + RARE, b"c.txt": "Copy. " + text + RARE}
    return Tree(folder, files)


@pytest.mark.parametrize(("near", "lost"), [(("--near", "0.5"), True), ((), False)])
def test_what_goes_too_vouches_for_nobody(tmp_path: Path, near: tuple[str, ...], lost: bool) -> None:
    tree = shared(tmp_path)
    tree.scan()
    rows = tree.keep("--prefer", "largest", *near).records
    assert [row["path"] for row in rows] == ["master.txt", "b.txt", "c.txt"]
    assert {row["action"] for row in rows[1:]} == {"quarantine" if lost else "none"}
    for row in rows[1:]:
        assert row["missing"] >= len(RARE) - 2
        assert (row["residue"] >= len(RARE) - 2) == lost
        assert any("asbestos" in passage["text"] for passage in row["passages"]) == lost


def test_what_stays_in_an_archive_vouches(tmp_path: Path) -> None:
    tree = shared(tmp_path)
    with zipfile.ZipFile(tree.root / "box.zip", "w") as box:
        box.writestr("d.txt", prose(5) + RARE + "and more")
    tree.scan()
    rows = {row["path"]: row for row in tree.keep("--prefer", "largest", "--near", "0.5").records}
    assert rows["b.txt"]["action"] == "quarantine"
    assert rows["b.txt"]["residue"] == 0


def test_a_file_of_two_names_is_no_copy(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {b"a.txt": prose(5), b"b.txt": prose(5)})
    (tree.root / "c.txt").hardlink_to(tree.root / "a.txt")
    tree.scan()
    rows = {row["path"]: row for row in tree.keep("--prefer", "oldest").records}
    assert {path: row["action"] for path, row in rows.items()} == {"a.txt": "keep", "b.txt": "replace", "c.txt": "none"}
    assert "another name" in rows["c.txt"]["why"]


def test_commands_to_type_next_name_the_store(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.scan()
    told = tree.keep("--plan", tree.plan).err
    assert f"--action quarantine --store {tree.store}" in told
    assert f"--undo {tree.journal} --store {tree.store}" in tree.apply("hardlink").err


def test_a_plan_saved_with_semicolons(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.scan()
    plan = tmp_path / "plan.csv"
    assert tree.keep("--plan", plan, *USUAL).code == 0
    with plan.open(encoding="utf-8", newline="", errors="surrogateescape") as file:
        rows = list(csv.reader(file))
    with plan.open("w", encoding="utf-8", newline="", errors="surrogateescape") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    done = tree.keep("--apply", plan, "--action", "hardlink")
    assert done.code == 0, done.err
    assert "done" in {one["outcome"] for one in done.records}


def test_a_plan_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.scan()
    whole, plan = tmp_path / "whole.csv", tmp_path / "full" / "plan.csv"
    assert tree.keep("--plan", whole, *USUAL).code == 0
    plan.parent.mkdir()
    with no_file_longer_than(100), pytest.raises(InputError, match=r"Cannot write .*plan\.csv"):
        write_plan(read_plan(whole), plan)
    assert list(plan.parent.iterdir()) == []
    write_plan(read_plan(whole), plan)
    assert plan.read_bytes() == whole.read_bytes()


def test_what_can_go_comes_first_on_the_screen_and_no_more_than_asked(tmp_path: Path) -> None:
    files = {b"%d/%s.txt" % (n, side): prose(30 + n) + f" by {side!r}" for n in range(4) for side in (b"a", b"b")}
    tree = Tree(tmp_path, {**files, b"3/copy.txt": files[b"3/a.txt"]})
    tree.scan()
    shown = tree.keep("--format", "table", "--limit", "2").out
    assert shown.index("replace") < shown.index("pair  2 documents")
    assert "… and 2 more families" in shown
    assert shown.count("  keep  ") == 2
    assert tree.keep("--format", "table", "--limit", "0").out.count("  keep  ") == 4
    assert len(tree.keep("--limit", "1").records) == 9, "only the screen is short"


def test_copies_of_files_that_could_not_be_read_are_replaced_by_their_bytes(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {b"a/broken.zip": "PK\x03\x04 and no more", b"b/broken.zip": "PK\x03\x04 and no more"})
    assert Called("scan", tree.root, "--store", tree.store, "-q").records[0]["failed"] == 2
    assert [row["action"] for row in tree.keep().records] == ["keep", "replace"]


def test_nothing_goes_because_of_what_is_there_no_more(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {b"x.txt": prose(5), b"y.txt": prose(6)})
    tree.scan()
    tree.root = tree.root.rename(tmp_path / "moved")
    tree.scan()
    done = tree.keep("--plan", tree.plan)
    assert done.code == 0
    assert done.records == []
    assert json.loads(tree.plan.read_text())["rows"] == []
    (told,) = [line for line in done.err.splitlines() if "Scope" in line]
    assert f"Scope tree: its folder {tmp_path / 'tree'} no longer exists, so keep leaves its documents out" in told
    assert f"nearkin scan NEWPLACE --scope tree --store {tree.store}" in told
    assert f"nearkin store drop tree --store {tree.store}" in told
    shown = tree.keep("--format", "table")
    assert shown.words == "No family has two documents that still exist."


def test_texts_in_a_missing_folder_save_nobodys_text(tmp_path: Path) -> None:
    tree = shared(tmp_path)
    tree.scan()
    (tmp_path / "away").mkdir()
    (tree.root / "c.txt").rename(tmp_path / "away" / "c.txt")
    assert Called("scan", tmp_path / "away", "--store", tree.store, "-q").code == 0
    tree.scan()
    assert [row["residue"] for row in tree.keep("--prefer", "largest").records[:2]] == [0, 0]
    (tmp_path / "away").rename(tmp_path / "gone")
    kept, lost = tree.keep("--prefer", "largest").records
    assert (kept["path"], lost["path"]) == ("master.txt", "b.txt")
    assert lost["residue"] >= len(RARE) - 2


def test_files_that_went_since_the_scan_are_left_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.archive()
    tree.scan()
    before = [row["path"] for row in tree.keep().records]
    (tree.root / "b/report copy.txt").unlink()
    (tree.root / "box.zip").unlink()
    (tree.root / "a/longer.txt").unlink()
    (tree.root / "a/longer.txt").symlink_to(tree.root / "a/report.txt")
    done = tree.keep()
    left = [row["path"] for row in done.records]
    assert sorted({*before} - {*left}) == ["a/longer.txt", "b/report copy.txt", "box.zip!/report.txt"]
    assert (
        "3 documents are not where the last scan found them, or cannot be looked at, so keep leaves them out; "
        in done.err
    )
    assert done.err.rstrip().endswith(f"nearkin scan {tree.root} --store {tree.store}")
    assert tree.keep("-q").err == ""


def test_a_folder_named_like_an_archive_is_looked_into(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {b"odd!/a.txt": prose(5), b"odd!/b.txt": prose(5)})
    with zipfile.ZipFile(tree.root / "odd!" / "box.zip", "w") as box:
        box.writestr("a.txt", prose(5))
    tree.scan()
    done = tree.keep()
    assert len(done.records) == 3
    assert done.err == ""


def test_the_one_that_stays_is_named_with_its_scope(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    for name in ("home", "office"):
        write(tmp_path / name, {b"a.txt": prose(5)})
        assert Called("scan", tmp_path / name, "--store", store, "-q").code == 0
    shown = Called("keep", "--store", store, "--format", "table", "--prefer", "scope:office").words
    assert "replace home:a.txt the same bytes as office:a.txt" in shown


def test_copies_without_letters_are_told_by_their_bytes(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {b"a.txt": "...", b"b.txt": "...", b"c.txt": "!!!", b"empty.txt": "", b"word.txt": "word"})
    tree.scan()
    rows = tree.keep("--prefer", "oldest").records
    assert [(row["path"], row["action"], row["kind"]) for row in rows] == [
        ("a.txt", "keep", "identical"),
        ("b.txt", "replace", "identical"),
    ]
    shown = Called("documents", "--without-text", "--store", tree.store, "--format", "table").words
    assert (
        "All documents have text, except 4 that are empty, have no letters or digits, or only contain others" in shown
    )
