"""Fuzzy-fingerprints: the kernel held to Stein 2005 §3, and what a scheme says of itself."""

import hashlib
import random
from fractions import Fraction
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme, place, sign
from nearkin.scheme.fuzzy import BNC, BORDERS, NEVER, Fuzzy, format_reference, learn_reference, parse_reference
from oracle import fuzzy as oracle
from oracle import terms as oracle_terms

DEFAULT = "fuzzy:classes=18,intervals=3,variants=3"
VARIANT_SHIFT = 60
LETTERS = ascii_lowercase + "éÉàÅñçøłæœþðđß"


def fuzzy(spec: str) -> Fuzzy:
    scheme = parse_scheme(spec)
    assert isinstance(scheme, Fuzzy)
    return scheme


def letters_text(seed: int, size: int, letters: str) -> str:
    """Words that are no stop words, beginning with letters some of which are frequent."""
    dice = random.Random(seed)
    weights = [dice.random() ** 3 for _ in letters]
    return " ".join(first + "xqz" for first in dice.choices(letters, weights, k=size))


def oracle_features(text: str, spec: str) -> list[int]:
    scheme = fuzzy(spec)
    reference = {letter: Fraction(share) for letter, share in zip(ascii_lowercase, scheme.reference, strict=True)}
    borders = [[[Fraction(border, 1000) for border in mine] for mine in variant] for variant in scheme.borders]
    codes = oracle.codes(text, scheme.classes, reference, borders)
    return [variant << VARIANT_SHIFT | code for variant, code in enumerate(codes)]


SPECS = st.one_of(
    st.just(DEFAULT),
    st.builds(
        "fuzzy:classes={},intervals={},variants={}".format, st.integers(2, 26), st.integers(2, 3), st.integers(1, 4)
    ),
    st.just("fuzzy:classes=ab/cd/efg/stu/xyz"),
    st.builds(
        lambda shares: f"fuzzy:reference={'/'.join(f'{share / 100:.2f}' for share in shares)}",
        st.permutations([385] * 24 + [400, 360]),
    ),
)


@given(SPECS, st.integers(0, 1000), st.integers(0, 400), st.sampled_from(["abcst", ascii_lowercase, "éàzñøłя5"]))
def test_codes_are_those_of_the_definition(spec: str, seed: int, size: int, letters: str) -> None:
    text = letters_text(seed, size, letters)
    assert sign(text.encode(), fuzzy(spec)).features.tolist() == oracle_features(text, spec)


@given(st.lists(st.sampled_from(ascii_lowercase), min_size=50, max_size=80))
def test_deviations_on_a_border_belong_above_it(letters: list[str]) -> None:
    # A reference of whole numbers, so that shares often lie exactly on a border.
    spec = "fuzzy:classes=a/b/cdefghijklm/nopqrstuvwxyz,intervals=3,variants=2,reference=" + "/".join(
        ["10.00", "10.00"] + ["5.00"] * 16 + ["0.00"] * 8
    )
    text = " ".join(letter + "xqz" for letter in letters)
    assert sign(text.encode(), fuzzy(spec)).features.tolist() == oracle_features(text, spec)


def test_a_short_text_has_no_fingerprint() -> None:
    text = letters_text(1, 49, ascii_lowercase)
    assert len(sign(text.encode(), fuzzy(DEFAULT))) == 0
    assert len(sign(f"{text} the and of to is".encode(), fuzzy(DEFAULT))) == 0  # stop words do not count
    assert len(sign(f"{text} sesame".encode(), fuzzy(DEFAULT))) == 3


@pytest.mark.parametrize("word", ["слово", "λόγος", "文字列", "كلمة", "שלום", "คำ", "12345"])
def test_text_without_latin_letters_has_no_fingerprint(word: str) -> None:
    assert len(sign(" ".join([word] * 500).encode(), fuzzy(DEFAULT))) == 0
    assert place(" ".join([word] * 500).encode(), fuzzy(DEFAULT)) == []


def test_text_of_classes_left_out_has_no_fingerprint() -> None:
    assert len(sign(letters_text(3, 500, "wuvyjqzx").encode(), fuzzy(DEFAULT))) == 0
    assert len(sign(letters_text(3, 500, "wuvyjqzx").encode(), fuzzy("fuzzy:classes=26"))) == 3


def test_accents_count_as_their_letters() -> None:
    plain = letters_text(5, 200, "aeiouncst")
    accented = plain.translate(str.maketrans("aeiounc", "àéîøüñç"))
    assert (
        sign(accented.encode(), fuzzy(DEFAULT)).features.tolist()
        == sign(plain.encode(), fuzzy(DEFAULT)).features.tolist()
    )


def test_order_does_not_count() -> None:
    words = letters_text(7, 300, ascii_lowercase).split()
    turned = " ".join(reversed(words))
    assert (
        sign(turned.encode(), fuzzy(DEFAULT)).features.tolist()
        == sign(" ".join(words).encode(), fuzzy(DEFAULT)).features.tolist()
    )


def test_a_text_much_as_another_shares_a_code_and_one_of_other_letters_does_not() -> None:
    words = letters_text(11, 600, ascii_lowercase).split()
    edited = [*words[:-12], *["sxqz"] * 12]
    scheme = fuzzy(DEFAULT)
    one, two, other = (
        set(sign(" ".join(some).encode(), scheme).features.tolist())
        for some in (words, edited, letters_text(12, 600, ascii_lowercase).split())
    )
    assert one & two
    assert not one & other


def test_stein_s_classes_are_the_default() -> None:
    assert "".join(fuzzy(DEFAULT).classes) == "abcdefghiklmnoprst"  # Table 1: without j q u v w x y z
    assert "".join(fuzzy("fuzzy:classes=26").classes) == ascii_lowercase


def test_every_class_is_looked_at_closely_by_one_variant() -> None:
    scheme = fuzzy(DEFAULT)
    assert sorted(scheme.variant_of) == [0] * 6 + [1] * 6 + [2] * 6
    for classes, (near, _) in enumerate(BORDERS[3, 3]):
        assert [tuple(mine) for mine in scheme.borders[classes]].count(near) == 6


def test_borders_ascend_and_every_spec_has_some() -> None:
    assert sorted(BORDERS) == [(intervals, variants) for intervals in (2, 3) for variants in (1, 2, 3, 4)]
    for (intervals, variants), chosen in BORDERS.items():
        assert len(chosen) == variants
        for near, far in chosen:
            assert len(near) == intervals - 1
            assert list(near) == sorted(set(near))
            assert -1000 < near[0] <= NEVER
            assert 0 < far <= NEVER


def test_codes_of_the_largest_scheme_leave_room_for_the_variant() -> None:
    assert 3 ** len(ascii_lowercase) < 1 << VARIANT_SHIFT


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("fuzzy", DEFAULT),
        ("fuzzy:reference=bnc,variants=3", DEFAULT),
        (f"fuzzy:reference={BNC}", DEFAULT),
        ("fuzzy:classes=a/b/c/d/e/f/g/h/i/k/l/m/n/o/p/r/s/t", DEFAULT),
        ("fuzzy:classes=z y x/b/a", "fuzzy:classes=a/b/xyz,intervals=3,variants=3"),
        ("fuzzy:classes=c/s,intervals=2", "fuzzy:classes=2,intervals=2,variants=3"),
    ],
)
def test_a_spec_of_classes_comes_out_the_same_however_it_was_typed(typed: str, stored: str) -> None:
    assert parse_scheme(typed).spec == stored
    assert parse_scheme(stored) == parse_scheme(typed)


SENTENCE = "must be a number from 2 to 26, or two or more groups of letters as a/b/xyz, each letter once."


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("fuzzy:n=3", "Scheme fuzzy has no key 'n'; it knows: classes, intervals, variants, reference."),
        ("fuzzy:classes=27", "classes=27 of scheme fuzzy is out of range: 2 to 26."),
        ("fuzzy:classes=abc", f"classes=abc of scheme fuzzy {SENTENCE}"),
        ("fuzzy:classes=a/a", f"classes=a/a of scheme fuzzy {SENTENCE}"),
        ("fuzzy:classes=a//b", f"classes=a//b of scheme fuzzy {SENTENCE}"),
        ("fuzzy:classes=a/é", f"classes=a/é of scheme fuzzy {SENTENCE}"),
        ("fuzzy:classes=A/B", f"classes=A/B of scheme fuzzy {SENTENCE}"),
        ("fuzzy:intervals=4", "intervals=4 of scheme fuzzy is out of range: 2 to 3."),
        ("fuzzy:variants=5", "variants=5 of scheme fuzzy is out of range: 1 to 4."),
        ("fuzzy:reference=brown", "reference of scheme fuzzy must be bnc, or 26 per cents as 6.77/4.41/… that add up"),
        ("fuzzy:reference=" + "/".join(["1.00"] * 26), "reference of scheme fuzzy must be bnc, or 26 per cents"),
        ("fuzzy:reference=" + "/".join(["4.00"] * 25), "reference of scheme fuzzy must be bnc, or 26 per cents"),
        (
            "fuzzy:reference=" + "/".join(["0", "4", *["4.00"] * 24]),
            "The reference of scheme fuzzy has no share for class a; leave it out.",
        ),
    ],
)
def test_wrong_fuzzy_specs_are_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_scheme(spec)
    assert str(refused.value).startswith(sentence)


def test_a_reference_is_learnt_from_texts() -> None:
    texts = [b"apple avocado banana", b"apple apple " * 500, "слово".encode(), b""]
    shares = learn_reference(texts)
    assert shares[:3] == (8333, 1667, 1)  # texts weigh alike, however long; letters never met get the least
    assert set(shares[2:]) == {1}
    spec = f"fuzzy:reference={format_reference(shares)}"
    assert fuzzy(spec).reference == shares
    assert fuzzy(fuzzy(spec).spec) == fuzzy(spec)


def test_nothing_can_be_learnt_from_texts_without_latin_words() -> None:
    with pytest.raises(UsageError, match=r"^There are no words in Latin letters to learn a reference from\.$"):
        learn_reference(["слово".encode()])


def test_the_bnc_reference_adds_up() -> None:
    shares = parse_reference(BNC)
    assert abs(sum(shares) - 10_000) <= 5
    assert shares[ord("s") - 97] == 1107
    assert shares[ord("x") - 97] == 1


def frozen_words() -> list[str]:
    """Texts of every language's stop words, accents and letters that do not decompose, made by no other code."""
    texts = []
    for size in (40, 60, 200, 1000):
        for name, words in oracle_terms.stop_words().items():
            noise = hashlib.shake_128(f"{name} {size}".encode()).digest(3 * size)
            common = sorted(words)
            texts.append(
                " ".join(
                    common[noise[at] % len(common)]
                    if noise[at] % 3
                    else f"{LETTERS[noise[at + 1] % 40]}{noise[at + 2]}"
                    for at in range(0, 3 * size, 3)
                )
            )
    return texts


def test_codes_of_words_never_change() -> None:
    """Stop words, letters, reference and borders are part of the format: see test_spec.py."""
    digest = hashlib.blake2b(digest_size=16)
    for text in frozen_words():
        for intervals, variants in BORDERS:
            features = sign(text.encode(), fuzzy(f"fuzzy:intervals={intervals},variants={variants}")).features
            digest.update(len(features).to_bytes(8, "little") + features.astype("<u8").tobytes())
    assert digest.hexdigest() == "b98354d3e47fc1358a4cbde9257615e9"
