"""A batch of documents on its way into the store: read and signed, one row a document, as columns.

The columns of plain files stay where the kernels left them, and SQLite reads them there (store.bulk): in Python their
rows took a twelfth of a first scan's processor time. Rows that Python has to look at have lists as columns: those in
another encoding or of a format for workers, members of containers, failures, and all rows of a scan that must ask the
store what it holds. The first use of a list turns a native batch into such rows, once and for good.
"""

import errno
import os
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nearkin import _native
from nearkin.formats.registry import READERS
from nearkin.model import NO_OWNER, Blob, Reason
from nearkin.store.compression import EMPTY, pack_places
from nearkin.text.html import fill_property_json
from nearkin.text.kind import ENCODINGS, EXTRACTORS, MEDIA

Value = TypeVar("Value")


class _ListColumn(Generic[Value]):
    """A column as a list; `failed` is its value for a document that could not be read."""

    def __init__(self, failed: Value) -> None:
        self.failed = failed
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, batch: "DocumentBatch", owner: type) -> list[Value]:
        return batch.lists()[self._name]

    def __set__(self, batch: "DocumentBatch", values: list[Value]) -> None:
        batch.lists()[self._name] = values


@dataclass(frozen=True, slots=True)
class NativeColumns:
    """The plain rows of a native batch, and their compressed texts. Rows of a table share the time and the owner of
    their file."""

    batch: _native.Batch
    raw: bool
    packed: _native.Packed
    size: int  # bytes of the plain rows' files
    mtime: int | None = None
    owner: int | None = None

    @property
    def held(self) -> int:
        return self.batch.held + self.packed.bytes


class DocumentBatch:
    """Documents as columns. One with a reason could not be read; one without a content has no text."""

    sizes = _ListColumn[int](0)
    mtimes = _ListColumn[int](0)  # nanoseconds
    ctimes = _ListColumn[int](0)  # when the file or its rights last changed, which nobody can turn back; 0: not known
    inodes = _ListColumn[int](0)
    owners = _ListColumn[int](NO_OWNER)  # numbers of users
    media = _ListColumn[str]("")
    encodings = _ListColumn[str | None](None)
    digests = _ListColumn[bytes | None](None)
    reasons = _ListColumn[Reason | None](None)
    details = _ListColumn[str | None](None)
    extractors = _ListColumn[str]("")  # how the text was taken from the bytes
    readers = _ListColumn[str | None](None)  # which reader of a format has looked at it; None: no one needed to
    properties = _ListColumn[str | None](None)  # JSON: title, author and what else a document says of itself
    md5 = _ListColumn[bytes | None](None)  # of the bytes, where asked for; never used to decide anything
    sha1 = _ListColumn[bytes | None](None)
    texts = _ListColumn[bytes](b"")  # extracted, UTF-8; the bytes themselves where they are taken raw
    packed = _ListColumn[Blob | None](None)  # the same compressed; None for copies of a text, or if texts are not kept
    characters = _ListColumn[int](0)
    contents = _ListColumn[bytes | None](None)  # digest of the canonical text
    lengths = _ListColumn[int](0)  # bytes of the canonical text
    moduli = _ListColumn[int](1)
    features = _ListColumn[Blob](b"")  # little-endian u64
    weights = _ListColumn[Blob | None](None)  # little-endian u32

    def __init__(
        self,
        paths: list[bytes],
        columns: NativeColumns | dict[str, list[Any]],
        batches: list[_native.Batch],
        stores: list[bytes] | None = None,
    ) -> None:
        self.paths = paths  # relative to the scope's root, with forward slashes
        self._columns = columns
        # Canonical texts and signatures as they were made, until a scan's cache takes them; not row by row.
        self.batches = batches
        self.stores = stores or []  # paths of stores of nearkin, which are no documents

    @classmethod
    def of_native(
        cls, paths: list[bytes], batch: _native.Batch, *, raw: bool, mtime: int | None = None, owner: int | None = None
    ) -> "DocumentBatch":
        """The plain rows of a native batch, which these are the paths of, their texts compressed and then dropped."""
        sizes = batch.sizes
        size = sum(sizes) - sum(sizes[i] for i in _native.rows_apart(batch, raw))
        return cls(paths, NativeColumns(batch, raw, _packed_texts(batch, raw=raw), size, mtime, owner), [batch])

    @classmethod
    def of_rows(cls, paths: list[bytes], batch: _native.Batch, *, raw: bool) -> "DocumentBatch":
        """All rows of a native batch, as lists."""
        return cls(paths, _lists_of(batch, raw=raw), [batch])

    @classmethod
    def of_lists(cls, paths: list[bytes], **columns: list[Any]) -> "DocumentBatch":
        """Columns that were made in Python; one that is not given has what a failed document has there."""
        failed = {name: [value] * len(paths) for name, value in FAILED.items()}
        return cls(paths, failed | columns, [])

    @classmethod
    def failed(cls, path: bytes, detail: str, reason: Reason = Reason.UNREADABLE) -> "DocumentBatch":
        """One document that could not be read."""
        return cls.of_lists([path], reasons=[reason], details=[detail])

    def __len__(self) -> int:
        return len(self.paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DocumentBatch) and (self.paths, self.lists()) == (other.paths, other.lists())

    __hash__ = None  # type: ignore[assignment]

    @property
    def native(self) -> NativeColumns | None:
        """The columns as the kernels left them; None: they are lists by now."""
        return self._columns if isinstance(self._columns, NativeColumns) else None

    def lists(self) -> dict[str, list[Any]]:
        """All columns but the paths, by name. From now on they are lists."""
        if isinstance(self._columns, NativeColumns):
            assert self.batches, "a scan's cache has taken the columns"
            native = self._columns
            apart = {*_native.rows_apart(native.batch, native.raw)}
            plain = [i for i in range(len(native.batch)) if i not in apart]
            batch = _native.chosen_rows(native.batch, plain) if apart else native.batch
            lists = _lists_of(batch, raw=native.raw)
            lists["packed"] = [packed for i, packed in enumerate(native.packed) if i not in apart]
            if native.mtime is not None:
                lists["mtimes"] = [native.mtime] * len(self)
            if native.owner is not None:
                lists["owners"] = [native.owner] * len(self)
            self._columns, self.batches = lists, [batch]
        return self._columns

    @property
    def held(self) -> int:
        """About how many bytes of memory the batch takes."""
        if (native := self.native) is not None:
            return native.held
        texts = (self.texts, filter(None, self.packed), self.features)
        return sum(sum(map(len, column)) for column in texts) + sum(batch.held for batch in self.batches)

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(self.sizes) if self.native is None else self.native.size

    def release_texts(self) -> None:
        """Drop extracted texts that are compressed: a long one need not be held twice while it is written."""
        self.texts[:] = [b"" if packed else text for text, packed in zip(self.texts, self.packed, strict=True)]

    def extend(self, more: "DocumentBatch") -> None:
        self.paths += more.paths
        theirs = more.lists()
        for name, column in self.lists().items():
            column.extend(theirs[name])
        self.batches += more.batches

    def without(self, rows: set[int]) -> "DocumentBatch":
        """A copy of all rows but these."""
        kept = [i for i in range(len(self)) if i not in rows]
        lists = {name: [column[i] for i in kept] for name, column in self.lists().items()}
        return DocumentBatch([self.paths[i] for i in kept], lists, [*self.batches], [*self.stores])

    def replace_texts(self, rows: list[int], texts: "DocumentBatch") -> None:
        """Give these rows the texts of another batch's rows, and all that follows from a text."""
        for name in OF_TEXTS:
            mine, theirs = self.lists()[name], texts.lists()[name]
            for row, value in zip(rows, theirs, strict=True):
                mine[row] = value
        self.batches += texts.batches


FAILED = {name: column.failed for name, column in vars(DocumentBatch).items() if isinstance(column, _ListColumn)}

# Columns that follow from a text, not from the bytes and where they were.
OF_TEXTS = (
    "media",
    "encodings",
    "extractors",
    "properties",
    "texts",
    "characters",
    "contents",
    "lengths",
    "moduli",
    "features",
    "weights",
)


def _packed_texts(batch: _native.Batch, *, raw: bool) -> _native.Packed:
    """The plain rows' texts compressed; the texts themselves are dropped. Properties become JSON meanwhile."""
    fill_property_json(batch)
    places = _native.text_places(batch, raw)
    packed = _native.packed(batch, raw, pack_places(batch.lend_texts(), places), EMPTY)
    batch.drop_texts()
    return packed


def _lists_of(batch: _native.Batch, *, raw: bool) -> dict[str, list[Any]]:
    kinds, errors = batch.kinds, batch.errors
    fill_property_json(batch)
    failed = any(errors)
    nothing: list[None] = [None] * len(kinds)
    return {
        "sizes": batch.sizes,
        "mtimes": batch.mtimes,
        "ctimes": batch.ctimes,
        "inodes": batch.inodes,
        "owners": batch.owners,
        "media": [MEDIA[kind] for kind in kinds],
        "encodings": [ENCODINGS[kind] for kind in kinds],
        "digests": batch.digests,
        "reasons": [_reason(number) for number in errors] if failed else [*nothing],
        "details": [os.strerror(number).lower() if number else None for number in errors] if failed else [*nothing],
        "extractors": ["raw"] * len(kinds) if raw else [EXTRACTORS[kind] for kind in kinds],
        "readers": [None if raw else READERS[kind] for kind in kinds],
        "properties": _native.property_json(batch),
        "md5": [*nothing],
        "sha1": [*nothing],
        "texts": batch.take_texts(),
        "packed": [*nothing],
        "characters": batch.characters,
        "contents": batch.contents,
        "lengths": batch.lengths,
        "moduli": batch.moduli,
        "features": [*batch.features],
        "weights": [*(batch.weights or nothing)],
    }


def _reason(number: int) -> Reason | None:
    if number == 0:
        return None
    return Reason.TOO_LARGE if number == errno.EFBIG else Reason.UNREADABLE
