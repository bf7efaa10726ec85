"""A document of a format and all that lies in it: read by workers, signed here.

    mail.eml              a document, with text and properties
    mail.eml!/report.pdf  a member, read by a worker like a file
    mail.eml!/note.txt    a plain member: signed by the kernels, as a file would be

So a bad member costs itself only. A small container is read on one thread and its members are held; a larger one is
left to `engine.documents`, which stores its members as they come.

What workers answered of the last documents is cached by their bytes: the report that is attached to twenty mails is
parsed once. Only documents without members are cached, as members are named by their container. Files that are copies
of one another may lie far apart, and have a way of their own (`engine.documents`).

Members are named as the container names them, without ambiguity:

    folder//./a.txt   folder/a.txt                 no empty parts, so nothing begins at a root
    ../../etc/passwd  %2E%2E/%2E%2E/etc/passwd     names are never used as paths, and must not look like ways out
    odd!/name         odd%21/name                  `!/` stands only between a container and its member
    (empty)           #7                           the seventh member; a name that is taken becomes name#7
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
from nearkin.engine.workers import Request, Workers
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
    """Gives the members of one container their names, each once."""

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


# A document with text stands if its members fail for one of these.
OF_MEMBERS = (Reason.TOO_LARGE, Reason.TIMED_OUT, Reason.CRASHED, Reason.CORRUPT)


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
    def of_file(cls, base: bytes, file: HandedOver) -> "Source":
        return cls(file.path, base + file.path, b"", *file[1:])

    @property
    def request(self) -> Request:
        return Request(self.path.rpartition(b"/")[2], self.file, self.data, self.budget)


@dataclass(slots=True)
class ParsedDocument:
    """A document of a format, as far as a worker has answered."""

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

    def apply(self, header: Header, body: bytes) -> Source | None:
        """Take an answer over; return the member, if it is one."""
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
        """Let the text of a mail stand if its attachments cannot be read: these fail as one member more, which is
        returned. A file that was written to while it was read has no text that could stand."""
        if not self.holds or self.text is None or self.problem is None or self.problem.reason not in OF_MEMBERS:
            return None
        rest = self.lost(f"part-{self.members + 1}".encode(), self.problem)
        self.problem = None
        return rest

    def lost(self, name: bytes, problem: Problem) -> Source:
        """A member that cannot be taken out."""
        header = {"name": name.hex(), "mtime_ns": 0, "reason": problem.reason, "detail": problem.detail}
        return self._member(header, b"")

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

Key = tuple[bytes | None, bytes]  # digest and ending: a format is recognised by both


class CachedAnswer(NamedTuple):
    media: str
    reader: str | None
    text: bytes | None
    properties: dict[str, str]
    problem: Problem | None

    @property
    def size(self) -> int:
        return len(self.text or b"") + BESIDE


class AnswerCache:
    """Answers of workers, for any thread. The oldest are dropped where there is no room."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = Lock()
        self._known: dict[Key, CachedAnswer] = {}

    def fill(self, document: ParsedDocument) -> bool:
        """Fill a document in as one of the same bytes was; whether there was one."""
        with self._lock:
            known = self._known.get(_key(document))
        if known is None:
            return False
        document.media, document.reader, document.text, document.properties, document.problem = known
        return True

    def add(self, document: ParsedDocument) -> None:
        if (
            document.members
            or document.plain
            or (document.problem is not None and document.problem.reason not in OF_ITSELF)
        ):
            return
        answer = CachedAnswer(document.media, document.reader, document.text, document.properties, document.problem)
        with self._lock:
            if self._known.setdefault(_key(document), answer) is not answer:
                return
            self._room -= answer.size
            while self._room < 0:
                self._room += self._known.pop(next(iter(self._known))).size


def _key(document: ParsedDocument) -> Key:
    return document.source.digest, ending_of(document.source.path)


HELD_BYTES = 8 << 20  # of members
HELD_MEMBERS = 1000
NO_TEXT = "there is no text in it"


@dataclass(slots=True)
class DocumentReading:
    """What became of one source. `inside` has its members, signed; none of them if there is too much inside."""

    document: ParsedDocument
    itself: DocumentBatch | None  # None: plain, and a file: for the kernels
    inside: DocumentBatch | None
    too_much: bool = False
    members: int = 0  # also of those that lie in members
    unpacked: int = 0

    @property
    def size(self) -> int:
        return sum(batch.held for batch in (self.itself, self.inside) if batch is not None)


class _TooMuchError(Exception):
    pass


@dataclass(frozen=True)
class DocumentReader:
    """Reads documents of formats, with the help of workers."""

    how: _native.Recipe
    workers: Workers
    keep: bool = False  # texts, compressed
    legacy: bool = False  # also MD5 and SHA-1
    answers: AnswerCache = field(default_factory=AnswerCache)

    def read(self, source: Source) -> DocumentReading:
        """Read a document and its members. On any thread."""
        if source.file is None and not self.is_for_workers(source):
            return DocumentReading(ParsedDocument(source), self.signed([], [source]), None)
        source.budget = source.budget or Budget.of(self.workers.settings, source.size)
        held = _Held()
        document = ParsedDocument(source)
        try:
            self._take_apart(document, held)
        except _TooMuchError:
            return DocumentReading(document, None, None, too_much=True)
        if document.plain and source.file is not None:
            return DocumentReading(document, None, None)
        itself = self.signed([], [source]) if document.plain else self.signed([document], [])
        inside = self.signed(held.documents, held.plain) if held.members else None
        return DocumentReading(document, itself, inside, members=held.members, unpacked=held.bytes)

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

    def _take_apart(self, document: ParsedDocument, held: "_Held") -> None:
        inside: list[Source] = []
        if document.source.problem is not None:
            document.problem = document.source.problem
            return
        if self.answers.fill(document):
            return
        try:
            with closing(self.workers.ask(document.source.request)) as answers:
                for header, body in answers:
                    if (member := document.apply(header, body)) is not None:
                        held.count(member)
                        inside.append(member)
        except Problem as problem:
            document.problem = problem
        if (rest := document.settle()) is not None:
            held.count(rest)
            inside.append(rest)
        self.answers.add(document)
        for member in inside:
            if not self.is_for_workers(member):
                held.plain.append(member)
                continue
            nested = ParsedDocument(member)
            self._take_apart(nested, held)
            if nested.plain:
                held.plain.append(member)
            else:
                held.documents.append(nested)

    def begun(self, document: ParsedDocument) -> DocumentBatch:
        """The row of a document before it is read: its bytes, what it is and which reader reads it."""
        row = DocumentBatch.failed(document.source.path, "")
        self._stamp(row, 0, document.source)
        row.media[0], row.readers[0] = document.media, document.reader
        return row

    def signed(self, documents: list[ParsedDocument], plain: list[Source]) -> DocumentBatch:
        """Rows of documents: those with text first, then those without, then plain ones."""
        with_text = [document for document in documents if document.text is not None and document.problem is None]
        rest = [document for document in documents if document.text is None or document.problem is not None]
        texts = [document.text or b"" for document in with_text]
        signed = _native.ingest_texts(texts, [False] * len(texts), self.how)
        rows = DocumentBatch.of_rows([document.source.path for document in with_text], signed, raw=False)
        for i, document in enumerate(with_text):
            rows.extractors[i] = document.reader or ""
            rows.encodings[i] = None
            if not rows.lengths[i] and not document.members:
                rows.reasons[i], rows.details[i] = Reason.EMPTY, NO_TEXT
                rows.contents[i] = None
        for document in rest:
            problem = document.problem
            row = DocumentBatch.failed(document.source.path, "" if problem is None else problem.detail)
            row.reasons[0] = None if problem is None else problem.reason
            row.details[0] = None if problem is None else problem.detail
            rows.extend(row)
        for i, document in enumerate([*with_text, *rest]):
            rows.media[i] = document.media
            rows.readers[i] = document.reader
            rows.properties[i] = json.dumps(document.properties, sort_keys=True) if document.properties else None
        if plain:
            rows.extend(self._plain(plain))
        for i, source in enumerate([*(document.source for document in with_text + rest), *plain]):
            self._stamp(rows, i, source)
        if self.keep:
            kept = [i for i, content in enumerate(rows.contents) if content is not None]
            for i, packed in zip(kept, pack_all([rows.texts[i] for i in kept]), strict=True):
                rows.packed[i] = packed
        return rows

    def _plain(self, sources: list[Source]) -> DocumentBatch:
        hints = [named_html(source.path) for source in sources]
        signed = _native.ingest_bytes([source.data for source in sources], hints, self.how)
        rows = DocumentBatch.of_rows([source.path for source in sources], signed, raw=self.how.raw)
        undecoded = [i for i, kind in enumerate(signed.kinds) if kind == TextKind.OTHER and not self.how.raw]
        if undecoded:
            decode_rows(rows, undecoded, [hints[i] for i in undecoded], self.how)
        return rows

    def _stamp(self, rows: DocumentBatch, i: int, source: Source) -> None:
        rows.sizes[i], rows.mtimes[i] = source.size, source.mtime_ns
        rows.ctimes[i], rows.inodes[i], rows.owners[i] = source.ctime_ns, source.inode, source.owner
        rows.digests[i] = source.digest
        if self.legacy and source.digest is not None:
            with suppress(OSError):  # it is gone meanwhile
                of = legacy_digests(source.data) if source.file is None else legacy_digests_of_file(source.file)
                rows.md5[i], rows.sha1[i] = of


@dataclass
class _Held:
    """What lies in a container, at any depth."""

    documents: list[ParsedDocument] = field(default_factory=list)
    plain: list[Source] = field(default_factory=list)
    members: int = 0
    bytes: int = 0

    def count(self, member: Source) -> None:
        self.members += 1
        self.bytes += member.size
        if self.members > HELD_MEMBERS or self.bytes > HELD_BYTES:
            raise _TooMuchError
