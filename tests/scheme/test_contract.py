"""One contract for all schemes, whatever their papers. A new scheme adds its rows to the table below."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearkin
from nearkin.errors import SpecMismatchError, UsageError
from nearkin.scheme import SCHEMES, Estimate, Estimator, Scheme, Signature, parse_scheme, place, sign
from nearkin.scheme.signature import CONTAINMENT_SCHEMES
from oracle.prose import prose
from oracle.units import shingle_set

# What all weights of a text's signature add up to.
Total = Callable[[bytes, Signature], int]


def windows(size: int, unit: str = "byte", *, label: bool = False) -> Total:
    """Distinct shingles, each of weight 1."""
    return lambda text, _: len(shingle_set(text, unit, size, label=label))


def each_its_modulus(_text: bytes, signature: Signature) -> int:
    """A sampled shingle stands for as many as the modulus."""
    return signature.modulus * len(signature)


def one_each(_text: bytes, signature: Signature) -> int:
    return len(signature)


def all_bytes(text: bytes, _signature: Signature) -> int:
    """Chunks cover the text."""
    return len(text)


@dataclass(frozen=True)
class Row:
    spec: str  # as it is stored
    total: Total


ROWS = [
    Row("exact:window=20", windows(20)),
    Row("exact:window=1", windows(1)),
    Row("exact:window=48", windows(48)),
    Row("exact:window=4,unit=char", windows(4, "char")),
    Row("exact:window=3,unit=word", windows(3, "word")),
    Row("exact:window=3,unit=word,label=yes", windows(3, "word", label=True)),
    Row("exact:window=1,unit=line", windows(1, "line")),
    Row("exact:window=5,unit=soundex", windows(5, "soundex")),
    Row("exact:window=20,label=yes,seed=7", windows(20, label=True)),
    Row("exact:window=20,bits=40", one_each),
    Row("mod:window=20,sample=200,most=64", each_its_modulus),
    Row("mod:window=7,sample=10,most=1048576", each_its_modulus),
    Row("mod:window=20,n=100", each_its_modulus),
    Row("mod:window=20,n=1", windows(20)),
    Row("mod:window=3,n=7", each_its_modulus),
    Row("mod:window=20,n=100,label=yes,bits=32,seed=1", each_its_modulus),
    Row("mod:window=4,sample=200,most=64,unit=word", each_its_modulus),
    Row("min:window=20,n=100", one_each),
    Row("min:window=20,n=100,mod=8", each_its_modulus),
    Row("min:window=3,n=7,unit=word", one_each),
    Row("sketch:window=20,n=100", one_each),
    Row("sketch:window=2,n=1,unit=word,seed=3", one_each),
    Row("bsw:window=20,n=100", each_its_modulus),
    Row("bsw:window=5,n=3", each_its_modulus),
    Row("fuzzy:classes=18,intervals=3,variants=3", one_each),
    Row("si:method=3,stream=soundex,variation=B,k=40", one_each),
    Row("chunk:mean=100", all_bytes),
    Row("chunk:mean=10,window=5,seed=2", all_bytes),
    Row("tttd:mean=100,bits=32,seed=9", all_bytes),
    Row("tttd:mean=100", all_bytes),
    Row("tttd:mean=10", all_bytes),
    Row("tttd:mean=1000", all_bytes),
    Row("tttd:window=20,min=46,max=280,divisor=54,backup=27", all_bytes),
]


ALL = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.spec)
SETS = {Estimator.OVERLAP, Estimator.SMALLEST, Estimator.SLOTS}
OF_SETS = pytest.mark.parametrize(
    "row", [row for row in ROWS if parse_scheme(row.spec).estimator in SETS], ids=lambda row: row.spec
)
GREEK = {ord("a") + at: ord("α") + at for at in range(26)}  # not even single letters are those of other texts
NO_LETTERS = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz ", b"0123456789!#$%&()*+;:?@[]{-")
FEW = settings(max_examples=15)

TEXTS = st.one_of(
    st.binary(max_size=300),
    st.builds(prose, st.integers(0, 20), st.integers(0, 3000)),
    st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=4), st.integers(0, 500)),
)
# As people write: bytes of anything else may be sniffed as a page, or as no text at all.
WRITTEN = st.text(st.characters(categories=("L", "N", "Zs", "Po")), max_size=300)


def same(one: Signature, two: Signature) -> bool:
    return (
        np.array_equal(one.features, two.features)
        and np.array_equal(one.weights, two.weights)
        and (one.modulus, one.scheme, one.sampled) == (two.modulus, two.scheme, two.sampled)
    )


def in_lines(text: str) -> str:
    words = text.split()
    return "\n".join(" ".join(words[at : at + 8]) for at in range(0, len(words), 8))


def estimates(a: Signature, b: Signature, scheme: Scheme) -> list[Estimate | None]:
    return [a.resemblance(b), *([a.containment(b)] if scheme.contains else [])]


def test_every_scheme_and_every_example_has_its_rows() -> None:
    specs = {row.spec for row in ROWS}
    assert {spec.partition(":")[0] for spec in specs} == set(SCHEMES)
    assert {example for known in SCHEMES.values() for example in known.example.split(" or ")} <= specs
    assert len(specs) == len(ROWS)


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_says_what_it_is_for(name: str) -> None:
    known = SCHEMES[name]
    for text in (known.estimates, known.paper, known.does, known.use, known.cannot, known.cost):
        assert text
        assert not text.endswith(".")


# Specs.


@ALL
def test_specs_round_trip(row: Row) -> None:
    scheme = parse_scheme(row.spec)
    assert scheme.spec == row.spec
    assert parse_scheme(f" {row.spec} ") == scheme
    name, _, keys = row.spec.partition(":")
    assert parse_scheme(f"{name}:{','.join(reversed(keys.split(',')))}") == scheme
    assert sign(b"", scheme).scheme == row.spec


@ALL
def test_unknown_keys_are_refused_with_the_known_ones(row: Row) -> None:
    name = row.spec.partition(":")[0]
    with pytest.raises(UsageError) as refused:
        parse_scheme(f"{row.spec},colour=blue")
    assert str(refused.value).startswith(f"Scheme {name} has no key 'colour'; it knows: ")
    for key in SCHEMES[name].keys:
        assert key in str(refused.value)


def test_signatures_of_unlike_specs_never_meet() -> None:
    text = prose(1, 3000)
    signed = [sign(text, parse_scheme(row.spec)) for row in ROWS]
    for a, b in combinations(signed, 2):
        with pytest.raises(SpecMismatchError):
            a.resemblance(b)
        with pytest.raises(UsageError):
            b.containment(a)


@ALL
def test_signatures_of_texts_made_canonical_in_other_ways_never_meet(row: Row) -> None:
    text = prose(1, 3000).decode()
    plain, raw = nearkin.sign(text, row.spec), nearkin.sign(text, row.spec, raw=True)
    with pytest.raises(SpecMismatchError, match="made canonical as"):
        plain.resemblance(raw)
    with pytest.raises(UsageError):
        raw.containment(plain)
    plain.resemblance(sign(text.encode(), parse_scheme(row.spec)))  # not said: whoever signs canonical text knows


# Signatures.


@ALL
@FEW
@given(text=TEXTS)
def test_signing_is_deterministic_and_takes_any_bytes(row: Row, text: bytes) -> None:
    scheme = parse_scheme(row.spec)
    one = sign(text, scheme)
    assert same(one, sign(bytes(bytearray(text)), parse_scheme(row.spec)))
    assert one.features.tolist() == sorted(one.features.tolist())
    assert len(one.weights) == len(one.features)
    assert one.scheme == row.spec


@ALL
@FEW
@given(text=TEXTS)
def test_weights_add_up_as_stated(row: Row, text: bytes) -> None:
    signature = sign(text, parse_scheme(row.spec))
    assert int(signature.weights.sum()) == row.total(text, signature)


@ALL
@FEW
@given(text=TEXTS)
def test_the_signature_in_place_is_the_same(row: Row, text: bytes) -> None:
    scheme = parse_scheme(row.spec)
    signature, placed = sign(text, scheme), place(text, scheme)
    assert sorted(feature for _, feature, _ in placed) == signature.features.tolist()
    assert sum(weight for weight, _, _ in placed) == signature.weights.sum()
    offsets = [offset for _, _, offset in placed]
    assert offsets == sorted(offsets)
    assert all(0 <= offset < len(text) for offset in offsets)


@ALL
@FEW
@given(text=WRITTEN)
def test_a_text_signs_as_its_bytes_do(row: Row, text: str) -> None:
    assert same(nearkin.sign(text, row.spec), nearkin.sign(text.encode(), row.spec))
    assert same(nearkin.sign(text, row.spec, raw=True), nearkin.sign(text.encode(), row.spec, raw=True))


@ALL
def test_an_empty_text_has_an_empty_signature(row: Row) -> None:
    scheme = parse_scheme(row.spec)
    assert len(sign(b"", scheme)) == 0
    assert place(b"", scheme) == []
    for estimate in estimates(sign(b"", scheme), sign(prose(1, 3000), scheme), scheme):
        assert estimate is None or estimate.value == 0.0


# What two signatures say.


@ALL
@FEW
@given(text=TEXTS)
def test_identical_texts_resemble_each_other_fully(row: Row, text: bytes) -> None:
    """Signatures that are codes or numbers tell no resemblance, only the texts do: these are the same number."""
    scheme = parse_scheme(row.spec)
    signature = sign(text, scheme)
    if scheme.estimator.coded:
        assert signature.resemblance(signature) is None
        assert np.array_equal(signature.features, sign(text, scheme).features)
        return
    for estimate in estimates(signature, sign(text, scheme), scheme):
        # An empty sample says nothing; the digests will.
        assert estimate is None if len(signature) == 0 else estimate is not None and estimate.value == 1.0


@ALL
def test_only_what_can_tell_containment_does(row: Row) -> None:
    scheme = parse_scheme(row.spec)
    text = in_lines(prose(1, 60_000).decode()).encode()
    whole, part = sign(text, scheme), sign(text[:30_000], scheme)
    if scheme.contains:
        found = part.containment(whole)
        assert found is not None
        assert found.value > 0.9
    else:
        with pytest.raises(UsageError) as refused:
            part.containment(whole)
        for name in ("exact", "mod", "tttd"):
            assert name in str(refused.value)


@OF_SETS
@FEW
@given(a=TEXTS, b=TEXTS)
def test_scores_are_shares_and_resemblance_is_symmetric(row: Row, a: bytes, b: bytes) -> None:
    scheme = parse_scheme(row.spec)
    mine, theirs = sign(a, scheme), sign(b, scheme)
    assert mine.resemblance(theirs) == theirs.resemblance(mine)
    for estimate in (*estimates(mine, theirs, scheme), *estimates(theirs, mine, scheme)):
        assert estimate is None or 0.0 <= estimate.value <= 1.0


@OF_SETS
@FEW
@given(a=TEXTS, b=TEXTS)
def test_intervals_are_there_where_something_was_left_out(row: Row, a: bytes, b: bytes) -> None:
    scheme = parse_scheme(row.spec)
    for estimate in estimates(sign(a, scheme), sign(b, scheme), scheme):
        if estimate is None:
            continue
        if estimate.exact or not scheme.sampled:
            assert (estimate.low, estimate.high) == (None, None)
        else:
            assert estimate.low is not None
            assert estimate.high is not None
            assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0


@OF_SETS
@pytest.mark.parametrize("size", [1, 19, 20, 47, 100, 5000])
def test_disjoint_texts_have_nothing_in_common(row: Row, size: int) -> None:
    letters = prose(1, size)
    scheme = parse_scheme(row.spec)
    mine, theirs = sign(letters, scheme), sign(letters.translate(NO_LETTERS), scheme)
    found = mine.resemblance(theirs)
    assert found is None if len(mine) + len(theirs) == 0 else found is not None and found.value == 0.0


@OF_SETS
@pytest.mark.parametrize("text", [b"a", b"\0", b"\xff\xfe", b"ab" * 9, bytes(range(256))])
def test_a_tiny_text_is_equal_to_itself_and_to_no_other(row: Row, text: bytes) -> None:
    scheme = parse_scheme(row.spec)
    mine = sign(text, scheme)
    if len(mine) and not set(text) & set(b"QUITE ANOTHER TEXT"):
        itself = mine.resemblance(sign(text, scheme))
        assert itself is not None
        assert itself.value == 1.0
        other = mine.resemblance(sign(b"QUITE ANOTHER TEXT", scheme))
        assert other is None or other.value == 0.0


# From text to match.


@ALL
def test_a_version_is_found(row: Row, tmp_path: Path) -> None:
    """By `match` and by a scan, whatever the scheme: join, estimate, verification and families work with it."""
    text, other = (in_lines(prose(seed, 60_000).decode()) for seed in (1, 2))
    texts = {"a": text, "b": f"{text[:59_900]}\nsomething else", "c": other.translate(GREEK)}
    pairs = nearkin.match(texts, scheme=row.spec).to_pylist()
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("a", "b")]
    assert pairs[0]["resemblance"] > 0.9
    for name, content in texts.items():
        (tmp_path / name).write_text(content)
    with nearkin.Store.open(tmp_path / "kin.db") as store:
        store.scan([tmp_path / name for name in texts], scheme=row.spec, jobs=1)
        assert [(pair["a"], pair["b"]) for pair in store.matches().to_pylist()] == [("a", "b")]
        assert store.families().num_rows == 1
        if parse_scheme(row.spec).estimator in SETS:
            assert store.families(view="greedy").num_rows == 1


def test_an_error_names_all_schemes_that_tell_containment() -> None:
    assert tuple(name for name, entry in SCHEMES.items() if entry.scheme().contains) == CONTAINMENT_SCHEMES
