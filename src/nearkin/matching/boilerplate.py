"""Boilerplate: text that contents have in common, ready to be made a template (Forman 2005 §4).

"Of the 185 documents in the cluster, there may be 17 chunks that are shared in all of them." `Drawer` draws it from
given contents: the shingles of all of their kept texts, or of most, as passages; without texts, from the signatures.

`suggest` finds it unasked, as text that many contents have which are otherwise unlike:

1. Features are taken at the largest modulus in use, so that every content that has one shows it. Those in enough
   contents are frequent. Postings must be of shingles or of a mod sample for that.
2. Frequent features of one template lie in the same contents. Features whose sets of contents are nearly equal make a
   group: eight min-hashes of each set (Broder 1997 §3, of contents this time), two at a time as a bucket; within a
   bucket features join the most frequent one if six of the eight agree.
3. The contents of a group are those that have four fifths of its features. They are otherwise unlike if, without what
   nearly all of them have, and without the templates found so far, at least half of them resemble no other by 0.15.
   Versions fail here: without what all have in common, one is still most of the next.
4. Smaller groups come first, so that a form inside a form does not hide the outer one.

Everything is decided by signatures and digests: the same store gives the same suggestions in the same order.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.matching.candidates import Postings, distinct
from nearkin.matching.template import NOTHING, Features, among, plain_shingler, shingles_of, templates_apply
from nearkin.scheme import Scheme, parse_scheme, sign
from nearkin.scheme.shingler import Shingler
from nearkin.store import runs
from nearkin.store.contents import texts_of
from nearkin.store.signatures import signature_of
from nearkin.text.canon import Canon

Rows = NDArray[np.int64]

AT_ONCE = 64  # texts that are loaded at a time
# Of suggestions:
HASHES = 8
AGREE = 6
LEAST_FEATURES = 3  # fewer prove nothing
HAVE = 0.8  # share of a group's features that a content of it has
COMMON = 0.8  # share of a group's contents that have what is common to them
LOOKED_AT = 40  # contents of a group that are compared with one another
ALIKE = 0.15  # in samples of 6,600 documents 330 of 332 forms stayed at 0.1 or below
UNLIKE_SHARE = 0.5
MOST_POSTINGS = 1 << 24  # more are thinned out by their features: some 0.5 GB at most


def common_features(lists: Iterable[Features], count: int, tolerance: float) -> Features:
    """Features that at least this share of `count` lists have, ascending.

    One that can no longer be in enough of them is forgotten at once, so that memory is a few lists, not all.
    """
    needed = max(1, ceil(tolerance * count - 1e-9))
    features, counts = NOTHING, np.zeros(0, np.int64)
    for at, repeated in enumerate(lists):
        more = distinct(repeated)
        if at + needed > count:  # a feature that is new now is in too few lists
            counts += among(features, more)
        else:
            features, back = np.unique(np.concatenate([features, more]), return_inverse=True)
            counts = np.bincount(back, np.concatenate([counts, np.ones(len(more), np.int64)])).astype(np.int64)
        left = counts + (count - at - 1) >= needed
        features, counts = features[left], counts[left]
    return features


def passages_with(texts: Iterable[bytes], wanted: Features, shingler: Shingler) -> list[bytes]:
    """Passages of these texts that have all wanted shingles and no other, taken from as few texts as will do."""
    native = shingler.native()
    missing = wanted
    passages: list[bytes] = []
    for text in texts:
        if not len(missing):
            break
        offsets, shingles, _ = native.placed(text)
        inside = among(shingles, wanted)
        new = among(shingles, missing)
        for first, last in _runs(inside):
            if new[first : last + 1].any():
                end = _end(text, int(offsets[last]), int(shingles[last]), shingler)
                passages.append(text[int(offsets[first]) : end])
        missing = missing[~among(missing, distinct(shingles))]
    return list(dict.fromkeys(passages))


def _runs(inside: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The first and last position of each run of neighbours that are inside."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


def _end(text: bytes, offset: int, shingle: int, shingler: Shingler) -> int:
    """Where a shingle ends. Of words, lines and characters only the kernel knows: the shortest text that has it."""
    if shingler.unit == "byte":
        return min(offset + shingler.window, len(text))
    native, single = shingler.native(), replace(shingler, window=1).native()

    def reaches(end: int) -> bool:
        piece = text[offset:end]
        return single.count(piece) >= shingler.window and int(native.placed(piece)[1][0]) == shingle

    return _least(reaches, offset + 1, len(text), step=8 * shingler.window)


def _least(reaches: Callable[[int], bool], low: int, high: int, *, step: int) -> int:
    """The least number in a range that reaches, where all larger ones do or the highest is all there is."""
    far = low
    while far < high and not reaches(far):
        low, far, step = far, min(high, far + step), 2 * step
    while low < far:
        middle = (low + far) // 2
        if reaches(middle):
            far = middle
        else:
            low = middle + 1
    return far


@dataclass(frozen=True)
class Boilerplate:
    """Text that contents have in common."""

    passages: tuple[bytes, ...]
    features: Features | None  # of the store's scheme, where they cannot be made from the passages alone
    size: int  # shingles; bytes of chunks under a scheme that counts these

    def __bool__(self) -> bool:
        return self.size > 0


@dataclass(frozen=True)
class Drawer:
    """Draws boilerplate from contents that were signed by one scheme."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    canon: Canon

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> "Drawer":
        """A drawer under the scheme of the last scan."""
        run = runs.last(connection)
        scheme = parse_scheme(run.spec)
        if not templates_apply(scheme):
            raise UsageError(
                f"Templates do not apply to {run.spec}: its numbers are of whole texts, not of places in them."
            )
        return cls(connection, scheme, run.scheme, Canon.parse(runs.canon_of(connection, run)))

    @property
    def shingler(self) -> Shingler:
        """The plain shingler. It does not tell occurrences apart: text is common wherever it stands."""
        return replace(plain_shingler(self.scheme) or Shingler(20), label=False)

    def common_to(self, contents: Sequence[int], tolerance: float) -> Boilerplate:
        """The text that at least this share of the contents has."""
        ordered = self._by_digest(contents)
        count = sum(1 for _ in texts_of(self.connection, ordered))
        if not count:
            return self._of_signatures(ordered, tolerance)
        native = self.shingler.native()
        wanted = common_features((native.all(text) for text in self._texts(ordered)), count, tolerance)
        passages = tuple(passages_with(self._texts(ordered), wanted, self.shingler))
        return self._with_chunks(passages, ordered, count, tolerance)

    def given(self, text: bytes) -> Boilerplate:
        """A given text, as it is."""
        return Boilerplate((text,), None, len(shingles_of([text], self.shingler)))

    def _with_chunks(
        self, passages: tuple[bytes, ...], contents: Sequence[int], count: int, tolerance: float
    ) -> Boilerplate:
        """Add the chunks in common, under a scheme of chunks: where a chunk begins and ends depends on its neighbours
        too, so they cannot be made from the passages alone."""
        if self.scheme.measure != "bytes":
            return Boilerplate(passages, None, len(shingles_of(passages, self.shingler)))
        lists = (sign(text, self.scheme).features for text in self._texts(contents))
        shared = common_features(lists, count, tolerance)
        own = [sign(passage, self.scheme).features for passage in passages]
        return Boilerplate(passages, distinct(np.concatenate([shared, *own])), sum(map(len, passages)))

    def _of_signatures(self, contents: Sequence[int], tolerance: float) -> Boilerplate:
        if self.scheme.limit:
            raise UsageError(f"{self.scheme.spec} samples too little to tell boilerplate; scan with texts kept.")
        signatures = [signature_of(self.connection, self.scheme_id, content) for content in contents]
        signed = [signature for signature in signatures if signature is not None]
        modulus = np.uint64(max((modulus for modulus, _, _ in signed), default=1))
        lists = (features[features % modulus == 0] for _, features, _ in signed)
        features = common_features(lists, len(signed), tolerance)
        return Boilerplate((), features, len(features) * int(modulus))

    def _texts(self, contents: Sequence[int]) -> Iterator[bytes]:
        for start in range(0, len(contents), AT_ONCE):
            part = contents[start : start + AT_ONCE]
            kept = dict(texts_of(self.connection, part))
            yield from (self.canon.apply(kept[content]) for content in part if content in kept)

    def _by_digest(self, contents: Sequence[int]) -> list[int]:
        """Contents in the order of their digests: ids say in which order files were read, and nothing may depend on
        that."""
        digests = {}
        for content in contents:
            (digests[content],) = self.connection.execute(
                "SELECT digest FROM content WHERE id = ?", (content,)
            ).fetchone()
        return sorted(contents, key=lambda content: digests[content])


@dataclass(frozen=True)
class FeatureGroup:
    """Frequent features that lie in the same contents: a template, if these are otherwise unlike."""

    rows: Rows  # of the contents
    features: Features  # at the modulus all are compared at
    modulus: int

    @property
    def weight(self) -> int:
        """About how many shingles of the collection it covers."""
        return len(self.rows) * len(self.features) * self.modulus


@dataclass(frozen=True)
class _Sets:
    """The sets of contents of frequent features: set i is rows[starts[i]:starts[i + 1]]."""

    features: Features
    rows: Rows
    starts: Rows

    def of(self, which: Rows) -> tuple[Rows, Rows]:
        """The rows in any of these sets, and in how many sets each row is."""
        return np.unique(
            np.concatenate([self.rows[self.starts[i] : self.starts[i + 1]] for i in which.tolist()]), return_counts=True
        )


def suggest(postings: Postings, *, least: int) -> list[FeatureGroup]:
    """Suggest templates that at least so many contents have, the heaviest first."""
    if not len(postings.moduli):
        return []
    modulus = int(postings.moduli.max())
    sets = _frequent(postings, modulus, least)
    suggested: list[FeatureGroup] = []
    known = NOTHING
    for group in sorted(_grouped(sets, modulus, least), key=lambda group: (len(group.rows), group.features[0])):
        if any(_mostly_equal(group.rows, earlier.rows) for earlier in suggested):
            continue
        common, unlike = _judged(postings, group.rows, known)
        if unlike >= max(UNLIKE_SHARE * min(len(group.rows), LOOKED_AT), 2):
            suggested.append(group)
            known = np.union1d(known, common)
    return sorted(suggested, key=lambda group: (-group.weight, int(group.features[0])))


def _rows(postings: Postings) -> Rows:
    """The row of the content of every feature."""
    sizes = (postings.offsets[1:] - postings.offsets[:-1]).astype(np.int64)
    return np.repeat(np.arange(len(sizes)), sizes)


def _frequent(postings: Postings, modulus: int, least: int) -> _Sets:
    """Step 1: features at this modulus that lie in at least so many contents."""
    rows = _rows(postings)
    features = postings.features
    wanted = features % np.uint64(modulus) == 0
    if (many := int(wanted.sum())) > MOST_POSTINGS:
        wanted &= _mixed(features, 0) < np.uint64(MOST_POSTINGS / many * 2**64)
    rows, features = rows[wanted], features[wanted]
    order = np.lexsort((rows, features))
    rows, features = rows[order], features[order]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (np.diff(features) != 0) | (np.diff(rows) != 0)  # a chunk that a content repeats counts once
    rows, features = rows[fresh], features[fresh]
    starts = (
        np.flatnonzero(np.concatenate([[True], np.diff(features) != 0])) if len(features) else np.zeros(0, np.int64)
    )
    sizes = np.diff(np.append(starts, len(features)))
    often = sizes >= least
    kept = np.repeat(often, sizes)
    return _Sets(features[starts[often]], rows[kept], np.concatenate([[0], np.cumsum(sizes[often])]))


def _grouped(sets: _Sets, modulus: int, least: int) -> list[FeatureGroup]:
    """Step 2: groups of features whose sets of contents are nearly equal."""
    count = len(sets.features)
    if not count:
        return []
    sizes = np.diff(sets.starts)
    numbers = np.arange(int(sets.rows.max()) + 1, dtype=np.uint64)
    hashes = np.stack([np.minimum.reduceat(_mixed(numbers, j + 1)[sets.rows], sets.starts[:-1]) for j in range(HASHES)])
    joined: list[tuple[Rows, Rows]] = []
    for j in range(HASHES):
        bucket = _mixed(hashes[j], 99) ^ hashes[(j + 1) % HASHES]
        order = np.lexsort((np.arange(count), -sizes, bucket))
        first = np.concatenate([[True], np.diff(bucket[order]) != 0])
        leader = np.repeat(order[first], np.diff(np.append(np.flatnonzero(first), count)))
        near = (hashes[:, order] == hashes[:, leader]).sum(axis=0) >= AGREE
        joined.append((order[near], leader[near]))
    a, b = (np.concatenate(side).astype(np.uint32) for side in zip(*joined, strict=True))
    label = _native.components(count, a, b)
    order = np.argsort(label, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    groups = []
    for which in members:
        if len(which) >= LEAST_FEATURES:
            rows, have = sets.of(which)
            rows = rows[have >= HAVE * len(which)]
            if len(rows) >= least:
                groups.append(FeatureGroup(rows, np.sort(sets.features[which]), modulus))
    return groups


def _mostly_equal(a: Rows, b: Rows) -> bool:
    """Whether two sets of contents have at least 0.6 of their union in common."""
    if not 0.6 * len(b) <= len(a) <= len(b) / 0.6:
        return False
    both = len(np.intersect1d(a, b, assume_unique=True))
    return both >= 0.6 * (len(a) + len(b) - both)


def _judged(postings: Postings, rows: Rows, known: Features) -> tuple[Features, int]:
    """Step 3: the features that nearly all of these contents have, and how many are unlike all others without them."""
    looked_at = rows[np.linspace(0, len(rows) - 1, min(len(rows), LOOKED_AT)).astype(np.int64)]
    modulus = np.uint64(postings.moduli[looked_at].max())
    lists = []
    for row in looked_at.tolist():
        features = distinct(postings.features[int(postings.offsets[row]) : int(postings.offsets[row + 1])])
        lists.append(features[features % modulus == 0])
    names, counts = np.unique(np.concatenate(lists), return_counts=True)
    shared = counts >= COMMON * len(lists)
    common = names[shared]
    payload = names[~shared & ~among(names, known)]
    has = np.zeros((len(lists), len(payload)), np.float32)
    for at, features in enumerate(lists):
        has[at] = among(payload, features)
    both = has @ has.T
    own = has.sum(axis=1)
    united = own[:, None] + own[None, :] - both
    likeness = np.divide(both, united, out=np.zeros_like(both), where=united > 0)
    np.fill_diagonal(likeness, 0)
    unlike = (own >= LEAST_FEATURES) & (likeness.max(axis=1, initial=0.0) < ALIKE)
    return common, int(unlike.sum())


def _mixed(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """A hash of each (splitmix64)."""
    mixed = numbers + np.uint64((seed * 0x9E3779B97F4A7C15) & (1 << 64) - 1)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
