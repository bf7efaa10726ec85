"""Specs, the contract every scheme keeps, and signatures frozen for ever."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import UsageError
from nearkin.scheme import FORMAT, SCHEMES, Scheme, parse_scheme, place, sign
from oracle.prose import prose

EXAMPLES = [example for known in SCHEMES.values() for example in known.example.split(" or ")]
ALL = pytest.mark.parametrize("spec", EXAMPLES)


@ALL
def test_examples_are_written_as_they_are_stored(spec: str) -> None:
    assert parse_scheme(spec).spec == spec


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("exact", "exact:window=20"),
        ("exact:", "exact:window=20"),
        (" exact: window = 5 ", "exact:window=5"),
        ("mod", "mod:window=20,sample=200,most=64"),
        ("mod:most=16,window=3", "mod:window=3,sample=200,most=16"),
        ("mod:n=7", "mod:window=20,n=7"),
        ("mod:n=007,window=08", "mod:window=8,n=7"),
        ("min", "min:window=20,n=100"),
        ("min:mod=1", "min:window=20,n=100"),
        ("min:mod=8,n=5", "min:window=20,n=5,mod=8"),
        ("sketch", "sketch:window=20,n=100"),
        ("sketch:n=84,window=40", "sketch:window=40,n=84"),
        ("sketch:seed=3,unit=word,window=5", "sketch:window=5,n=100,unit=word,seed=3"),
        ("bsw", "bsw:window=20,n=100"),
        ("bsw:label=yes,bits=32,n=400", "bsw:window=20,n=400,label=yes,bits=32"),
        ("tttd", "tttd:mean=100"),
        ("tttd:mean=1000", "tttd:mean=1000"),
        ("tttd:backup=270,divisor=540,max=2800,min=460", "tttd:mean=1000"),
        ("tttd:mean=1000,window=20", "tttd:window=20,min=460,max=2800,divisor=540,backup=270"),
        ("tttd:mean=100,min=50", "tttd:window=48,min=50,max=280,divisor=54,backup=27"),
        ("tttd:backup=10", "tttd:window=48,min=46,max=280,divisor=20,backup=10"),
    ],
)
def test_a_spec_comes_out_the_same_however_it_was_typed(typed: str, stored: str) -> None:
    scheme = parse_scheme(typed)
    assert scheme.spec == stored
    assert parse_scheme(stored) == scheme


NUMBERS = st.integers(1, 3000)
SHARED = st.builds(
    ",unit={},label={},bits={},seed={}".format,
    st.sampled_from(["byte", "char", "word", "line", "soundex"]),
    st.sampled_from(["yes", "no"]),
    st.integers(21, 64),
    st.integers(0, (1 << 63) - 1),
)
ANY_SPEC = st.one_of(
    st.builds("exact:window={}".format, NUMBERS),
    st.builds("exact:window={}{}".format, NUMBERS, SHARED),
    st.builds("mod:window={},n={}{}".format, NUMBERS, st.integers(1, 1 << 20), SHARED),
    st.builds("min:window={},n={}{}".format, NUMBERS, NUMBERS, SHARED),
    st.builds("min:window={},n={},mod={}".format, NUMBERS, NUMBERS, st.integers(1, 1 << 20)),
    st.builds("mod:window={},n={}".format, NUMBERS, st.integers(1, 1 << 20)),
    st.builds(
        "mod:window={},sample={},most={}".format,
        NUMBERS,
        st.integers(10, 10_000),
        st.integers(0, 20).map(lambda i: 1 << i),
    ),
    st.builds("sketch:window={},n={}".format, NUMBERS, st.integers(1, 4096)),
    st.builds("bsw:window={},n={}".format, NUMBERS, st.integers(1, 1 << 20)),
    st.builds("tttd:mean={}".format, st.integers(10, 1 << 20)),
    st.builds(
        lambda window, least, more, backup, times: (
            f"tttd:window={window},min={least},max={least + more},divisor={backup * times},backup={backup}"
        ),
        NUMBERS,
        NUMBERS,
        NUMBERS,
        NUMBERS,
        st.integers(1, 9),
    ),
)


@given(ANY_SPEC)
def test_stored_specs_are_stable(spec: str) -> None:
    scheme = parse_scheme(spec)
    assert parse_scheme(scheme.spec) == scheme
    assert parse_scheme(scheme.spec).spec == scheme.spec


KNOWN_SCHEMES = ", ".join(SCHEMES)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("", f"There is no scheme ''; known are: {KNOWN_SCHEMES}."),
        ("minhash:window=20", f"There is no scheme 'minhash'; known are: {KNOWN_SCHEMES}."),
        ("Mod:n=2", f"There is no scheme 'Mod'; known are: {KNOWN_SCHEMES}."),
        ("exact:n=2", "Scheme exact has no key 'n'; it knows: window, unit, label, bits, seed."),
        ("mod:mean=2", "Scheme mod has no key 'mean'; it knows: window, n, sample, most, unit, label, bits, seed."),
        ("sketch:sample=2", "Scheme sketch has no key 'sample'; it knows: window, n, unit, label, bits, seed."),
        ("sketch:n=4097", "n=4097 of scheme sketch is out of range: 1 to 4096."),
        ("bsw:mean=2", "Scheme bsw has no key 'mean'; it knows: window, n, unit, label, bits, seed."),
        ("bsw:n=0", "n=0 of scheme bsw is out of range: 1 to 1048576."),
        ("tttd:n=2", "Scheme tttd has no key 'n'; it knows: mean, window, min, max, divisor, backup."),
        ("min:sample=2", "Scheme min has no key 'sample'; it knows: window, n, mod, unit, label, bits, seed."),
        ("min:n=0", "n=0 of scheme min is out of range: 1 to 1048576."),
        ("min:mod=65536,bits=16", "mod=65536 of scheme min is out of range: 1 to 65535."),
        ("exact:window", "In scheme 'exact:window', 'window' is not of the form key=value."),
        ("exact:window=", "In scheme 'exact:window=', 'window=' is not of the form key=value."),
        ("exact:window=-1", "window=-1 of scheme exact is not a number."),
        ("exact:window=2.5", "window=2.5 of scheme exact is not a number."),
        ("exact:window=٣", "window=٣ of scheme exact is not a number."),
        ("exact:window=5,window=5", "In scheme 'exact:window=5,window=5', window is given twice."),
        ("exact:window=0", "window=0 of scheme exact is out of range: 1 to 4096."),
        ("exact:window=4097", "window=4097 of scheme exact is out of range: 1 to 4096."),
        ("mod:n=0", "n=0 of scheme mod is out of range: 1 to 1048576."),
        ("mod:n=1048577", "n=1048577 of scheme mod is out of range: 1 to 1048576."),
        ("mod:n=2,sample=200", "Scheme mod takes either n, or sample and most, not both."),
        ("mod:n=2,most=64", "Scheme mod takes either n, or sample and most, not both."),
        ("mod:most=48", "most=48 of scheme mod must be a power of two, as 64."),
        ("mod:sample=9", "sample=9 of scheme mod is out of range: 10 to "),
        ("tttd:mean=9", "mean=9 of scheme tttd is out of range: 10 to 1048576."),
        ("tttd:min=300", "min=300 of scheme tttd must not exceed max=280."),
        ("tttd:divisor=50,backup=27", "divisor=50 of scheme tttd must be a multiple of backup=27."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_scheme(spec)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith(".")
    assert refused.value.exit_code == 2


@given(st.text(max_size=30))
def test_any_other_text_is_refused_not_crashed_on(text: str) -> None:
    for spec in (text, f"mod:{text}", f"tttd:window={text}"):
        try:
            scheme = parse_scheme(spec)
        except UsageError:
            continue
        assert parse_scheme(scheme.spec) == scheme


def test_a_number_of_thousands_of_digits_is_out_of_range() -> None:
    with pytest.raises(UsageError):
        parse_scheme("mod:n=" + "9" * 5000)


# One contract for all schemes.

TEXTS = st.one_of(
    st.binary(max_size=300),
    st.builds(prose, st.integers(0, 20), st.integers(0, 3000)),
    st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=4), st.integers(0, 500)),
)


def scores(a: bytes, b: bytes, scheme: Scheme) -> tuple[float | None, float | None]:
    mine, theirs = sign(a, scheme), sign(b, scheme)
    resemblance = mine.resemblance(theirs)
    containment = mine.containment(theirs) if scheme.contains else None
    return (
        None if resemblance is None else resemblance.value,
        None if containment is None else containment.value,
    )


@ALL
@given(text=TEXTS)
def test_signing_is_deterministic(spec: str, text: bytes) -> None:
    one, two = sign(text, parse_scheme(spec)), sign(bytes(bytearray(text)), parse_scheme(spec))
    np.testing.assert_array_equal(one.features, two.features)
    np.testing.assert_array_equal(one.weights, two.weights)
    assert (one.modulus, one.scheme) == (two.modulus, two.scheme) == (one.modulus, spec)
    assert one.features.tolist() == sorted(one.features.tolist())
    assert len(place(text, parse_scheme(spec))) == len(one)


@ALL
@given(text=TEXTS)
def test_identical_texts_resemble_each_other_fully(spec: str, text: bytes) -> None:
    # An empty sample says nothing; the digests will.
    scheme = parse_scheme(spec)
    expected = (1.0, 1.0 if scheme.contains else None) if len(sign(text, scheme)) else (None, None)
    assert scores(text, text, scheme) == expected


@ALL
@given(a=TEXTS, b=TEXTS)
def test_scores_are_shares_and_resemblance_is_symmetric(spec: str, a: bytes, b: bytes) -> None:
    scheme = parse_scheme(spec)
    there, back = scores(a, b, scheme), scores(b, a, scheme)
    assert there[0] == back[0]
    for value in (*there, *back):
        assert value is None or 0.0 <= value <= 1.0
    one, other = sign(a, scheme), sign(b, scheme)
    for estimate in (one.resemblance(other), one.containment(other) if scheme.contains else None):
        if estimate is not None and estimate.low is not None:
            assert estimate.high is not None
            assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0


@ALL
@pytest.mark.parametrize("size", [1, 19, 20, 47, 100, 5000])
def test_disjoint_texts_have_nothing_in_common(spec: str, size: int) -> None:
    lower = prose(1, size)
    upper = lower.upper().replace(b" ", b"-")
    scheme = parse_scheme(spec)
    if len(sign(lower, scheme)) + len(sign(upper, scheme)):
        assert scores(lower, upper, scheme)[0] == 0.0


@ALL
def test_an_empty_text_has_an_empty_signature(spec: str) -> None:
    scheme = parse_scheme(spec)
    assert len(sign(b"", scheme)) == 0
    assert place(b"", scheme) == []


@ALL
@pytest.mark.parametrize("text", [b"a", b"\0", b"\xff\xfe", b"ab" * 9, bytes(range(256))])
def test_a_tiny_text_is_equal_to_itself_and_to_no_other(spec: str, text: bytes) -> None:
    scheme = parse_scheme(spec)
    if len(sign(text, scheme)):
        assert scores(text, text, scheme)[0] == 1.0
        assert scores(text, b"quite another text", scheme)[0] == 0.0


# Stored signatures must mean the same for ever: a store keeps features only, and compares those of new
# documents with them. One digest over everything a scheme makes of some hundred texts of every size. If this
# fails, the same text signs differently than it did: undo that, or raise scheme.FORMAT (old signatures are
# then made anew) and freeze the new digest here.


def frozen_texts() -> list[bytes]:
    """Bytes of full entropy, letters, and runs, at lengths about every boundary, made by no other code."""
    texts = []
    edges = (127, 128, 219, 220, 255, 256, 257, 279, 280, 281, 419, 420, 819, 820, 999, 4095, 4096, 4097)
    for size in (*range(101), *edges, 12_819, 12_820, 16_402, 16_403, 20_000, 70_000):
        noise = hashlib.shake_128(str(size).encode()).digest(size)
        texts += [noise, bytes(0x61 + byte % 5 for byte in noise)]
    return [*texts, bytes(3000), b"\xff" * 3000, b"ab" * 1500]


GOLDEN = {
    "exact:window=20": "b26faa6a542a84ea1568a5c4f6f08c01",
    "mod:window=20,sample=200,most=64": "c818aee06f9cc07ac06094a66ccae9fe",
    "mod:window=20,n=100": "66e62a9b4e1924136066240e4ba44204",
    "min:window=20,n=100": "37d014057056f1231485d813a42da42e",
    "min:window=20,n=100,mod=8": "62214e2ac84fbfcbdc4a3ed3231c547d",
    "sketch:window=20,n=100": "d69d575776c61d159063e3081235209d",
    "bsw:window=20,n=100": "21326fb07f146e91a946f0bb92b0079b",
    "tttd:mean=100": "8ac2f2baad933dad28b8eb061015eb4e",
}


# Every unit, and what the shared keys make of fingerprints.
GOLDEN_KEYS = {
    "exact:window=5,unit=word": "de1018662a6c49e532fb47633e78b1b6",
    "exact:window=20,unit=char": "13b343afb04cb1462ec4227402686e36",
    "exact:window=2,unit=line": "4984cd8eb9f2d4bc4b2a00ef0354a738",
    "exact:window=3,unit=soundex": "e5bddc0e0fcb8a49aad4ab47a486907a",
    "exact:window=20,label=yes": "dca1f8f26d44fc979a1467f9fe859900",
    "exact:window=20,bits=32": "bb5a350ce4fd6758908572b434947ac3",
    "exact:window=20,seed=7": "1141717c8a0bfbfb4c83e4bdf2d0d7b7",
    "mod:window=3,n=4,unit=word,label=yes,bits=40,seed=7": "f240014860961bd8f542aeac4f454530",
}


@pytest.mark.parametrize("spec", GOLDEN_KEYS)
def test_shared_keys_never_change_their_meaning(spec: str) -> None:
    assert frozen_digest(spec) == GOLDEN_KEYS[spec]


def test_every_example_is_frozen() -> None:
    assert sorted(GOLDEN) == sorted(EXAMPLES)
    assert FORMAT == 1


@ALL
def test_signatures_never_change(spec: str) -> None:
    assert frozen_digest(spec) == GOLDEN[spec]


def frozen_digest(spec: str) -> str:
    scheme = parse_scheme(spec)
    digest = hashlib.blake2b(digest_size=16)
    for text in frozen_texts():
        signature = sign(text, scheme)
        digest.update(signature.modulus.to_bytes(8, "little"))
        digest.update(len(signature).to_bytes(8, "little"))
        digest.update(signature.features.astype("<u8").tobytes())
        digest.update(signature.weights.astype("<u4").tobytes())
    return digest.hexdigest()
