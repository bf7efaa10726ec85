"""Specs: typed in any way, stored in one; what is wrong with them said in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import UsageError
from nearkin.scheme import SCHEMES, parse_scheme

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
        ("sketch", "sketch:window=20,n=100"),
        ("sketch:n=84,window=40", "sketch:window=40,n=84"),
        ("sketch:seed=3,unit=word,window=5", "sketch:window=5,n=100,unit=word,seed=3"),
        ("bsw", "bsw:window=20,n=100"),
        ("bsw:label=yes,bits=32,n=400", "bsw:window=20,n=400,label=yes,bits=32"),
        ("min", "min:window=20,n=100"),
        ("min:mod=1", "min:window=20,n=100"),
        ("min:mod=8,n=5", "min:window=20,n=5,mod=8"),
        ("chunk", "chunk:mean=100"),
        ("chunk:divisor=1000", "chunk:mean=1000"),
        ("chunk:residue=999,mean=1000", "chunk:mean=1000"),
        ("chunk:bits=64,seed=0", "chunk:mean=100"),
        ("chunk:seed=7,bits=32,residue=0,window=20", "chunk:mean=100,window=20,residue=0,bits=32,seed=7"),
        ("tttd:residue=53,seed=0,bits=64", "tttd:mean=100"),
        ("tttd:seed=7,residue=5,bits=40", "tttd:mean=100,residue=5,bits=40,seed=7"),
        ("tttd:min=50,seed=7", "tttd:window=48,min=50,max=280,divisor=54,backup=27,seed=7"),
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
    st.builds("tttd:mean={},seed={}".format, st.integers(10, 1 << 20), st.integers(0, 9)),
    st.builds(
        "chunk:mean={},window={},residue={},bits={},seed={}".format,
        st.integers(10, 1 << 20),
        NUMBERS,
        st.integers(0, 9),
        st.integers(8, 64),
        st.integers(0, (1 << 63) - 1),
    ),
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
        ("min:sample=2", "Scheme min has no key 'sample'; it knows: window, n, mod, unit, label, bits, seed."),
        ("min:n=0", "n=0 of scheme min is out of range: 1 to 1048576."),
        ("min:mod=65536,bits=16", "mod=65536 of scheme min is out of range: 1 to 65535."),
        (
            "tttd:n=2",
            "Scheme tttd has no key 'n'; it knows: mean, window, min, max, divisor, backup, residue, bits, seed.",
        ),
        ("chunk:unit=word", "Scheme chunk has no key 'unit'; it knows: mean, window, divisor, residue, bits, seed."),
        ("tttd:label=yes", "Scheme tttd has no key 'label'; it knows: mean, "),
        ("chunk:mean=100,divisor=100", "Scheme chunk takes either mean or divisor, which is the mean, not both."),
        ("chunk:mean=9", "mean=9 of scheme chunk is out of range: 10 to 1048576."),
        ("chunk:residue=100", "residue=100 of scheme chunk is out of range: 0 to 99."),
        ("tttd:residue=54", "residue=54 of scheme tttd is out of range: 0 to 53."),
        ("chunk:bits=65", "bits=65 of scheme chunk is out of range: 8 to 64."),
        ("tttd:seed=-1", "seed=-1 of scheme tttd is not a number."),
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
