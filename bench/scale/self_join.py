"""The join step alone, on the signatures of the same texts: nearkin's candidates and a self-join in DuckDB.

A plain self-join meets every two documents that share a feature: with features in a tenth of the documents that is the
square of the repository. So DuckDB's is what people write then: features in over 1,000 documents are left out, those of
one document too, and pairs counted; which true pairs that loses is in the table. nearkin leaves out none.
"""

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.peer_shingles import Pairs
from bench.process import cores
from bench.scale.true_pairs import TruePairs
from bench.table import figure, share, table
from nearkin import _native
from nearkin.matching.candidates import Postings, find_candidates
from nearkin.scheme import parse_scheme
from nearkin.settings import DEFAULT_SCHEME, MatchSettings

MOST = 1_000  # documents of a feature that DuckDB joins
ROUNDS = 3
HEAD = ("join step", "wall s", "CPU s", "wall, nearkin 1", "pairs", "recall")
SELF_JOIN = """
WITH shared AS (SELECT feature FROM postings GROUP BY feature HAVING count(*) BETWEEN 2 AND {most}),
     kept AS (SELECT feature, document FROM postings SEMI JOIN shared USING (feature)),
     counted AS (SELECT a.document AS a, b.document AS b, count(*) AS shared
                 FROM kept a JOIN kept b ON a.feature = b.feature AND a.document < b.document
                 GROUP BY a.document, b.document)
SELECT a, b FROM counted JOIN sizes x ON x.document = a JOIN sizes y ON y.document = b
WHERE shared >= {least} * (x.size + y.size - shared)
"""


@dataclass(frozen=True)
class Timed:
    seconds: float
    cpu: float
    pairs: Pairs

    @classmethod
    def of(cls, work: Callable[[], Pairs]) -> "Timed":
        runs = []
        for _ in range(ROUNDS):
            started, cpu = time.perf_counter(), time.process_time()
            pairs = work()
            runs.append((time.perf_counter() - started, time.process_time() - cpu))
        return cls(min(run[0] for run in runs), min(run[1] for run in runs), pairs)


def join_table(corpus: Path, true_pairs: TruePairs) -> str:
    postings, documents = _signed(corpus)
    ours = Timed.of(lambda: _ours(postings, documents))
    rows = [_row("nearkin candidates, no feature left out", ours, ours, true_pairs)]
    lines = []
    if importlib.util.find_spec("duckdb"):
        theirs = Timed.of(_in_duckdb(postings, documents))
        rows.append(_row(f"DuckDB self-join, features in over {MOST:,} left out", theirs, ours, true_pairs))
        ratio = theirs.seconds / ours.seconds
        lines.append(f"DuckDB takes {ratio:.2f} times as long as nearkin's join (goal: at least 4)")
    _, counts = np.unique(postings.features, return_counts=True)
    met = int((counts * (counts - 1) // 2).sum())
    lines.append(f"{len(postings.features):,} postings; joining all of them would meet {met:,} pairs")
    return "\n".join([table(HEAD, rows), *lines])


def _row(name: str, one: Timed, ours: Timed, true_pairs: TruePairs) -> list[str]:
    recall = true_pairs.judge(one.pairs, true_pairs.by_bytes).recall
    ratio = one.seconds / ours.seconds
    return [name, figure(one.seconds), figure(one.cpu), figure(ratio), f"{len(one.pairs):,}", share(recall)]


def _ours(postings: Postings, documents: NDArray[np.int64]) -> Pairs:
    found = find_candidates(postings, parse_scheme(DEFAULT_SCHEME), MatchSettings(), threads=cores())
    return documents[np.stack([found.a, found.b], axis=1)]


def _in_duckdb(postings: Postings, documents: NDArray[np.int64]) -> Callable[[], Pairs]:
    """With both tables loaded: only the join is timed."""
    import duckdb
    import pyarrow as pa

    sizes = (postings.offsets[1:] - postings.offsets[:-1]).astype(np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    connection = duckdb.connect(":memory:", config={"threads": cores()})
    given = {
        "postings": pa.table({"feature": postings.features, "document": owners}),
        "sizes": pa.table({"document": np.arange(len(sizes)), "size": sizes}),
    }
    for name, rows in given.items():
        connection.register(f"given_{name}", rows)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given_{name}")
    query = SELF_JOIN.format(most=MOST, least=MatchSettings().floor)

    def join() -> Pairs:
        found = connection.execute(query).fetchnumpy()
        pairs: Pairs = documents[np.stack([found["a"], found["b"]], axis=1)]
        return pairs

    return join


def _signed(corpus: Path) -> tuple[Postings, NDArray[np.int64]]:
    """The signatures of distinct texts, and the first document of each."""
    import pyarrow.parquet as pq

    first: dict[bytes, int] = {}
    for number, text in enumerate(pq.read_table(corpus, columns=["text"])["text"].to_pylist()):
        first.setdefault(text.strip().encode(), number)
    native = parse_scheme(DEFAULT_SCHEME).native()
    signed = [_native.sign(native, text) for text in first]
    return (
        Postings(
            np.cumsum([0, *(len(features) for features, _, _ in signed)]).astype(np.uint64),
            np.concatenate([features for features, _, _ in signed]),
            np.concatenate([weights for _, weights, _ in signed]),
            np.array([modulus for _, _, modulus in signed], np.uint64),
        ),
        np.array(list(first.values()), np.int64),
    )
