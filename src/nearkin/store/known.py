"""What the store knows of the places a scan goes to: which files need not be read again.

A file is taken to be unchanged when size, time of change in nanoseconds and inode are what they were. What a killed
scan had read counts as well: it is adopted, not read again.
"""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from nearkin.text.kind import EXTRACTORS

# Bytes that were taken raw, or made text of by an extractor that is not ours any more, must be read again.
CURRENT = frozenset(filter(None, EXTRACTORS.values()))

ROWS = """
SELECT d.id, d.path, d.size, d.mtime_ns, d.inode, d.digest, d.text, d.media, d.reason, d.detail,
       c.canon, t.extractor, t.zstd IS NOT NULL,
       c.id IS NULL OR EXISTS (SELECT 1 FROM signature s WHERE s.scheme = ? AND s.content = c.id)
FROM {} d LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
"""


class Need(Enum):
    """What a scan must do about a file."""

    NOTHING = "nothing"
    TEXT = "text"  # make the kept text canonical and sign it as this scan does
    READ = "read"


@dataclass(frozen=True, slots=True)
class Version:
    """A row of `document`."""

    id: int
    path: bytes
    size: int
    mtime_ns: int
    inode: int
    digest: bytes | None
    text: int | None
    media: str
    reason: str | None
    detail: str | None
    canon: int | None
    extractor: str | None
    kept: bool
    signed: bool


@dataclass
class Known:
    """The versions at the places of one scope, and which of these places this scan met."""

    canon: int
    raw: bool
    keep: bool  # texts are to be kept
    full: bool = False  # read everything
    versions: dict[bytes, Version] = field(default_factory=dict)
    pending: dict[bytes, Version] = field(default_factory=dict)  # read by scans that did not finish
    met: set[bytes] = field(default_factory=set)
    adopted: list[Version] = field(default_factory=list)
    outdated: list[int] = field(default_factory=list)  # pending versions that will not be adopted

    def load(self, connection: sqlite3.Connection, scope: int, scheme: int) -> None:
        for version in _versions(connection, ROWS.format("present") + "WHERE d.scope = ?", (scheme, scope)):
            self.versions[version.path] = version
        unfinished = "WHERE d.scope = ? AND d.seen NOT IN (SELECT id FROM finished) ORDER BY d.id"
        for version in _versions(connection, ROWS.format("document") + unfinished, (scheme, scope)):
            if version.path in self.pending:  # two scans were killed: the later one knows better
                self.outdated.append(self.pending[version.path].id)
            self.pending[version.path] = version

    def load_one(self, connection: sqlite3.Connection, scope: int, scheme: int, path: bytes) -> None:
        """The version at this place alone."""
        query = ROWS.format("present") + "WHERE d.scope = ? AND d.path = ?"
        for version in _versions(connection, query, (scheme, scope, path)):
            self.versions[path] = version

    def meet(self, path: bytes, absolute: bytes) -> Need:
        """A file the scan came by."""
        self.met.add(path)
        if path not in self.versions and path not in self.pending:
            return Need.READ
        try:
            stat = os.lstat(absolute)
        except OSError:
            return Need.READ  # it will be told why
        pending = self.pending.get(path)
        if pending is not None and _same(pending, stat) and self._need(pending) is Need.NOTHING:
            self.adopted.append(pending)
            return Need.NOTHING
        version = self.versions.get(path)
        if version is None or not _same(version, stat):
            return Need.READ
        return self._need(version)

    def _need(self, version: Version) -> Need:
        if self.full or version.reason is not None:
            return Need.READ
        if version.text is None:
            return Need.READ if self.raw and version.size else Need.NOTHING
        if (self.keep and not version.kept) or (not self.raw and version.extractor not in CURRENT):
            return Need.READ
        if version.canon == self.canon:
            return Need.NOTHING if version.signed or version.kept else Need.READ
        return Need.READ if self.raw else Need.TEXT

    def vanished(self, below: tuple[bytes, ...]) -> list[Version]:
        """Versions of the scanned trees at places that were not met, in byte order."""
        return [self.versions[path] for path in sorted(self.versions.keys() - self.met) if lies_below(path, below)]


def lies_below(path: bytes, starts: tuple[bytes, ...]) -> bool:
    """Whether a path is one of these or below one; the root is empty."""
    return any(not start or path == start or path.startswith(start + b"/") for start in starts)


def _same(version: Version, stat: os.stat_result) -> bool:
    return (version.size, version.mtime_ns, version.inode) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def _versions(connection: sqlite3.Connection, query: str, given: tuple[int | bytes, ...]) -> Iterator[Version]:
    return (Version(*row) for row in connection.execute(query, given))
