"""A listing of a store, as of one moment: as objects, as records with the fields of JSON, or as an Arrow table.

with store.listings.matches(min_resemblance=0.9) as listing:
    for match in listing.items: ...        # nearkin.model.Match, read from the store as they are asked for
    for record in listing.records(): ...   # the same as dicts
    listing.table()                        # the same as a table: what store.matches(min_resemblance=0.9) returns
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from nearkin.model import Location, Match
from nearkin.query.records import Name, Record, backslashed, surrogate_escaped
from nearkin.query.store_view import score_name
from nearkin.scheme import Estimator
from nearkin.store import runs

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.query.matches import Between
    from nearkin.scheme import Scheme, Signature
    from nearkin.store.documents import HeldDocument

Item = TypeVar("Item")
Signed = tuple[Location, "Signature"]


@dataclass
class Listing(Generic[Item]):
    """Items of a store, and what a reader of them should know. It can be read while it is open."""

    connection: sqlite3.Connection
    scoped: bool  # whether paths alone are ambiguous: records then name the scopes, too
    read: Callable[[], Iterable[Item]]
    to_record: Callable[[Item, Name], Record]
    to_table: "Callable[[list[Record]], pa.Table]"
    columns: list[str]  # of CSV
    path_columns: frozenset[str] = frozenset({"path"})  # those of them that name files
    to_rows: Callable[[Record], Iterable[Record]] = lambda record: [record]  # rows of CSV that a record makes
    find_gaps: Callable[[], list[str]] = list

    @cached_property
    def items(self) -> Iterable[Item]:
        """The items, computed when first asked for; some listings give each only once."""
        return self.read()

    def records(self, items: Iterable[Item] | None = None) -> Iterator[Record]:
        """All items, or these, with the fields of JSON. Bytes of names that are not UTF-8 are lone surrogates."""
        return (self.to_record(item, surrogate_escaped) for item in (self.items if items is None else items))

    def table(self) -> "pa.Table":
        """All items as an Arrow table, whose metadata have the gaps under `nearkin.partial`. Bytes that are not UTF-8
        are written \\xNN in names."""
        from nearkin.query.arrow_tables import marked_partial

        records = [self.to_record(item, backslashed) for item in self.items]
        return marked_partial(self.to_table(records), self.gaps)

    @cached_property
    def gaps(self) -> list[str]:
        """Sentences: why these may not be all. None where they are."""
        return self.find_gaps()

    @property
    def score(self) -> str:
        """What the scores are called: resemblance, or cosine under scheme fuzzy."""
        return score_name(self.connection)

    @property
    def is_unfinished(self) -> bool:
        """Whether a later scan is running or was interrupted, whose changes are missing here."""
        return runs.unfinished(self.connection)

    @property
    def limits(self) -> dict[str, float]:
        """The thresholds of the last scan, by their names in `nearkin.settings.MatchSettings`."""
        limits: dict[str, float] = runs.last(self.connection).settings["match"]
        return limits

    @property
    def templates(self) -> int:
        """How many templates the scores leave out."""
        return runs.last(self.connection).templates

    @property
    def are_templates_stale(self) -> bool:
        """Whether templates have changed since the scores were made."""
        from nearkin.query.templates import templates_changed

        return templates_changed(self.connection)

    def refuse_unscanned(self) -> None:
        """Raise an error where no scan has finished: that there are no documents would be no answer."""
        runs.last(self.connection)


@dataclass
class ScopeListing(Listing[Match]):
    """Matches between two scopes, a master and a candidate, with the documents that have none."""

    compare: "Callable[[], Between] | None" = None

    @cached_property
    def answer(self) -> "Between":
        """Matches, totals, and the documents of the candidate that are new."""
        assert self.compare is not None
        return self.compare()

    def new_records(self, documents: "Iterable[HeldDocument]") -> Iterator[Record]:
        """Documents of the candidate that are not in the master, with the fields of JSON."""
        from nearkin.query.records import new_record

        return map(new_record, documents)


@dataclass
class SignatureListing(Listing[Signed]):
    """Signatures of all texts of a store, named by their first documents; a record has the digest of each."""

    scheme: "Scheme | None" = None

    @property
    def has_numbers(self) -> bool:
        """Whether signatures are one number each, as under scheme si."""
        return self.scheme is not None and self.scheme.estimator is Estimator.RANGE

    def count(self) -> int:
        """How many texts there are."""
        from nearkin.store.contents import HERE

        (contents,) = self.connection.execute(f"SELECT count(DISTINCT t.content) {HERE}").fetchone()
        return int(contents)

    def features(self, items: Iterable[Signed]) -> Iterator[Record]:
        """One record a feature."""
        for location, signature in items:
            place = place_record(location, scoped=self.scoped)
            for weight, feature in zip(signature.weights.tolist(), signature.features.tolist(), strict=True):
                yield {"weight": weight, "feature": f"{feature:016x}", **place}

    def numbers(self, items: Iterable[Signed]) -> Iterator[Record]:
        """Under scheme si: one number a text, or none."""
        from nearkin.api.schemes import similarity_index

        for location, signature in items:
            yield {"number": similarity_index(signature), **place_record(location, scoped=self.scoped)}


def place_record(location: Location, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    return {"path": name(location), **({"scope": location.scope} if scoped else {})}
