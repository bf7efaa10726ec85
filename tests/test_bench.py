"""The benchmark runs, and its truth is true: it judges nearkin and others, so it is judged here."""

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from bench.checkin import checkin_table
from bench.exact import byte_shingles, exact_pairs
from bench.folder import Folder, generate
from bench.formats import FORMATS, formats_table, page, plain_line
from bench.joins import join_table
from bench.kernels import kernel_table, kernels
from bench.peer_comparison import PEERS, _goal, contest
from bench.recall import recall
from bench.scale.__main__ import join_rows
from bench.scale.family_sizes import FamilySizes
from bench.scale.growth import growth_table, slope
from bench.scale.postings import Stream
from bench.scale.repository import Repository
from bench.scale.side_by_side import peers_table
from bench.schemes import scheme_table, specs
from bench.sketches import sketch_table
from bench.speed import Clock
from bench.table import share, table
from bench.truth import Truth


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return generate(tmp_path / "documents", documents=50)


def test_exact_pairs_are_those_of_all_pairs_compared() -> None:
    random = np.random.default_rng(1)
    sets = [np.unique(random.integers(0, 40, size, np.uint64)) for size in random.integers(0, 60, 150)]
    found = exact_pairs(sets, threshold=0.7)
    expected = {}
    for i, a in enumerate(sets):
        for j in range(i + 1, len(sets)):
            shared, union = len(np.intersect1d(a, sets[j])), len(np.union1d(a, sets[j]))
            if union and shared / union >= 0.7:
                expected[i, j] = shared / union
    assert expected
    assert dict(zip(map(tuple, found.pairs.tolist()), found.resemblance.tolist(), strict=True)) == expected


def test_byte_shingles_are_the_distinct_windows() -> None:
    text = b"the same twenty bytes and the same twenty bytes and others"
    assert len(byte_shingles(text)) == len({text[i : i + 20] for i in range(len(text) - 19)})
    assert len(byte_shingles(b"too short")) == 0


def test_kernel_table_names_every_kernel() -> None:
    shown = kernel_table(Clock(copied=1 << 20, rounds=1), None, sizes=(4 << 10,))
    assert all(name in shown for name, _, _ in kernels())


def test_scheme_table_has_every_scheme(folder: Folder) -> None:
    shown = scheme_table(Clock(copied=1 << 20, rounds=1), Truth.of(folder, most=20), sizes=(4 << 10,))
    rows = {line.split()[0]: line.split()[-1] for line in shown.splitlines()[2:]}
    assert list(rows) == specs()
    assert rows["sketch:window=20,n=100"] == "800"


def test_sketch_table_measures_the_same_shingles() -> None:
    shown = sketch_table(Clock(copied=1 << 20, rounds=1), sizes=(4 << 10,))
    assert "nearkin, hashes, portable" in shown
    assert ("nearkin, hashes / rensa, hashes" in shown) == (importlib.util.find_spec("rensa") is not None)


def test_join_table_shows_both_kernels(folder: Folder) -> None:
    shown = join_table(Clock(copied=1 << 20, rounds=1), Truth.of(folder, most=50))
    assert "candidates" in shown
    assert "verify" in shown


def test_contest_of_all_installed_tools(folder: Folder, tmp_path: Path) -> None:
    shown = contest(folder, Truth.of(folder, most=50), tmp_path, rounds=1)
    assert "failed" not in shown
    assert "nearkin by stage" in shown
    for peer in PEERS:
        assert (f"\n{peer} " in shown) == (importlib.util.find_spec(peer) is not None)


def test_nearkin_finds_every_exact_pair(folder: Folder, tmp_path: Path) -> None:
    documents, _, exact, reported, *judged = recall(folder, tmp_path).splitlines()[-1].split()
    assert documents == str(len(folder.documents))
    assert exact == reported
    assert judged == ["1", "1", "0"]


def test_a_part_has_as_many_documents_as_wanted_evenly_apart(folder: Folder, tmp_path: Path) -> None:
    part = folder.copy_part(10, tmp_path / "part")
    assert len(part.documents) == 10
    assert {b - a for a, b in pairwise(folder.part(10))} <= {
        len(folder.documents) // 10,
        len(folder.documents) // 10 + 1,
    }
    assert folder.part(1000) == tuple(range(len(folder.documents)))


def test_a_share_is_1_only_where_nothing_is_missing() -> None:
    assert [share(value) for value in (1.0, 0.99999, 0.5, None)] == ["1", "0.9999", "0.5000", "–"]


def test_figures_are_aligned_to_the_right() -> None:
    assert table(("tool", "s"), [("a", "10.0"), ("bcdef", "2.00")]).splitlines()[2:] == [
        "a      10.0",
        "bcdef  2.00",
    ]


def test_checks_are_timed_and_right(tmp_path: Path) -> None:
    shown = checkin_table(tmp_path, (300,))
    assert "0 of 100 new, 100 of 100 near, 100 of 100 part" in shown


def test_every_format_is_timed_with_one_job_and_with_two(tmp_path: Path) -> None:
    assert all(write(page(1)) for write in FORMATS.values())
    txt, mail, both = formats_table(tmp_path, documents=2, rounds=1, formats=("txt", "eml")).splitlines()[2:5]
    assert [line.split()[:3] for line in (txt, mail, both)] == [
        ["txt", "2", "2"],
        ["eml", "2", "4"],
        ["mixed", "4", "6"],
    ]
    assert "of the processor time" in plain_line(tmp_path, documents=4, rounds=1)


def test_generated_families_are_as_large_and_as_many_as_zipf_says() -> None:
    families = FamilySizes(10_000)
    _, sizes = np.unique(families.founders(np.arange(10_000)), return_counts=True)
    assert sorted(sizes[sizes > 1]) == sorted(families.sizes)
    assert 0.3 <= families.sizes.sum() / 10_000 <= 0.35
    assert families.sizes.max() == 100


def test_a_generated_repository_is_the_same_in_any_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Repository(300).write(tmp_path / "once.parquet")
    monkeypatch.setattr("bench.scale.repository.AT_ONCE", 7)
    Repository(300).write(tmp_path / "again.parquet")
    once, again = pq.read_table(tmp_path / "once.parquet"), pq.read_table(tmp_path / "again.parquet")
    assert once.combine_chunks().equals(again.combine_chunks())
    assert 1_900 < np.mean([len(text) for text in once["text"].to_pylist()]) < 2_300


def test_generated_passages_are_each_in_a_tenth_of_the_documents() -> None:
    features = np.concatenate([batch.features.ravel() for batch in Stream(5_000)])
    _, counts = np.unique(features, return_counts=True)
    hot = np.sort(counts[counts > 200])  # more than any family has
    assert len(hot) == 20
    assert hot.min() > 350
    assert hot.max() < 650
    assert len(features) == 500_000


def test_scale_is_measured_and_nearkin_finds_every_pair(tmp_path: Path) -> None:
    shown = growth_table(tmp_path, (200, 400))
    assert "slope of log time" in shown
    documents, *_, families, made = shown.splitlines()[2].split()
    assert (documents, families) == ("200", made)
    assert slope([10, 100, 1000], [3, 30, 300]) == pytest.approx(1)


def test_all_tools_are_given_the_same_table(tmp_path: Path) -> None:
    shown = peers_table(tmp_path, 150)
    assert "failed" not in shown
    for name in ("nearkin scan", "nearkin.match"):
        (line,) = [line for line in shown.splitlines() if line.startswith(name)]
        assert line.split()[-4:-2] == ["1", "1"]
    assert ("DuckDB takes" in shown) == (importlib.util.find_spec("duckdb") is not None)


def test_the_join_alone_finds_the_families(tmp_path: Path) -> None:
    *_, families, made = join_rows(tmp_path, (300,), 1 << 30).splitlines()[-1].split()
    assert families == made


def test_the_goal_is_told_beside_both_ways_to_run_a_peer() -> None:
    told = _goal(2.0, {"rensa": 5.0, "gaoya": 8.0, "rensa, alone": 10.0})
    assert "0.40 of rensa's in a process for each core" in told
    assert "0.20 of rensa's in one process" in told
    assert "alone" not in _goal(2.0, {"gaoya": 8.0})
