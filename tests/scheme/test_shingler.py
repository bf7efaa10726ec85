"""Units and shingles against Python strings; labels, bits and seeds against their definitions."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme, place, sign
from nearkin.scheme.shingler import UNITS, Shingler
from oracle import units as oracle
from oracle.prose import prose

TEXTS = st.one_of(
    st.binary(max_size=120),
    st.text("ab é日\n", max_size=120).map(str.encode),
    st.text("ab \t\r\n", max_size=120).map(str.encode),
    st.builds(prose, st.integers(0, 50), st.integers(0, 600)),
    st.lists(st.sampled_from(["a", "rose", "is", "incomprehensible", "42"]), max_size=60).map(
        lambda words: " ".join(words).encode()
    ),
)
SHINGLERS = st.builds(
    Shingler,
    window=st.integers(1, 9),
    unit=st.sampled_from(UNITS),
    label=st.booleans(),
    bits=st.sampled_from([16, 17, 32, 40, 63, 64]),
    seed=st.sampled_from([0, 1, 7, (1 << 63) - 1]),
)


def expected(text: bytes, shingler: Shingler) -> list[tuple[int, int]]:
    return [
        (
            offset,
            oracle.fingerprint(piece, k, shingler.unit, label=shingler.label, seed=shingler.seed, bits=shingler.bits),
        )
        for piece, offset, k in oracle.shingles(text, shingler.unit, shingler.window)
    ]


@given(TEXTS, SHINGLERS)
def test_shingles_and_their_places(text: bytes, shingler: Shingler) -> None:
    offsets, fingerprints, _ = shingler.native().placed(text)
    found = list(zip(offsets.tolist(), fingerprints.tolist(), strict=True))
    assert found == expected(text, shingler)
    assert sorted(shingler.native().all(text).tolist()) == sorted(fingerprints.tolist())
    assert shingler.native().count(text) == len(found)


@given(TEXTS, SHINGLERS)
def test_bytes_of_shingles_never_overlap(text: bytes, shingler: Shingler) -> None:
    offsets, _, lengths = (column.tolist() for column in shingler.native().placed(text))
    for begin, length, after in zip(offsets, lengths, [*offsets[1:], len(text)], strict=False):
        assert 0 < length <= after - begin


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("window", [1, 2, 300])
def test_texts_of_many_blocks(unit: str, window: int) -> None:
    text = (prose(5, 30_000) + "é日".encode()).replace(b" t", b"\nt")
    shingler = Shingler(window, unit)
    offsets, fingerprints, _ = shingler.native().placed(text)
    names = oracle.units(text, unit)
    windows = [tuple(name for name, _ in names[i : i + window]) for i in range(max(1, len(names) - window + 1))]
    assert offsets.tolist() == [names[i][1] for i in range(len(windows))]
    # Equal exactly where the shingles are equal; the values themselves are compared above, on short texts.
    assert len(set(zip(windows, fingerprints.tolist(), strict=True))) == len(set(windows)) == len(set(fingerprints))


def test_long_words_do_not_add_up() -> None:
    # Without the mixer in between these two would have one fingerprint: t ^ u = d ^ e.
    one, other = (Shingler(2, "word").native().all(text).tolist() for text in (b"cat different", b"cau eifferent"))
    assert one != other


def test_labels_do_not_follow_each_other() -> None:
    """Of shingles that occur twice, how many seconds are sampled with their first: 1 in m, not none or all."""
    once = prose(3, 40_000)
    first = Counter(Shingler(20, label=True).native().all(once).tolist())
    both = Counter(Shingler(20, label=True).native().all(once + once).tolist())
    _, fingerprints, _ = Shingler(20, label=True).native().placed(once + once)
    assert first.keys() <= both.keys()
    half = len(once)
    a, b = fingerprints[: half - 19], fingerprints[half : 2 * half - 19]
    together = int(((a % 8 == 0) & (b % 8 == 0)).sum())
    assert abs(together - half / 64) < 6 * (half / 64) ** 0.5


def test_seeds_choose_other_samples() -> None:
    text = prose(1, 20_000)
    samples = [set(Shingler(20, seed=seed).native().all(text).tolist()) for seed in (0, 1, 2)]
    assert len(samples[0]) == len(samples[1]) == len(samples[2]), "a permutation makes no two alike"
    assert not samples[0] & samples[1]
    assert not samples[1] & samples[2]
    chosen = []
    for seed in (1, 2, 3):
        _, fingerprints, _ = Shingler(20, seed=seed).native().placed(text)
        chosen.append(fingerprints % 10 == 0)
    for one, other in ((0, 1), (1, 2), (0, 2)):
        together = int((chosen[one] & chosen[other]).sum())
        assert abs(together - len(text) / 100) < 6 * (len(text) / 100) ** 0.5


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("label", [False, True])
@given(text=TEXTS, window=st.integers(1, 6), n=st.sampled_from([1, 2, 3, 16, 64]))
def test_mod_keeps_the_multiples_of_any_unit(unit: str, label: bool, text: bytes, window: int, n: int) -> None:
    scheme = parse_scheme(f"mod:window={window},n={n},unit={unit},label={'yes' if label else 'no'},bits=32,seed=7")
    assert scheme.shingler is not None
    found = expected(text, scheme.shingler)
    whole = len(oracle.units(text, unit)) < window
    kept = {f for _, f in found if whole or f % n == 0}
    signature = sign(text, scheme)
    assert signature.features.tolist() == sorted(kept)
    placed = {f: offset for offset, f in reversed(found) if f in kept}
    assert [(f, offset) for _, f, offset in place(text, scheme)] == sorted(placed.items(), key=lambda item: item[1])


@pytest.mark.parametrize("unit", UNITS)
def test_the_adaptive_modulus_follows_the_number_of_units(unit: str) -> None:
    text = b"\n".join(prose(seed, 30) for seed in range(300))
    count = len(oracle.units(text, unit)) - 2
    modulus = next(1 << i for i in range(30) if count / (1 << i) <= 50)
    assert sign(text, parse_scheme(f"mod:window=3,sample=50,most=1048576,label=yes,unit={unit}")).modulus == modulus


def test_sorting_short_fingerprints() -> None:
    for bits in (16, 20, 22, 32, 48):
        features = sign(prose(1, 60_000), parse_scheme(f"exact:window=20,bits={bits}")).features
        assert (np.diff(features.astype(np.float64)) > 0).all()
        assert int(features[-1]) < 1 << bits


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("exact:unit=page", "unit=page of scheme exact is unknown; known are: byte, char, word, line, soundex."),
        ("exact:label=maybe", "label=maybe of scheme exact is unknown; known are: yes, no."),
        ("exact:bits=15", "bits=15 of scheme exact is out of range: 16 to 64."),
        ("mod:bits=65", "bits=65 of scheme mod is out of range: 16 to 64."),
        ("mod:n=65536,bits=16", "n=65536 of scheme mod is out of range: 1 to 65535."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_scheme(spec)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("exact:unit=byte,label=no,bits=64,seed=0", "exact:window=20"),
        ("exact:unit=word,window=5", "exact:window=5,unit=word"),
        ("mod:seed=7,bits=32,label=yes,unit=line,n=4", "mod:window=20,n=4,unit=line,label=yes,bits=32,seed=7"),
        ("mod:seed=7", "mod:window=20,sample=200,most=64,seed=7"),
    ],
)
def test_a_spec_names_shared_keys_only_where_they_say_something(typed: str, stored: str) -> None:
    scheme = parse_scheme(typed)
    assert scheme.spec == stored
    assert parse_scheme(stored) == scheme
