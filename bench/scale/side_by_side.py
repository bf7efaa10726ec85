"""The same table given to every tool: from Parquet to pairs, and the join step beside DuckDB's."""

import importlib.util
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from bench.peer_comparison import JUDGED, PEERS
from bench.peer_shingles import THRESHOLD, Pairs
from bench.process import FailedError, Measured, measure
from bench.scale.growth import command
from bench.scale.repository import Repository
from bench.scale.self_join import join_table
from bench.scale.true_pairs import TruePairs
from bench.table import figure, share, table
from nearkin.store.database import connect

DOCUMENTS = 100_000
HEAD = ("tool", "what it does", "wall s", "CPU s", "wall, nearkin 1", "peak MB", "pairs", *JUDGED)
SCAN, MATCH = "nearkin scan", "nearkin.match"
DOES = {SCAN: "store, verified pairs, families", MATCH: "verified pairs in memory"}


def peers_table(work: Path, documents: int = DOCUMENTS, *, rounds: int = 1) -> str:
    """The best of several rounds in turn; memory is watched in the first."""
    corpus = work / "peers.parquet"
    Repository(documents).write(corpus)
    truth = TruePairs.of(corpus)
    commands = {SCAN: command(corpus, work / SCAN), MATCH: _python("bench.scale.match_in_memory", corpus, work / MATCH)}
    for peer in PEERS:
        if importlib.util.find_spec(peer):
            commands[peer] = _python(f"bench.peers.{peer}", corpus, work / peer)
    runs: dict[str, list[Measured]] = {name: [] for name in commands}
    failures: dict[str, str] = {}
    for turn in range(rounds):
        for name, asked in commands.items():
            _forget(work / name)
            try:
                runs[name].append(measure(asked, watch=turn == 0))
            except FailedError as error:
                failures[name] = str(error)
    best = {name: min(run.seconds for run in ran) for name, ran in runs.items() if name not in failures}
    rows = []
    for name in best:
        pairs = _scanned(work / name) if name == SCAN else _loaded(work / name)
        rows.append(
            [
                name,
                DOES.get(name, "LSH pairs, unverified"),
                figure(best[name]),
                figure(min(run.cpu for run in runs[name])),
                figure(best[name] / best.get(SCAN, best[name])),
                figure(max(run.peak for run in runs[name]) / 1e6),
                f"{len(pairs):,}",
                *map(
                    share,
                    (*truth.judge(pairs, truth.by_bytes), *truth.judge(pairs, truth.by_words)),
                ),
            ]
        )
    lines = [table(HEAD, rows, words=2), *(f"{name} failed: {why}" for name, why in failures.items())]
    peers = [name for name in best if name in PEERS]
    if peers and SCAN in best:
        wall = min(best[name] for name in peers) / best[SCAN]
        cpu = min(run.cpu for name in peers for run in runs[name]) / min(run.cpu for run in runs[SCAN])
        lines.append(
            f"the fastest peer takes {wall:.2f} times as long as nearkin scan (goal: at least 4); the one of least CPU"
            f" {cpu:.2f} times its CPU"
        )
    lines.append(f"exact pairs at {THRESHOLD}: {len(truth.by_bytes):,} by bytes, {len(truth.by_words):,} by words")
    lines += ["", join_table(corpus, truth)]
    corpus.unlink()
    return "\n".join(lines)


def _python(module: str, corpus: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", module, str(corpus), str(output)]


def _forget(output: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        Path(f"{output}{end}").unlink(missing_ok=True)


def _loaded(output: Path) -> Pairs:
    loaded: Pairs = np.load(output)
    return loaded


def _scanned(store: Path) -> Pairs:
    """Pairs of documents' numbers: each content by one of its documents, as the true_pairs know which share one."""
    with closing(connect(store)) as connection:
        found = connection.execute(
            """WITH named AS (SELECT t.content AS content, min(CAST(substr(d.path, -8) AS TEXT)) AS name
                              FROM document d JOIN text t ON t.id = d.text GROUP BY t.content)
               SELECT CAST(a.name AS INTEGER), CAST(b.name AS INTEGER) FROM match
               JOIN named a ON a.content = match.a JOIN named b ON b.content = match.b WHERE resemblance >= ?""",
            (THRESHOLD,),
        ).fetchall()
    return np.array(found, np.int64).reshape(-1, 2)
