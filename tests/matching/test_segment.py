"""Segments against brute force, whatever the features, sizes and moduli; and what becomes of damaged files."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from oracle import segment as oracle
from oracle.candidates import Content, Limits

TOKEN = bytes(range(16))
NONE = np.zeros(0, np.uint64)


def built(
    contents: dict[int, Content], levels: int = 7, base: int = 1, ignored: list[int] | None = None
) -> _native.Segment:
    weighted = any(content.weights for content in contents.values())
    rows = [sorted(content.features.elements()) for content in contents.values()]
    weights = [content.weight(f) for content in contents.values() for f in sorted(content.features.elements())]
    return _native.Segment.of(
        np.array(list(contents), np.int64),
        np.cumsum([0, *map(len, rows)]).astype(np.uint64),
        np.array([f for row in rows for f in row], np.uint64),
        np.array(weights if weighted else [], np.uint32),
        np.array([content.modulus for content in contents.values()], np.uint64),
        base=base,
        levels=levels,
        ignored=np.array(ignored or [], np.uint64),
        token=TOKEN,
    )


def thresholds(limits: Limits) -> _native.Thresholds:
    return _native.Thresholds(
        estimator=limits.estimator,
        sampled=limits.sampled,
        limit=limits.limit,
        contains=limits.contains,
        resemblance=limits.resemblance,
        containment=limits.containment,
        floor=limits.floor,
        confidence=limits.confidence,
    )


def found(segment: _native.Segment, query: Content, limits: Limits) -> dict[int, oracle.Hit]:
    features = sorted(query.features)
    weights = [query.weight(f) * query.features[f] for f in features] if query.weights else []
    columns = segment.search(
        np.array(features, np.uint64),
        np.array(weights, np.uint32),
        modulus=query.modulus,
        thresholds=thresholds(limits),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {content: oracle.Hit(*rest) for content, *rest in rows}


def expected(contents: dict[int, Content], query: Content, limits: Limits) -> dict[int, oracle.Hit]:
    return dict(oracle.search(query, contents, limits))


def a_text(dice: random.Random, pool: list[int], size: int, modulus: int = 1) -> Content:
    """Features of a random text, sampled."""
    chosen = dice.sample(pool, min(size, len(pool)))
    return Content(Counter(f for f in chosen if f % modulus == 0), modulus)


def a_world(dice: random.Random, count: int, moduli: list[int]) -> tuple[dict[int, Content], list[int]]:
    """Texts that share much or little, all of them some hot features."""
    pool = [dice.getrandbits(64) << dice.choice([0, 1, 3, 6]) & (2**64 - 1) for _ in range(400)]
    hot = dice.sample(pool, 12)
    contents = {}
    for number in dice.sample(range(1, 10 * count), count):
        one = a_text(dice, pool[: dice.choice([20, 100, 400])], dice.randrange(1, 150), dice.choice(moduli))
        contents[number] = Content(one.features | Counter(f for f in hot if f % one.modulus == 0), one.modulus)
    return contents, pool


limits = st.builds(
    Limits,
    sampled=st.booleans(),
    resemblance=st.sampled_from([0.1, 0.5, 0.7, 1.0, 2.0]),
    containment=st.sampled_from([0.2, 0.9, 1.0, 2.0]),
    floor=st.sampled_from([0.05, 0.5, 2.0]),
    contains=st.booleans(),
)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 150), level=st.sampled_from([0, 0, 1, 3, 6]), limits=limits)
def test_search_finds_what_brute_force_finds(seed: int, count: int, level: int, limits: Limits) -> None:
    dice = random.Random(seed)
    contents, pool = a_world(dice, count, [1, 2, 8, 64])
    query = a_text(dice, pool, dice.randrange(1, 300), 1 << level)
    assert found(built(contents), query, limits) == expected(contents, query, limits)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), limits=limits)
def test_a_fixed_modulus_that_is_no_power_of_two(seed: int, limits: Limits) -> None:
    dice = random.Random(seed)
    pool = [dice.getrandbits(48) * dice.choice([1, 100]) for _ in range(300)]
    contents = {i: a_text(dice, pool, dice.randrange(1, 200), 100) for i in range(60)}
    query = a_text(dice, pool, dice.randrange(2, 300))
    assert found(built(contents, levels=1, base=100), query, limits) == expected(contents, query, limits)


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32), estimator=st.sampled_from(["smallest", "slots"]), bar=st.sampled_from([0.3, 0.7, 0.95])
)
def test_lists_of_limited_length(seed: int, estimator: str, bar: float) -> None:
    dice = random.Random(seed)
    limits = Limits(estimator=estimator, limit=20, contains=False, resemblance=bar, floor=2.0)
    pool = list(range(40))
    size = 20 if estimator == "slots" else None
    contents = {i: a_text(dice, pool, size or dice.randrange(1, 21)) for i in range(80)}
    query = a_text(dice, pool, size or dice.randrange(1, 21))
    assert found(built(contents, levels=1), query, limits) == expected(contents, query, limits)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), limits=limits)
def test_chunks_count_their_bytes(seed: int, limits: Limits) -> None:
    dice = random.Random(seed)
    pool = {dice.getrandbits(64): dice.randrange(1, 500) for _ in range(60)}

    def chunks() -> Content:
        chosen = dice.choices(list(pool), k=dice.randrange(1, 50))
        return Content(Counter(chosen), 1, {f: pool[f] for f in chosen})

    contents = {i: chunks() for i in range(80)}
    query = chunks()
    assert found(built(contents, levels=1), query, limits) == expected(contents, query, limits)


def test_boilerplate_in_every_content_hides_nothing() -> None:
    """Lists as long as the segment, and sizes that only some of them can reach a bar with."""
    dice = random.Random(7)
    hot = [dice.getrandbits(64) for _ in range(60)]
    contents = {
        i: Content(
            Counter(
                dice.sample(hot, dice.randrange(40, 61))
                + [dice.getrandbits(64) for _ in range(dice.choice([0, 5, 200]))]
            )
        )
        for i in range(3000)
    }
    own = [dice.getrandbits(64) for _ in range(150)]
    contents[5000] = Content(Counter(hot + own[:140]))
    for query in (Content(Counter(hot + own)), Content(Counter(hot)), Content(Counter(hot[:20] + own))):
        assert found(built(contents), query, Limits()) == expected(contents, query, Limits())


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), parts=st.integers(1, 5), weighted=st.booleans())
def test_merged_segments_are_those_built_at_once(
    tmp_path_factory: pytest.TempPathFactory, seed: int, parts: int, weighted: bool
) -> None:
    dice = random.Random(seed)
    contents, _ = a_world(dice, 60, [1, 4, 64])
    if weighted:
        contents = {i: Content(c.features, 1, {f: f % 90 + 1 for f in c.features}) for i, c in contents.items()}
    folder = tmp_path_factory.mktemp("segments")
    numbers = list(contents)
    several = [built({i: contents[i] for i in numbers[part::parts]}) for part in range(parts) if numbers[part::parts]]
    merged, whole = folder / "merged", folder / "whole"
    _native.Segment.merge(several, str(merged), token=TOKEN)
    built(contents).save(str(whole))
    assert merged.read_bytes() == whole.read_bytes()
    assert _native.Segment.open(str(merged), TOKEN).intact()
    assert merged.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["merged", "whole"]


@pytest.mark.parametrize(("alike", "weighted"), [(0, False), (0, True), (12, False)])
def test_more_postings_than_are_sorted_at_a_time(tmp_path: Path, alike: int, weighted: bool) -> None:
    """Each part is sorted at once, the whole is not; keys are spread evenly, or begin with the same bits."""
    dice = np.random.default_rng(alike)
    contents, each = 2_400, 1_000
    keys = dice.integers(0, 1 << 64, 500_000, np.uint64) >> np.uint64(alike)
    pool = keys * np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))  # segments mix them by this number
    features = np.sort(dice.choice(pool, (contents, each)), axis=1)
    weights = dice.integers(1, 500, (contents, each), np.uint32)
    ignored = np.unique(pool[:100_000:7])

    def segment(rows: slice) -> _native.Segment:
        some = features[rows]
        return _native.Segment.of(
            np.arange(contents)[rows] * 3,
            np.arange(0, some.size + 1, each, dtype=np.uint64),
            np.ascontiguousarray(some).ravel(),
            weights[rows].ravel() if weighted else NONE.astype(np.uint32),
            np.ones(len(some), np.uint64),
            base=1,
            levels=7,
            ignored=ignored,
            token=TOKEN,
        )

    _native.Segment.merge([segment(slice(i, None, 3)) for i in range(3)], str(tmp_path / "parts"), token=TOKEN)
    whole = segment(slice(None))
    whole.save(str(tmp_path / "whole"))
    assert whole.postings > 1 << 21
    assert whole.intact()
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


@pytest.mark.parametrize("first", [True, False])
def test_a_segment_without_features_is_merged_with_those_that_have_weights(tmp_path: Path, first: bool) -> None:
    chunks = {2: Content(Counter([5, 7]), 1, {5: 90, 7: 20})}
    several = [built({1: Content(Counter())}), built(chunks)]
    _native.Segment.merge(several if first else several[::-1], str(tmp_path / "merged"), token=TOKEN)
    merged = _native.Segment.open(str(tmp_path / "merged"), TOKEN)
    assert found(merged, chunks[2], Limits()) == expected(chunks, chunks[2], Limits())
    assert len(merged) == 2


def test_segments_with_and_without_weights_are_not_merged(tmp_path: Path) -> None:
    several = [built({1: Content(Counter([5]))}), built({2: Content(Counter([5]), 1, {5: 90})})]
    with pytest.raises(ValueError, match="unlike schemes"):
        _native.Segment.merge(several, str(tmp_path / "merged"), token=TOKEN)


def test_lists_name_all_contents_that_have_a_feature() -> None:
    contents, pool = a_world(random.Random(3), 100, [1, 2])
    asked = [*pool[:50], 12345]
    offsets, ids = built(contents).lists(np.array(asked, np.uint64))
    for i, feature in enumerate(asked):
        having = {number for number, content in contents.items() if feature in content.features}
        assert set(ids[int(offsets[i]) : int(offsets[i + 1])].tolist()) == having


def test_ignored_features_count_nowhere() -> None:
    contents, pool = a_world(random.Random(4), 100, [1, 2, 8])
    ignored = sorted(pool[:100])
    payload = {
        number: Content(Counter(f for f in content.features if f not in ignored), content.modulus)
        for number, content in contents.items()
    }
    query = Content(Counter(pool[50:250]))
    left = Content(Counter(f for f in query.features if f not in ignored))
    assert found(built(contents, ignored=ignored), left, Limits()) == expected(payload, left, Limits())


def a_file(path: Path) -> bytes:
    built(a_world(random.Random(1), 40, [1, 2])[0]).save(str(path))
    return path.read_bytes()


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "foreign": lambda data: b"SQLite format 3\0" + data[16:],
    "cut short": lambda data: data[:-64],
    "a header alone": lambda data: data[:144],
    "longer": lambda data: data + bytes(64),
    "of a later version": lambda data: data[:8] + b"\2" + data[9:],
    "with another count": lambda data: data[:49] + bytes([data[49] ^ 1]) + data[50:],
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_no_segment_is_refused(tmp_path: Path, how: str) -> None:
    path = tmp_path / "segment"
    path.write_bytes(SPOILT[how](a_file(path)))
    with pytest.raises(RuntimeError):
        _native.Segment.open(str(path), TOKEN)


def test_another_segment_or_none_is_refused(tmp_path: Path) -> None:
    a_file(tmp_path / "segment")
    with pytest.raises(RuntimeError):
        _native.Segment.open(str(tmp_path / "segment"), bytes(16))
    with pytest.raises(FileNotFoundError):
        _native.Segment.open(str(tmp_path / "nothing"), TOKEN)
    with pytest.raises(FileNotFoundError):
        built({}).save(str(tmp_path / "no such folder" / "segment"))


def test_damage_anywhere_is_seen_and_never_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "segment"
    data = a_file(path)
    features = np.array(sorted(a_world(random.Random(1), 40, [1, 2])[1]), np.uint64)
    everything = thresholds(Limits(resemblance=0.01, floor=0.0001))
    seen = damaged = 0
    for at in range(192, len(data), 61):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        damaged += any(data[at + 1 : at + 5])  # between sections there is nothing to damage
        try:
            segment = _native.Segment.open(str(path), TOKEN)
            seen += not segment.intact()
            segment.search(features, NONE.astype(np.uint32), modulus=1, thresholds=everything)
            segment.lists(features)
        except RuntimeError:
            seen += 1
    assert seen >= damaged > 50
