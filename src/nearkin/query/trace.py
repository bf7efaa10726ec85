"""Where the passages of a document went. Forman 2005 §6 names it as a use: "the purging of data that has reached its
end-of-life and must be deleted, despite having been copied into other documents without linking metadata".

A trace lists every document of the store that holds a passage of a text of at least so many characters, with the
passages and the share of the text that each holds, and all of them together. Nothing is estimated: stored features show
which texts cannot hold one, the texts show the rest. Where the store keeps no texts, documents of the same bytes or the
same words are known by their digests, and others that may hold a passage are counted: no hit is then no answer.
"""

import sqlite3
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from nearkin.matching.passages import (
    Passage,
    common_passages,
    contents_sharing_features,
    contents_to_read,
    covered,
    features_are_conclusive,
    placed,
    spans_in,
    texts_holding,
)
from nearkin.model import Location
from nearkin.query.check import Checker
from nearkin.settings import RunSettings
from nearkin.store.contents import count_stale
from nearkin.store.documents import content_of, documents_of, documents_of_bytes
from nearkin.text.canon import Canon
from nearkin.wording import count

LONG_ENOUGH = 20  # characters to be asked for at least: the window of shingles
LEAST = 100  # characters: a sentence; shorter ones recur by chance and by habit


@dataclass(frozen=True)
class Traced:
    """A document that holds passages; A is the text asked about, B the document."""

    location: Location
    share: float  # of the text's canonical characters
    passages: tuple[Passage, ...]  # none: it has the same words, in a text that was not kept


@dataclass(frozen=True)
class Trace:
    """The documents that hold passages of a text."""

    documents: list[Traced]  # those that hold most first
    share: float  # of the text, in any of them
    least: int  # characters of a passage: as asked for, or those of a shorter text
    unread: int = 0  # contents whose text was not kept, and that may hold some
    stale: int = 0  # documents that an older nearkin read: not looked at
    skipped: int = 0  # contents that only a slower search would have read
    too_short: bool = False  # only whole copies were looked for

    @property
    def unseen(self) -> list[str]:
        """Why there may be more, as sentences; none: these are all."""
        reasons = []
        if self.too_short:
            reasons.append(f"texts shorter than {LONG_ENOUGH} characters are found only as whole copies")
        if self.skipped:
            reasons.append(
                f"{count(self.skipped, 'texts')} that share no stored feature with it were not read and may hold some"
            )
        if self.unread:
            reasons.append(f"{count(self.unread, 'texts')} may hold some, but the store did not keep them")
        if self.stale:
            reasons.append(f"{count(self.stale, 'documents')} read by an older nearkin and not looked at; scan again")
        return reasons


def trace(
    connection: sqlite3.Connection, store: Path, text: bytes, digest: bytes, *, least: int = LEAST, quick: bool = False
) -> Trace:
    """Trace an extracted text; `digest` is that of the bytes it was taken from.

    A text of fewer characters than asked for is looked for whole. `quick` reads only texts that share a stored feature,
    and may miss short passages.
    """
    checker = Checker.of(connection, store)
    canon, scheme = replace(checker.canon, lines=False), checker.scheme
    canonical = canon.apply(text)
    same = content_of(connection, sha256(checker.canon.apply(text)).digest(), checker.canon_id)
    if not canonical:
        return Trace([], 0.0, least)
    least = min(least, max(len(canonical), LONG_ENOUGH))
    if len(canonical) < least:
        whole = _most_first(_copies(connection, text, digest, same, canon))
        return Trace(whole, float(bool(whole)), least, stale=count_stale(connection), too_short=True)
    conclusive = features_are_conclusive(scheme, least) and not checker.left_out.templates
    shared = None
    if checker.index is not None and (conclusive or quick):
        shared = contents_sharing_features(checker.index, checker.canon.apply(text), scheme)
    about = (connection, scheme, checker.scheme_id)
    contents = contents_to_read(*about, shared, quick=quick)
    surely = contents_to_read(*about, shared if conclusive else None, quick=False) if quick else contents
    run = RunSettings()
    held: dict[int, tuple[float, tuple[Passage, ...]]] = {}
    together: list[tuple[int, int]] = []
    for content, stored in texts_holding(connection, contents, canonical, canon, window=least, threads=run.jobs):
        spans = spans_in(canonical, canon.apply(stored), raw=canon.raw, least=least)
        if len(spans):
            ranges = list(zip(spans.a_start.tolist(), spans.a_end.tolist(), strict=True))
            held[content] = covered(ranges) / len(canonical), tuple(placed(spans, text, stored, canon))
            together += ranges
    traced = {
        location: Traced(location, *held[content])
        for content, holders in documents_of(connection, list(held)).items()
        for location in holders
    }
    if copies := _copies(connection, text, digest, None if same in held else same, canon):
        traced = copies | traced
        together.append((0, len(canonical)))
    unread = _unread(connection, [content for content in contents if content != same])
    share, skipped = covered(together) / len(canonical), len(surely) - len(contents)
    return Trace(_most_first(traced), share, least, unread, count_stale(connection), skipped)


def _most_first(traced: dict[Location, Traced]) -> list[Traced]:
    return sorted(traced.values(), key=lambda document: (-document.share, document.location))


def _copies(
    connection: sqlite3.Connection, text: bytes, digest: bytes, same: int | None, canon: Canon
) -> dict[Location, Traced]:
    """The documents of the same words and of the same bytes: their text is known, though it was not kept."""
    words = documents_of(connection, [] if same is None else [same]).values()
    copies = {location: Traced(location, 1.0, ()) for holders in words for location in holders}
    whole = tuple(common_passages(text, text, canon))
    return copies | {place: Traced(place, 1.0, whole) for place in documents_of_bytes(connection, digest)}


def _unread(connection: sqlite3.Connection, contents: list[int]) -> int:
    without = 0
    for start in range(0, len(contents), 500):
        part = contents[start : start + 500]
        (kept,) = connection.execute(
            f"""SELECT count(DISTINCT content) FROM text
                WHERE content IN ({",".join("?" * len(part))}) AND zstd IS NOT NULL""",
            tuple(part),
        ).fetchone()
        without += len(part) - int(kept)
    return without
