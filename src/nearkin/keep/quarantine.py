"""The quarantine folder: moving files into it and back without ever overwriting anything.

Folders are opened one below the other, from the scope's root, and links among them are refused. A file is opened and
hashed through the same folder that it will be moved from, and is then known by its device and inode: a file that was
swapped in meanwhile is another one.

A file goes back by one system call that fails where a file is already (`renameat2` with RENAME_NOREPLACE on Linux,
`renameatx_np` with RENAME_EXCL on macOS), else by a second name and the removal of the first (file systems without that
call, such as NFS, have hard links). A file system with neither is refused before anything is moved: what cannot come
back safely should not go.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nearkin.errors import InputError
from nearkin.keep.plan import is_inside
from nearkin.read.walk import explain

BLOCK = 1 << 20
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NO_REPLACE = 4 if sys.platform == "darwin" else 1
NO_SUCH_CALL = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
PROBE = ".probe"
TAKEN = "something else lies in its place now"


class RefusedError(Exception):
    """Says why a step was not taken: the predicate of a sentence whose subject is the document."""


@dataclass(frozen=True)
class Place:
    """A name in an open folder."""

    folder: int  # descriptor of the open folder
    name: str
    shown: str  # root and path, for messages

    def status(self) -> os.stat_result | None:
        """Return the status of what is there, without following links; None: nothing is there."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


@dataclass(frozen=True)
class Identity:
    """What a file is recognised by."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Identity":
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def reached(root: str, path: str) -> Iterator[Place]:
    """Open the folder of a document, whatever is there now."""
    if not is_inside(path):
        raise RefusedError("does not lie below its scope's root")
    *folders, name = path.split("/")
    try:
        at = os.open(root, FOLDER)
    except OSError as error:
        raise RefusedError(f"cannot be reached: {explain(error)} ({root})") from error
    try:
        for folder in folders:
            try:
                below = os.open(folder, FOLDER | os.O_NOFOLLOW, dir_fd=at)
            except OSError as error:
                raise RefusedError(f"has changed since the plan: its folder {folder} is gone or a link") from error
            os.close(at)
            at = below
        yield Place(at, name, os.path.join(root, path))  # noqa: PTH118  names need not be UTF-8
    finally:
        os.close(at)


def verified(place: Place, digest: str) -> Identity:
    """Return the file that is there, if its bytes are those of the plan; RefusedError otherwise."""
    try:
        file = os.open(place.name, FILE, dir_fd=place.folder)
    except FileNotFoundError as error:
        raise RefusedError("has changed since the plan: it is gone") from error
    except OSError as error:
        status = place.status()
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise RefusedError("has changed since the plan: it is a link now") from error
        raise RefusedError(f"cannot be read: {explain(error)}") from error
    try:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise RefusedError("has changed since the plan: it is no file any more")
        hashed = sha256()
        while block := os.read(file, BLOCK):
            hashed.update(block)
        if hashed.hexdigest() != digest or Identity.of(os.fstat(file)) != Identity.of(before):
            raise RefusedError("has changed since the plan: its bytes are others")
        return Identity.of(before)
    finally:
        os.close(file)


@contextmanager
def entered(quarantine: Path) -> Iterator[int]:
    """Make the folder if need be, check it and open it. Whoever else may write in it could put other bytes in a
    document's place."""
    try:
        quarantine.mkdir(mode=0o700, exist_ok=True)
        folder = os.open(quarantine, FOLDER | os.O_NOFOLLOW)
    except OSError as error:
        what = "it is a link" if quarantine.is_symlink() else explain(error)
        raise InputError(f"Cannot use the quarantine folder {quarantine}: {what}.") from error
    try:
        if why := unsafe(folder):
            raise InputError(f"Cannot use the quarantine folder {quarantine}: {why}.")
        if not _can_move_back(folder):
            raise InputError(
                f"Cannot use the quarantine folder {quarantine}: its file system can neither make hard links nor move "
                "a file without the risk of writing over another."
            )
        yield folder
    finally:
        os.close(folder)


def unsafe(folder: int) -> str | None:
    """Return why others could write in the folder; None: they cannot."""
    status = os.fstat(folder)
    if status.st_uid != os.geteuid():
        return f"it belongs to another user (number {status.st_uid})"
    if status.st_mode & 0o022:
        return "others may write in it (take that right away with: chmod go-w)"
    return None


def _can_move_back(folder: int) -> bool:
    """Whether files can be moved without overwriting. This is tried on a file of our own: only a move shows which flags
    a file system knows."""
    back = f"{PROBE}.back"
    names = (PROBE, back)
    try:
        for name in names:
            with suppress(FileNotFoundError):  # left by a run that was killed
                os.unlink(name, dir_fd=folder)
        os.close(os.open(PROBE, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder))
        move_out(PROBE, folder, Place(folder, back, back))
        os.unlink(back, dir_fd=folder)
    except (OSError, RefusedError):
        for name in names:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
        return False
    return True


def move_in(place: Place, name: str, folder: int) -> None:
    """Move a file into the quarantine; OSError where that fails. Nobody else writes in the folder, so where the system
    call is missing it is enough to look whether the name is free."""
    if not _move_exclusively(place.name, place.folder, name, folder):
        if Place(folder, name, name).status() is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(place.name, name, src_dir_fd=place.folder, dst_dir_fd=folder)


def move_out(name: str, folder: int, place: Place) -> None:
    """Move a file from the quarantine to its place; RefusedError where that fails."""
    try:
        if _move_exclusively(name, folder, place.name, place.folder):
            return
        os.link(name, place.name, src_dir_fd=folder, dst_dir_fd=place.folder, follow_symlinks=False)
        os.unlink(name, dir_fd=folder)  # its second name
    except FileExistsError as error:
        raise RefusedError(f"cannot be restored: {TAKEN}") from error
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)}; it lies in the quarantine as {name}") from error


def _move_exclusively(name: str, folder: int, to: str, target: int) -> bool:
    """Move by one call that never overwrites anything. False: this system or file system has no such call."""
    call = _rename_call()
    if call is None:
        return False
    if call(folder, os.fsencode(name), target, os.fsencode(to), NO_REPLACE) == 0:
        return True
    number = ctypes.get_errno()
    if number in NO_SUCH_CALL:
        return False
    raise OSError(number, os.strerror(number))


def _rename_call() -> "ctypes._NamedFuncPointer | None":
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call
