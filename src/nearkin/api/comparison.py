"""Two texts or documents in full: every measure, their relation, and what they have in common.

Where the passages of a text or a document went.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection
from sys import maxsize
from typing import TYPE_CHECKING

from nearkin.api.texts import EXACT, IGNORED, Text, canon_for, data_of, extracted_from
from nearkin.errors import InputError, UsageError
from nearkin.query.arrow_tables import traced_table
from nearkin.query.comparison import Comparison, TemplatePayload, aligned, label, payload_of, without_templates
from nearkin.query.comparison import compare as measure
from nearkin.query.lookup import NamedDocument, Readable, find_document, from_bytes, in_characters
from nearkin.query.records import Record, comparison_record, traced_record
from nearkin.query.store_view import connected, is_scoped
from nearkin.query.trace import LONG_ENOUGH, Trace, Traced
from nearkin.query.trace import trace as follow
from nearkin.scheme import Scheme, parse_scheme
from nearkin.scheme.shingler import ALL_BITS
from nearkin.settings import checked
from nearkin.store import runs
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.report.word_marks import AlignedRow


def compare(
    a: Text,
    b: Text,
    scheme: str = EXACT,
    *,
    min_length: int = 20,
    raw: bool = False,
    ignore: Sequence[str] = IGNORED,
) -> Comparison:
    """Every measure of two texts, their relation in words, and their common passages with the places in both.

    Places are code points of the texts as they read (bytes where they are `raw`), passages at least `min_length` long.
    """
    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)

    def side(name: str, text: Text) -> NamedDocument:
        extracted = extracted_from(text, raw)
        data = data_of(text)
        return NamedDocument(name, len(data), sha256(data).digest(), extracted)

    return measure(side("a", a), side("b", b), how, canon_for(raw, ignore, how), least=min(min_length, maxsize))


@dataclass(frozen=True)
class ComparedDocuments:
    """Two documents, each by its name, with what they have in common."""

    names: tuple[str, str]  # as they were asked for
    a: NamedDocument
    b: NamedDocument
    comparison: Comparison
    payload: TemplatePayload | None  # what is left without the store's templates; None: it has none
    scheme: Scheme
    canon: Canon

    @property
    def relation(self) -> str:
        """What the two are to each other, in words."""
        return label(self.comparison.relation)

    @property
    def is_in_chunks(self) -> bool:
        """Whether shares count whole chunks, so that they are lower bounds."""
        return self.scheme.measure == "bytes" and not self.comparison.tier

    @property
    def short_bits(self) -> int | None:
        """Bits of fingerprints that are so few that different shingles may be taken for one; None: they are not."""
        shingler = self.scheme.shingler
        return shingler.bits if shingler and shingler.bits < ALL_BITS and not self.comparison.tier else None

    def record(self) -> Record:
        """All of it with the fields of JSON."""
        payload = self.payload.resemblance if self.payload else None
        sizes = self.a.size, self.b.size
        return comparison_record(*self.names, *sizes, self.comparison, self.scheme.spec, payload)

    @cached_property
    def texts(self) -> tuple[Readable, Readable]:
        """Both texts as people read them; places of passages are places in these."""
        a, b = (Readable.of(side.text or b"", self.canon) for side in (self.a, self.b))
        return a, b

    def rows(self, *, ends: int) -> "Iterator[AlignedRow] | None":
        """Both texts side by side, what is the same shortened to so many words at either end. None: one has no text."""
        from nearkin.report.word_marks import rows

        alignment = aligned(self.comparison, self.a, self.b, self.canon)
        if alignment is None:
            return None
        a, b = self.texts
        return rows(in_characters(alignment, a, b), a.text, b.text, self.canon, ends=ends)

    def write_page(self, page: Path) -> None:
        """Write both texts side by side as a web page."""
        from nearkin.report.comparison_page import comparison_page

        try:
            with page.open("w", encoding="utf-8", errors="replace") as file:
                file.writelines(comparison_page(self.a, self.b, self.comparison, self.scheme.spec, self.canon))
        except OSError as error:
            raise InputError(f"Cannot write {page}: {(error.strerror or str(error)).lower()}.") from error


def row_unit(row: "AlignedRow") -> str:
    """What a row of `ComparedDocuments.rows` is counted in: words, or characters in scripts without spaces."""
    from nearkin.report.word_marks import unit

    return unit(row.a)


def compare_documents(
    store: Path, a: str, b: str, scheme: str, *, min_length: int, raw: bool, ignore: Sequence[str]
) -> ComparedDocuments:
    """Two files, or documents of the store by their paths there."""
    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)
    canon = canon_for(raw, ignore, how)
    first, second = find_document(a, store, raw=raw), find_document(b, store, raw=raw)
    comparison = measure(first, second, how, canon, least=min(min_length, maxsize))
    payload = payload_of(first, second, how, canon, store)
    return ComparedDocuments((a, b), first, second, without_templates(comparison, payload), payload, how, canon)


def trace(store: Path, text: Text, *, min_length: int, quick: bool) -> "pa.Table":
    """Every document that holds a passage of a text, those that hold most first."""
    _refuse_short(min_length)
    with connected(store) as connection:
        extracted = extracted_from(text, _is_raw(connection)) or b""
        digest = sha256(data_of(text)).digest()
        traced = follow(connection, store, extracted, digest, least=min_length, quick=quick)
        return traced_table(traced, scoped=is_scoped(connection))


@dataclass(frozen=True)
class Tracer:
    """A store that is open, to be asked where the passages of documents went."""

    store: Path
    connection: Connection
    raw: bool  # whether texts of the store are bytes as they are
    scoped: bool  # whether paths alone are ambiguous: records then name the scopes, too

    def read(self, name: str) -> NamedDocument:
        """A file, or a document of the store by its path there."""
        return find_document(name, self.store, raw=self.raw)

    def read_bytes(self, name: str, data: bytes) -> NamedDocument:
        """The bytes of a file of this name."""
        return from_bytes(name, data, raw=self.raw)

    def trace(self, document: NamedDocument, *, min_length: int = 100, quick: bool = False) -> Trace:
        """Every document that holds a passage of it; `Store.trace` says what the arguments mean."""
        _refuse_short(min_length)
        text = document.text or b""
        return follow(self.connection, self.store, text, document.digest, least=min_length, quick=quick)

    def readable(self, document: NamedDocument) -> Readable:
        """Its text as people read it; places of passages are places in it."""
        return Readable.of(document.text or b"", Canon(self.raw, frozenset()))

    def record(self, document: Traced, trace: Trace) -> Record:
        """A document that holds passages, with the fields of JSON."""
        return traced_record(document, trace, scoped=self.scoped)

    @property
    def columns(self) -> list[str]:
        """Columns of CSV."""
        return ["path", *(["scope"] if self.scoped else []), "share", "share_of_all", "passages"]


@contextmanager
def tracing(store: Path) -> Iterator[Tracer]:
    """Open a store to ask where passages went."""
    with connected(store) as connection:
        yield Tracer(store, connection, _is_raw(connection), is_scoped(connection))


def _refuse_short(min_length: int) -> None:
    if checked("min_length", min_length, int) < LONG_ENOUGH:
        raise UsageError(f"min_length is in characters, at least {LONG_ENOUGH}; it is {min_length}.")


def _is_raw(connection: Connection) -> bool:
    return Canon.parse(runs.canon_of(connection, runs.last(connection))).raw
