"""The basic sliding window, what both chunkers promise of real text, and why there are two (Forman 2005 §2.2, §2.3)."""

import sysconfig
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.scheme import Scheme, parse_scheme, place, sign
from nearkin.scheme.chunk import Chunk
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon
from oracle import chunk as oracle
from oracle.prose import prose


def chunks(text: bytes, scheme: Scheme) -> list[bytes]:
    return [text[offset : offset + weight] for weight, _, offset in place(text, scheme)]


def textbook(text: bytes, scheme: Scheme) -> list[bytes]:
    assert isinstance(scheme, Chunk)
    return oracle.cut(
        text,
        window=scheme.window,
        divisor=scheme.divisor,
        residue=scheme.residue,
        fingerprint=lambda window: oracle.permuted(_native.fingerprint(window), scheme.seed),
    )


TEXTS = st.one_of(
    st.binary(max_size=600),
    st.text("ab", max_size=600).map(str.encode),
    st.builds(prose, st.integers(0, 50), st.integers(0, 3000)),
    st.builds(
        lambda byte, run, after: bytes([byte]) * run + prose(2, after), *[st.integers(0, 255)] * 2, st.integers(0, 300)
    ),
)
SPECS = st.builds(
    lambda window, divisor, residue, bits, seed: (
        f"chunk:window={window},divisor={divisor},residue={residue % divisor},bits={bits},seed={seed}"
    ),
    st.integers(1, 80),
    st.integers(10, 200),
    st.integers(0, 199),
    st.integers(8, 64),
    st.integers(0, 2),
)


@settings(max_examples=200)
@given(TEXTS, SPECS)
def test_chunks_are_the_textbooks(text: bytes, spec: str) -> None:
    scheme = parse_scheme(spec)
    assert chunks(text, scheme) == textbook(text, scheme)


@pytest.mark.parametrize("spec", ["chunk:mean=100", "chunk:mean=1000", "chunk:mean=64", "chunk:mean=10,window=5"])
def test_chunks_are_the_textbooks_over_many_stretches(spec: str) -> None:
    text = prose(1, 40_000) + b"\0" * 9000 + prose(2, 20_000) + b"ab" * 5000
    assert chunks(text, parse_scheme(spec)) == textbook(text, parse_scheme(spec))


@given(TEXTS, SPECS)
def test_lengths_add_up_and_features_have_their_bits(text: bytes, spec: str) -> None:
    scheme = parse_scheme(spec)
    assert isinstance(scheme, Chunk)
    signature = sign(text, scheme)
    assert int(signature.weights.sum()) == len(text)
    assert b"".join(chunks(text, scheme)) == text
    assert all(feature < 1 << scheme.bits for feature in signature.features.tolist())
    placed = sorted((feature, weight) for weight, feature, _ in place(text, scheme))
    assert placed == list(zip(signature.features.tolist(), signature.weights.tolist(), strict=True))


@given(TEXTS, TEXTS, SPECS)
def test_scores_stay_shares_where_few_bits_make_unlike_chunks_equal(a: bytes, b: bytes, spec: str) -> None:
    scheme = parse_scheme(spec)
    one, other = sign(a, scheme), sign(b, scheme)
    there, back = one.resemblance(other), other.resemblance(one)
    assert (there is None) == (back is None) == (not a and not b)
    if there and back:
        assert 0.0 <= there.value == back.value <= 1.0
    for whole, part in ((one, other), (other, one)):
        found = part.containment(whole)
        assert found is None or 0.0 <= found.value <= 1.0


@pytest.mark.parametrize("name", ["chunk", "tttd"])
def test_a_seed_cuts_elsewhere_and_names_otherwise(name: str) -> None:
    text = prose(1, 20_000)
    plain, one, two = (parse_scheme(f"{name}:mean=100,seed={seed}") for seed in (0, 1, 2))
    ends = [set(np.cumsum([len(chunk) for chunk in chunks(text, scheme)]).tolist()) for scheme in (plain, one, two)]
    features = [set(sign(text, scheme).features.tolist()) for scheme in (plain, one, two)]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        # 200 ends among 20,000 places: two of 100 fall together by chance, and the end of the text.
        assert len(ends[i] & ends[j]) < 15
        assert not features[i] & features[j]


# Real text: the sources of Python's own library, which lie on every machine that runs this.


@cache
def real_text() -> bytes:
    sources = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    assert len(sources) > 100
    return Canon.of(TextSettings()).apply(b"\n".join(source.read_bytes() for source in sources))


@pytest.mark.parametrize("name", ["chunk", "tttd"])
@pytest.mark.parametrize("mean", [100, 1000, 5000])
def test_the_mean_is_what_was_asked_for(name: str, mean: int) -> None:
    # Without the last chunk, which ends where the text does. In one long text: of many short ones the longest chunks
    # would be left out most often, and the mean seem smaller.
    for text in (real_text(), prose(7, 400 * mean)):
        sizes = [len(chunk) for chunk in chunks(text, parse_scheme(f"{name}:mean={mean}"))[:-1]]
        assert sum(sizes) / len(sizes) == pytest.approx(mean, rel=0.15)


def shared_run(name: str, *, means: float, trials: int = 250) -> tuple[float, float]:
    """How often a run of so many means in two texts is noticed, and how much of it is."""
    mean = 100
    scheme = parse_scheme(f"{name}:mean={mean}")
    noticed, share = 0, 0.0
    for trial in range(trials):
        run, *around = (prose(5 * trial + part, int(size * mean)) for part, size in enumerate((means, 3.4, 3, 2.7, 3)))
        a, b = around[0] + run + around[1], around[2] + run + around[3]
        both = Counter(chunks(a, scheme)) & Counter(chunks(b, scheme))
        found = sum(len(chunk) * count for chunk, count in both.items())
        assert found <= len(run)  # a lower bound
        noticed += found > 0
        share += found / len(run)
    return noticed / trials, share / trials


@pytest.mark.parametrize("means", [3, 4])
def test_tttd_finds_a_shared_run_more_often_than_chunk_at_the_same_mean(means: float) -> None:
    # "For the same average chunk size, there is a higher probability that a shared sub-sequence includes a whole chunk"
    # (§2.3). True from twice the mean on; in shorter runs only the basic algorithm's very short chunks fit, and these
    # find them more often. See docs/decisions/009-chunks.md.
    basic, tttd = shared_run("chunk", means=means), shared_run("tttd", means=means)
    assert tttd[0] > basic[0] + 0.03
    assert tttd[1] > basic[1] + 0.05


@pytest.mark.parametrize("byte", [0, 0x20, 0x61])
def test_one_character_without_end_is_one_chunk_or_one_a_byte(byte: int) -> None:
    # "The problems of the simple sliding window algorithm with respect to repetitive text" (§5): every window is the
    # same, so all places are boundaries or none is. TTTD's chunks of it are few and of its own lengths: test_tttd.
    found = chunks(bytes([byte]) * 10_000, parse_scheme("chunk:mean=100"))
    assert len(found) == 1 or {len(chunk) for chunk in found[1:]} == {1}
