"""Two long texts measured slice by slice: the numbers of the measure that holds all their shingles at once."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme.shingler import Shingler
from oracle.prose import prose
from oracle.shingles import shingles

BOUNDS = st.tuples(st.sampled_from([0.0, 0.5, 0.9]), st.sampled_from([0.0, 0.9]))


def sliced(a: bytes, b: bytes, window: int, slices: int) -> tuple[int, ...]:
    return _native.measure_long(a, b, shingler=Shingler(window).native(), slices=slices)


def at_once(a: bytes, b: bytes, window: int, bounds: tuple[float, float] = (0.0, 0.0)) -> tuple[int, ...]:
    first, second = np.zeros(1, np.uint32), np.ones(1, np.uint32)
    found = _native.verify(
        [a, b],
        first,
        second,
        shingler=Shingler(window).native(),
        resemblance=bounds[0],
        containment=bounds[1],
        threads=1,
    )
    return tuple(int(column[0]) for column in found)


@given(a=st.binary(max_size=200), b=st.binary(max_size=200), window=st.integers(1, 8), slices=st.integers(1, 9))
def test_it_is_the_measure_of_all_at_once(a: bytes, b: bytes, window: int, slices: int) -> None:
    assert sliced(a, b, window, slices) == at_once(a, b, window)
    assert sliced(a, a + b, window, slices) == at_once(a, a + b, window)


@given(seed=st.integers(0, 1 << 30), length=st.integers(0, 400), bounds=BOUNDS, slices=st.integers(1, 40))
def test_only_pairs_under_the_bounds_are_told_otherwise(
    seed: int, length: int, bounds: tuple[float, float], slices: int
) -> None:
    """All at once these are given up, slice by slice they are measured to the end: neither reaches a bound."""
    whole = prose(seed, 5000)
    part = whole[100 : 100 + length] + prose(seed + 1, 60)
    for a, b in ((part, whole), (whole, part), (part, part[20:])):
        found, expected = sliced(a, b, 20, slices), at_once(a, b, 20, bounds)
        assert found == at_once(a, b, 20)
        shared, size_a, size_b, _ = found
        if found != expected:
            assert expected == (0, size_a, size_b, 0)
            assert shared < bounds[0] * (size_a + size_b - shared)
            assert shared < bounds[1] * min(size_a, size_b)


@pytest.mark.parametrize("ignored", [False, True])
def test_pairs_over_the_memory_are_measured_so(ignored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [prose(1, 3000), prose(1, 3000)[500:] + prose(2, 400), prose(3, 200)]
    lengths = np.array([len(text) for text in texts], np.int64)
    template = np.unique(Shingler(20).native().all(prose(1, 900))) if ignored else None

    def measured(memory: int) -> list[list[object]]:
        def given_texts(rows: Sequence[int]) -> list[bytes | None]:
            return [texts[row] for row in rows]

        found, possible = verify(
            np.array([0, 0, 1], np.uint32),
            np.array([1, 2, 2], np.uint32),
            Corpus(lengths, given_texts, memory, threads=1, ignored=template),
            shingler=Shingler(20),
            resemblance=0.5,
            containment=0.9,
        )
        assert possible.all()
        return [column.tolist() for column in (found.a, found.b, found.resemblance, found.a_in_b, found.shared_bytes)]

    long: list[int] = []
    measure_long = _native.measure_long

    def counted(*given: bytes, **how: object) -> tuple[int, int, int, int]:
        long.append(len(given))
        return measure_long(*given, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(_native, "measure_long", counted)
    expected = measured(1 << 20)
    assert long == []
    assert measured(1000) == expected
    assert len(long) == 3
    if not ignored:
        assert expected[2][0] == pytest.approx(_resemblance(texts[0], texts[1]))


def _resemblance(a: bytes, b: bytes) -> float:
    first, second = shingles(a, 20), shingles(b, 20)
    return len(first & second) / len(first | second)


def test_what_cannot_be_sliced_is_refused() -> None:
    for shingler in (Shingler(3, unit="word"), Shingler(20, label=True)):
        assert not shingler.can_be_sliced
        with pytest.raises(ValueError, match="sliced"):
            _native.measure_long(b"a", b"b", shingler=shingler.native(), slices=2)
