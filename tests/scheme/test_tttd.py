"""The chunker against TTTD byte by byte, and what Forman 2005 promises of chunks."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.scheme import parse_scheme, place, sign
from nearkin.scheme.tttd import Tttd
from oracle import shingles, tttd
from oracle.chunk import permuted
from oracle.prose import prose


def chunks(text: bytes, spec: str) -> list[bytes]:
    placed = place(text, parse_scheme(spec))
    starts = [offset for _, _, offset in placed]
    ends = [*starts[1:], len(text)] if text else []
    assert [weight for weight, _, _ in placed] == [end - start for start, end in zip(starts, ends, strict=True)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def scheme_of(spec: str) -> Tttd:
    scheme = parse_scheme(spec)
    assert isinstance(scheme, Tttd)
    return scheme


def textbook(text: bytes, spec: str) -> list[bytes]:
    scheme = scheme_of(spec)
    keys = tttd.Tttd(scheme.window, scheme.min, scheme.max, scheme.divisor, scheme.backup, scheme.residue)
    # The native fingerprint of one window; test_rabin holds it against polynomial division.
    return tttd.cut(text, keys, lambda window: permuted(_native.fingerprint(window), scheme.seed))


TEXTS = st.one_of(
    st.binary(max_size=600),
    st.text("ab", max_size=600).map(str.encode),
    st.builds(prose, st.integers(0, 50), st.integers(0, 3000)),
    st.builds(
        lambda before, byte, run, after: prose(1, before) + bytes([byte]) * run + prose(2, after),
        st.integers(0, 300),
        st.integers(0, 255),
        st.integers(0, 1500),
        st.integers(0, 300),
    ),
)
SPECS = st.one_of(
    st.sampled_from(
        ["tttd:mean=10", "tttd:mean=20", "tttd:mean=100", "tttd:mean=50,window=8", "tttd:mean=30,residue=5,seed=3"]
    ),
    st.builds(
        lambda window, least, more, backup, times, residue, seed: (
            f"tttd:window={window},min={least},max={least + more},divisor={backup * times},backup={backup},"
            f"residue={residue % (backup * times)},seed={seed}"
        ),
        st.integers(1, 80),  # over 64 and where 8 does not divide it, first windows are folded by tables
        st.integers(1, 80),
        st.integers(0, 200),
        st.integers(1, 40),
        st.integers(1, 4),
        st.integers(0, 160),
        st.integers(0, 2),
    ),
)


@settings(max_examples=300)
@given(TEXTS, SPECS)
def test_chunks_are_the_textbooks(text: bytes, spec: str) -> None:
    assert chunks(text, spec) == textbook(text, spec)


@pytest.mark.parametrize(
    "spec",
    [
        "tttd:mean=100",
        "tttd:mean=1000",
        "tttd:mean=5000",
        "tttd:mean=33,window=20",
        "tttd:mean=20,window=72,seed=9",
        "tttd:mean=10",
    ],
)
def test_chunks_are_the_textbooks_over_many_stretches(spec: str) -> None:
    # Stretches are cut side by side and joined where their cuts meet; in the runs of this text they never do.
    dice = random.Random(spec)
    text = prose(1, 40_000) + b"\0" * 9000 + dice.randbytes(30_000) + b"ab" * 5000 + prose(2, 20_000)
    assert chunks(text, spec) == textbook(text, spec)


@pytest.mark.parametrize("spec", ["tttd:mean=20", "tttd:window=8,min=10,max=60,divisor=80,backup=20"])
def test_a_text_that_ends_exactly_where_a_chunk_must(spec: str) -> None:
    # At the maximum the backup is taken, even if the text ends there too.
    text = prose(3, 6000)
    start = 0
    for chunk in textbook(text, spec):
        for end in range(start + scheme_of(spec).max - 1, start + scheme_of(spec).max + 2):
            assert chunks(text[:end], spec) == textbook(text[:end], spec)
        start += len(chunk)


@given(TEXTS, SPECS)
def test_chunks_add_up_and_keep_their_bounds(text: bytes, spec: str) -> None:
    scheme = scheme_of(spec)
    found = chunks(text, spec)
    assert b"".join(found) == text
    for chunk in found[:-1]:
        assert scheme.min <= len(chunk) <= scheme.max
    for chunk in found[-1:]:
        assert 1 <= len(chunk) <= scheme.max


@given(TEXTS, SPECS)
def test_the_signature_is_the_chunks_as_a_multiset(text: bytes, spec: str) -> None:
    scheme = parse_scheme(spec)
    signature = sign(text, scheme)
    placed = place(text, scheme)
    pairs = list(zip(signature.features.tolist(), signature.weights.tolist(), strict=True))
    assert pairs == sorted((feature, weight) for weight, feature, _ in placed)
    assert int(signature.weights.sum()) == len(text)
    # Equal chunks have equal features, other chunks others.
    names = Counter(feature for _, feature, _ in placed)
    assert sorted(names.values()) == sorted(Counter(chunks(text, spec)).values())


@pytest.mark.parametrize("byte", [0, 0x61, 0xFF])
def test_one_character_without_end(byte: int) -> None:
    # One window, one fingerprint: every place is a boundary, every place a backup, or none.
    scheme = scheme_of("tttd:mean=100")
    run = bytes([byte]) * 100_000
    found = chunks(run, "tttd:mean=100")
    assert found == textbook(run, "tttd:mean=100")
    assert {len(chunk) for chunk in found[1:-1]} <= {scheme.min, scheme.max}
    # Few distinct ones, whichever it is: the run costs a store next to nothing, and runs of other lengths share them.
    assert len(set(found)) <= 3
    longer = chunks(run + run[:777], "tttd:mean=100")
    assert sum((Counter(longer) & Counter(found)).values()) >= len(found) - 2


def changed(before: list[bytes], after: list[bytes]) -> int:
    """Chunks of `after` that are new."""
    return sum((Counter(after) - Counter(before)).values())


@pytest.mark.parametrize("mean", [100, 1000])
def test_one_byte_inserted_changes_a_few_chunks_around_it(mean: int) -> None:
    spec = f"tttd:mean={mean}"
    text = prose(5, 200 * mean)
    before = chunks(text, spec)
    counts = []
    for seed in range(40):
        at = random.Random(seed).randrange(len(text))
        counts.append(changed(before, chunks(text[:at] + b"#" + text[at:], spec)))
    assert min(counts) >= 1
    assert max(counts) <= 6
    assert sum(counts) / len(counts) < 2.5


def test_a_cut_inside_a_constant_run_may_shift_to_the_runs_end() -> None:
    # The promise is for text with entropy. Hard cuts count from the last boundary, so a byte inserted at the
    # start of a constant run moves every cut in it: its chunks are equal, only those at its ends are new.
    spec = "tttd:mean=100"
    before = prose(1, 2000) + b"z" * 5000 + prose(2, 2000)
    after = prose(1, 2000) + b"#" + b"z" * 5000 + prose(2, 2000)
    assert changed(chunks(before, spec), chunks(after, spec)) <= 6


def test_the_papers_own_parameters() -> None:
    assert parse_scheme("tttd:window=48,min=460,max=2800,divisor=540,backup=270") == parse_scheme("tttd:mean=1000")


PIECES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(PIECES, PIECES)
def test_shared_bytes_count_repeated_chunks_as_often_as_both_have_them(a: list[int], b: list[int]) -> None:
    spec = "tttd:window=4,min=4,max=40,divisor=8,backup=4"
    first, second = (b"".join(prose(piece, 60) for piece in pieces) for pieces in (a, b))
    shared = tttd.shared_bytes(textbook(first, spec), textbook(second, spec))
    mine, theirs = sign(first, parse_scheme(spec)), sign(second, parse_scheme(spec))
    resemblance, containment = mine.resemblance(theirs), mine.containment(theirs)
    assert resemblance is not None
    assert containment is not None
    assert resemblance.value == shared / (len(first) + len(second) - shared)
    assert containment.value == shared / len(first)
    assert resemblance.exact
    assert resemblance.low is None


def test_chunks_in_common_are_a_lower_bound_of_the_text_in_common() -> None:
    text = prose(1, 5000)
    other = text[:2000] + b"changed" + text[2000:]
    found = sign(text, parse_scheme("tttd:mean=100")).containment(sign(other, parse_scheme("tttd:mean=100")))
    assert found is not None
    assert found.value <= shingles.covered(text, other, 20) / len(text)
    assert found.value > 0.9
