"""Plans carried out and taken back, and everything that may go wrong meanwhile."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose
from keep.world import FILES, USUAL, Tree
from nearkin.group import certificate
from nearkin.keep import apply as applying
from nearkin.keep import quarantine as placing


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def outcomes(done: Called) -> dict[str, str]:
    return {record["path"]: record["outcome"] for record in done.records}


def rows(tree: Tree) -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in json.loads(tree.plan.read_text())["rows"]}


def edit(tree: Tree, path: str, /, **values: object) -> None:
    plan = json.loads(tree.plan.read_text())
    for row in plan["rows"]:
        if row["path"] == path:
            row.update(values)
    tree.plan.write_text(json.dumps(plan))


def test_the_plan_says_what_and_why(tree: Tree) -> None:
    tree.planned()
    before = tree.state()
    found = rows(tree)
    assert found["a/longer.txt"]["action"] == "keep"
    assert found["a/longer.txt"]["why"] == "in folder a; among equals, largest: 1,711 bytes"
    assert found["a/report.txt"]["action"] == "none"
    assert found["a/report.txt"]["contained"] == 1.0
    assert found["a/report.txt"]["tier"] == "near"
    for copy in ("b/report copy.txt", "c/caf\udce9.txt"):
        assert (found[copy]["action"], found[copy]["kept_path"]) == ("replace", "a/report.txt")
        assert found[copy]["sha256"] == found[copy]["kept_sha256"]
    assert tree.state() == before


def test_texts_that_no_set_takes_have_no_certificate(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the set of windows refuses over a million distinct texts."""

    def refused(*_: object) -> None:
        raise ValueError("there are too many texts")

    monkeypatch.setattr(certificate, "held_windows", refused)
    tree.planned("--near", "0")
    found = rows(tree)["a/report.txt"]
    assert found["why"] == "no certificate: there are too many texts"
    assert (found["action"], found["contained"], found["missing"]) == ("none", None, None)


def test_minus_five_is_not_five(tree: Tree) -> None:
    tree.planned()
    pair = [row for path, row in rows(tree).items() if path.startswith("negative")]
    other = next(row for row in pair if row["action"] != "keep")
    assert other["tier"] == "words"
    assert other["action"] == "none"
    assert 0 < other["residue"] == other["missing"] < 40
    assert "5 degrees" in other["passages"][0]["text"]
    assert other["contained"] < 1.0


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("action", ["hardlink", "symlink", "quarantine"])
def test_done_and_undone(tmp_path: Path, action: str, suffix: str) -> None:
    tree = Tree(tmp_path, {**FILES, b"=a.txt": prose(1), b"-b\n.txt": prose(1)})
    tree.plan = tmp_path / f"plan.{suffix}"
    tree.journal = tmp_path / f"plan.{suffix}.journal"
    tree.planned()
    before = tree.state()
    done = tree.apply(action)
    assert done.code == 0, done.err
    copies = ["b/report copy.txt", "c/caf\udce9.txt", "=a.txt", "-b\n.txt"]
    assert {path for path, outcome in outcomes(done).items() if outcome == "done"} == set(copies)
    for copy in copies:
        path = tree.root / copy
        if action == "quarantine":
            assert not path.exists()
        else:
            assert path.read_bytes() == before[copy][1]
            assert path.is_symlink() == (action == "symlink")
            assert path.stat().st_ino == (tree.root / "a/report.txt").stat().st_ino
    assert len(list((tmp_path / f".plan.{suffix}.quarantine").iterdir())) == len(copies)
    undone = tree.undo()
    assert undone.code == 0, undone.err
    assert set(outcomes(undone).values()) == {"restored"}
    assert tree.state() == before  # the very files: inodes too
    again = tree.apply(action)
    assert [outcome for outcome in outcomes(again).values() if outcome == "done"] == ["done"] * len(copies)
    third = tree.apply(action)
    assert list(outcomes(third).values()).count("before") == len(copies)
    assert tree.undo().code == 0
    assert tree.state() == before


def test_near_documents_go_only_where_the_plan_says_so(tree: Tree) -> None:
    tree.planned()
    assert "a/report.txt" not in {p for p, o in outcomes(tree.apply("quarantine")).items() if o == "done"}
    assert tree.undo().code == 0
    edit(tree, "b/report copy.txt", action="none")
    edit(tree, "c/caf\udce9.txt", action="none")
    edit(tree, "a/report.txt", action="quarantine")
    assert outcomes(tree.apply("hardlink"))["a/report.txt"] == "skipped"
    assert outcomes(tree.apply("quarantine"))["a/report.txt"] == "done"


def test_what_is_contained_may_be_planned_to_go_with_its_copies(tree: Tree) -> None:
    tree.planned("--near", "1")
    actions = {path: row["action"] for path, row in rows(tree).items()}
    assert [actions[path] for path in ("a/report.txt", "b/report copy.txt", "c/caf\udce9.txt")] == ["quarantine"] * 3
    assert actions["negative/minus.txt"] != "quarantine" or actions["negative/plus.txt"] != "quarantine"


def test_where_things_went_is_told_though_something_was_refused(tree: Tree) -> None:
    tree.planned()
    (tree.root / "b" / "report copy.txt").write_text("other words since")
    done = Called("keep", "--store", tree.store, "--format", "table", "--apply", tree.plan, "--action", "quarantine")
    assert done.code == 3
    assert f"The originals are in {tree.quarantine}" in done.err
    assert "To undo this: nearkin keep --undo" in done.err
    lines = done.out.splitlines()
    refused = next(at for at, line in enumerate(lines) if line.startswith("  refused"))
    assert not any(line.startswith("  done") for line in lines[refused:])
    skipped = [line.split()[1] for line in lines if line.startswith("  skipped")]
    counts = dict(part.split()[::-1] for part in lines[-1].split(", "))
    assert sum(map(int, skipped)) == int(counts["skipped"])


def test_a_plan_that_nearkin_would_not_make_is_refused(tree: Tree) -> None:
    tree.planned()
    before = tree.state()
    whole = tree.plan.read_text()
    kept = rows(tree)["b/report copy.txt"]["kept_path"]
    for path, values in (
        ("a/longer.txt" if kept != "a/longer.txt" else "a/report.txt", {"action": "replace"}),
        (kept, {"action": "quarantine"}),
        ("b/report copy.txt", {"path": "../outside.txt"}),
        ("b/report copy.txt", {"path": "/etc/hostname"}),
        ("b/report copy.txt", {"root": "/"}),
        ("b/report copy.txt", {"action": "delete"}),
    ):
        tree.plan.write_text(whole)
        edit(tree, path, **values)
        done = tree.apply("quarantine")
        assert done.code in (2, 3), values
        assert done.err.count("\n") == 1
    assert tree.state() == before


@pytest.mark.parametrize("which", ["document", "kept"])
def test_what_changed_since_the_plan_is_refused(tree: Tree, which: str) -> None:
    tree.planned()
    row = rows(tree)["b/report copy.txt"]
    path = tree.root / (row["path"] if which == "document" else row["kept_path"])
    path.write_text(edited(prose(1), 3))
    before = tree.state()
    done = tree.apply("hardlink")
    assert done.code == 3
    refused = {record["path"]: record["detail"] for record in done.records if record["outcome"] == "refused"}
    assert "changed since the plan" in refused["b/report copy.txt"]
    assert tree.state()["b/report copy.txt"] == before["b/report copy.txt"]


def test_links_in_the_way_are_not_followed(tree: Tree, tmp_path: Path) -> None:
    tree.planned()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "report copy.txt").write_text(prose(1))
    (tree.root / "b/report copy.txt").unlink()
    (tree.root / "b").rmdir()
    (tree.root / "b").symlink_to(outside)
    target = tree.root / "c" / os.fsdecode(b"caf\xe9.txt")
    target.unlink()
    target.symlink_to(outside / "report copy.txt")
    done = tree.apply("quarantine")
    assert done.code == 3
    details = {record["path"]: record["detail"] for record in done.records if record["outcome"] == "refused"}
    assert "folder b is gone or a link" in details["b/report copy.txt"]
    assert "link now" in details["c/caf\udce9.txt"]
    assert (outside / "report copy.txt").exists()


def test_a_file_swapped_in_at_the_last_moment_goes_back(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.planned()
    edit(tree, "c/caf\udce9.txt", action="none")
    victim = tree.root / "b/report copy.txt"
    honest = placing.verified

    def verified(place: placing.Place, digest: str) -> placing.Identity:
        found = honest(place, digest)
        if place.name == victim.name:
            victim.unlink()
            victim.write_text("something dear that was never scanned")
        return found

    monkeypatch.setattr(applying, "verified", verified)
    done = tree.apply("hardlink")
    assert outcomes(done)["b/report copy.txt"] == "refused"
    assert victim.read_text() == "something dear that was never scanned"
    assert not list(tree.quarantine.iterdir())
    monkeypatch.undo()
    assert tree.undo().records == []


def test_other_file_systems_are_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.planned()
    honest = placing.verified

    def elsewhere(place: placing.Place, digest: str) -> placing.Identity:
        found = honest(place, digest)
        far = place.name != "report copy.txt"
        return placing.Identity(found.device + far, found.inode, found.size, found.mtime_ns)

    monkeypatch.setattr(applying, "verified", elsewhere)
    details = {record["path"]: record["detail"] for record in tree.apply("hardlink").records}
    assert "another file system" in details["b/report copy.txt"]
    assert "--action symlink" in details["b/report copy.txt"]


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_read_only_folders_are_left_alone(tree: Tree) -> None:
    tree.planned()
    (tree.root / "b").chmod(0o500)
    try:
        details = {record["path"]: record["detail"] for record in tree.apply("quarantine").records}
    finally:
        (tree.root / "b").chmod(0o700)
    assert "cannot be moved" in details["b/report copy.txt"]


def test_containers_are_never_touched(tree: Tree) -> None:
    tree.archive()
    tree.planned("--near", "0")
    row = rows(tree)["box.zip!/report.txt"]
    assert (row["action"], row["why"]) == ("none", "it lies in a container or a table")
    data = (tree.root / "box.zip").read_bytes()
    edit(tree, "box.zip!/report.txt", action="quarantine")
    assert tree.apply("quarantine").code == 2
    edit(tree, "box.zip!/report.txt", action="none")
    tree.apply("quarantine")
    assert (tree.root / "box.zip").read_bytes() == data


def test_undo_leaves_what_someone_put_there_since(tree: Tree) -> None:
    tree.planned()
    tree.apply("quarantine")
    (tree.root / "b/report copy.txt").write_text("new work")
    undone = tree.undo()
    assert undone.code == 3
    assert outcomes(undone)["b/report copy.txt"] == "refused"
    assert (tree.root / "b/report copy.txt").read_text() == "new work"
    (tree.root / "b/report copy.txt").rename(tree.root / "b/mine.txt")
    assert outcomes(tree.undo()) == {"b/report copy.txt": "restored"}


def test_the_journal_and_the_quarantine_are_private(tree: Tree) -> None:
    tree.planned()
    tree.apply("quarantine")
    assert stat.S_IMODE(tree.journal.stat().st_mode) == 0o600
    assert stat.S_IMODE(tree.quarantine.stat().st_mode) == 0o700
    audit = Called("audit", "--store", tree.store, "--format", "jsonl").records
    assert audit[0]["action"] == "keep --apply"


def test_a_persons_word_goes_before_rules(tree: Tree) -> None:
    tree.scan()
    family = next(
        one["id"]
        for one in Called("families", "--store", tree.store, "--format", "jsonl").records
        if len(one["documents"]) == 4
    )
    said = Called("verdict", "set", family, "keep", "b/report copy.txt", "--store", tree.store)
    assert said.code == 0, said.err
    found = {row["path"]: row for row in tree.keep(family, "--prefer", "largest").records}
    assert found["b/report copy.txt"]["action"] == "keep"
    assert "verdict" in found["b/report copy.txt"]["why"]
    assert found["a/report.txt"]["kept_path"] == "b/report copy.txt"
    assert len(found) == 4


def test_the_same_plan_each_time_and_never_over_another(tree: Tree, tmp_path: Path) -> None:
    tree.planned()
    assert tree.keep("--plan", tmp_path / "again.json", *USUAL).code == 0
    assert (tmp_path / "again.json").read_bytes() == tree.plan.read_bytes()
    refused = tree.keep("--plan", tree.plan)
    assert refused.code == 2
    assert "already" in refused.err
    assert tree.keep("--plan", tmp_path / "plan.txt").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--apply", "missing.csv", "--action", "quarantine"), 3),
        (("--apply", "missing.csv"), 2),
        (("--undo", "missing.journal"), 3),
        (("--action", "hardlink"), 2),
        (("--prefer", "best"), 2),
        (("--near", "2"), 2),
        (("feedbeef",), 3),
        (("--undo", "a", "--apply", "b", "--action", "hardlink"), 2),
    ],
)
def test_wrong_usage(tree: Tree, arguments: tuple[str, ...], code: int) -> None:
    tree.scan()
    done = tree.keep(*arguments)
    assert done.code == code
    assert done.err.count("\n") == 1


def test_the_screen_shows_what_is_only_there(tree: Tree) -> None:
    tree.scan()
    shown = Called("keep", "--store", tree.store, "--format", "table").out
    assert "only here" in shown
    assert "the same bytes as" in shown
