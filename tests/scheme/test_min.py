"""`min` against sorted sets, and Theorem 1's estimator step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import SpecMismatchError, UsageError
from nearkin.scheme import Estimate, parse_scheme, place, sign
from nearkin.scheme.shingler import UNITS
from oracle import units as oracle
from oracle.prose import prose

TEXTS = st.one_of(
    st.binary(max_size=150),
    st.text("ab \n", max_size=200).map(str.encode),
    st.builds(prose, st.integers(0, 50), st.integers(0, 700)),
)


def all_features(
    text: bytes, unit: str, window: int, *, label: bool = False, seed: int = 0, bits: int = 64
) -> set[int]:
    return {
        oracle.fingerprint(piece, k, unit, label=label, seed=seed, bits=bits)
        for piece, _, k in oracle.shingles(text, unit, window)
    }


def resemblance(a: bytes, b: bytes, spec: str) -> Estimate | None:
    return sign(a, parse_scheme(spec)).resemblance(sign(b, parse_scheme(spec)))


@pytest.mark.parametrize("label", [False, True])
@given(
    text=TEXTS,
    unit=st.sampled_from(UNITS),
    window=st.integers(1, 9),
    n=st.sampled_from([1, 2, 10, 100]),
    mod=st.sampled_from([1, 1, 2, 7]),
    seed=st.sampled_from([0, 5]),
    bits=st.sampled_from([24, 64]),
)
def test_the_smallest_are_kept(
    label: bool, text: bytes, unit: str, window: int, n: int, mod: int, seed: int, bits: int
) -> None:
    named = "yes" if label else "no"
    scheme = parse_scheme(f"min:window={window},n={n},mod={mod},unit={unit},label={named},seed={seed},bits={bits}")
    features = all_features(text, unit, window, label=label, seed=seed, bits=bits)
    if len(oracle.units(text, unit)) >= window:
        features = {feature for feature in features if feature % mod == 0}
    signature = sign(text, scheme)
    assert signature.features.tolist() == sorted(features)[:n]
    assert signature.modulus == mod
    placed = place(text, scheme)
    assert sorted(feature for _, feature, _ in placed) == signature.features.tolist()
    assert [offset for _, _, offset in placed] == sorted(offset for _, _, offset in placed)


@pytest.mark.parametrize("n", [1, 100, 600, 5000])
@pytest.mark.parametrize("spec", ["", ",unit=word", ",label=yes", ",seed=3,bits=40", ",mod=4"])
def test_the_smallest_of_a_long_text(n: int, spec: str) -> None:
    text = prose(9, 30_000) + b"the same again and again " * 300
    every = sign(text, parse_scheme("exact:window=20" + spec.replace(",mod=4", ""))).features
    if "mod" in spec:
        every = every[every % 4 == 0]
    assert sign(text, parse_scheme(f"min:window=20,n={n}{spec}")).features.tolist() == every[:n].tolist()


@given(a=TEXTS, b=TEXTS, n=st.sampled_from([1, 3, 20, 100]), mod=st.sampled_from([1, 3]))
def test_theorem_1(a: bytes, b: bytes, n: int, mod: int) -> None:
    spec = f"min:window=4,n={n},mod={mod}"
    first, second = (sign(text, parse_scheme(spec)).features.tolist() for text in (a, b))
    complete = len(first) < n and len(second) < n
    union = sorted({*first, *second})
    sample = union if complete else union[:n]
    found = resemblance(a, b, spec)
    if not sample:
        assert found is None
        return
    assert found is not None
    assert found.value == sum(feature in first and feature in second for feature in sample) / len(sample)
    assert found.exact is (complete and mod == 1)
    assert (found.low is None) is found.exact
    if complete and mod == 1:
        whole, other = all_features(a, "byte", 4), all_features(b, "byte", 4)
        assert found.value == len(whole & other) / len(whole | other)


def test_what_only_long_samples_share_does_not_count() -> None:
    """Of the n smallest of the union, not of both samples: the tail of one sample is no evidence."""
    text = prose(4, 4000)
    other = text[:2000] + prose(5, 2000)
    mine, theirs = (sign(t, parse_scheme("min:window=20,n=100")).features.tolist() for t in (text, other))
    sample = sorted({*mine, *theirs})[:100]
    found = resemblance(text, other, "min:window=20,n=100")
    assert found is not None
    assert found.value == len({*sample} & {*mine} & {*theirs}) / 100
    assert len({*mine} & {*theirs}) / 100 != found.value


def test_containment_is_refused_in_a_sentence() -> None:
    one = sign(prose(1, 500), parse_scheme("min:window=20,n=10"))
    with pytest.raises(
        UsageError, match=r"^Scheme min does not tell containment; those that do are: exact, mod, .*tttd"
    ):
        one.containment(one)
    with pytest.raises(SpecMismatchError):
        one.resemblance(sign(prose(1, 500), parse_scheme("min:window=20,n=11")))
