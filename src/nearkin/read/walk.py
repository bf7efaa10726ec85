"""Which files a scan meets: folders walked in byte order, links never followed, special files passed over."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from re import Pattern
from re import compile as compile_pattern

from nearkin.errors import InputError, UsageError
from nearkin.settings import WalkSettings

ROOT = b"."  # as it is called where it cannot be looked into


@dataclass(frozen=True)
class Unreadable:
    """A file or folder that was met but could not be looked at."""

    path: bytes
    detail: str


class Globs:
    """`*.txt` is about names anywhere, `drafts/*` about paths from the root, as in .gitignore."""

    def __init__(self, globs: tuple[str, ...]) -> None:
        self._names = [self._compile(glob) for glob in globs if "/" not in glob]
        self._paths = [self._compile(glob.lstrip("/")) for glob in globs if "/" in glob]

    def __bool__(self) -> bool:
        return bool(self._names or self._paths)

    def match(self, path: bytes) -> bool:
        if not self:
            return False
        name = path.rpartition(b"/")[2]
        return any(glob.match(name) for glob in self._names) or any(glob.match(path) for glob in self._paths)

    @staticmethod
    def _compile(glob: str) -> Pattern[bytes]:
        return compile_pattern(os.fsencode(translate(glob)))


def walk(
    root: Path, starts: tuple[Path, ...], settings: WalkSettings, *, leave_out: frozenset[bytes] = frozenset()
) -> Iterator[bytes | Unreadable]:
    """The path, relative to root, of every file below the starts; `leave_out` names absolute paths: the store's own. By
    any other name they are left out, too: whoever reads and closes the store's file gives up SQLite's locks on it."""
    include, exclude = Globs(settings.include), Globs(settings.exclude)
    base = os.fsencode(root)
    own = _identities(leave_out)
    numbers = {number for _, number in own}

    choosy = bool(include or exclude)

    def wanted(path: bytes, absolute: bytes) -> bool:
        if absolute in leave_out:
            return False
        return not choosy or ((not include or include.match(path)) and not exclude.match(path))

    def is_own(absolute: bytes) -> bool:
        return not own.isdisjoint(_identities((absolute,)))

    def children(folder: bytes) -> list[os.DirEntry[bytes]]:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda child: child.name, reverse=True)

    def below(folder: bytes, relative: bytes) -> Iterator[bytes | Unreadable]:
        # A stack instead of generators within generators: each of those passes on every file below it.
        prefix = relative + b"/" if relative else b""
        try:
            waiting = [(prefix, child) for child in children(folder)]
        except OSError as error:
            yield Unreadable(relative or ROOT, explain(error))
            return
        while waiting:
            prefix, child = waiting.pop()
            if not settings.hidden and child.name.startswith(b"."):
                continue
            path = prefix + child.name
            try:
                if child.is_dir(follow_symlinks=False):
                    if not exclude.match(path) and child.path not in leave_out:
                        waiting += [(path + b"/", grandchild) for grandchild in children(child.path)]
                elif child.is_file(follow_symlinks=False) and wanted(path, child.path):
                    if child.inode() in numbers and is_own(child.path):
                        continue
                    yield path
            except OSError as error:
                yield Unreadable(path, explain(error))

    for start in starts:
        absolute = os.fsencode(start)
        relative = os.path.relpath(absolute, base) if absolute != base else b""
        if start.is_dir():
            yield from below(absolute, relative)
        elif wanted(relative, absolute) and not is_own(absolute):
            yield relative


def _identities(paths: Iterable[bytes]) -> set[tuple[int, int]]:
    """Device and inode of those that are files."""
    found = set()
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)  # noqa: PTH116
            if stat.S_ISREG(status.st_mode):
                found.add((status.st_dev, status.st_ino))
    return found


def check_starts(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Absolute starts, in order, none inside another. What is not there, or is no file or folder, is an error."""
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
    return tuple(start for start in starts if not any(other in start.parents for other in starts))


def explain(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
