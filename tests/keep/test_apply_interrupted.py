"""A process that dies before or after any single call, on any kind of file system, and once more while undoing.

Here a death is an exception that nothing catches, after which no call has any effect: so that every point can be tried
within seconds. `test_apply_killed` kills real processes.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from keep.world import Tree
from nearkin.errors import InputError
from nearkin.keep import apply as applying
from nearkin.keep import quarantine as quarantining
from nearkin.keep.apply import Action, apply_plan, undo
from nearkin.keep.journal import Journal
from nearkin.keep.plan import read_plan
from nearkin.keep.quarantine import Place

CALLS = ("rename", "link", "symlink", "unlink", "write", "fsync", "mkdir", "ftruncate")


class DeathError(BaseException):
    pass


@contextmanager
def dying(monkeypatch: pytest.MonkeyPatch, call: int, when: str) -> Iterator[None]:
    """Dies at the call of this number; afterwards nothing can be done any more."""
    made = 0

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **more: Any) -> Any:
            nonlocal made
            made += 1
            if made > call or (made == call and when == "before"):
                raise DeathError
            result = function(*given, **more)
            if made == call:
                raise DeathError
            return result

        return wrapped

    with monkeypatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, deadly(getattr(os, name)))
        renaming = quarantining._rename_call()
        patch.setattr(quarantining, "_rename_call", lambda: renaming and deadly(renaming))
        yield


def do(tree: Tree, action: Action) -> None:
    with Journal(tree.journal, create=True) as journal:
        list(apply_plan(read_plan(tree.plan), action, journal, tree.quarantine))


def undone(tree: Tree) -> set[str]:
    if not tree.journal.exists():
        return set()
    with suppress(InputError), Journal(tree.journal, create=False) as journal:  # killed before its first line
        return {one.outcome for one in undo(journal)}
    return set()


def left(tree: Tree) -> list[str]:
    return [one.name for one in tree.quarantine.iterdir() if not one.name.startswith(quarantining.PROBE)]


def without_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quarantining, "_rename_call", lambda: None)


def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_given: object, **_more: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)


SYSTEMS = [
    pytest.param(action, less, id=f"{action}-{name}")
    for action in Action
    for name, less in (("all", None), ("no rename", without_the_call), ("no links", without_links))
    if not (action is Action.HARDLINK and name == "no links")
]


@pytest.mark.parametrize(("action", "less"), SYSTEMS)
def test_death_at_every_call(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    action: Action,
    less: Callable[[pytest.MonkeyPatch], None] | None,
) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    if less is not None:
        less(monkeypatch)
    call = 0
    ended = False
    while not ended:
        call += 1
        for when in ("before", "after"):
            ended = True
            with suppress(DeathError), dying(monkeypatch, call, when):
                do(tree, action)
                continue
            ended = False
            # Undone; or undone by one who dies too; or begun anew and undone.
            match call % 3:
                case 1:
                    with suppress(DeathError), dying(monkeypatch, 1 + call // 3 % 6, when):
                        undone(tree)
                case 2:
                    do(tree, action)
            assert undone(tree) <= {"restored", "untouched"}
            assert tree.state() == before, (call, when)
            assert not tree.quarantine.exists() or not left(tree)
    assert call > 15
    undone(tree)
    assert tree.state() == before


@pytest.mark.parametrize("action", list(Action))
def test_death_at_every_call_of_undoing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Action) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    for less in (None, without_the_call):
        if less is not None:
            less(monkeypatch)
        for call in range(1, 14):
            for when in ("before", "after"):
                do(tree, action)
                with suppress(DeathError), dying(monkeypatch, call, when):
                    undone(tree)
                assert undone(tree) <= {"restored", "untouched"}
                assert tree.state() == before, (call, when)
                assert not left(tree)


def test_a_file_system_that_cannot_give_back_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    without_the_call(monkeypatch)
    without_links(monkeypatch)
    done = tree.apply("quarantine")
    assert done.code == 3
    assert "neither make hard links nor move" in done.err
    assert tree.state() == before
    assert not list(tree.quarantine.iterdir())


@pytest.mark.parametrize("less", [None, without_the_call, without_links])
def test_nothing_is_written_over_when_it_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, less: Callable[[pytest.MonkeyPatch], None] | None
) -> None:
    """Someone writes a file at the very moment when the document is to come back."""
    tree = Tree(tmp_path)
    tree.planned()
    do(tree, Action.QUARANTINE)
    if less is not None:
        less(monkeypatch)
    path = tree.root / "b/report copy.txt"
    moving = quarantining.move_out

    def late(name: str, folder: int, place: Place) -> None:
        if place.name == path.name:
            path.write_text("new work")
        moving(name, folder, place)

    monkeypatch.setattr("nearkin.keep.apply.move_out", late)
    assert undone(tree) == {"restored", "refused"}
    assert path.read_text() == "new work"
    assert len(left(tree)) == 1


def test_what_was_put_in_place_of_a_link_just_now_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    do(tree, Action.HARDLINK)
    path = tree.root / "b/report copy.txt"
    moving = quarantining.move_in

    def late(place: Place, name: str, folder: int) -> None:
        if place.name == path.name:
            path.unlink()
            path.write_text("new work")
        moving(place, name, folder)

    monkeypatch.setattr("nearkin.keep.apply.move_in", late)
    assert undone(tree) == {"restored", "refused"}
    assert path.read_text() == "new work"


@pytest.mark.parametrize("name", ["stat", "link", "fsync"])
def test_a_call_that_fails_after_the_move_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    moving = quarantining.move_in

    def then_broken(*given: Any) -> None:
        moving(*given)

        def broken(*_given: object, **_more: object) -> None:
            patch.undo()
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patch.setattr(os, name, broken)

    patch = pytest.MonkeyPatch()
    monkeypatch.setattr(applying, "move_in", then_broken)
    done = tree.apply("hardlink")
    patch.undo()
    assert "Traceback" not in done.err
    if name == "fsync":  # of folders, which some file systems cannot
        assert done.code == 0
    else:
        assert done.code == 3
        assert tree.state() == before
        assert "input/output error" in done.records[0]["detail"] or "input/output error" in done.out
        assert not left(tree)
    assert tree.undo().code == 0
    assert tree.state() == before


def test_a_full_disk_stops_before_anything_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    writing = os.write

    def full(file: int, data: bytes) -> int:
        if b'"begun"' in data:
            writing(file, data[:20])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return writing(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        done = tree.apply("quarantine")
    assert done.code == 3
    assert "no space left" in done.err
    assert tree.state() == before
    assert tree.undo().code == 0
    assert tree.apply("quarantine").code == 0


def test_a_quarantine_that_others_could_fill_is_refused(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    real = tmp_path / "elsewhere"
    real.mkdir()
    tree.quarantine.symlink_to(real)
    done = tree.apply("quarantine")
    assert (done.code, "it is a link" in done.err) == (3, True)
    tree.quarantine.unlink()
    tree.quarantine.mkdir()
    tree.quarantine.chmod(0o777)
    done = tree.apply("quarantine")
    assert (done.code, "others may write in it" in done.err) == (3, True)
    assert tree.state() == before
    tree.quarantine.chmod(0o700)
    assert tree.apply("quarantine").code == 0
    tree.quarantine.chmod(0o777)
    assert tree.undo().code == 3
    tree.quarantine.chmod(0o700)
    assert tree.undo().code == 0
    assert tree.state() == before


@pytest.mark.parametrize("what", ["quarantine", "journal"])
def test_what_belongs_to_another_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    if what == "quarantine":
        tree.quarantine.mkdir()
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        with pytest.raises(InputError, match="belongs to another user"), quarantining.entered(tree.quarantine):
            pass
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
        with pytest.raises(InputError, match="no file of your own"):
            Journal(tree.journal, create=True)
    assert tree.state() == before


def test_a_journal_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    (tmp_path / "notes").write_text("")
    tree.journal.symlink_to(tmp_path / "notes")
    done = tree.apply("quarantine")
    assert (done.code, "it is a link" in done.err) == (3, True)
    assert (tmp_path / "notes").read_text() == ""
