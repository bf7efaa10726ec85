"""What the store knows of the places a scan goes to: which files need not be read again.

A file is taken to be unchanged when size, both times of change in nanoseconds and inode are what they were. The time
of the content can be set back, as tools that copy or restore do; the time of the inode cannot, and tells of rights
that were taken away, too. Stores of before version 5 do not know it: there it is not compared. What a killed scan had
read counts as well: it is adopted, not read again.

Which texts are stale: made in another way than a scan would make them now, or not signed as it would.

Found through indices, never by looking at every text: nearly always there are none.

Renewal: documents whose kept text was made canonical in another way than wanted now. No bytes need be read.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import NamedTuple, TypeVar

from nearkin.formats.registry import FORMATS, UNKNOWN, has_ending
from nearkin.model import KILLED, Reason
from nearkin.read.table import MEDIA, MEMBER, table_kind
from nearkin.read.walk import stored_inode
from nearkin.settings import Settings
from nearkin.store.compression import unpack
from nearkin.text.kind import EXTRACTORS

# Bytes that were taken raw, or made text of by an extractor that is not ours any more, must be read again.
CURRENT = frozenset((*filter(None, EXTRACTORS.values()), *(form.extractor for form in FORMATS), UNKNOWN))


class Need(Enum):
    """What a scan must do about a file."""

    NOTHING = "nothing"
    TEXT = "text"  # make the kept text canonical and sign it as this scan does
    AGAIN = "again"  # read it: what is stored of it is stale, and no text was kept that would do
    READ = "read"

    @property
    def reads(self) -> bool:
        return self in (Need.AGAIN, Need.READ)


def stale_texts(
    connection: sqlite3.Connection, *, canon: int, scheme: int, raw: bool, keep: bool, only: int | None = None
) -> dict[int, Need]:
    """What is to be done about each text, or about this one, that cannot be taken as it is."""

    def texts(condition: str) -> set[int]:
        this = "" if only is None else f" AND id = {only}"
        return {text for (text,) in connection.execute(f"SELECT id FROM text WHERE {condition}{this}")}

    bare = texts("zstd IS NULL")
    foreign = set() if raw else texts(f"({extractor_other_than(CURRENT)})")
    other = texts(f"content IN (SELECT id FROM content WHERE canon <> {canon})")
    unsigned = set[int]()
    if bare:  # those whose text was kept are signed from it
        unsigned = texts(
            f"""content IN (SELECT id FROM content WHERE canon = {canon}
                            EXCEPT SELECT content FROM signature WHERE scheme = {scheme})""",
        )
    needs = dict.fromkeys(bare, Need.READ) if keep else {}
    needs |= dict.fromkeys(other, Need.AGAIN if raw else Need.TEXT)
    needs |= dict.fromkeys(foreign | (bare & (other | unsigned)), Need.AGAIN)
    return needs


def extractor_other_than(names: frozenset[str]) -> str:
    """As ranges between these names: an index then finds the few, where NOT IN would go through all."""
    known = sorted(names)
    between = [f"extractor > '{a}' AND extractor < '{b}'" for a, b in pairwise(known)]
    return " OR ".join([f"extractor < '{known[0]}'", *between, f"extractor > '{known[-1]}'"])


# Why a document failed and will fail again, unless it is another or is read by another.
LASTING = frozenset(
    (Reason.ENCRYPTED, Reason.CORRUPT, Reason.UNSUPPORTED, Reason.EMPTY, Reason.CRASHED, Reason.TIMED_OUT)
)
LOOK_UP = 500  # paths a query
ROWS = """SELECT id, path, size, mtime_ns, ctime_ns, inode, digest, text, media, reason, detail, reader,
                 md5 IS NOT NULL FROM"""


class Version(NamedTuple):
    """A row of `document`. As a tuple: a scan of 50,000 unchanged files makes as many of them and does little else."""

    id: int
    path: bytes
    size: int
    mtime_ns: int
    ctime_ns: int  # 0: not known
    inode: int
    digest: bytes | None
    text: int | None
    media: str
    reason: str | None
    detail: str | None
    reader: str | None
    has_legacy: bool  # digests


@dataclass
class Known:
    """The versions at the places of one scope, and which of these places this scan met.

    What lies in containers is not among them: there may be millions of rows in tables. They come and go with their
    container, and are looked up when that is read.
    """

    canon: int
    raw: bool
    keep: bool  # texts are to be kept
    full: bool = False  # read everything
    tables: str | None = None  # how tables are read, row by row; None: like any file
    legacy: bool = False  # MD5 and SHA-1 are wanted too
    timed_out: tuple[str, ...] = ()  # said of what took too long; of others, that they had other limits
    stale: dict[int, Need] = field(default_factory=dict)  # by text
    stale_containers: set[int] = field(default_factory=set)  # documents with a member to be read again
    versions: dict[bytes, Version] = field(default_factory=dict)
    pending: dict[bytes, Version] = field(default_factory=dict)  # read by scans that did not finish
    met: set[bytes] = field(default_factory=set)
    closed: list[bytes] = field(default_factory=list)  # folders that could not be looked into; the root is empty
    read_again: int = 0  # places met that are read only because what is stored of them is stale
    adopted: list[Version] = field(default_factory=list)
    outdated: list[int] = field(default_factory=list)  # pending versions that will not be adopted

    @classmethod
    def under(cls, settings: Settings, canon: int) -> "Known":
        walk, text = settings.walk, settings.text
        limits = settings.worker
        said = (limits.timed_out, limits.container_timed_out)
        return cls(canon, text.raw, text.keep, walk.full, settings.table.how, walk.legacy_digests, said)

    def load(self, connection: sqlite3.Connection, scope: int, scheme: int) -> None:
        self.stale = stale_texts(connection, canon=self.canon, scheme=scheme, raw=self.raw, keep=self.keep)
        files = "WHERE scope = ? AND parent IS NULL"
        self.versions = {version.path: version for version in _versions(connection, f"present {files}", scope)}
        self.stale_containers = self._containers_of_failed(connection, scope)
        if any(need.reads for need in self.stale.values()):
            self.stale_containers |= self._containers_to_read_again(connection, scope)
        unfinished = f"document {files} AND seen NOT IN (SELECT id FROM finished) ORDER BY id"
        for version in _versions(connection, unfinished, scope):
            if version.path in self.pending:  # two scans were killed: the later one knows better
                self.outdated.append(self.pending[version.path].id)
            self.pending[version.path] = version

    def load_one(self, connection: sqlite3.Connection, scope: int, scheme: int, path: bytes) -> None:
        """The version at this place alone."""
        for version in _versions(connection, "present WHERE scope = ? AND path = ?", scope, path):
            self.versions[path] = version
            if version.text is not None:
                self.stale = stale_texts(
                    connection, canon=self.canon, scheme=scheme, raw=self.raw, keep=self.keep, only=version.text
                )

    def _containers_to_read_again(self, connection: sqlite3.Connection, scope: int) -> set[int]:
        """Also those that lie in others, up to the files."""
        parents: dict[int, int] = {}
        stale: list[int] = []
        for number, parent, text in connection.execute(
            "SELECT id, parent, text FROM present WHERE scope = ? AND parent IS NOT NULL", (scope,)
        ):
            parents[number] = parent
            if text is not None and self.stale.get(text, Need.NOTHING).reads:
                stale.append(parent)
        found = set(stale)
        while stale:
            outer = parents.get(stale.pop())
            if outer is not None and outer not in found:
                found.add(outer)
                stale.append(outer)
        return found

    def _containers_of_failed(self, connection: sqlite3.Connection, scope: int) -> set[int]:
        """With a member that failed and might be read now: by a later reader, in other time, or as nobody kills it."""
        failed = connection.execute(
            """SELECT DISTINCT parent, reader, reason, detail FROM present
               WHERE text IS NULL AND +scope = ? AND parent IS NOT NULL AND reason IS NOT NULL""",
            (scope,),
        )
        waiting = [
            parent
            for parent, reader, reason, detail in failed
            if detail == KILLED
            or (reader is not None and reader not in CURRENT)
            or (reason == Reason.TIMED_OUT and detail not in self.timed_out)
        ]
        found: set[int] = set()
        while waiting:
            if (parent := waiting.pop()) not in found:
                found.add(parent)
                outer = connection.execute("SELECT parent FROM document WHERE id = ?", (parent,)).fetchone()
                waiting += [one for one in outer or () if one is not None]
        return found

    def meet(self, path: bytes, absolute: bytes, *, unchanged: bool) -> Need:
        """A file the scan came by; `unchanged` says whether it is the version that is known."""
        self.met.add(path)
        if self.pending and self._adopt(path, absolute):
            return Need.NOTHING
        if not unchanged:
            return Need.READ
        need = self._need(self.versions[path])
        self.read_again += need is Need.AGAIN
        return need

    def _adopt(self, path: bytes, absolute: bytes) -> bool:
        """Whether a scan that did not finish has read it as it is now."""
        pending = self.pending.get(path)
        if pending is None or self._need(pending) is not Need.NOTHING:
            return False
        try:
            stat = os.lstat(absolute)
        except OSError:
            return False
        now = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stored_inode(stat.st_ino))
        same = (pending.size, pending.mtime_ns, pending.ctime_ns or stat.st_ctime_ns, pending.inode) == now
        if same:
            self.adopted.append(pending)
        return same

    def rereads(self, table: Version) -> bool:
        """Whether a table known so is to be read even where its bytes are the same."""
        return self._need(table).reads

    def _need(self, version: Version) -> Need:
        if self.full or (version.reason is not None and not self._fails_again(version)):
            return Need.READ
        if self.legacy and not version.has_legacy and version.digest is not None:
            return Need.READ
        as_table = self.tables is not None and table_kind(version.path) is not None
        if version.media in MEDIA:
            if not as_table or version.detail != self.tables:
                return Need.READ
            return Need.AGAIN if version.id in self.stale_containers else Need.NOTHING
        if as_table:
            return Need.READ
        if not self.raw and (version.size or has_ending(version.path)) and not self._well_read(version):
            return Need.AGAIN
        if version.text is None:
            return Need.READ if self.raw and version.size else Need.NOTHING
        return self.stale.get(version.text, Need.NOTHING)

    def _fails_again(self, version: Version) -> bool:
        """Whether nothing has changed that could make it readable: neither it nor who reads it."""
        if version.reader not in CURRENT or version.reason not in LASTING or version.detail == KILLED:
            return False
        if version.reason == Reason.EMPTY and not version.size:  # nearkin 0.1 before it took these for documents
            return False
        return version.reason != Reason.TIMED_OUT or version.detail in self.timed_out

    def _well_read(self, version: Version) -> bool:
        """Whether who has read it would do so still, and would read what lies in it just so."""
        if version.id in self.stale_containers:
            return False
        if version.reader is None:  # plain text, or read by a nearkin that knew no formats
            return version.text is not None and not has_ending(version.path)
        return version.reader in CURRENT

    def vanished(self, below: tuple[bytes, ...]) -> list[Version]:
        """Versions of the scanned trees at places that were not met, in byte order. Of what lies in a folder that could
        not be looked into nobody knows that it is gone."""
        unmet = (path for path in sorted(self.versions.keys() - self.met) if lies_below(path, below))
        return [self.versions[path] for path in unmet if not lies_below(path, tuple(self.closed))]


def lies_below(path: bytes, starts: tuple[bytes, ...]) -> bool:
    """Whether a path is one of these, below one or a row of one; the root is empty."""
    return any(not start or path == start or path.startswith((start + b"/", start + MEMBER)) for start in starts)


def versions_at(connection: sqlite3.Connection, scope: int, paths: list[bytes]) -> dict[bytes, Version]:
    """Of some places only, as they are present."""
    found: dict[bytes, Version] = {}
    for start in range(0, len(paths), LOOK_UP):
        part = paths[start : start + LOOK_UP]
        which = f"present WHERE scope = ? AND path IN ({','.join('?' * len(part))})"
        found.update((version.path, version) for version in _versions(connection, which, scope, *part))
    return found


def _versions(connection: sqlite3.Connection, which: str, *given: int | bytes) -> Iterator[Version]:
    return map(Version._make, connection.execute(f"{ROWS} {which}", given))


AT_ONCE = 256  # texts …
ROOM = 4 << 20  # … or their characters

# Bytes taken raw are no extracted text, and what an older extractor made of them is not what ours would.
SUFFICES = f"t.zstd IS NOT NULL AND t.extractor IN ({', '.join(repr(name) for name in sorted(CURRENT))})"


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Renewed:
    """A document, and what its text was taken from and how."""

    id: int
    path: bytes
    digest: bytes
    extractor: str


def in_parts(items: Sequence[Item], sizes: Sequence[int]) -> Iterator[Sequence[Item]]:
    """As many at a time as are read at once."""
    start = size = 0
    for end, one in enumerate(sizes, 1):
        size += one
        if end - start == AT_ONCE or size >= ROOM or end == len(items):
            yield items[start:end]
            start, size = end, 0


def is_any_other(connection: sqlite3.Connection, canon: int) -> bool:
    """Whether there are contents of another canon at all."""
    return connection.execute("SELECT 1 FROM content WHERE canon <> ? LIMIT 1", (canon,)).fetchone() is not None


def renewable(connection: sqlite3.Connection, canon: int) -> Iterator[tuple[list[Renewed], list[bytes]]]:
    """Documents whose text is canonical in another way and was kept, some at a time, with these texts."""
    wanted = connection.execute(
        f"""SELECT d.id, d.path, t.digest, t.extractor, t.id, t.characters FROM present d
            JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
            WHERE d.reason IS NULL AND c.canon <> ? AND {SUFFICES} ORDER BY t.id""",
        (canon,),
    ).fetchall()
    for part in in_parts(wanted, [row[5] for row in wanted]):
        marks = ",".join("?" * len(part))
        packed = dict(connection.execute(f"SELECT id, zstd FROM text WHERE id IN ({marks})", [row[4] for row in part]))
        yield [Renewed(*row[:4]) for row in part], [unpack(packed[row[4]]) for row in part]


def renewed_before(connection: sqlite3.Connection, canon: int) -> list[tuple[int, int, bytes]]:
    """What scans that did not finish have made anew: these documents, the versions they follow, and their contents."""
    return connection.execute(
        """SELECT max(n.id), d.id, c.digest FROM document n JOIN present d ON d.id = n.before
           JOIN text t ON t.id = n.text JOIN content c ON c.id = t.content
           JOIN text o ON o.id = d.text JOIN content b ON b.id = o.content
           WHERE n.before IS NOT NULL AND n.seen NOT IN (SELECT id FROM finished)
           AND n.scope = d.scope AND n.path = d.path AND n.digest = d.digest AND c.canon = ?1 AND b.canon <> ?1
           GROUP BY d.id""",
        (canon,),
    ).fetchall()
