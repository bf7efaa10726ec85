"""A plan taken back: every step of its journal, the last first. What someone put in a document's place since stays."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from nearkin.keep.journal import Journal, Step
from nearkin.keep.quarantine import TAKEN, move_in, move_out, unsafe
from nearkin.keeping.place import FOLDER, Place, RefusedError, proven, reached
from nearkin.read.walk import explain


@dataclass(frozen=True)
class Undone:
    path: str
    outcome: str  # restored, untouched, refused
    detail: str


def undo(journal: Journal) -> Iterator[Undone]:
    for step in reversed(journal.standing()):
        try:
            moved = undo_step(step, begun=journal.states[step.number] == "begun")
        except RefusedError as error:
            yield Undone(step.path, "refused", str(error))
            continue
        journal.end(step.number, "undone")
        told = ("restored", "it is where it was") if moved else ("untouched", "it was there already")
        yield Undone(step.path, *told)


def undo_step(step: Step, *, begun: bool) -> bool:
    """Whatever came of the step, it did not happen afterwards. False: it had not, in the first place."""
    try:
        folder = os.open(step.quarantine, FOLDER | os.O_NOFOLLOW)
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)} ({step.quarantine})") from error
    try:
        if why := unsafe(folder):
            raise RefusedError(f"cannot be restored from {step.quarantine}: {why}")
        return _undone(step, folder, begun=begun)
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)}") from error
    finally:
        os.close(folder)


def _undone(step: Step, folder: int, *, begun: bool) -> bool:
    with reached(step.root, step.path) as place:
        away = Place(folder, step.moved, f"{step.quarantine}/{step.moved}")
        gone, here = away.status(), place.status()
        if gone is None:
            if begun or (here is not None and (here.st_dev, here.st_ino) == (step.device, step.inode)):
                _clear(step, folder)
                return False  # a step that was only begun has moved nothing, or has put it back
            raise RefusedError(f"cannot be restored: {away.shown} is gone")
        if here is not None and (here.st_dev, here.st_ino) == (gone.st_dev, gone.st_ino):
            os.unlink(step.moved, dir_fd=folder)  # put back, but for its second name
            _clear(step, folder)
            return True
        try:
            proven(away, step.sha256)
        except RefusedError as error:
            raise RefusedError(f"cannot be restored: what lies in the quarantine {error}") from error
        _clear(step, folder)
        if here is not None:
            if not _is_ours(step, place, here):
                raise RefusedError(f"cannot be restored: {TAKEN}")
            put_away(step, place, folder)
        move_out(step.moved, folder, place)
        with suppress(OSError):  # some file systems cannot
            os.fsync(place.folder)
        return True


def put_away(step: Step, place: Place, folder: int) -> None:
    """The link that a step has made. What is neither a link of ours nor one of several names of its bytes goes back:
    someone put it there just now."""
    away = Place(folder, _linked(step), _linked(step))
    move_in(place, away.name, folder)
    if not _clear(step, folder):
        found = away.status()
        if found is None or stat.S_ISLNK(found.st_mode) or not _holds_nothing_new(step, away):
            move_out(away.name, folder, place)
            raise RefusedError(f"cannot be restored: {TAKEN}")


def _clear(step: Step, folder: int) -> bool:
    """A link that was put away, by this run or by one that was killed. Only a name that is not the last one of its
    bytes goes for good: others stay in the quarantine."""
    name = _linked(step)
    away = Place(folder, name, name)
    found = away.status()
    if found is None:
        return True
    ours = stat.S_ISLNK(found.st_mode) and step.target is not None and os.readlink(name, dir_fd=folder) == step.target
    if ours or _is_the_kept(step, found):
        os.unlink(name, dir_fd=folder)
        return True
    return False


def _linked(step: Step) -> str:
    return f"{step.moved}.link"


def _is_the_kept(step: Step, found: os.stat_result) -> bool:
    with suppress(RefusedError), reached(step.kept_root, step.kept_path) as kept:
        status = kept.status()
        return status is not None and (status.st_dev, status.st_ino) == (found.st_dev, found.st_ino)
    return False


def _is_ours(step: Step, place: Place, here: os.stat_result) -> bool:
    """Whether what lies there is the link that the step made, and nobody's work is in it alone: the kept file has the
    same bytes under its own name, or they are still those of the plan."""
    if step.target is not None:
        return stat.S_ISLNK(here.st_mode) and os.readlink(place.name, dir_fd=place.folder) == step.target
    return step.action == "hardlink" and (_is_the_kept(step, here) or _holds_nothing_new(step, place))


def _holds_nothing_new(step: Step, place: Place) -> bool:
    try:
        proven(place, step.sha256)
    except RefusedError:
        return False
    return True
