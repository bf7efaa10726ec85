"""What some contents of a store have in common, ready to be made a template (Forman 2005 §4).

"Of the 185 documents in the cluster, there may be 17 chunks that are shared in all of them." It is looked for in the
kept texts over all shingles; without texts, in the signatures.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nearkin.errors import UsageError
from nearkin.matching.common import common_features, passages_with
from nearkin.matching.distinct import distinct
from nearkin.matching.template import Features, plain_shingler, shingles_of, templates_apply
from nearkin.scheme import Scheme, parse_scheme, sign
from nearkin.scheme.shingler import Shingler
from nearkin.store import runs
from nearkin.store.contents import texts_of
from nearkin.store.signatures import signature_of
from nearkin.text.canon import Canon

AT_ONCE = 64  # texts


@dataclass(frozen=True)
class Boilerplate:
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
        """Under the scheme of the last scan."""
        run = runs.last(connection)
        scheme = parse_scheme(run.spec)
        if not templates_apply(scheme):
            raise UsageError(
                f"Templates do not apply to {run.spec}: its numbers are of whole texts, not of places in them."
            )
        return cls(connection, scheme, run.scheme, Canon.parse(runs.canon_of(connection, run)))

    @property
    def shingler(self) -> Shingler:
        """Occurrences are not told apart here: what is common is common wherever it stands."""
        return replace(plain_shingler(self.scheme) or Shingler(20), label=False)

    def common_to(self, contents: Sequence[int], tolerance: float) -> Boilerplate:
        """What at least this share of them has."""
        ordered = self._by_digest(contents)
        count = sum(1 for _ in texts_of(self.connection, ordered))
        if not count:
            return self._of_signatures(ordered, tolerance)
        native = self.shingler.native()
        wanted = common_features((native.all(text) for text in self._texts(ordered)), count, tolerance)
        passages = tuple(passages_with(self._texts(ordered), wanted, self.shingler))
        return self._with_chunks(passages, ordered, count, tolerance)

    def given(self, text: bytes) -> Boilerplate:
        """A text as it is."""
        return Boilerplate((text,), None, len(shingles_of([text], self.shingler)))

    def _with_chunks(
        self, passages: tuple[bytes, ...], contents: Sequence[int], count: int, tolerance: float
    ) -> Boilerplate:
        """Where a chunk begins and ends its neighbours decide too, so chunks in common are found among chunks."""
        if self.scheme.measure != "bytes":
            return Boilerplate(passages, None, len(shingles_of(passages, self.shingler)))
        lists = (sign(text, self.scheme).features for text in self._texts(contents))
        shared = common_features(lists, count, tolerance)
        own = [sign(passage, self.scheme).features for passage in passages]
        return Boilerplate(passages, distinct(np.concatenate([shared, *own])), sum(map(len, passages)))

    def _of_signatures(self, contents: Sequence[int], tolerance: float) -> Boilerplate:
        if self.scheme.limit:
            raise UsageError(f"{self.scheme.spec} samples too little to tell boilerplate; scan with texts kept.")
        found = [signature_of(self.connection, self.scheme_id, content) for content in contents]
        signed = [one for one in found if one is not None]
        modulus = np.uint64(max((one[0] for one in signed), default=1))
        lists = (features[features % modulus == 0] for _, features, _ in signed)
        features = common_features(lists, len(signed), tolerance)
        return Boilerplate((), features, len(features) * int(modulus))

    def _texts(self, contents: Sequence[int]) -> Iterator[bytes]:
        for start in range(0, len(contents), AT_ONCE):
            part = contents[start : start + AT_ONCE]
            kept = dict(texts_of(self.connection, part))
            yield from (self.canon.apply(kept[content]) for content in part if content in kept)

    def _by_digest(self, contents: Sequence[int]) -> list[int]:
        """Ids tell in which order files were read, and nothing may depend on that."""
        digests = {}
        for content in contents:
            (digests[content],) = self.connection.execute(
                "SELECT digest FROM content WHERE id = ?", (content,)
            ).fetchone()
        return sorted(contents, key=lambda content: digests[content])
