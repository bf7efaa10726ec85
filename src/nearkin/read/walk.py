"""The walk: which files a scan meets. Folders come in byte order, links are never followed, special files are skipped.

Every store of nearkin in a scanned folder, with the files beside it, is left out like the scan's own. The header of a
file tells whether it is a store. The header is read where a name suggests it: the name ends as those of databases do,
or a file that SQLite or nearkin puts beside a store is there. The native kernel of `sniff` recognises a store by any
other name when the scan reads it.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nearkin._native import FOLDER, STORE_HEADER, WATCHED, is_store_header, list_folder
from nearkin.errors import InputError, UsageError
from nearkin.read.globs import PathFilter
from nearkin.settings import WalkSettings

BESIDE = (b"-wal", b"-shm", b"-journal", b".lock", b".turn", b".segments")  # endings of the files beside a store
DATABASES = (b".db", b".db3", b".sqlite", b".sqlite3")
HINTS = [*BESIDE, *DATABASES]
ROOT = b"."  # the name of the root where it cannot be listed


@dataclass(frozen=True)
class Unreadable:
    """A file or folder that was met but could not be looked at."""

    path: bytes
    detail: str


@dataclass
class PassedOver:
    """How many links and special files a walk met: it never follows or reads them."""

    links: int = 0
    special: int = 0  # pipes, sockets and devices


# Files side by side; a folder by its path and its path from the root; or what cannot be looked at.
Part = list[bytes] | tuple[bytes, bytes] | Unreadable


def walk(
    root: Path,
    starts: tuple[Path, ...],
    settings: WalkSettings,
    *,
    leave_out: frozenset[bytes] = frozenset(),
    choice: PathFilter | None = None,
    passed_over: PassedOver | None = None,
) -> Iterator[bytes | Unreadable]:
    """The paths of `walk_by_runs`, file by file."""
    for run in walk_by_runs(root, starts, settings, leave_out=leave_out, choice=choice, passed_over=passed_over):
        if isinstance(run, Unreadable):
            yield run
        else:
            yield from run


def walk_by_runs(
    root: Path,
    starts: tuple[Path, ...],
    settings: WalkSettings,
    *,
    leave_out: frozenset[bytes] = frozenset(),
    choice: PathFilter | None = None,
    passed_over: PassedOver | None = None,
) -> Iterator[list[bytes] | Unreadable]:
    """The path, relative to root, of every file below the starts. Files side by side come as one list: handing over
    53,596 of them one by one takes a notable share of the walk.

    `leave_out` names absolute paths: the store's own files. They are left out under any other name too, because a
    process that reads and closes the store's file gives up SQLite's locks on it. Other stores of nearkin and the files
    beside them are left out as well. After the walk the caller's `choice` knows which of its globs matched nothing, and
    `passed_over` how many links and special files there were.
    """
    choice = choice or PathFilter(settings)
    passed_over = passed_over or PassedOver()
    base = os.fsencode(root)
    own = _identities(leave_out)
    inodes = [inode for _, inode in own]
    choosy = bool(choice)
    own_folders = {os.path.dirname(path) for path in leave_out}  # noqa: PTH120

    def is_own(absolute: bytes) -> bool:
        return not own.isdisjoint(_identities((absolute,)))

    def inside(folder: bytes, relative: bytes) -> Iterator[Part]:
        """The parts of a folder in order: runs of files, folders, and what cannot be looked at."""
        prefix = relative + b"/" if relative else b""
        paths, apart, (links, special) = list_folder(
            folder, prefix, hidden=settings.hidden, watched=inodes, hints=HINTS
        )
        passed_over.links += links
        passed_over.special += special

        def absolute(path: bytes) -> bytes:
            return os.path.join(folder, path[len(prefix) :])  # noqa: PTH118

        stores = files_of_stores(path for row, _ in apart if (path := absolute(paths[row])) not in leave_out)
        left_out = leave_out | stores if stores else leave_out
        unfiltered = not choosy and not stores and folder not in own_folders

        def chosen(files: list[bytes]) -> list[bytes]:
            if unfiltered:  # nearly always: nothing is done for each file
                return files
            return [path for path in files if absolute(path) not in left_out and choice.takes_file(path)]

        done = 0
        for row, what in apart:
            yield chosen(paths[done:row])
            done = row + 1
            path = paths[row]
            if what == FOLDER:
                if absolute(path) not in left_out and choice.enters_folder(path):
                    yield absolute(path), path
            elif what != WATCHED:
                yield Unreadable(path, os.strerror(what).lower())
            elif not is_own(absolute(path)):
                yield chosen([path])
        yield chosen(paths[done:])

    def below(folder: bytes, relative: bytes) -> Iterator[list[bytes] | Unreadable]:
        # A stack, not generators within generators: each of those would hand on all that is below it.
        waiting: list[Part] = [(folder, relative)]
        while waiting:
            part = waiting.pop()
            if not isinstance(part, tuple):
                yield part
            else:
                try:
                    waiting += reversed([*inside(*part)])
                except OSError as error:
                    yield Unreadable(part[1] or ROOT, explain(error))

    for start in starts:
        absolute = os.fsencode(start)
        relative = os.path.relpath(absolute, base) if absolute != base else b""
        if start.is_dir():
            yield from below(absolute, relative)
        elif not (absolute in leave_out or is_own(absolute) or is_store(absolute)) and choice.takes_file(relative):
            yield [relative]


def _identities(paths: Iterable[bytes]) -> set[tuple[int, int]]:
    """Device and inode of the paths that are files."""
    identities = set()
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)  # noqa: PTH116
            if stat.S_ISREG(status.st_mode):
                identities.add((status.st_dev, status.st_ino))
    return identities


def files_of_stores(paths: Iterable[bytes]) -> frozenset[bytes]:
    """All files of the stores that some of these absolute paths belong to, by how their names end."""
    stores = {main for path in paths if path.endswith((*BESIDE, *DATABASES)) for main in _mains(path)}
    return frozenset(store + end for store in stores if is_store(store) for end in (b"", *BESIDE))


def is_store(path: bytes) -> bool:
    """Whether a file is a store. A file that this process has open stays open, or SQLite would lose its locks."""
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        for file in _opened(info):
            return is_store_header(os.pread(file, STORE_HEADER, 0))
        # A path that has become a FIFO meanwhile must not hang the scan.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return is_store_header(os.read(file, STORE_HEADER))
        finally:
            if _opened(info) == [file]:  # if another thread has just opened it, this descriptor stays open
                os.close(file)
    except OSError:
        return False


def _opened(info: os.stat_result) -> list[int]:
    """The file descriptors by which this process has a file open."""
    descriptors = []
    for file in map(int, os.listdir("/dev/fd")):  # noqa: PTH208
        with suppress(OSError):  # such as the folder just listed
            if os.path.samestat(info, os.fstat(file)):
                descriptors.append(file)
    return descriptors


def _mains(path: bytes) -> list[bytes]:
    """The database that the path is, or stands beside."""
    return [path] if path.endswith(DATABASES) else [path.removesuffix(end) for end in BESIDE if path.endswith(end)]


def root_of(starts: tuple[Path, ...]) -> Path:
    """The folder that all starts lie in, or are."""
    return Path(os.path.commonpath([start if start.is_dir() else start.parent for start in starts]))


def check_starts(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Make starts absolute and order them, none inside another. A start that is no file or folder is an error."""
    if not paths:
        raise UsageError("Name at least one file or folder to scan.")
    starts: list[Path] = []
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise InputError(f"Cannot read {path}: {explain(error)}.") from error
        except ValueError as error:
            raise InputError(f"Cannot read {str(path)!r}: no file has such a name.") from error
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise InputError(f"{path} is neither a file nor a folder.")
        starts.append(path.resolve())
    starts = sorted(set(starts), key=os.fsencode)
    return tuple(start for start in starts if not any(above in start.parents for above in starts))


def explain(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def stored_inode(number: int) -> int:
    """An inode as a store holds it: SQLite's numbers have a sign, and some file systems use all 64 bits."""
    return number - (1 << 64) if number >> 63 else number
