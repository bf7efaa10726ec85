"""What is proposed: certificates speak of what stays when the plan was carried out."""

import csv
from pathlib import Path

import pytest

from cli.world import Called, no_file_longer_than, prose
from nearkin.errors import InputError
from nearkin.keeping.plan import read_plan, write_plan

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
    import zipfile

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
