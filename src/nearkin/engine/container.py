"""A document of a format and all that lies in it, taken apart by workers and signed here.

    mail.eml              a document, with text and properties
    mail.eml!/report.pdf  one of its members, asked of a worker like a file
    mail.eml!/note.txt    plain: signed by the kernels, as a file would be

So a bad member costs itself only. What lies in a small container is taken on one thread and held; more than can be held
at once is left to whoever takes it in turn (`engine.documents`).

What is taken apart, and what became of it.

What workers said of the last documents, by their bytes: the report that is attached to twenty mails is parsed once.

Only of documents with nothing in them: members are named by their container. Files that are copies of one another lie
perhaps far apart, and have a way of their own (`engine.copies`).

Names of what lies in a container: as the container says, and unambiguous.

folder//./a.txt → folder/a.txt        no empty parts, so nothing begins at a root
../../etc/passwd → %2E%2E/%2E%2E/etc/passwd    names are never used as paths, and must not look like ways out
odd!/name → odd%21/name               `!/` stands between a container and what lies in it, and nowhere else
"" → #7                               the seventh member; so is one whose name another has, as name#7
"""

import json
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from nearkin import _native
from nearkin.engine.reader import HandedOver, decode_rows, is_suspect
from nearkin.engine.worker_protocol import Budget, Header
from nearkin.engine.workers import Asked, Workers
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import HEAD, ending_of
from nearkin.model import NO_OWNER, Reason
from nearkin.read.table import MEMBER
from nearkin.read.walk import stored_inode
from nearkin.store.batch import DocumentBatch
from nearkin.store.compression import pack_all
from nearkin.text.digest import legacy_digests, legacy_digests_of_file
from nearkin.text.kind import TextKind, named_html

LONGEST = 4096  # bytes, as of a path on disk


class MemberNames:
    """Of one container; remembers which were given."""

    def __init__(self) -> None:
        self._given: set[bytes] = set()

    def of(self, name: bytes, number: int) -> bytes:
        wanted = _plain(name)
        unique = wanted if wanted and len(wanted) <= LONGEST else wanted[:LONGEST] + b"#%d" % number
        if unique in self._given:
            unique += b"#%d" % number
        while unique in self._given:
            unique += b"#"
        self._given.add(unique)
        return unique


def _plain(name: bytes) -> bytes:
    parts = [part for part in name.replace(b"\0", b"%00").split(b"/") if part not in (b"", b".")]
    safe = b"/".join(b"%2E%2E" if part == b".." else part for part in parts)
    return safe.replace(MEMBER, b"%21/")


OF_THE_REST = (Reason.TOO_LARGE, Reason.TIMED_OUT, Reason.CRASHED, Reason.CORRUPT)


@dataclass(slots=True)
class Source:
    """A file, or bytes that lie in a container."""

    path: bytes  # as the store names it
    file: bytes | None = None  # where it lies
    data: bytes = b""
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    owner: int = NO_OWNER
    digest: bytes | None = None
    depth: int = 0  # containers it lies in
    problem: Problem | None = None  # it could not be taken out
    budget: Budget | None = None  # of the file, for all that lies in it

    @classmethod
    def of_file(cls, base: bytes, one: HandedOver) -> "Source":
        return cls(one.path, base + one.path, b"", *one[1:])

    @property
    def asked(self) -> Asked:
        return Asked(self.path.rpartition(b"/")[2], self.file, self.data, self.budget)


@dataclass(slots=True)
class Entry:
    """A document of a format, as a worker tells of it."""

    source: Source
    media: str = "application/octet-stream"
    reader: str | None = None
    text: bytes | None = None
    properties: dict[str, str] = field(default_factory=dict)
    members: int = 0
    holds: bool = False  # it may have members
    problem: Problem | None = None
    plain: bool = False  # of no format: for the kernels
    names: MemberNames = field(default_factory=MemberNames)

    def heed(self, header: Header, body: bytes) -> Source | None:
        """An answer; of a member, what it is."""
        match header["kind"]:
            case "plain":
                self.plain = True
            case "kind":
                self.media, self.reader = str(header["media"]), str(header["extractor"])
                self.source.digest = bytes.fromhex(header["digest"])
                if "inode" in header:
                    self.source.size, self.source.owner = int(header["size"]), int(header["owner"])
                    self.source.mtime_ns, self.source.ctime_ns = int(header["mtime_ns"]), int(header["ctime_ns"])
                    self.source.inode = stored_inode(int(header["inode"]))
            case "document":
                self.text = body if header["has_text"] else None
                self.holds = bool(header["holds"])
                self.properties = {str(key): str(value) for key, value in header["properties"].items()}
            case "problem":
                self.problem = _problem(header)
            case "member":
                return self._member(header, body)
        return None

    def settle(self) -> Source | None:
        """The text of a mail stands, whatever became of what is attached: that fails, as one member more. What was
        written to while it was read has no text that could stand."""
        if not self.holds or self.text is None or self.problem is None or self.problem.reason not in OF_THE_REST:
            return None
        rest = self.lost(f"part-{self.members + 1}".encode(), self.problem)
        self.problem = None
        return rest

    def lost(self, name: bytes, problem: Problem) -> Source:
        """A member that cannot be taken out."""
        told = {"name": name.hex(), "mtime_ns": 0, "reason": problem.reason, "detail": problem.detail}
        return self._member(told, b"")

    def _member(self, header: Header, body: bytes) -> Source:
        self.members += 1
        problem = _problem(header) if "reason" in header else None
        return Source(
            path=self.source.path + MEMBER + self.names.of(bytes.fromhex(header["name"]), self.members),
            data=body,
            size=len(body),
            mtime_ns=int(header["mtime_ns"]),
            owner=self.source.owner,
            digest=None if problem else sha256(body).digest(),
            depth=self.source.depth + 1,
            problem=problem,
            budget=self.source.budget,
        )


def _problem(header: Header) -> Problem:
    return Problem(Reason(header["reason"]), str(header["detail"]))


ROOM = 32 << 20  # bytes of texts
BESIDE = 1000  # bytes of all else, about
OF_ITSELF = (Reason.ENCRYPTED, Reason.CORRUPT, Reason.UNSUPPORTED, Reason.EMPTY)  # not of its container, nor of chance

Key = tuple[bytes | None, bytes]  # digest and ending: a format is told by both


class Answer(NamedTuple):
    media: str
    reader: str | None
    text: bytes | None
    properties: dict[str, str]
    problem: Problem | None

    @property
    def size(self) -> int:
        return len(self.text or b"") + BESIDE


class Answers:
    """Asked and told by any thread. The oldest are forgotten where there is no room."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = Lock()
        self._known: dict[Key, Answer] = {}

    def heed(self, entry: Entry) -> bool:
        """Whether it is known what is to be said of it; then it is said."""
        with self._lock:
            known = self._known.get(_key(entry))
        if known is None:
            return False
        entry.media, entry.reader, entry.text, entry.properties, entry.problem = known
        return True

    def keep(self, entry: Entry) -> None:
        if entry.members or entry.plain or (entry.problem is not None and entry.problem.reason not in OF_ITSELF):
            return
        answer = Answer(entry.media, entry.reader, entry.text, entry.properties, entry.problem)
        with self._lock:
            if self._known.setdefault(_key(entry), answer) is not answer:
                return
            self._room -= answer.size
            while self._room < 0:
                self._room += self._known.pop(next(iter(self._known))).size


def _key(entry: Entry) -> Key:
    return entry.source.digest, ending_of(entry.source.path)


HELD_BYTES = 8 << 20  # of members
HELD_MEMBERS = 1000
NO_TEXT = "there is no text in it"


@dataclass(slots=True)
class Taken:
    """What came of one source. `inside` is signed; where there is too much inside, none of it."""

    entry: Entry
    itself: DocumentBatch | None  # None: plain, and a file: for the kernels
    inside: DocumentBatch | None
    too_much: bool = False
    members: int = 0  # also of those that lie in members
    unpacked: int = 0

    @property
    def size(self) -> int:
        return sum(one.held for one in (self.itself, self.inside) if one is not None)


class _TooMuchError(Exception):
    pass


@dataclass(frozen=True)
class Taker:
    how: _native.Recipe
    workers: Workers
    keep: bool = False  # texts, compressed
    legacy: bool = False  # also MD5 and SHA-1
    answers: Answers = field(default_factory=Answers)

    def take(self, source: Source) -> Taken:
        """On any thread."""
        if source.file is None and not self.is_for_workers(source):
            return Taken(Entry(source), self.signed([], [source]), None)
        source.budget = source.budget or Budget.of(self.workers.settings, source.size)
        held = _Held()
        entry = Entry(source)
        try:
            self._take_apart(entry, held)
        except _TooMuchError:
            return Taken(entry, None, None, too_much=True)
        if entry.plain and source.file is not None:
            return Taken(entry, None, None)
        itself = self.signed([], [source]) if entry.plain else self.signed([entry], [])
        inside = self.signed(held.entries, held.plain) if held.members else None
        return Taken(entry, itself, inside, members=held.members, unpacked=held.bytes)

    def is_for_workers(self, member: Source) -> bool:
        if member.problem is not None:
            return True
        if member.size > self.how.max_size:
            member.problem = Problem(
                Reason.TOO_LARGE, f"{member.size:,} bytes, over the limit of {self.how.max_size:,}"
            )
            return True
        kind = _native.sniff(member.data, named_html(member.path))
        if self.how.raw or not is_suspect(kind, member.path, member.data[:HEAD]):
            return False
        if member.depth > self.workers.limits.depth:
            member.problem = Problem(Reason.TOO_LARGE, f"it lies in more than {self.workers.limits.depth} containers")
        return True

    def _take_apart(self, entry: Entry, held: "_Held") -> None:
        inside: list[Source] = []
        if entry.source.problem is not None:
            entry.problem = entry.source.problem
            return
        if self.answers.heed(entry):
            return
        try:
            with closing(self.workers.ask(entry.source.asked)) as answers:
                for header, body in answers:
                    if (member := entry.heed(header, body)) is not None:
                        held.count(member)
                        inside.append(member)
        except Problem as problem:
            entry.problem = problem
        if (rest := entry.settle()) is not None:
            held.count(rest)
            inside.append(rest)
        self.answers.keep(entry)
        for member in inside:
            if not self.is_for_workers(member):
                held.plain.append(member)
                continue
            nested = Entry(member)
            self._take_apart(nested, held)
            if nested.plain:
                held.plain.append(member)
            else:
                held.entries.append(nested)

    def begun(self, entry: Entry) -> DocumentBatch:
        """What is known before it is read: its bytes, what it is and who reads it."""
        row = DocumentBatch.failed(entry.source.path, "")
        self._stamp(row, 0, entry.source)
        row.media[0], row.readers[0] = entry.media, entry.reader
        return row

    def signed(self, entries: list[Entry], plain: list[Source]) -> DocumentBatch:
        """Those with text first, then those without, then plain ones: the same order always."""
        told = [entry for entry in entries if entry.text is not None and entry.problem is None]
        rest = [entry for entry in entries if entry.text is None or entry.problem is not None]
        texts = [entry.text or b"" for entry in told]
        batch = _native.ingest_texts(texts, [False] * len(told), self.how)
        readings = DocumentBatch.of_rows([entry.source.path for entry in told], batch, raw=False)
        for i, entry in enumerate(told):
            readings.extractors[i] = entry.reader or ""
            readings.encodings[i] = None
            if not readings.lengths[i] and not entry.members:
                readings.reasons[i], readings.details[i] = Reason.EMPTY, NO_TEXT
                readings.contents[i] = None
        for entry in rest:
            problem = entry.problem
            row = DocumentBatch.failed(entry.source.path, "" if problem is None else problem.detail)
            row.reasons[0] = None if problem is None else problem.reason
            row.details[0] = None if problem is None else problem.detail
            readings.extend(row)
        for i, entry in enumerate([*told, *rest]):
            readings.media[i] = entry.media
            readings.readers[i] = entry.reader
            readings.properties[i] = json.dumps(entry.properties, sort_keys=True) if entry.properties else None
        if plain:
            readings.extend(self._plain(plain))
        for i, source in enumerate([*(entry.source for entry in told + rest), *plain]):
            self._stamp(readings, i, source)
        if self.keep:
            some = [i for i, content in enumerate(readings.contents) if content is not None]
            for i, packed in zip(some, pack_all([readings.texts[i] for i in some]), strict=True):
                readings.packed[i] = packed
        return readings

    def _plain(self, sources: list[Source]) -> DocumentBatch:
        hints = [named_html(source.path) for source in sources]
        told = _native.ingest_bytes([source.data for source in sources], hints, self.how)
        readings = DocumentBatch.of_rows([source.path for source in sources], told, raw=self.how.raw)
        others = [i for i, kind in enumerate(told.kinds) if kind == TextKind.OTHER and not self.how.raw]
        if others:
            decode_rows(readings, others, [hints[i] for i in others], self.how)
        return readings

    def _stamp(self, readings: DocumentBatch, i: int, source: Source) -> None:
        readings.sizes[i], readings.mtimes[i] = source.size, source.mtime_ns
        readings.ctimes[i], readings.inodes[i], readings.owners[i] = source.ctime_ns, source.inode, source.owner
        readings.digests[i] = source.digest
        if self.legacy and source.digest is not None:
            with suppress(OSError):  # it is gone meanwhile
                of = legacy_digests(source.data) if source.file is None else legacy_digests_of_file(source.file)
                readings.md5[i], readings.sha1[i] = of


@dataclass
class _Held:
    """What lies in a container, at any depth."""

    entries: list[Entry] = field(default_factory=list)
    plain: list[Source] = field(default_factory=list)
    members: int = 0
    bytes: int = 0

    def count(self, member: Source) -> None:
        self.members += 1
        self.bytes += member.size
        if self.members > HELD_MEMBERS or self.bytes > HELD_BYTES:
            raise _TooMuchError
