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

from nearkin.formats.adapter import NOT_ZIP, UNKNOWN_METHOD, Limits, Member, Problem
from nearkin.formats.lacking import MISSING, Damaged, few_failed
from nearkin.formats.xml_events import Event, events
from nearkin.model import Reason

XML = (".xml", ".rels")
LARGEST = 64 << 20  # bytes of a part that is held
CHUNK, TAG = 1 << 20, 1 << 10  # bytes
DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
NO_XML = b"<"


class Pass(Enum):
    """What a part is unpacked for. Each may unpack as much as the limit allows: sheets go through all three."""

    READ, SEARCH, REWRITE = range(3)


class Parts:
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
        self._lacking: dict[str, Problem] = {}
        self.missed = 0  # parts that relations name, once more for each

    def there(self, name: str) -> bool:
        """A part that the document names. One that is missing is remembered: it is told, and what is there is read."""
        if not self.has(name):
            self.lack(name)
        return self.has(name)

    def lack(self, name: str, problem: Problem = MISSING) -> None:
        self._lacking.setdefault(name, problem)

    def lacks(self, name: str) -> Problem | None:
        return self._lacking.get(name)

    @contextmanager
    def spared(self, name: str, undo: Callable[[], None] = lambda: None) -> Iterator[None]:
        """A part that the others do without: if it is damaged it is remembered, and they are read. What stands before a
        mistake in its XML is kept, of damaged bytes nothing is (undo). Limits are those of the whole document."""
        try:
            yield
        except Problem as problem:
            if problem.reason is Reason.TOO_LARGE:
                raise
            if isinstance(problem, Damaged):
                undo()
            self.lack(name, Problem(problem.reason, problem.detail))  # without what it holds of the reading

    @property
    def lacking(self) -> Sequence[Member]:
        """Parts that are missing or unreadable, as members that failed."""
        lost = (Member(name.encode("utf-8", "replace"), b"", problem=one) for name, one in self._lacking.items())
        return tuple(few_failed(lost))

    def has(self, name: str) -> bool:
        return name.lower() in self._entries

    def size(self, name: str) -> int:
        """As the archive says."""
        return self._entries[name.lower()].file_size

    def written(self, name: str) -> str:
        """The name as the archive has it."""
        return self._entries[name.lower()].filename

    def need(self, name: str) -> zipfile.ZipInfo:
        """Without this one there is no document."""
        entry = self._entries.get(name.lower())
        if entry is None:
            raise Problem(Reason.CORRUPT, f"the part {name} is missing")
        return entry

    def need_one(self, names: Sequence[str], what: str) -> None:
        """Where all that a document is made of is damaged, it is itself."""
        if names and all(self.lacks(name) for name in names):
            first = self._lacking[names[0]]
            raise Problem(first.reason, f"none of its {what} can be read: {first.detail}")

    def stream(self, name: str, why: Pass = Pass.READ) -> IO[bytes]:
        entry = self.need(name)
        if entry.flag_bits & 1:
            raise Problem(Reason.ENCRYPTED, f"the part {name} is encrypted")
        try:
            opened = self._zip.open(entry)
        except NotImplementedError as error:
            raise Problem(Reason.UNSUPPORTED, UNKNOWN_METHOD) from error
        except DAMAGE as error:
            raise Damaged from error
        return BufferedReader(_Counted(self, opened, why), 1 << 16)

    def data(self, name: str, most: int = LARGEST, why: Pass = Pass.READ) -> bytes:
        with self.stream(name, why) as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise Problem(Reason.TOO_LARGE, f"the part {name} is over {most >> 20} MB")
        return data

    def events(self, name: str) -> Iterator[Event]:
        with self.stream(name) as stream:
            try:
                yield from events(stream)
            except Problem as problem:
                while problem.reason is Reason.CORRUPT and stream.read(CHUNK):
                    pass  # at the end it shows whether the mistake was written so, or the bytes are damaged
                raise

    def rewritten(self, change: Callable[[str, bytes], bytes]) -> BinaryIO:
        """The file with its XML changed, and without anything else: for libraries that read it whole. change: a part's
        name and its bytes. What is damaged is so still."""
        made = BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in self.names:
                if name.endswith(XML):
                    archive.writestr(self.written(name), change(name, self._or_no_xml(name)))
                elif name == "mimetype":
                    archive.writestr(name, self.data(name, why=Pass.REWRITE))
        made.seek(0)
        return made

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
        """Whether anything in the part is like that, and no longer than 1 KB."""
        tail = b""
        with self.stream(name, Pass.SEARCH) as stream:
            while chunk := stream.read(CHUNK):
                if pattern.search(tail + chunk):
                    return True
                tail = chunk[-TAG:]
        return False

    def drain(self, name: str) -> None:
        """To its end, where it shows whether it is damaged."""
        with self.stream(name, Pass.SEARCH) as stream:
            while stream.read(CHUNK):
                pass

    def spend(self, count: int, why: Pass) -> None:
        self._left[why] -= count
        if self._left[why] < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")


class _Counted(RawIOBase):
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
            raise Damaged from error
        self._parts.spend(len(data), self._why)
        buffer[: len(data)] = data
        return len(data)
