"""The examples and theorems of Broder 1997 §2 and §3, through the Python surface."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkin
from oracle import units

A = "a rose is a rose is a rose"
B = "a rose is a flower which is a rose"


@pytest.mark.parametrize(("window", "labelled", "plain"), [(1, 7 / 10, 3 / 5), (2, 5 / 10, 3 / 6), (3, 3 / 10, 3 / 7)])
def test_a_rose(window: int, labelled: float, plain: float) -> None:
    assert nearkin.resemblance(A, B, f"exact:window={window},unit=word,label=yes") == labelled
    assert nearkin.resemblance(A, B, f"exact:window={window},unit=word") == plain


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=14).map(" ".join)
KINDS = st.tuples(st.sampled_from(["word", "char", "byte", "line", "soundex"]), st.booleans(), st.integers(1, 4))


@given(WORDS, WORDS, WORDS, KINDS)
def test_distance_is_a_metric_for_every_unit_and_option(a: str, b: str, c: str, kind: tuple[str, bool, int]) -> None:
    unit, label, window = kind
    spec = f"exact:window={window},unit={unit},label={'yes' if label else 'no'}"

    def distance(x: str, y: str) -> float:
        found = nearkin.resemblance(x, y, spec)
        assert found is not None
        first, second = (units.shingle_set(text.encode(), unit, window, label=label) for text in (x, y))
        assert found == len(first & second) / len(first | second)
        return 1.0 - found

    assert distance(a, a) == 0.0
    assert distance(a, b) == distance(b, a)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@pytest.mark.parametrize("label", ["yes", "no"])
def test_other_words_with_the_same_shingles(label: str) -> None:
    # §2: (a, c, a, b, a) resembles (a, b, a, c, a) 100 % for size 2, under option A too.
    assert nearkin.resemblance("a c a b a", "a b a c a", f"exact:window=2,unit=word,label={label}") == 1.0
    assert nearkin.resemblance("a c a b a", "a b a c a", f"exact:window=3,unit=word,label={label}") == 0.5


@given(WORDS, WORDS, WORDS, st.integers(1, 4), st.sampled_from(["yes", "no"]))
def test_what_stands_in_a_text_in_one_piece_is_contained(
    before: str, text: str, after: str, window: int, label: str
) -> None:
    spec = f"exact:window={window},unit=word,label={label}"
    if len(text.split()) >= window:
        assert nearkin.containment(text, f"{before} {text} {after}", spec) == 1.0


def test_lines_are_compared_as_lines() -> None:
    poem = "Roses are red,\nViolets are blue;\n\nSugar is sweet\r\nAnd so are you."
    other = "roses are red\nviolets are blue\nsugar is sweet\nand so is honey"
    assert nearkin.resemblance(poem, other, "exact:window=1,unit=line") == 3 / 5
    assert nearkin.resemblance(poem, poem.upper(), "exact:window=2,unit=line") == 1.0
    assert nearkin.resemblance("one two", "one\ntwo", "exact:window=1,unit=line") == 0.0
    assert nearkin.resemblance("a\nb\nc", "a\r\nb\r\nc", "exact:window=1,unit=line", raw=True) == 1.0


def test_words_that_sound_alike() -> None:
    assert nearkin.resemblance("Robert met Ashcraft", "rupert met ashcroft", "exact:window=2,unit=soundex") == 1.0
    assert nearkin.resemblance("слово", "слава", "exact:window=2,unit=soundex") is None, "no code, no shingle"


@pytest.mark.parametrize("scheme", ["min", "min:n=5,mod=2"])
def test_containment_is_refused(scheme: str) -> None:
    sentence = r"^Scheme min does not tell containment; those that do are: exact, mod, .*tttd.*\.$"
    for ask in (
        lambda: nearkin.containment(A, B, scheme),
        lambda: nearkin.match([A, B], scheme=scheme, containment=0.9),
        lambda: nearkin.containment(A, A, scheme),
    ):
        with pytest.raises(nearkin.UsageError, match=sentence):
            ask()
    assert nearkin.match([A, B], scheme=scheme, threshold=0.1).num_rows <= 1
