"""The terms of a text and their cosine, held to their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from oracle import canon
from oracle import terms as oracle

ALPHABETS = "abcdefghijklmnopqrstuvwxyzABCÉéèüÜßñÑçøØłŁæœþðđħıŋŧяЖλΩ書語 한ا\u0301\u030a'.,-5 \n"
FUNCTION_WORDS = sorted({word for words in oracle.stop_words().values() for word in words})
TEXTS = st.lists(
    st.one_of(
        st.text(alphabet=ALPHABETS, max_size=12),
        st.sampled_from(FUNCTION_WORDS),
        st.sampled_from(["Straße", "naïve", "DON'T", "l'été", "Øresund", "Łódź", "Ærø", "война", "文字", "7", "42"]),
    ),
    max_size=60,
).map(" ".join)


@given(TEXTS)
def test_terms_are_those_of_the_definition(text: str) -> None:
    assert [term.decode() for term in _native.terms(text.encode())] == oracle.terms(text)


@given(TEXTS)
def test_letters_are_counted_as_defined(text: str) -> None:
    counts = _native.letter_counts(text.encode()).tolist()
    assert {chr(97 + at): count for at, count in enumerate(counts) if count} == dict(oracle.letter_counts(text))


@given(st.binary(max_size=200))
def test_any_bytes_have_terms(data: bytes) -> None:
    terms = _native.terms(data)
    names, counts = _native.term_frequencies(data)
    assert len(names) == len(set(terms))
    assert counts.sum() == len(terms)
    assert names.tolist() == sorted(names.tolist())


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The cat sat on the mat; the dog didn't.", ["cat", "sat", "mat", "dog"]),
        ("I, a, X, y, 5, 55 and я", ["55"]),
        ("Die Katze saß auf der Matte, und der Hund war nicht da", ["katze", "sass", "matte", "hund"]),
        ("The war was won, men die", ["war", "men", "die"]),  # German function words are English nouns and verbs
        ("L'été, c'est la mer qu'on voit avec les yeux", ["mer", "voit", "yeux"]),
        ("Война и мир", ["воина", "мир"]),
        ("文 字", ["文", "字"]),
        ("cat dog, dog, dog", ["cat", "dog", "dog", "dog"]),  # one Danish word is not yet Danish
        ("min kat og din hund er her", ["kat", "hund"]),
    ],
)
def test_stop_words_are_of_the_text_s_language(text: str, terms: list[str]) -> None:
    assert [term.decode() for term in _native.terms(text.encode())] == terms


@pytest.mark.parametrize("way", [str, str.upper, str.title])
def test_case_accents_and_their_way_of_being_typed_do_not_count(way: type[str]) -> None:
    letters = _native.letter_counts(way("étude école ångström").encode())
    decomposed = _native.letter_counts(way("e\u0301tude e\u0301cole a\u030angström").encode())
    assert letters[ord("e") - 97] == 2
    assert letters[0] == 1
    np.testing.assert_array_equal(letters, decomposed)


def test_stop_words_are_written_as_terms_are() -> None:
    assert len(oracle.stop_words()) == 10
    for words in oracle.stop_words().values():
        assert len(words) > 100
        for word in words:
            assert canon.canonical(word, canon.DEFAULT | canon.ACCENTS) == word
            assert 1 < len(word.encode()) <= 16


def test_stop_words_are_unlike_enough_for_their_languages_to_be_told() -> None:
    lists = oracle.stop_words()
    for name, words in lists.items():
        for other, theirs in lists.items():
            assert name == other or len(words & theirs) < 0.6 * len(words)


def cosine(a: str, b: str, threads: int = 1) -> float:
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    return float(_native.cosines([a.encode(), b.encode()], *pair, threads=threads)[0])


@given(TEXTS, TEXTS)
def test_cosines_are_those_of_the_definition(a: str, b: str) -> None:
    if oracle.terms(a) and oracle.terms(b):
        assert cosine(a, b) == pytest.approx(oracle.cosine(a, b), abs=1e-12)
        assert 0.0 <= cosine(a, b) <= 1.0
        assert cosine(a, b) == cosine(b, a)
        assert cosine(a, a) == 1.0
    else:
        assert math.isnan(cosine(a, b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("cat dog", "the DOG, a cat!", 1.0),
        ("cat dog", "cat dog cat dog", 1.0),
        ("cat dog", "bird fish", 0.0),
        ("cat", "cat dog", math.sqrt(0.5)),
        ("cat cat cat dog", "cat dog dog dog", 0.6),
    ],
)
def test_cosine_by_hand(a: str, b: str, expected: float) -> None:
    assert cosine(a, b) == pytest.approx(expected, abs=1e-15)


def test_many_pairs_at_once_are_each_the_same_on_any_number_of_threads() -> None:
    texts = [f"word{i} word{i % 7} common thread{i % 3} " * (1 + i % 4) for i in range(60)]
    a, b = np.triu_indices(60, 1)
    first, second = a.astype(np.uint32), b.astype(np.uint32)
    encoded = [text.encode() for text in texts]
    one = _native.cosines(encoded, first, second, threads=1)
    np.testing.assert_array_equal(one, _native.cosines(encoded, first, second, threads=3))
    for at in range(0, len(a), 97):
        assert one[at] == pytest.approx(oracle.cosine(texts[a[at]], texts[b[at]]), abs=1e-12)


def test_a_pair_that_names_no_text_is_refused() -> None:
    with pytest.raises(IndexError):
        _native.cosines([b"cat"], np.array([0], np.uint32), np.array([1], np.uint32), threads=1)
