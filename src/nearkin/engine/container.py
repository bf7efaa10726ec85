"""A document of a format and all that lies in it, taken apart by workers and signed here.

    mail.eml              a document, with text and properties
    mail.eml!/report.pdf  one of its members, asked of a worker like a file
    mail.eml!/note.txt    plain: signed by the kernels, as a file would be

So a bad member costs itself only. What lies in a small container is taken on one thread and held; more than can be held
at once is left to whoever takes it in turn (`engine.documents`).
"""

import json
from contextlib import closing, suppress
from dataclasses import dataclass, field

from nearkin import _native
from nearkin.engine.answers import Answers
from nearkin.engine.budget import Budget
from nearkin.engine.entry import Entry, Source
from nearkin.engine.handover import is_suspect
from nearkin.engine.legacy import legacy_digests, legacy_digests_of
from nearkin.engine.reader import columns, decode_others
from nearkin.engine.workers import Workers
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import HEAD
from nearkin.model import Readings, Reason
from nearkin.store.compression import pack_all
from nearkin.text.kind import TextKind, named_html

HELD_BYTES = 8 << 20  # of members
HELD_MEMBERS = 1000
NO_TEXT = "there is no text in it"


@dataclass(slots=True)
class Taken:
    """What came of one source. `inside` is signed; where there is too much inside, none of it."""

    entry: Entry
    itself: Readings | None  # None: plain, and a file: for the kernels
    inside: Readings | None
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

    def begun(self, entry: Entry) -> Readings:
        """What is known before it is read: its bytes, what it is and who reads it."""
        row = Readings.failed(entry.source.path, "")
        self._stamp(row, 0, entry.source)
        row.media[0], row.readers[0] = entry.media, entry.reader
        return row

    def signed(self, entries: list[Entry], plain: list[Source]) -> Readings:
        """Those with text first, then those without, then plain ones: the same order always."""
        told = [entry for entry in entries if entry.text is not None and entry.problem is None]
        rest = [entry for entry in entries if entry.text is None or entry.problem is not None]
        texts = [entry.text or b"" for entry in told]
        readings = columns(
            _native.ingest_texts(texts, [False] * len(told), self.how),
            [entry.source.path for entry in told],
            raw=False,
        )
        for i, entry in enumerate(told):
            readings.extractors[i] = entry.reader or ""
            readings.encodings[i] = None
            if not readings.lengths[i] and not entry.members:
                readings.reasons[i], readings.details[i] = Reason.EMPTY, NO_TEXT
                readings.contents[i] = None
        for entry in rest:
            problem = entry.problem
            row = Readings.failed(entry.source.path, "" if problem is None else problem.detail)
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

    def _plain(self, sources: list[Source]) -> Readings:
        hints = [named_html(source.path) for source in sources]
        told = _native.ingest_bytes([source.data for source in sources], hints, self.how)
        readings = columns(told, [source.path for source in sources], raw=self.how.raw)
        others = [i for i, kind in enumerate(told.kinds) if kind == TextKind.OTHER and not self.how.raw]
        if others:
            decode_others(readings, others, [hints[i] for i in others], self.how)
        return readings

    def _stamp(self, readings: Readings, i: int, source: Source) -> None:
        readings.sizes[i], readings.mtimes[i] = source.size, source.mtime_ns
        readings.ctimes[i], readings.inodes[i], readings.owners[i] = source.ctime_ns, source.inode, source.owner
        readings.digests[i] = source.digest
        if self.legacy and source.digest is not None:
            with suppress(OSError):  # it is gone meanwhile
                of = legacy_digests(source.data) if source.file is None else legacy_digests_of(source.file)
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
