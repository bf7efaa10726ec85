"""The exact measure without what templates ignore, against sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.scheme.shingler import UNITS, Shingler
from oracle import units
from oracle.prose import prose

TEXTS = st.lists(
    st.one_of(
        st.lists(st.sampled_from(["a", "rose", "is", "robert", "rupert", "1"]), max_size=30).map(
            lambda words: " ".join(words).encode()
        ),
        st.text("ab é\n", max_size=40).map(str.encode),
        st.builds(prose, st.integers(0, 2), st.integers(0, 400)),
    ),
    min_size=3,
    max_size=6,
)


@settings(max_examples=150)
@given(TEXTS, st.sampled_from(UNITS), st.integers(1, 5), st.booleans(), st.integers(1, 3))
def test_what_is_ignored_counts_nowhere(texts: list[bytes], unit: str, window: int, label: bool, threads: int) -> None:
    """The last text is the template; the measure is of all bits, whatever the scheme's bits and seed."""
    *documents, template = texts
    plain = Shingler(window, unit, label)
    ignored = np.unique(plain.native().all(template))
    sets = [
        units.shingle_set(text, unit, window, label=label) - units.shingle_set(template, unit, window, label=label)
        for text in documents
    ]
    pairs = [(i, j) for i in range(len(documents)) for j in range(len(documents))]
    a, b = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    found = _native.verify(
        documents,
        a,
        b,
        shingler=Shingler(window, unit, label, bits=16, seed=3).native(),
        resemblance=0,
        containment=0,
        threads=threads,
        ignored=ignored,
    )
    for i, j, shared, size_a, size_b, bytes_ in zip(*(c.tolist() for c in (a, b, *found)), strict=True):
        assert (shared, size_a, size_b) == (len(sets[i] & sets[j]), len(sets[i]), len(sets[j]))
        assert (bytes_ > 0) == (shared > 0)


def measure(texts: list[bytes], ignored: list[int]) -> tuple[int, ...]:
    columns = _native.verify(
        texts,
        np.array([0], np.uint32),
        np.array([1], np.uint32),
        shingler=Shingler(20).native(),
        resemblance=0,
        containment=0,
        threads=1,
        ignored=np.array(ignored, np.uint64),
    )
    return tuple(int(column[0]) for column in columns[:3])


def test_a_long_list_of_what_is_ignored() -> None:
    """Far longer than a text: it is walked in growing steps."""
    texts = [prose(1, 400), prose(1, 300) + prose(2, 100)]
    own = np.unique(Shingler(20).native().all(texts[0]))
    for kept in (0, 1, 7, len(own) // 2, len(own)):
        foreign = np.random.default_rng(1).integers(0, 1 << 64, 100_000, np.uint64)
        ignored = np.unique(np.concatenate([own[kept:], foreign]))
        sets = [set(Shingler(20).native().all(text).tolist()) - set(ignored.tolist()) for text in texts]
        assert measure(texts, ignored.tolist()) == (len(sets[0] & sets[1]), len(sets[0]), len(sets[1]))


def test_what_is_ignored_must_be_ascending() -> None:
    with pytest.raises(ValueError, match="ascending"):
        measure([b"a" * 30, b"b" * 30], [3, 1])
