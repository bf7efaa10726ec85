"""A plan carried out: each document checked, moved to the quarantine, and where asked for replaced by a link.

Nothing is deleted. The original always goes to the quarantine folder, by a rename on its own file system, so that
undoing brings back the very file; whoever is content empties that folder, and only then is room gained.

Step by step: 1. the kept file and the document are hashed; 2. the journal says what will be done; 3. the document is
moved; 4. what was moved is what was hashed, else it goes back; 5. the link is made and looked at; 6. the journal says
that it is done.

A run that is killed anywhere leaves at most one step begun; whatever came of it, undoing and a second run both know.
Whatever else fails after the move, the document goes back, and the step is refused with the reason.

A plan taken back: every step of its journal, the last first. What someone put in a document's place since stays.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from nearkin.errors import InputError
from nearkin.keep.journal import Journal, Step
from nearkin.keep.plan import Act, PlanRow
from nearkin.keep.quarantine import (
    FOLDER,
    TAKEN,
    Identity,
    Place,
    RefusedError,
    entered,
    move_in,
    move_out,
    proven,
    reached,
    unsafe,
)
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


class Action(StrEnum):
    HARDLINK = "hardlink"
    SYMLINK = "symlink"
    QUARANTINE = "quarantine"


@dataclass(frozen=True)
class Done:
    """What became of a document."""

    path: str
    scope: str
    outcome: str  # done, before, skipped, refused
    detail: str


def journal_of(plan: Path) -> Path:
    return plan.with_name(plan.name + ".journal")


def quarantine_of(plan: Path) -> Path:
    """Hidden, so that no scan finds there again what was put away."""
    return plan.with_name(f".{plan.name}.quarantine")


def apply_plan(rows: Sequence[PlanRow], action: Action, journal: Journal, quarantine: Path) -> Iterator[Done]:
    """What an earlier run has done stays done; a step that it had begun is taken back and tried again."""
    with entered(quarantine) as folder:
        for step in journal.standing():
            if journal.states[step.number] == "begun":
                try:
                    undo_step(step, begun=True)
                except RefusedError as error:
                    raise InputError(f"An earlier run was broken off at {step.path}, which {error}.") from error
                journal.end(step.number, "undone")
        before = {step.key for step in journal.standing()}
        for row in rows:
            if row.action is Act.KEEP:
                continue
            try:
                outcome, detail = _one(row, action, journal, quarantine, folder, before)
            except RefusedError as error:
                outcome, detail = "refused", str(error)
            except OSError as error:
                outcome, detail = "refused", f"cannot be looked at: {explain(error)}"
            yield Done(row.path, row.scope, outcome, detail)


def _one(
    row: PlanRow, action: Action, journal: Journal, quarantine: Path, folder: int, before: set[tuple[str, str]]
) -> tuple[str, str]:
    if row.action is Act.NONE:
        return "skipped", f"the plan says none: {row.why}"
    if row.action is Act.QUARANTINE and action is not Action.QUARANTINE:
        return "skipped", "the plan says quarantine; only --action quarantine moves it"
    if (row.root, row.path) in before:
        return "before", "done by an earlier run"
    with reached(row.kept_root, row.kept_path) as kept, reached(row.root, row.path) as place:
        try:
            other = proven(kept, row.kept_sha256)
        except RefusedError as error:
            raise RefusedError(f"stays, for the kept {row.kept_path} {error}") from error
        own = proven(place, row.sha256)
        one_file = (own.device, own.inode) == (other.device, other.inode)
        if action is not Action.QUARANTINE and one_file:
            return "skipped", "it is one file with the kept one already"
        if action is Action.HARDLINK and own.device != other.device:
            raise RefusedError(
                f"lies on another file system than {row.kept_path}, where no hard link can reach; use --action symlink"
            )
        if own.device != os.fstat(folder).st_dev:
            raise RefusedError(
                f"lies on another file system than the quarantine folder {quarantine}; name one there with --quarantine"
            )
        number = journal.following
        step = Step(
            number,
            str(action),
            row.root,
            row.path,
            row.sha256,
            own.device,
            own.inode,
            row.kept_root,
            row.kept_path,
            other.device,
            other.inode,
            _target(row) if action is Action.SYMLINK else None,
            os.fspath(quarantine.absolute()),
            f"{number:06d}-{row.sha256[:16]}",
        )
        if _is_there(step.moved, folder):
            raise RefusedError(f"stays, for {step.quarantine}/{step.moved} is there already")
        journal.begin(step)
        try:
            _take(step, place, kept, own, other, folder)
        except RefusedError:
            if not _is_there(step.moved, folder):  # else the journal must go on naming it
                journal.end(number, "undone")
            raise
        journal.end(number, "done")
    return "done", f"{_DONE[action]} {row.kept_path}" if action is not Action.QUARANTINE else "moved to the quarantine"


_DONE = {Action.HARDLINK: "hard link to", Action.SYMLINK: "symbolic link to"}


def _take(step: Step, place: Place, kept: Place, own: Identity, other: Identity, folder: int) -> None:
    try:
        move_in(place, step.moved, folder)
    except OSError as error:
        raise RefusedError(f"cannot be moved: {explain(error)}") from error
    try:
        if Identity.of(os.stat(step.moved, dir_fd=folder, follow_symlinks=False)) != own:
            raise RefusedError("has changed since the plan: another file took its place just now")
        found = kept.status()
        if found is None or Identity.of(found) != other:
            raise RefusedError(f"stays, for the kept {step.kept_path} has changed just now")
        _link(step, place, folder, kept)
    except RefusedError:
        move_out(step.moved, folder, place)
        raise
    except OSError as error:
        move_out(step.moved, folder, place)
        raise RefusedError(f"stays: {explain(error)}") from error
    for one in (place.folder, folder):
        with suppress(OSError):  # some file systems cannot; the rename itself was done
            os.fsync(one)


def _link(step: Step, place: Place, folder: int, kept: Place) -> None:
    try:
        if step.action == Action.HARDLINK:
            os.link(kept.name, place.name, src_dir_fd=kept.folder, dst_dir_fd=place.folder, follow_symlinks=False)
        elif step.target is not None:
            os.symlink(step.target, place.name, dir_fd=place.folder)
        else:
            return
    except OSError as error:
        why = explain(error)
        if error.errno in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK):
            why = f"its file system does not allow another {step.action} ({why})"
        raise RefusedError(f"cannot be replaced: {why}") from error
    try:
        found = os.stat(place.name, dir_fd=place.folder)
    except OSError:
        found = None
    if found is None or (found.st_dev, found.st_ino) != (step.kept_device, step.kept_inode):
        put_away(step, place, folder)  # the link made above, or what someone put in its place
        raise RefusedError(f"stays, for the kept {step.kept_path} has changed just now")


def _target(row: PlanRow) -> str:
    """Relative within a scope, so that the tree can move as a whole."""
    kept = os.path.join(row.kept_root, row.kept_path)  # noqa: PTH118
    if row.root != row.kept_root:
        return kept
    return os.path.relpath(kept, os.path.dirname(os.path.join(row.root, row.path)))  # noqa: PTH118, PTH120


def _is_there(name: str, folder: int) -> bool:
    return Place(folder, name, name).status() is not None
