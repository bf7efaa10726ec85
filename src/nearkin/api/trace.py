"""Where the passages of a text or a document went."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from nearkin.api.texts import Text, data_of, extracted_from
from nearkin.errors import UsageError
from nearkin.query.arrow_tables import traced_table
from nearkin.query.lookup import NamedDocument, Readable, find_document, from_bytes
from nearkin.query.records import Record, traced_record
from nearkin.query.store_view import connected, is_scoped
from nearkin.query.trace import LONG_ENOUGH, Trace, Traced
from nearkin.query.trace import trace as follow
from nearkin.settings import checked
from nearkin.store import runs
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa


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
