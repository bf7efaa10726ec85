"""A file at its place, held so that nobody can put another there unnoticed.

Folders are opened one below the other, from the scope's root, and links among them are refused; the file itself is
opened and hashed through the same folder it will be moved from. What was looked at is then known by its device and
inode: a file that was swapped in meanwhile is another one.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

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
