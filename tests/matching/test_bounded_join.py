"""The bounded join gives, column by column, what the join in memory gives: stars, weak pairs, order and all."""

import errno
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import EngineError
from nearkin.matching.bounded_join import BoundedJoin
from nearkin.matching.candidates import Candidates, Postings, find_candidates
from nearkin.scheme import Scheme, parse_scheme, sign
from nearkin.settings import MatchSettings
from oracle.prose import prose

SPECS = (
    "mod:window=20,sample=200,most=64",
    "exact:window=20",
    "min:window=20,n=40",
    "sketch:window=20,n=40",
    "bsw:window=20,n=20",
    "chunk:mean=100",
    "tttd:mean=100",
)


def postings(texts: list[bytes], scheme: Scheme) -> Postings:
    signed = [sign(text, scheme) for text in texts]
    weighted = scheme.measure == "bytes"
    return Postings(
        np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        np.concatenate([np.zeros(0, np.uint64), *(one.features for one in signed)]),
        np.concatenate([np.zeros(0, np.uint32), *(one.weights for one in signed if weighted)]),
        np.array([one.modulus for one in signed], np.uint64),
    )


def batches(whole: Postings, dice: random.Random) -> Iterator[tuple[NDArray[np.uint32], Postings]]:
    """In any order, some at a time."""
    rows = list(range(len(whole.moduli)))
    dice.shuffle(rows)
    while rows:
        some, rows = rows[:7], rows[7:]
        cuts = [slice(int(whole.offsets[row]), int(whole.offsets[row + 1])) for row in some]
        lists = [whole.features[cut] for cut in cuts]
        yield (
            np.array(some, np.uint32),
            Postings(
                np.cumsum([0, *map(len, lists)], dtype=np.uint64),
                np.concatenate(lists),
                np.concatenate([whole.weights[cut] for cut in cuts]) if len(whole.weights) else whole.weights,
                whole.moduli[some],
            ),
        )


def assert_same(one: Candidates, other: Candidates) -> None:
    for field in fields(Candidates):
        if field.name != "hot":
            assert getattr(one, field.name).tolist() == getattr(other, field.name).tolist(), field.name
    assert one.hot.contents.tolist() == other.hot.contents.tolist()
    assert (one.hot.features, one.hot.links) == (other.hot.features, other.hot.links)


def collection(dice: random.Random, contents: int) -> list[bytes]:
    """Versions, parts, unions and letters of one form, short and long."""
    texts: list[bytes] = []
    form = prose(dice.getrandbits(30), 600)
    for _ in range(contents):
        kind = dice.random()
        if kind < 0.3 or not texts:
            texts.append(prose(dice.getrandbits(30), dice.choice([30, 300, 3000, 20000])))
        elif kind < 0.5:
            texts.append(form + prose(dice.getrandbits(30), 40))
        elif kind < 0.7:
            texts.append(dice.choice(texts) + b" " + prose(dice.getrandbits(30), 50))
        elif kind < 0.85:
            text = dice.choice(texts)
            texts.append(text[: max(25, len(text) // 3)])
        else:
            texts.append(dice.choice(texts) + b" " + dice.choice(texts))
    return texts


# By the features before them hot, two met in memory by one that in a bin of theirs had too little left.
@example(seed=832970, spec="mod:window=20,sample=200,most=64", hot=2, memory=1, threads=1)
@example(seed=3885297172, spec="min:window=20,n=40", hot=5, memory=1, threads=2)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1 << 32),
    spec=st.sampled_from(SPECS),
    hot=st.sampled_from([2, 5, 20, 1000]),
    memory=st.sampled_from([1, 1 << 18, 1 << 20, 1 << 30]),
    threads=st.integers(1, 3),
)
def test_it_is_the_join_in_memory(tmp_path: Path, seed: int, spec: str, hot: int, memory: int, threads: int) -> None:
    dice, scheme = random.Random(seed), parse_scheme(spec)
    whole = postings(collection(dice, dice.randint(0, 60)), scheme)
    asked = MatchSettings(hot=hot, weak_matches=dice.choice([1, 20]), weak_reach=dice.choice([2, 32]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("nearkin.matching.bounded_join.WAIT", dice.choice([1, 1 << 20]))  # weak pairs are dropped early
        found = BoundedJoin(scheme, asked, tmp_path, memory, threads).candidates(batches(whole, dice), whole.moduli)
    assert_same(found, find_candidates(whole, scheme, asked, threads=1))
    assert list(tmp_path.iterdir()) == []


def test_small_memory_means_many_bins(tmp_path: Path) -> None:
    scheme = parse_scheme(SPECS[0])
    dice = random.Random(7)
    whole = postings(collection(dice, 150), scheme)
    told: list[tuple[int, int]] = []
    join = BoundedJoin(scheme, MatchSettings(), tmp_path, 1 << 19, 2, lambda done, of: told.append((done, of)))
    found = join.candidates(batches(whole, dice), whole.moduli)
    expected = find_candidates(whole, scheme, MatchSettings(), threads=2)
    assert len(expected.a) > 500
    assert_same(found, expected)
    assert told == sorted(told)
    assert told[-1] == (1000, 1000)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    scheme = parse_scheme(SPECS[0])
    missing = tmp_path / "missing"
    with pytest.raises(EngineError, match=r"cannot be written in .*missing"):
        BoundedJoin(scheme, MatchSettings(), missing, 1 << 20, 1).candidates([], np.ones(3, np.uint64))


@pytest.mark.parametrize("when", [0, 500, 900])
def test_whoever_keeps_what_was_raised_keeps_no_files(tmp_path: Path, when: int) -> None:
    """Newer Pythons keep it for a while themselves: it and the frames it came through hold each other."""
    scheme, dice = parse_scheme(SPECS[0]), random.Random(7)
    whole = postings(collection(dice, 50), scheme)
    before: list[Path] = []

    def fill_up(done: int, _: int) -> None:
        if done >= when:
            before.extend(open_files(tmp_path))
            raise OSError(errno.ENOSPC, "no space left on device")

    join = BoundedJoin(scheme, MatchSettings(), tmp_path, 1 << 19, 2, fill_up)
    with pytest.raises(EngineError, match="no room left") as kept:
        join.candidates(batches(whole, dice), whole.moduli)
    assert before
    assert open_files(tmp_path) == []
    assert kept.value.__cause__


def open_files(folder: Path) -> list[Path]:
    """Of this process; they have no names, but it is told where they are."""
    files = [file for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
    return [file for file in files if file.readlink().is_relative_to(folder)]


def test_nothing_to_join(tmp_path: Path) -> None:
    scheme = parse_scheme(SPECS[0])
    found = BoundedJoin(scheme, MatchSettings(), tmp_path, 1 << 20, 1).candidates([], np.ones(0, np.uint64))
    assert len(found.a) == 0
    assert _native.BoundedJoin.PARTS > 0


CROWDED = """
import resource, sys
import numpy as np
from nearkin import _native
from nearkin.matching.candidates import join_options
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings

contents, memory = 400_000, 16_000_000
moduli = np.ones(contents, np.uint64)
options = join_options(moduli, parse_scheme("mod:window=20,n=1"), MatchSettings(), threads=2)
join = _native.BoundedJoin(sys.argv[1], moduli, options, weighted=False, memory=memory)
for rows in np.array_split(np.arange(contents, dtype=np.uint32), 16):
    own = 1000 + rows.astype(np.uint64) // np.uint64(2)
    features = np.stack([np.full(len(rows), 7, np.uint64), own, own + np.uint64(contents)], axis=1)
    offsets = np.arange(0, 3 * len(rows) + 1, 3, dtype=np.uint64)
    join.add(rows, offsets, features.ravel(), np.zeros(0, np.uint32))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for stage in (join.Stage.COUNT, join.Stage.ORDER, join.Stage.LINK):
    join.work(stage, 0, join.PARTS)
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / memory)
"""


def test_a_feature_that_all_have_takes_no_more_room_than_others(tmp_path: Path) -> None:
    """Sorted with the rest its postings took 25 of these 16 MB."""
    told = subprocess.run([sys.executable, "-c", CROWDED, str(tmp_path)], capture_output=True, text=True, check=True)
    assert float(told.stdout) < 1
    assert list(tmp_path.iterdir()) == []
