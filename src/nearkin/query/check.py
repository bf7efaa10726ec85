"""What in a store is like a document: the same bytes, the same words, and what resembles, contains or is in it.

The text is made canonical as the store's texts were. A document with copies is named once where it is only near, by
its first path; of identical ones every path is named, as they answer the question where the document is already.

Under a similarity index the same question is one SQL query to a table of another system (Roth 2011 §6.2). Names are
printed as they are given, never quoted here: databases quote in different ways, and some of them take a name in foreign
quotes for a string, which then compares with every number and silently finds nothing.
"""

import re
import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nearkin.errors import UsageError
from nearkin.matching.feature_index import FeatureIndex
from nearkin.matching.search import Query
from nearkin.matching.template import LeftOut, left_out
from nearkin.matching.verify import room_for_texts
from nearkin.model import Location, Similar
from nearkin.scheme import FORMAT, Estimator, Scheme, cannot_contain, parse_scheme
from nearkin.scheme.similarity_index import range_of
from nearkin.settings import NO_CONTAINMENT, MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import unsigned_contents
from nearkin.store.documents import content_of, documents_of, documents_of_bytes
from nearkin.store.scopes import naming
from nearkin.store.templates import template_ids
from nearkin.text.canon import Canon

# No quoted form can be left before its end: the same quote inside is doubled, and nothing is escaped by a backslash.
PART = r"""(?:[^\W\d]\w*|"(?:[^"\\\x00-\x1f]|"")+"|`(?:[^`\\\x00-\x1f]|``)+`|\[[^\[\]\\\x00-\x1f]+\])"""
NAME = re.compile(rf"{PART}(?:\.{PART})*")


@dataclass(frozen=True)
class RangeQuery:
    """The table and the column of another system that hold similarity indices."""

    table: str = "documents"
    column: str = "similarity_index"

    def __post_init__(self) -> None:
        for option, name in (("--table", self.table), ("--column", self.column)):
            if not NAME.fullmatch(name):
                raise UsageError(
                    f"{option} {name!r} is no name in SQL; if it is one in your database, quote it as you do there:"
                    ' "…", `…` or […].'
                )

    def between(self, low: int, high: int) -> str:
        return f"SELECT * FROM {self.table} WHERE {self.column} BETWEEN {low} AND {high};"


FEW = 32  # texts that are measured sooner than threads are started
NO_RESEMBLANCE = 2.0  # a threshold that nothing reaches


@dataclass(frozen=True)
class Opened:
    """What can be asked again without being opened again, as long as the templates are the same."""

    templates: tuple[int, ...]
    left_out: LeftOut
    index: FeatureIndex | None


@dataclass(frozen=True)
class Checker:
    """A store, ready to be asked about documents under one scheme."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    canon: Canon
    canon_id: int
    min_resemblance: float
    min_containment: float
    index: FeatureIndex | None  # None: signatures are codes
    left_out: LeftOut
    complete: bool  # everything in the store was signed in this way

    @classmethod
    def of(
        cls,
        connection: sqlite3.Connection,
        store: Path,
        scheme: str | None = None,
        *,
        opened: dict[int, "Opened"] | None = None,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
    ) -> "Checker":
        """Open a store to be asked. Scheme and thresholds are those of the last scan unless given; a threshold that is
        not given does not apply when the other is.

        A caller that asks again and again keeps what was opened, by scheme, in `opened`.
        """
        asked = None if scheme is None else parse_scheme(scheme)
        run = runs.last(connection)
        how = asked or parse_scheme(run.spec)
        if min_containment is not None and not how.contains:
            raise UsageError(cannot_contain(how.spec))
        signed = runs.signed_scheme(connection, how.spec, FORMAT)
        if signed is None and how.spec == run.spec:
            command = f"nearkin scan FOLDER{naming(connection)}"
            raise UsageError(f"This store has no texts yet to compare with; run: {command}")
        if signed is None:
            raise UsageError(
                f"This store has no signatures of {how.spec}, only of {run.spec};"
                f" run: nearkin scan FOLDER --scheme {how.spec}{naming(connection)}"
            )
        if min_resemblance is None and min_containment is None:
            limits = run.settings["match"]
            min_resemblance, min_containment = limits["threshold"], limits["containment"]
            if min_containment == NO_CONTAINMENT:  # the last scan's scheme could not measure it, this one may
                min_containment = MatchSettings().containment
        canon = Canon.parse(signed.canon)
        kept = {} if opened is None else opened
        templates = template_ids(connection)
        if signed.id not in kept or kept[signed.id].templates != templates:
            without = left_out(connection, signed.id, how, canon)
            index = (
                None
                if how.estimator.coded
                else FeatureIndex(connection, store, how, signed.id, without.indexed, stays=opened is not None)
            )
            kept[signed.id] = Opened(templates, without, index)
        return cls(
            connection,
            how,
            signed.id,
            canon,
            signed.canon_id,
            NO_RESEMBLANCE if min_resemblance is None else min_resemblance,
            NO_CONTAINMENT if min_containment is None or not how.contains else min_containment,
            kept[signed.id].index,
            kept[signed.id].left_out,
            complete=signed.id == run.scheme,
        )

    @property
    def unsigned(self) -> int:
        """Contents of the store that were not signed in this way, and so are not looked at. A scan leaves none."""
        return 0 if self.complete else len(unsigned_contents(self.connection, self.scheme_id, self.canon_id))

    def check(
        self, digest: bytes, extracted: bytes | None, *, limit: int | None = None, all_copies: bool = False
    ) -> list[Similar]:
        """List what is like a document, the most like first; given are the digest of its bytes and its text, if any."""
        same_bytes = documents_of_bytes(self.connection, digest) if digest != sha256().digest() else []
        similar = [_identical(location, "bytes") for location in same_bytes]
        text = self.canon.apply(extracted or b"")
        if text:
            same = content_of(self.connection, sha256(text).digest(), self.canon_id)
            if same is not None:
                known = set(same_bytes)
                holders = documents_of(self.connection, [same]).get(same, [])
                similar += [_identical(location, "words") for location in holders if location not in known]
            if limit is None or len(similar) < limit:
                similar += self._near(text, same, all_copies=all_copies)
        return similar[:limit]

    def sql(self, extracted: bytes | None, table: RangeQuery) -> str | None:
        """The query that finds a text's candidates, for another system's database; None where it has no number."""
        if self.scheme.estimator is not Estimator.RANGE:
            raise UsageError(f"Only scheme si is one SQL query, not {self.scheme.spec}; use --scheme si.")
        numbers = self._query(self.canon.apply(extracted or b"")).numbers
        return table.between(*range_of(numbers[0])) if numbers else None

    def _near(self, text: bytes, same: int | None, *, all_copies: bool) -> list[Similar]:
        query = self._query(text)
        run = RunSettings()
        candidates = query.candidates()
        places = documents_of(self.connection, [content for content in candidates.ids if content != same])
        threads = run.jobs if len(places) > FEW else 1
        room = room_for_texts(run.memory, self.scheme.shingler)
        matches = query.similar(list(places), candidates.measured, memory=room, threads=threads) if places else []
        similar = [
            Similar(
                location,
                "near",
                near.resemblance,
                near.query_in_doc,
                near.doc_in_query,
                near.exact,
                near.low,
                near.high,
                "without" if self.left_out.templates else "with",
            )
            for near in matches
            for location in places.get(near.content, [])[: None if all_copies else 1]
        ]
        return sorted(similar, key=_most_like_first)

    def _query(self, text: bytes) -> Query:
        return Query(
            self.connection,
            self.scheme,
            self.scheme_id,
            self.canon,
            text,
            self.min_resemblance,
            self.min_containment,
            self.index,
            self.left_out,
        )


def _identical(location: Location, tier: str) -> Similar:
    return Similar(location, tier, 1.0, 1.0, 1.0, exact=True, low=None, high=None)


def _most_like_first(similar: Similar) -> tuple[float, float, Location]:
    return -similar.resemblance, -max(similar.query_in_doc or 0.0, similar.doc_in_query or 0.0), similar.location
