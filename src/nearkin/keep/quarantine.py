"""The quarantine: a folder of our own, and ways in and out of it that never write over anything.

Out goes by one system call that fails where a file is already (`renameat2` with RENAME_NOREPLACE on Linux,
`renameatx_np` with RENAME_EXCL on macOS), else by a second name and the removal of the first (file systems without that
call, as NFS, have hard links). A file system with neither is refused before anything is moved: what cannot come back
safely should not go.

A file at its place, held so that nobody can put another there unnoticed.

Folders are opened one below the other, from the scope's root, and links among them are refused; the file itself is
opened and hashed through the same folder it will be moved from. What was looked at is then known by its device and
inode: a file that was swapped in meanwhile is another one.
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


class RefusedError(Exception):
    """Why a step was not taken: half a sentence, its subject the document."""


@dataclass(frozen=True)
class Place:
    folder: int  # an open folder
    name: str  # in it
    shown: str  # root and path

    def status(self) -> os.stat_result | None:
        """Of what is there, links not followed; None: nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


@dataclass(frozen=True)
class Identity:
    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Identity":
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def reached(root: str, path: str) -> Iterator[Place]:
    """The folder of a document, whatever is there now."""
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


def proven(place: Place, digest: str) -> Identity:
    """What lies there, if its bytes are those of the plan; RefusedError otherwise."""
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


NO_REPLACE = 4 if sys.platform == "darwin" else 1
NO_SUCH_CALL = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
PROBE = ".probe"
TAKEN = "something else lies in its place now"


@contextmanager
def entered(quarantine: Path) -> Iterator[int]:
    """The folder, made if need be, and looked at: who may write in it could put other bytes in a document's place."""
    try:
        quarantine.mkdir(mode=0o700, exist_ok=True)
        folder = os.open(quarantine, FOLDER | os.O_NOFOLLOW)
    except OSError as error:
        what = "it is a link" if quarantine.is_symlink() else explain(error)
        raise InputError(f"Cannot use the quarantine folder {quarantine}: {what}.") from error
    try:
        if why := unsafe(folder):
            raise InputError(f"Cannot use the quarantine folder {quarantine}: {why}.")
        if not _gives_back(folder):
            raise InputError(
                f"Cannot use the quarantine folder {quarantine}: its file system can neither make hard links nor move "
                "a file without the risk of writing over another."
            )
        yield folder
    finally:
        os.close(folder)


def unsafe(folder: int) -> str | None:
    status = os.fstat(folder)
    if status.st_uid != os.geteuid():
        return f"it belongs to another user (number {status.st_uid})"
    if status.st_mode & 0o022:
        return "others may write in it (take that right away with: chmod go-w)"
    return None


def _gives_back(folder: int) -> bool:
    """Tried on a file of our own: which flags a file system knows is told only when a file is moved."""
    back = f"{PROBE}.back"
    names = (PROBE, back)
    try:
        for name in names:
            with suppress(FileNotFoundError):  # of a run that was killed
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
    """OSError where it cannot. Nobody else writes in the folder, so that a look at the name is enough at need."""
    if not _moved(place.name, place.folder, name, folder):
        if Place(folder, name, name).status() is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(place.name, name, src_dir_fd=place.folder, dst_dir_fd=folder)


def move_out(name: str, folder: int, place: Place) -> None:
    try:
        if _moved(name, folder, place.name, place.folder):
            return
        os.link(name, place.name, src_dir_fd=folder, dst_dir_fd=place.folder, follow_symlinks=False)
        os.unlink(name, dir_fd=folder)  # its second name
    except FileExistsError as error:
        raise RefusedError(f"cannot be restored: {TAKEN}") from error
    except OSError as error:
        raise RefusedError(f"cannot be restored: {explain(error)}; it lies in the quarantine as {name}") from error


def _moved(name: str, folder: int, to: str, target: int) -> bool:
    """By one call that never writes over anything. False: this system or file system has none."""
    call = _renaming()
    if call is None:
        return False
    if call(folder, os.fsencode(name), target, os.fsencode(to), NO_REPLACE) == 0:
        return True
    number = ctypes.get_errno()
    if number in NO_SUCH_CALL:
        return False
    raise OSError(number, os.strerror(number))


def _renaming() -> "ctypes._NamedFuncPointer | None":
    library = ctypes.CDLL(None, use_errno=True)
    call = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call
