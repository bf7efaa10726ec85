"""The check-in question: what in a store is like a text or a file; and storing what was asked about."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.api.options import at_least_one, refuse_no_share, signer
from nearkin.api.session import Session, asking
from nearkin.api.texts import Text, data_of, extracted_from, extraction_of
from nearkin.environment import version
from nearkin.errors import UsageError
from nearkin.model import Similar
from nearkin.query.arrow_tables import similar_table
from nearkin.query.check import Checker, RangeQuery
from nearkin.query.lookup import NamedDocument, find_document, from_bytes
from nearkin.query.records import Record, backslashed, similar_record
from nearkin.query.store_view import connected, is_scoped
from nearkin.scheme import likeness
from nearkin.settings import checked
from nearkin.store.contents import count_stale
from nearkin.store.database import connect, explained

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.checkin import Added, CheckIn


def check(
    store: Path,
    session: Session | None,
    text: Text,
    *,
    scheme: str | None,
    limit: int | None,
    min_resemblance: float | None,
    min_containment: float | None,
    all_copies: bool,
    add: bool,
    name: str | None,
    by: str | None,
) -> "pa.Table":
    """What in the store is like a text, the most like first; with `add` the text is stored, too."""
    at_least_one("limit", limit)
    refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
    checked("scheme", scheme, str | None)
    if add:
        _refuse_to_add(name, scheme)
        by = signer(by)
    data = data_of(text)
    with asking(store, session) as session, explained(store):
        checker = session.checker(scheme, min_resemblance, min_containment)
        scoped = is_scoped(session.connection)
        extracted = extracted_from(text, checker.canon.raw)
        similar = checker.check(sha256(data).digest(), extracted, limit=limit, all_copies=all_copies)
    if add:
        add_text(store, text, name=name, by=by)
    records = [similar_record(document, scoped=scoped, name=backslashed) for document in similar]
    return similar_table(records, scoped=scoped)


@dataclass(frozen=True)
class DocumentChecker:
    """A store that is open, to be asked about one file or document after the other."""

    store: Path
    connection: sqlite3.Connection
    checker: Checker
    scoped: bool  # whether paths alone are ambiguous: records then name the scopes, too

    @property
    def scheme(self) -> str:
        """The scheme under which documents are compared."""
        return self.checker.scheme.spec

    @property
    def score(self) -> str:
        """What the scores are called: resemblance, or cosine under scheme fuzzy."""
        return likeness(self.checker.scheme)

    @property
    def unsigned(self) -> int:
        """Texts of the store that have no signature under this scheme, and so are not compared."""
        return self.checker.unsigned

    @property
    def stale(self) -> int:
        """Documents that an older nearkin has read, and that so are not compared."""
        return count_stale(self.connection)

    def read(self, name: str) -> NamedDocument:
        """A file, or a document of the store by its path there."""
        return find_document(name, self.store, raw=self.checker.canon.raw)

    def read_bytes(self, name: str, data: bytes) -> NamedDocument:
        """The bytes of a file of this name."""
        return from_bytes(name, data, raw=self.checker.canon.raw)

    def has_words(self, document: NamedDocument) -> bool:
        """Whether it has a text to compare; otherwise only its bytes are looked up."""
        return bool(self.checker.canon.apply(document.text or b""))

    def check(self, document: NamedDocument, *, limit: int | None = None, all_copies: bool = False) -> list[Similar]:
        """What in the store is like it, the most like first."""
        return self.checker.check(document.digest, document.text, limit=limit, all_copies=all_copies)

    def record(self, similar: Similar) -> Record:
        """An answer with the fields of JSON."""
        return similar_record(similar, scoped=self.scoped)

    @property
    def columns(self) -> list[str]:
        """Columns of CSV."""
        shares = ["resemblance", "query_in_doc", "doc_in_query", "exact", "low", "high", "template"]
        return ["path", *(["scope"] if self.scoped else []), "tier", *shares]

    def sql(self, document: NamedDocument, query: RangeQuery) -> str | None:
        """Under scheme si: the same question as SQL for another database; None where it has no similarity index."""
        return self.checker.sql(document.text, query)


@contextmanager
def checking(
    store: Path, scheme: str | None, min_resemblance: float | None, min_containment: float | None
) -> Iterator[DocumentChecker]:
    """Open a store to ask about files and documents."""
    with connected(store) as connection:
        checker = Checker.of(
            connection, store, scheme, min_resemblance=min_resemblance, min_containment=min_containment
        )
        yield DocumentChecker(store, connection, checker, is_scoped(connection))


def range_query(table: str | None = None, column: str | None = None) -> RangeQuery:
    """The table of another database and its column of similarity indices, for `DocumentChecker.sql`."""
    names = {"table": table, "column": column}
    return RangeQuery(**{what: name for what, name in names.items() if name is not None})


def add_text(store: Path, text: Text, *, name: str | None, by: str | None) -> bool:
    """Store a text under a name. False: it was there already, just so."""
    _refuse_to_add(name, None)
    data = data_of(text)
    with _check_in(store, signer(by)) as check_in:
        return check_in.add_text(name or "", data, lambda raw: extraction_of(text, raw)).new


def add_documents(
    store: Path, documents: Iterable[NamedDocument], *, name: str | None, by: str | None
) -> "Iterator[tuple[NamedDocument, Added | None]]":
    """Store documents that were read, one by one, with what became of each; `name` is for bytes that lie in no file.
    None: it is a document of the store already."""
    with _check_in(store, signer(by)) as check_in:
        for document in documents:
            if document.data is not None:
                yield document, check_in.add_bytes(name or "", document.data)
            elif document.file is not None:
                yield document, check_in.add_file(document.file)
            else:
                yield document, None


def _refuse_to_add(name: str | None, scheme: str | None) -> None:
    """A text that is added needs a name, and is signed as the last scan signed."""
    if not checked("name", name, str | None):
        raise UsageError("A text that is added needs a name; give it one as: name='notes/draft.txt'.")
    if scheme is not None:
        raise UsageError("A text is added under the last scan's scheme; leave out scheme.")


@contextmanager
def _check_in(store: Path, by: str) -> "Iterator[CheckIn]":
    from nearkin.checkin import CheckIn  # here: most checks add nothing

    connection = connect(store, write=True)
    try:
        yield CheckIn(connection, store, version(), by)
    finally:
        connection.close()
