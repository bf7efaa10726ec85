"""Which files need not be read again, and which kept texts are made anew: what a scan does about stored versions.

A file is unchanged if size, both times of change in nanoseconds and inode are what they were; the kernel
`unchanged_files` compares them. The time of the content can be set back, as tools that copy or restore do; the time of
the inode cannot, and also changes with a file's rights. Stores of before version 5 do not have it: there it is not
compared. Versions that a killed scan had read count as well: they are adopted, not read again.

Staleness is about texts that were made in another way than a scan would make them now, or were not signed as it would.
They are found through indices, never by looking at every text: nearly always there are none. Renewal makes a kept text
canonical as wanted now, without reading a file.
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
    READ = "read"  # read it: it is new or changed, or the scan reads all

    @property
    def reads(self) -> bool:
        return self in (Need.AGAIN, Need.READ)


def stale_texts(connection: sqlite3.Connection, *, canon: int, scheme: int, raw: bool, keep: bool) -> dict[int, Need]:
    """What is to be done about each text that cannot be taken as it is."""

    def texts(condition: str) -> set[int]:
        return {text for (text,) in connection.execute(f"SELECT id FROM text WHERE {condition}")}

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
FILES = "WHERE scope = ? AND parent IS NULL"
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


@dataclass(frozen=True)
class ReadRules:
    """How a scan reads: what decides whether a stored version will do."""

    canon: int
    raw: bool
    keep: bool  # texts are to be kept
    full: bool = False  # read everything
    tables: str | None = None  # how tables are read, row by row; None: like any file
    legacy: bool = False  # MD5 and SHA-1 are wanted too
    timed_out: tuple[str, ...] = ()  # details of documents that took too long under these limits

    @classmethod
    def of(cls, settings: Settings, canon: int) -> "ReadRules":
        walk, text, limits = settings.walk, settings.text, settings.worker
        timed_out = (limits.timed_out, limits.container_timed_out)
        return cls(canon, text.raw, text.keep, walk.full, settings.table.how, walk.legacy_digests, timed_out)


@dataclass(frozen=True)
class Staleness:
    """What is stored of a scope, but not as a scan by these rules would store it."""

    rules: ReadRules
    texts: dict[int, Need] = field(default_factory=dict)
    containers: frozenset[int] = frozenset()  # documents with a member to be read again

    @classmethod
    def load(cls, connection: sqlite3.Connection, scope: int, scheme: int, rules: ReadRules) -> "Staleness":
        texts = stale_texts(connection, canon=rules.canon, scheme=scheme, raw=rules.raw, keep=rules.keep)
        containers = _containers_of_failed(connection, scope, rules)
        if any(need.reads for need in texts.values()):
            containers |= _containers_of_stale(connection, scope, texts)
        return cls(rules, texts, frozenset(containers))

    def need(self, version: Version) -> Need:
        """What a scan does about an unchanged file of this version."""
        rules = self.rules
        if rules.full or (version.reason is not None and not self._fails_again(version)):
            return Need.READ
        if rules.legacy and not version.has_legacy and version.digest is not None:
            return Need.READ
        as_table = rules.tables is not None and table_kind(version.path) is not None
        if version.media in MEDIA:
            if not as_table or version.detail != rules.tables:
                return Need.READ
            return Need.AGAIN if version.id in self.containers else Need.NOTHING
        if as_table:
            return Need.READ
        if not rules.raw and (version.size or has_ending(version.path)) and not self._is_well_read(version):
            return Need.AGAIN
        if version.text is None:
            return Need.READ if rules.raw and version.size else Need.NOTHING
        return self.texts.get(version.text, Need.NOTHING)

    def _fails_again(self, version: Version) -> bool:
        """Whether nothing has changed that could make it readable: neither the file nor its reader."""
        if version.reader not in CURRENT or version.reason not in LASTING or version.detail == KILLED:
            return False
        if version.reason == Reason.EMPTY and not version.size:  # nearkin 0.1 before it took these for documents
            return False
        return version.reason != Reason.TIMED_OUT or version.detail in self.rules.timed_out

    def _is_well_read(self, version: Version) -> bool:
        """Whether its reader would read it, and all that lies in it, just so today."""
        if version.id in self.containers:
            return False
        if version.reader is None:  # plain text, or read by a nearkin that knew no formats
            return version.text is not None and not has_ending(version.path)
        return version.reader in CURRENT


def _containers_of_stale(connection: sqlite3.Connection, scope: int, texts: dict[int, Need]) -> set[int]:
    """Containers with a member whose text must be read again; also those that they lie in, up to the files."""
    parents: dict[int, int] = {}
    stale: list[int] = []
    for number, parent, text in connection.execute(
        "SELECT id, parent, text FROM present WHERE scope = ? AND parent IS NOT NULL", (scope,)
    ):
        parents[number] = parent
        if text is not None and texts.get(text, Need.NOTHING).reads:
            stale.append(parent)
    containers = set(stale)
    while stale:
        outer = parents.get(stale.pop())
        if outer is not None and outer not in containers:
            containers.add(outer)
            stale.append(outer)
    return containers


def _containers_of_failed(connection: sqlite3.Connection, scope: int, rules: ReadRules) -> set[int]:
    """Containers with a member that failed and might be read now: by a later reader, in other time, or if its worker
    is not killed again."""
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
        or (reason == Reason.TIMED_OUT and detail not in rules.timed_out)
    ]
    containers: set[int] = set()
    while waiting:
        if (parent := waiting.pop()) not in containers:
            containers.add(parent)
            outer = connection.execute("SELECT parent FROM document WHERE id = ?", (parent,)).fetchone()
            waiting += [number for number in outer or () if number is not None]
    return containers


@dataclass
class UnfinishedVersions:
    """Versions that scans have read which did not finish. Those whose file is still the same are adopted."""

    by_path: dict[bytes, Version] = field(default_factory=dict)
    adopted: list[Version] = field(default_factory=list)
    outdated: list[int] = field(default_factory=list)  # ids of those that another version has replaced

    @classmethod
    def load(cls, connection: sqlite3.Connection, scope: int) -> "UnfinishedVersions":
        unfinished = cls()
        which = f"document {FILES} AND seen NOT IN (SELECT id FROM finished) ORDER BY id"
        for version in _versions(connection, which, scope):
            unfinished.replace(version.path)  # if two scans were killed, the later one knows better
            unfinished.by_path[version.path] = version
        return unfinished

    def replace(self, path: bytes) -> None:
        """Note that the version at this place, if there is one, has been replaced."""
        if (version := self.by_path.get(path)) is not None:
            self.outdated.append(version.id)

    def adopt(self, version: Version, absolute: bytes) -> bool:
        """Adopt a version if its file is still the same; whether it is."""
        try:
            stat = os.lstat(absolute)
        except OSError:
            return False
        now = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stored_inode(stat.st_ino))
        same = (version.size, version.mtime_ns, version.ctime_ns or stat.st_ctime_ns, version.inode) == now
        if same:
            self.adopted.append(version)
        return same

    def useless(self, below: tuple[bytes, ...]) -> list[int]:
        """Ids of the versions in the scanned trees that were not adopted."""
        adopted = {version.id for version in self.adopted}
        left = [v.id for v in self.by_path.values() if v.id not in adopted and lies_below(v.path, below)]
        return [*left, *self.outdated]


@dataclass
class FileVersions:
    """The versions at the places of one scope, and which of these places a scan met.

    Members of containers are not among them: there may be millions of rows in tables. They come and go with their
    container, and are looked up when that is read.
    """

    staleness: Staleness
    present: dict[bytes, Version] = field(default_factory=dict)
    unfinished: UnfinishedVersions = field(default_factory=UnfinishedVersions)
    met: set[bytes] = field(default_factory=set)
    closed: list[bytes] = field(default_factory=list)  # folders that could not be looked into; the root is empty
    read_again: int = 0  # places met that are read only because what is stored of them is stale

    @classmethod
    def load(cls, connection: sqlite3.Connection, scope: int, scheme: int, rules: ReadRules) -> "FileVersions":
        staleness = Staleness.load(connection, scope, scheme, rules)
        present = {version.path: version for version in _versions(connection, f"present {FILES}", scope)}
        return cls(staleness, present, UnfinishedVersions.load(connection, scope))

    @classmethod
    def load_one(cls, connection: sqlite3.Connection, scope: int, path: bytes, rules: ReadRules) -> "FileVersions":
        """The version at this place alone."""
        return cls(Staleness(rules), versions_at(connection, scope, [path]))

    @property
    def is_empty(self) -> bool:
        """Whether this is a first scan of the scope."""
        return not self.present and not self.unfinished.by_path

    def meet(self, path: bytes, absolute: bytes, *, unchanged: bool) -> Need:
        """Note a file that the scan came by; `unchanged` says whether it is the version that is present."""
        self.met.add(path)
        pending = self.unfinished.by_path.get(path)
        if (
            pending is not None
            and self.staleness.need(pending) is Need.NOTHING
            and self.unfinished.adopt(pending, absolute)
        ):
            return Need.NOTHING
        if not unchanged:
            return Need.READ
        need = self.staleness.need(self.present[path])
        self.read_again += need is Need.AGAIN
        return need

    def rereads(self, version: Version) -> bool:
        """Whether a file is to be read even if its bytes are those of this version."""
        return self.staleness.need(version).reads

    def vanished(self, below: tuple[bytes, ...]) -> list[Version]:
        """Versions of the scanned trees at places that were not met, in byte order. A file in a folder that could not
        be looked into may still be there."""
        unmet = (path for path in sorted(self.present.keys() - self.met) if lies_below(path, below))
        return [self.present[path] for path in unmet if not lies_below(path, tuple(self.closed))]


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
