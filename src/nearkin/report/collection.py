"""Texts in memory, matched as a store's contents are: identical ones set aside, the rest joined and verified."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any

import numpy as np

from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns
from nearkin.matching.score import find_matches
from nearkin.report.fields import Record
from nearkin.scheme import Scheme, sign
from nearkin.settings import MatchSettings, RunSettings
from nearkin.text.canon import Canon

AT_ONCE = 256  # texts made canonical together
UNDECIDED: Record = {"verdict": None, "template": "with"}  # texts in memory have neither verdicts nor templates


@dataclass(frozen=True)
class Collection:
    """Texts in memory: their names, and for every distinct canonical text which of them hold it."""

    names: list[Any]
    contents: list[bytes]  # in the order of their digests, as in a store
    copies: list[list[int]]

    @classmethod
    def of(cls, named: Iterable[tuple[Any, bytes]], canon: Canon, *, jobs: int) -> "Collection":
        """Taken as they come, some at a time: of a text no more is held than its canonical form, and that once."""
        holders: dict[bytes, list[int]] = defaultdict(list)
        names: list[Any] = []
        rest = iter(named)
        while some := list(islice(rest, AT_ONCE)):
            for name, content in zip(some, canon.apply_all([text for _, text in some], threads=jobs), strict=True):
                if content:
                    holders[content].append(len(names))
                names.append(name[0])
        contents = sorted(holders, key=lambda content: sha256(content).digest())
        return cls(names, contents, [holders[content] for content in contents])

    def equal_pairs(self, min_shared_bytes: int, *, all_copies: bool) -> list[Record]:
        found = []
        for content, copies in zip(self.contents, self.copies, strict=True):
            if len(content) >= min_shared_bytes:
                for first in range(len(copies) if all_copies else 1):
                    found += [_equal(copies[first], other, len(content)) for other in copies[first + 1 :]]
        return found

    def similar_pairs(
        self, scheme: Scheme, limits: MatchSettings, run: RunSettings, *, all_copies: bool
    ) -> list[Record]:
        matches = self._matches(scheme, limits, run)
        many = slice(None) if all_copies else slice(1)
        found = []
        columns = (
            "a",
            "b",
            "resemblance",
            "a_in_b",
            "b_in_a",
            "payload",
            "shared_bytes",
            "exact",
            "low",
            "high",
        )
        for row in zip(*(getattr(matches, name).tolist() for name in columns), strict=True):
            record = {name: None if value != value else value for name, value in zip(columns, row, strict=True)}
            if scheme.measure == "cosine":
                record["shared_bytes"] = None
            record |= UNDECIDED
            found += [
                _ordered({**record, "a": a, "b": b})
                for a in self.copies[row[0]][many]
                for b in self.copies[row[1]][many]
            ]
        return found

    def _matches(self, scheme: Scheme, limits: MatchSettings, run: RunSettings) -> MatchColumns:
        signed = [sign(content, scheme) for content in self.contents]
        nothing = np.zeros(0, np.uint64)
        postings = Postings(
            offsets=np.cumsum([0, *map(len, signed)], dtype=np.uint64),
            features=np.concatenate([nothing, *(one.features for one in signed)]),
            # Sampled shingles weigh alike, by their modulus; only chunks have weights of their own.
            weights=np.concatenate([np.zeros(0, np.uint32), *(s.weights for s in signed if scheme.measure == "bytes")]),
            moduli=np.array([one.modulus for one in signed], np.uint64),
        )
        return find_matches(
            postings,
            np.array([len(content) for content in self.contents], np.int64),
            lambda rows: [self.contents[row] for row in rows],
            scheme,
            limits,
            memory=run.memory // 10,
            threads=run.jobs,
        )


def _equal(a: int, b: int, length: int) -> Record:
    ones = {"resemblance": 1.0, "a_in_b": 1.0, "b_in_a": 1.0}
    rest = {"payload": None, "shared_bytes": length, "exact": True, "low": None, "high": None, **UNDECIDED}
    return {"a": a, "b": b, **ones, **rest}


def _ordered(record: Record) -> Record:
    """The text given first is `a`."""
    if record["a"] < record["b"]:
        return record
    turned = {"a": record["b"], "b": record["a"], "a_in_b": record["b_in_a"], "b_in_a": record["a_in_b"]}
    return {**record, **turned}
