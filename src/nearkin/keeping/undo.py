"""A plan taken back: every step of its journal, the last first. What someone put in a document's place since stays."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from nearkin.keeping.journal import Journal, Step
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
        yield Undone(step.path, *(("restored", "it is where it was") if moved else ("untouched", "it never went")))


def undo_step(step: Step, *, begun: bool) -> bool:
    """Whatever came of the step, it did not happen afterwards. False: it had not, in the first place."""
    try:
        folder = os.open(step.quarantine, FOLDER)
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)} ({step.quarantine})") from error
    try:
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
                return False  # a step that was only begun has moved nothing, or has put it back
            raise RefusedError(f"cannot be restored: {away.shown} is gone")
        if here is not None and (here.st_dev, here.st_ino) == (gone.st_dev, gone.st_ino):
            os.unlink(step.moved, dir_fd=folder)  # put back, but for its second name
            return True
        try:
            proven(away, step.sha256)
        except RefusedError as error:
            raise RefusedError(f"cannot be restored: what lies in the quarantine {error}") from error
        if here is not None:
            if not _is_ours(step, place, here):
                raise RefusedError("cannot be restored: something else lies in its place now")
            _put_away(step, place, folder)
        put_back(place, folder, step.moved)
        with suppress(OSError):  # some file systems cannot
            os.fsync(place.folder)
        return True


def _put_away(step: Step, place: Place, folder: int) -> None:
    """The link. Only a name that is not the last one of its bytes goes for good: the others stay in the quarantine."""
    name = f"{step.moved}.link"
    os.rename(place.name, name, src_dir_fd=place.folder, dst_dir_fd=folder)  # by open folders
    found = Place(folder, name, name).status()
    if found is not None and (stat.S_ISLNK(found.st_mode) or _is_the_kept(step, found)):
        os.unlink(name, dir_fd=folder)


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
    if step.action != "hardlink":
        return False
    if _is_the_kept(step, here):
        return True
    try:
        proven(place, step.sha256)
    except RefusedError:
        return False
    return True


def put_back(place: Place, folder: int, moved: str) -> None:
    """Never over something else: a second name first, then the first one goes."""
    try:
        os.link(moved, place.name, src_dir_fd=folder, dst_dir_fd=place.folder, follow_symlinks=False)
    except FileExistsError as error:
        raise RefusedError("cannot be restored: something else lies in its place now") from error
    except OSError:  # a file system without hard links
        if place.status() is not None:
            raise RefusedError("cannot be restored: something else lies in its place now") from None
        try:
            os.rename(moved, place.name, src_dir_fd=folder, dst_dir_fd=place.folder)  # by open folders
        except OSError as error:
            raise RefusedError(f"cannot be restored: {explain(error)}") from error
        return
    os.unlink(moved, dir_fd=folder)  # its second name
