"""`bsw` against chunks cut in Python, and what its chunks promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.scheme import parse_scheme, place, sign
from oracle import bsw as oracle
from oracle import rabin
from oracle.prose import prose

TEXTS = st.one_of(
    st.binary(max_size=300),
    st.builds(prose, st.integers(0, 50), st.integers(0, 2500)),
    st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=3), st.integers(0, 200)),
)


@given(st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 30), max_size=300), st.integers(1, 40))
def test_minima_of_chunks(fingerprints: list[int], n: int) -> None:
    assert _native.chunk_minima(np.array(fingerprints, np.uint64), n).tolist() == oracle.minima(fingerprints, n)


@given(TEXTS, st.integers(1, 30), st.integers(1, 150))
def test_a_signature_is_the_set_of_the_minima(text: bytes, window: int, n: int) -> None:
    fingerprints = rabin.fingerprints(text, window, _native.POLYNOMIAL)
    signature = sign(text, parse_scheme(f"bsw:window={window},n={n}"))
    assert signature.features.tolist() == sorted(set(oracle.minima(fingerprints, n)))
    assert signature.weights.tolist() == [n] * len(signature)
    assert signature.modulus == n


@pytest.mark.parametrize("size", [2047, 2048, 2066, 2067, 2068, 4115, 4116, 60_000])
@pytest.mark.parametrize("keys", ["", "seed=7", "bits=24", "unit=word", "unit=char", "label=yes"])
def test_texts_of_many_blocks(size: int, keys: str) -> None:
    text = prose(size, size)
    shingler = parse_scheme(f"exact:window=20,{keys}").shingler
    assert shingler is not None
    _, fingerprints, _ = shingler.native().placed(text)
    found = sign(text, parse_scheme(f"bsw:window=20,n=100,{keys}")).features.tolist()
    assert found == sorted(set(oracle.minima(fingerprints.tolist(), 100)))


@given(TEXTS, st.integers(1, 60))
def test_placed_features_are_the_signature_at_first_places(text: bytes, n: int) -> None:
    scheme = parse_scheme(f"bsw:window=8,n={n}")
    placed = place(text, scheme)
    assert sorted(feature for _, feature, _ in placed) == sign(text, scheme).features.tolist()
    assert [offset for _, _, offset in placed] == sorted(offset for _, _, offset in placed)
    for weight, feature, offset in placed:
        assert weight == n
        assert rabin.fingerprint(text[offset : offset + 8], _native.POLYNOMIAL) == feature


def test_every_window_is_a_chunk_where_every_one_is_a_boundary() -> None:
    text = prose(4, 2000)
    assert sign(text, parse_scheme("bsw:window=20,n=1")).features.tolist() == (
        sign(text, parse_scheme("exact:window=20")).features.tolist()
    )


@pytest.mark.parametrize("n", [20, 100, 500])
def test_a_feature_stands_for_n_windows_on_the_average(n: int) -> None:
    # The last chunk of a text ends where the text does.
    texts = [prose(seed, 60 * n) for seed in range(20)]
    chunks = sum(len(sign(text, parse_scheme(f"bsw:window=20,n={n}"))) - 1 for text in texts)
    assert sum(map(len, texts)) / chunks == pytest.approx(n, rel=0.15)


def test_a_small_edit_seldom_changes_a_chunks_name() -> None:
    """The point of BSW_n (Cherkasova 2009 §2): the hash of a whole chunk would change with every edit in it."""
    scheme = parse_scheme("bsw:window=20,n=200")
    same = cut = 0
    for seed in range(40):
        text = prose(seed, 4000)
        words = text.split(b" ")
        for at in range(10, len(words), 40):
            words[at] = b"a " + words[at]
        before, after = set(sign(text, scheme).features.tolist()), set(sign(b" ".join(words), scheme).features.tolist())
        same += len(before & after)
        cut += len(before)
    # An edit every 230 bytes or so: few chunks are spared by all of them, yet most names stay.
    assert same / cut > 0.6
