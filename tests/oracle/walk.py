"""Which files a scan meets, asked entry by entry."""

import os
from collections.abc import Iterator
from pathlib import Path

from nearkin.read.walk import ROOT, Globs, Unreadable, _identities, explain
from nearkin.settings import WalkSettings


def walk(
    root: Path, starts: tuple[Path, ...], settings: WalkSettings, *, leave_out: frozenset[bytes] = frozenset()
) -> Iterator[bytes | Unreadable]:
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
