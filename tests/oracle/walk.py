"""Which files a scan meets, asked entry by entry."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from nearkin.read.walk import ROOT, Unreadable, explain
from nearkin.settings import WalkSettings
from oracle.globs import is_covered, is_meant

BESIDE = (b"-wal", b"-shm", b"-journal", b".lock", b".turn", b".segments")


def walk(
    root: Path, starts: tuple[Path, ...], settings: WalkSettings, *, leave_out: frozenset[bytes] = frozenset()
) -> Iterator[bytes | Unreadable]:
    base = os.fsencode(root)
    own = [path for path in leave_out if os.path.isfile(path)]  # noqa: PTH113

    def wanted(path: bytes, absolute: bytes) -> bool:
        name = os.fsdecode(path)
        if absolute in leave_out or any(is_meant(glob, name, folder=False) for glob in settings.exclude):
            return False
        if settings.include and not any(is_covered(glob, name) for glob in settings.include):
            return False
        is_own = os.path.exists(absolute) and any(os.path.samefile(absolute, path) for path in own)  # noqa: PTH110, PTH121
        return not is_own and not is_of_store(absolute)

    def enters(path: bytes, absolute: bytes) -> bool:
        if absolute in leave_out or is_of_store(absolute):
            return False
        return not any(is_meant(glob, os.fsdecode(path), folder=True) for glob in settings.exclude)

    def below(folder: bytes, relative: bytes) -> Iterator[bytes | Unreadable]:
        try:
            with os.scandir(folder) as found:
                children = sorted(found, key=lambda child: child.name)
        except OSError as error:
            yield Unreadable(relative or ROOT, explain(error))
            return
        for child in children:
            if not settings.hidden and child.name.startswith(b"."):
                continue
            path = relative + b"/" + child.name if relative else child.name
            if child.is_dir(follow_symlinks=False):
                if enters(path, child.path):
                    yield from below(child.path, path)
            elif child.is_file(follow_symlinks=False) and wanted(path, child.path):
                yield path

    for start in starts:
        absolute = os.fsencode(start)
        relative = os.path.relpath(absolute, base) if absolute != base else b""
        if start.is_dir():
            yield from below(absolute, relative)
        elif wanted(relative, absolute):
            yield relative


def is_of_store(path: bytes) -> bool:
    """Whether it is a store of nearkin or stands beside one."""
    return is_store(path) or any(path.endswith(end) and is_store(path.removesuffix(end)) for end in BESIDE)


def is_store(path: bytes) -> bool:
    """SQLite itself is asked; it takes an empty file for a database, too."""
    if not os.path.isfile(path) or os.path.islink(path) or os.path.getsize(path) == 0:  # noqa: PTH113, PTH114, PTH202
        return False
    try:
        with closing(sqlite3.connect(f"file:{os.fsdecode(path)}?mode=ro&immutable=1", uri=True)) as database:
            return bool(database.execute("PRAGMA application_id").fetchone() == (0x6E6B696E,))
    except sqlite3.Error:
        return False
