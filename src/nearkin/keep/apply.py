"""Applying a plan, and undoing it.

Each document is checked, moved to the quarantine, and replaced by a link where that was asked for. Nothing is deleted:
the original always goes to the quarantine folder, by a rename on its own file system, so that undoing brings back the
very same file. Room is gained only when a person empties that folder.

Step by step: 1. the kept file and the document are hashed; 2. the journal records what will be done; 3. the document is
moved; 4. the moved file is compared with the hashed one, and goes back if it is another; 5. the link is made and
checked; 6. the journal records that the step is done.

A run that is killed anywhere leaves at most one step begun. Whatever came of that step, undoing and a second run both
handle it. Where anything fails after the move, the document goes back, and the step is refused with the reason.

Undoing takes back every step of the journal, the last one first. A file that someone has put in a document's place in
the meantime stays.
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
    reached,
    unsafe,
    verified,
)
from nearkin.read.walk import explain


class Action(StrEnum):
    """What replaces a document that goes to the quarantine."""

    HARDLINK = "hardlink"
    SYMLINK = "symlink"
    QUARANTINE = "quarantine"


@dataclass(frozen=True)
class Done:
    """The outcome for one document of a plan."""

    path: str
    scope: str
    outcome: str  # done, before, skipped, refused
    detail: str


def journal_of(plan: Path) -> Path:
    """Return the default journal of a plan."""
    return plan.with_name(plan.name + ".journal")


def quarantine_of(plan: Path) -> Path:
    """Return the default quarantine folder of a plan. It is hidden, so that no scan reads it."""
    return plan.with_name(f".{plan.name}.quarantine")


def apply_plan(rows: Sequence[PlanRow], action: Action, journal: Journal, quarantine: Path) -> Iterator[Done]:
    """Carry out a plan, row by row. Steps that an earlier run has done stay done; a step that it had only begun is
    taken back and tried again."""
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
                outcome, detail = _apply_row(row, action, journal, quarantine, folder, before)
            except RefusedError as error:
                outcome, detail = "refused", str(error)
            except OSError as error:
                outcome, detail = "refused", f"cannot be looked at: {explain(error)}"
            yield Done(row.path, row.scope, outcome, detail)


def _apply_row(
    row: PlanRow, action: Action, journal: Journal, quarantine: Path, folder: int, before: set[tuple[str, str]]
) -> tuple[str, str]:
    """Carry out one row. Return the outcome and its detail; RefusedError where the document must stay."""
    if row.action is Act.NONE:
        return "skipped", f"the plan says none: {row.why}"
    if row.action is Act.QUARANTINE and action is not Action.QUARANTINE:
        return "skipped", "the plan says quarantine; only --action quarantine moves it"
    if (row.root, row.path) in before:
        return "before", "done by an earlier run"
    with reached(row.kept_root, row.kept_path) as kept, reached(row.root, row.path) as place:
        try:
            kept_file = verified(kept, row.kept_sha256)
        except RefusedError as error:
            raise RefusedError(f"stays, for the kept {row.kept_path} {error}") from error
        file = verified(place, row.sha256)
        same_file = (file.device, file.inode) == (kept_file.device, kept_file.inode)
        if action is not Action.QUARANTINE and same_file:
            return "skipped", "it is one file with the kept one already"
        if action is Action.HARDLINK and file.device != kept_file.device:
            raise RefusedError(
                f"lies on another file system than {row.kept_path}, where no hard link can reach; use --action symlink"
            )
        if file.device != os.fstat(folder).st_dev:
            raise RefusedError(
                f"lies on another file system than the quarantine folder {quarantine}; name one there with --quarantine"
            )
        number = journal.next_number
        step = Step(
            number,
            str(action),
            row.root,
            row.path,
            row.sha256,
            file.device,
            file.inode,
            row.kept_root,
            row.kept_path,
            kept_file.device,
            kept_file.inode,
            _target(row) if action is Action.SYMLINK else None,
            os.fspath(quarantine.absolute()),
            f"{number:06d}-{row.sha256[:16]}",
        )
        if _exists(step.moved, folder):
            raise RefusedError(f"stays, for {step.quarantine}/{step.moved} is there already")
        journal.begin(step)
        try:
            _move_and_link(step, place, kept, file, kept_file, folder)
        except RefusedError:
            if not _exists(step.moved, folder):  # else the journal must go on naming it
                journal.end(number, "undone")
            raise
        journal.end(number, "done")
    return "done", f"{_DONE[action]} {row.kept_path}" if action is not Action.QUARANTINE else "moved to the quarantine"


_DONE = {Action.HARDLINK: "hard link to", Action.SYMLINK: "symbolic link to"}


def _move_and_link(step: Step, place: Place, kept: Place, file: Identity, kept_file: Identity, folder: int) -> None:
    """Take steps 3 to 5 of the module's docstring. Where one fails, the document goes back, and RefusedError says
    why."""
    try:
        move_in(place, step.moved, folder)
    except OSError as error:
        raise RefusedError(f"cannot be moved: {explain(error)}") from error
    try:
        if Identity.of(os.stat(step.moved, dir_fd=folder, follow_symlinks=False)) != file:
            raise RefusedError("has changed since the plan: another file took its place just now")
        status = kept.status()
        if status is None or Identity.of(status) != kept_file:
            raise RefusedError(f"stays, for the kept {step.kept_path} has changed just now")
        _link(step, place, folder, kept)
    except RefusedError:
        move_out(step.moved, folder, place)
        raise
    except OSError as error:
        move_out(step.moved, folder, place)
        raise RefusedError(f"stays: {explain(error)}") from error
    for changed in (place.folder, folder):
        with suppress(OSError):  # some file systems cannot; the rename itself was done
            os.fsync(changed)


def _link(step: Step, place: Place, folder: int, kept: Place) -> None:
    """Make the link in the document's place, and check that it leads to the kept file."""
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
        status = os.stat(place.name, dir_fd=place.folder)
    except OSError:
        status = None
    if status is None or (status.st_dev, status.st_ino) != (step.kept_device, step.kept_inode):
        put_away(step, place, folder)  # the link made above, or a file that someone put in its place
        raise RefusedError(f"stays, for the kept {step.kept_path} has changed just now")


def _target(row: PlanRow) -> str:
    """Return what a symbolic link holds: a relative path within a scope, so that the tree can move as a whole."""
    kept = os.path.join(row.kept_root, row.kept_path)  # noqa: PTH118
    if row.root != row.kept_root:
        return kept
    return os.path.relpath(kept, os.path.dirname(os.path.join(row.root, row.path)))  # noqa: PTH118, PTH120


def _exists(name: str, folder: int) -> bool:
    return Place(folder, name, name).status() is not None


@dataclass(frozen=True)
class Undone:
    """The outcome for one step that is undone."""

    path: str
    outcome: str  # restored, untouched, refused
    detail: str


def undo(journal: Journal) -> Iterator[Undone]:
    """Take back every step of a journal, the last one first."""
    for step in reversed(journal.standing()):
        try:
            moved = undo_step(step, begun=journal.states[step.number] == "begun")
        except RefusedError as error:
            yield Undone(step.path, "refused", str(error))
            continue
        journal.end(step.number, "undone")
        outcome = ("restored", "it is where it was") if moved else ("untouched", "it was there already")
        yield Undone(step.path, *outcome)


def undo_step(step: Step, *, begun: bool) -> bool:
    """Take back a step, whatever came of it. False: there was nothing to take back."""
    try:
        folder = os.open(step.quarantine, FOLDER | os.O_NOFOLLOW)
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)} ({step.quarantine})") from error
    try:
        if why := unsafe(folder):
            raise RefusedError(f"cannot be restored from {step.quarantine}: {why}")
        return _restore(step, folder, begun=begun)
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)}") from error
    finally:
        os.close(folder)


def _restore(step: Step, folder: int, *, begun: bool) -> bool:
    with reached(step.root, step.path) as place:
        moved = Place(folder, step.moved, f"{step.quarantine}/{step.moved}")
        there, here = moved.status(), place.status()
        if there is None:
            if begun or (here is not None and (here.st_dev, here.st_ino) == (step.device, step.inode)):
                _clear(step, folder)
                return False  # a step that was only begun has moved nothing, or has moved it back
            raise RefusedError(f"cannot be restored: {moved.shown} is gone")
        if here is not None and (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
            os.unlink(step.moved, dir_fd=folder)  # it is back already; its second name is left
            _clear(step, folder)
            return True
        try:
            verified(moved, step.sha256)
        except RefusedError as error:
            raise RefusedError(f"cannot be restored: what lies in the quarantine {error}") from error
        _clear(step, folder)
        if here is not None:
            if not _is_own_link(step, place, here):
                raise RefusedError(f"cannot be restored: {TAKEN}")
            put_away(step, place, folder)
        move_out(step.moved, folder, place)
        with suppress(OSError):  # some file systems cannot
            os.fsync(place.folder)
        return True


def put_away(step: Step, place: Place, folder: int) -> None:
    """Move the link that a step has made into the quarantine, and remove it. A file that is neither our link nor one of
    several names of its bytes goes back: someone has put it there just now."""
    link = Place(folder, _link_name(step), _link_name(step))
    move_in(place, link.name, folder)
    if not _clear(step, folder):
        status = link.status()
        if status is None or stat.S_ISLNK(status.st_mode) or not _has_planned_bytes(step, link):
            move_out(link.name, folder, place)
            raise RefusedError(f"cannot be restored: {TAKEN}")


def _clear(step: Step, folder: int) -> bool:
    """Remove a link that was put away, by this run or by one that was killed; True: none is left. A name is removed
    only if it is not the last one of its bytes: otherwise it stays in the quarantine."""
    name = _link_name(step)
    status = Place(folder, name, name).status()
    if status is None:
        return True
    ours = stat.S_ISLNK(status.st_mode) and step.target is not None and os.readlink(name, dir_fd=folder) == step.target
    if ours or _is_kept_file(step, status):
        os.unlink(name, dir_fd=folder)
        return True
    return False


def _link_name(step: Step) -> str:
    return f"{step.moved}.link"


def _is_kept_file(step: Step, status: os.stat_result) -> bool:
    with suppress(RefusedError), reached(step.kept_root, step.kept_path) as kept:
        own = kept.status()
        return own is not None and (own.st_dev, own.st_ino) == (status.st_dev, status.st_ino)
    return False


def _is_own_link(step: Step, place: Place, here: os.stat_result) -> bool:
    """Whether there is the link that the step made, and no new work would be lost with it: the kept file has the same
    bytes under its own name, or they are still those of the plan."""
    if step.target is not None:
        return stat.S_ISLNK(here.st_mode) and os.readlink(place.name, dir_fd=place.folder) == step.target
    return step.action == "hardlink" and (_is_kept_file(step, here) or _has_planned_bytes(step, place))


def _has_planned_bytes(step: Step, place: Place) -> bool:
    try:
        verified(place, step.sha256)
    except RefusedError:
        return False
    return True
