"""The parts of a document that is a zip file (OOXML, ODF, EPUB), each a stream, all counted together."""

import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from io import BufferedReader, BytesIO, RawIOBase
from typing import IO, BinaryIO

from nearkin.formats.adapter import (
    MISSING,
    NOT_ZIP,
    UNKNOWN_METHOD,
    ContainerMember,
    DamagedPart,
    Limits,
    Problem,
    failures_summed_up,
)
from nearkin.formats.xml import XmlEvent, events
from nearkin.model import Reason

XML = (".xml", ".rels")
LARGEST = 64 << 20  # bytes of a part that is held
CHUNK, TAG = 1 << 20, 1 << 10  # bytes
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
NO_XML = b"<"


class Pass(Enum):
    """What a part is unpacked for. Each purpose may unpack as much as the limit allows: sheets go through all three."""

    READ, SEARCH, REWRITE = range(3)


class Parts:
    """The parts of a document that is a zip file. Problems of single parts are recorded; the rest is read."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError) as error:
            raise Problem(Reason.CORRUPT, NOT_ZIP) from error
        entries = self._zip.infolist()
        if len(entries) > limits.members:
            raise Problem(Reason.TOO_LARGE, f"{len(entries)} parts")
        # The parts' names are to be compared without regard to case (OPC, ECMA-376 part 2 §9.1.1.2).
        self._entries = {entry.filename.replace("\\", "/").lstrip("/").lower(): entry for entry in entries}
        self.names = list(self._entries)
        self._left = dict.fromkeys(Pass, limits.unpacked)
        self._problems: dict[str, Problem] = {}
        self.missing_count = 0  # how often relationships name a part that is missing

    def has_named(self, name: str) -> bool:
        """Whether a part that the document names is there. A missing one is recorded, and the others are read."""
        if not self.has(name):
            self.record_problem(name)
        return self.has(name)

    def record_problem(self, name: str, problem: Problem = MISSING) -> None:
        self._problems.setdefault(name, problem)

    def problem_of(self, name: str) -> Problem | None:
        return self._problems.get(name)

    @contextmanager
    def tolerating_damage(self, name: str, undo: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Read a part that the others do without: if it is damaged, that is recorded, and the others are read. The text
        before a mistake in its XML is kept; of damaged bytes nothing is (`undo`). Limits are those of the whole
        document."""
        try:
            yield
        except Problem as problem:
            if problem.reason is Reason.TOO_LARGE:
                raise
            if isinstance(problem, DamagedPart):
                undo()
            self.record_problem(
                name, Problem(problem.reason, problem.detail)
            )  # without its traceback, which holds the reader

    @property
    def failed_parts(self) -> Sequence[ContainerMember]:
        """Parts that are missing or unreadable, as members that failed."""
        failed = (
            ContainerMember.failed(name.encode("utf-8", "replace"), problem) for name, problem in self._problems.items()
        )
        return tuple(failures_summed_up(failed))

    def has(self, name: str) -> bool:
        return name.lower() in self._entries

    def size(self, name: str) -> int:
        """Its size as the archive says."""
        return self._entries[name.lower()].file_size

    def written(self, name: str) -> str:
        """The name as the archive has it."""
        return self._entries[name.lower()].filename

    def require(self, name: str) -> zipfile.ZipInfo:
        """The entry of a part without which there is no document."""
        entry = self._entries.get(name.lower())
        if entry is None:
            raise Problem(Reason.CORRUPT, f"the part {name} is missing")
        return entry

    def require_any(self, names: Sequence[str], what: str) -> None:
        """Raise a Problem where all the parts that a document is made of are damaged."""
        if names and all(self.problem_of(name) for name in names):
            first = self._problems[names[0]]
            raise Problem(first.reason, f"none of its {what} can be read: {first.detail}")

    def stream(self, name: str, why: Pass = Pass.READ) -> IO[bytes]:
        entry = self.require(name)
        if entry.flag_bits & 1:
            raise Problem(Reason.ENCRYPTED, f"the part {name} is encrypted")
        try:
            opened = self._zip.open(entry)
        except NotImplementedError as error:
            raise Problem(Reason.UNSUPPORTED, UNKNOWN_METHOD) from error
        except DAMAGE as error:
            raise DamagedPart from error
        return BufferedReader(_CountedStream(self, opened, why), 1 << 16)

    def data(self, name: str, most: int = LARGEST, why: Pass = Pass.READ) -> bytes:
        with self.stream(name, why) as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise Problem(Reason.TOO_LARGE, f"the part {name} is over {most >> 20} MB")
        return data

    def events(self, name: str) -> Iterator[XmlEvent]:
        with self.stream(name) as stream:
            try:
                yield from events(stream)
            except Problem as problem:
                while problem.reason is Reason.CORRUPT and stream.read(CHUNK):
                    pass  # the checksum at the end shows whether the mistake was written so, or the bytes are damaged
                raise

    def rewritten(self, change: Callable[[str, bytes], bytes]) -> BinaryIO:
        """The file with its XML changed, and without its other parts, for libraries that read a whole file. `change` is
        given a part's name and bytes. Damaged parts stay damaged."""
        rewritten = BytesIO()
        with zipfile.ZipFile(rewritten, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in self.names:
                if name.endswith(XML):
                    archive.writestr(self.written(name), change(name, self._or_no_xml(name)))
                elif name == "mimetype":
                    archive.writestr(name, self.data(name, why=Pass.REWRITE))
        rewritten.seek(0)
        return rewritten

    def _or_no_xml(self, name: str) -> bytes:
        try:
            return self.data(name, why=Pass.REWRITE)
        except Problem as problem:
            if problem.reason is Reason.TOO_LARGE:
                raise
            return NO_XML

    @property
    def can_be_rewritten(self) -> bool:
        return all(self.size(name) <= LARGEST for name in self.names if name.endswith(XML))

    def contains(self, name: str, pattern: re.Pattern[bytes]) -> bool:
        """Whether the pattern matches anywhere in the part, with no more than 1 KB."""
        tail = b""
        with self.stream(name, Pass.SEARCH) as stream:
            while chunk := stream.read(CHUNK):
                if pattern.search(tail + chunk):
                    return True
                tail = chunk[-TAG:]
        return False

    def read_to_end(self, name: str) -> None:
        """Unpack a part to its end, where its checksum shows whether it is damaged."""
        with self.stream(name, Pass.SEARCH) as stream:
            while stream.read(CHUNK):
                pass

    def spend(self, count: int, why: Pass) -> None:
        self._left[why] -= count
        if self._left[why] < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")


class _CountedStream(RawIOBase):
    """A part's bytes, counted against the limits as they are unpacked."""

    def __init__(self, parts: Parts, stream: IO[bytes], why: Pass) -> None:
        self._parts = parts
        self._stream = stream
        self._why = why

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except DAMAGE as error:
            raise DamagedPart from error
        self._parts.spend(len(data), self._why)
        buffer[: len(data)] = data
        return len(data)
