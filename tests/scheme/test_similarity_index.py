"""The Similarity Index against the paper's words, method by method, and what its range means."""

import hashlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme, place, sign
from nearkin.scheme.similarity_index import LARGEST, SMALLEST, SimilarityIndex, range_of
from oracle import similarity_index as oracle
from oracle.prose import prose
from oracle.soundex import soundex

GETTYSBURG = (
    b"Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty,"
    b" and dedicated to the proposition that all men are created equal."
)


def number_of(text: bytes, spec: str) -> int | None:
    signature = sign(text, parse_scheme(spec))
    assert signature.modulus == 1
    assert signature.weights.tolist() == [1] * len(signature)
    assert len(signature) <= 1
    numbers = signature.features.astype("i8").tolist()
    return numbers[0] if numbers else None


def by_hand(text: bytes, spec: str) -> int | None:
    scheme = parse_scheme(spec)
    assert isinstance(scheme, SimilarityIndex)
    index = oracle.Index(scheme.method, scheme.stream, scheme.variation, scheme.k, scheme.w, scheme.seed)
    # The native fingerprint; test_rabin holds it against polynomial division.
    return oracle.similarity_index(text, index, lambda word: soundex(word) or None, _native.fingerprint)


# Java prints these: "".hashCode() and so on.
@pytest.mark.parametrize(
    ("word", "hashed"),
    [
        ("a", 97),
        ("hello", 99162322),
        ("hello world", 1794106052),
        ("polygenelubricants", -(2**31)),
        ("é", 233),
        ("😀", 1772899),
    ],
)
def test_fingerprints_are_javas(word: str, hashed: int) -> None:
    assert oracle.java_hash(word) == hashed
    if " " not in word:
        assert number_of(word.encode(), "si:method=1,stream=char,variation=A,k=40") == hashed
    assert number_of(word.encode(), "si:method=1,stream=word,variation=A,k=2") == hashed


def test_the_papers_k_grams_of_characters_and_words() -> None:
    # §3.1.1: four ours ursc rsco scor …, and four words joined by spaces.
    letters = "fourscoreandsevenyearsago"
    expected = sum(oracle.java_hash(letters[at : at + 4]) for at in range(len(letters) - 3))
    assert number_of(GETTYSBURG[:31], "si:method=1,stream=char,variation=A,k=4") == expected
    words = ["four score and seven", "score and seven years", "and seven years ago", "seven years ago our"]
    expected = sum(map(oracle.java_hash, words))
    assert number_of(GETTYSBURG[:35], "si:method=1,stream=word,variation=A,k=4") == expected


def test_variations_leave_out_what_tables_3_and_4_say() -> None:
    text = b"The Cat and the cat"

    def whole(stream: str, variation: str) -> int | None:
        return number_of(text, f"si:method=1,stream={stream},variation={variation},k=100")

    expected = {
        "char": ["thecatandthecat", "catcat", "thctndthct", "ctct"],
        "word": ["the cat and the cat", "cat cat", "the cat and", "cat"],
        "soundex": ["T000 C300 A530 T000 C300", "C300 C300", "T000 C300 A530", "C300"],
    }
    for stream, left in expected.items():
        assert [whole(stream, variation) for variation in "ABCD"] == [oracle.java_hash(one) for one in left]


def specs() -> st.SearchStrategy[str]:
    def spec(method: int, stream: str, variation: str, k: int, w: int, seed: int) -> str:
        stream = "word" if method == 13 and stream == "char" else stream
        used = f"si:method={method},stream={stream},variation={variation}"
        used += "" if method == 13 else f",k={max(k, 2) if method == 14 else k}"
        used += f",w={w}" if method in (5, 6) else ""
        return used + (f",seed={seed}" if method in (11, 12) and seed else "")

    return st.builds(
        spec,
        st.integers(1, 14),
        st.sampled_from(["char", "word", "soundex"]),
        st.sampled_from("ABCD"),
        st.integers(1, 50),
        st.integers(1, 120),
        st.integers(0, 3),
    )


WORDS = st.sampled_from(
    [b"the", b"and", b"Anna", b"pump", b"aeiou", b"1999", "été".encode(), "日本".encode(), b"\xff\xfe"]
)
TEXTS = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=100).map(str.encode),
    st.lists(WORDS, max_size=80).map(b" ".join),
    st.builds(prose, st.integers(0, 50), st.integers(0, 3000)),
)


@settings(max_examples=400, deadline=None)
@given(TEXTS, specs())
@example(b"the and of", "si:method=3,stream=soundex,variation=B,k=40")
def test_numbers_are_the_papers(text: bytes, spec: str) -> None:
    assert number_of(text, spec) == by_hand(text, spec)


@pytest.mark.parametrize("method", range(1, 15))
@pytest.mark.parametrize("stream", ["char", "word", "soundex"])
def test_numbers_of_longer_texts_are_the_papers(method: int, stream: str) -> None:
    if method == 13 and stream == "char":
        return
    text = prose(method, 200 if method == 14 else 9000) + " Überall日本 ".encode() + prose(1, 200)
    spec = f"si:method={method},stream={stream},variation=B" + ("" if method == 13 else ",k=16")
    number = number_of(text, spec)
    assert number is not None
    assert number == by_hand(text, spec)


@pytest.mark.parametrize("text", [b"", b"   ", b"the and of", b"12 34"])
def test_an_empty_sketch_has_no_number(text: bytes) -> None:
    for method in range(1, 15):
        spec = f"si:method={method},stream=soundex,variation=B"
        assert number_of(text, spec) is None
        assert place(text, parse_scheme(spec)) == []


def test_a_text_none_of_whose_fingerprints_is_kept_has_no_number() -> None:
    assert number_of(b"hello", "si:tracking=3A") is None  # 99162322 is not divisible by 25
    assert number_of(b"hello", "si:tracking=1A") == 99162322


def test_a_super_shingle_that_would_take_too_long_has_no_number() -> None:
    # n² / 2(k - 1) over 2^27: 100,000 characters at k = 4 are 1.7 thousand million hashes.
    assert number_of(prose(1, 100_000), "si:method=14,stream=char,k=4,variation=A") is None
    assert number_of(prose(1, 2_000), "si:method=14,stream=char,k=4,variation=A") is not None


def test_placed_is_the_number_itself() -> None:
    spec = "si:tracking=41A"
    assert place(GETTYSBURG, parse_scheme(spec)) == [(1, (number_of(GETTYSBURG, spec) or 0) % 2**64, 0)]


# As tests/scheme/test_spec.py freezes the example, over texts of words: all methods, streams and variations. A store
# keeps numbers only and compares those of new documents with them; if this fails, raise scheme.FORMAT.


def test_numbers_never_change() -> None:
    digest = hashlib.blake2b(digest_size=16)
    texts = [prose(1, 3000), prose(2, 200), b"The end.", "Überall 日本".encode()]
    for method in range(1, 15):
        for stream in ("word", "soundex") if method == 13 else ("char", "word", "soundex"):
            for variation in "ABCD":
                spec = f"si:method={method},stream={stream},variation={variation}" + ("" if method == 13 else ",k=8")
                digest.update(repr([number_of(text, spec) for text in texts]).encode())
    assert digest.hexdigest() == "76dfcb009fe9b369745a86b7dfbaf6b1"


# Specs.


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("si", "si:method=3,stream=soundex,variation=B,k=40"),
        ("si:tracking=43", "si:method=3,stream=soundex,variation=B,k=40"),
        ("si:tracking=43B,k=4", "si:method=3,stream=soundex,variation=B,k=4"),
        ("si:tracking=47C", "si:method=7,stream=soundex,variation=C,k=40"),
        ("si:tracking=21,variation=A", "si:method=1,stream=word,variation=A,k=40"),
        ("si:tracking=3", "si:method=3,stream=char,variation=B,k=40"),
        ("si:tracking=34", "si:method=14,stream=word,variation=B,k=40"),
        ("si:tracking=33", "si:method=13,stream=word,variation=B"),
        ("si:method=5", "si:method=5,stream=soundex,variation=B,k=40,w=100"),
        ("si:method=6,w=5,k=4", "si:method=6,stream=soundex,variation=B,k=4,w=5"),
        ("si:method=11", "si:method=11,stream=soundex,variation=B,k=40"),
        ("si:method=11,seed=7", "si:method=11,stream=soundex,variation=B,k=40,seed=7"),
    ],
)
def test_specs_and_tracking_numbers(typed: str, stored: str) -> None:
    assert parse_scheme(typed).spec == stored
    assert parse_scheme(stored) == parse_scheme(typed)


@given(specs())
def test_every_spec_is_stable(spec: str) -> None:
    assert parse_scheme(spec).spec == spec


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("si:method=13,stream=char", "Method 13 of scheme si counts words, so it needs stream=word or stream=soundex."),
        ("si:tracking=13", "Method 13 of scheme si counts words, so it needs stream=word or stream=soundex."),
        ("si:method=15", "method=15 of scheme si is out of range: 1 to 14."),
        ("si:method=0", "method=0 of scheme si is out of range: 1 to 14."),
        ("si:stream=line", "stream=line of scheme si is unknown; known are: char, word, soundex."),
        ("si:variation=E", "variation=E of scheme si is unknown; known are: A, B, C, D."),
        ("si:tracking=15", "tracking=15 of scheme si is none of Table 2: 1 to 14, 21 to 34, 41 to 54, as 43B."),
        ("si:tracking=20", "tracking=20 of scheme si is none of Table 2"),
        ("si:tracking=60", "tracking=60 of scheme si is none of Table 2"),
        ("si:tracking=61", "tracking=61 of scheme si is none of Table 2"),
        ("si:tracking=43E", "tracking=43E of scheme si is none of Table 2"),
        ("si:tracking=٤٣", "tracking=٤٣ of scheme si is none of Table 2"),
        ("si:tracking=43,method=3", "Scheme si takes either tracking=43 or method, not both."),
        ("si:tracking=43,stream=word", "Scheme si takes either tracking=43 or stream, not both."),
        ("si:tracking=43B,variation=B", "Scheme si takes either tracking=43B or variation, not both."),
        ("si:w=100", "w of scheme si has no use here: only methods 5 and 6 winnow."),
        ("si:method=13,k=4", "k of scheme si has no use here: method 13 makes no k-grams."),
        ("si:seed=1", "seed of scheme si has no use here: only methods 11 and 12 draw at random."),
        ("si:method=14,k=1", "k=1 of scheme si is out of range: 2 to 4096."),
        ("si:k=0", "k=0 of scheme si is out of range: 1 to 4096."),
        ("si:window=20", "Scheme si has no key 'window'; it knows: method, stream, variation, k, w, seed, tracking."),
    ],
)
def test_combinations_there_are_none_of_are_refused(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_scheme(spec)
    assert str(refused.value).startswith(sentence)
    assert str(refused.value).endswith(".")


# The range.

NUMBERS = st.one_of(st.integers(-50, 50), st.integers(SMALLEST, LARGEST))


@settings(max_examples=500)
@given(NUMBERS, NUMBERS)
@example(0, 0)
@example(10, 7)
@example(10, 13)
@example(-10, -8)
@example(SMALLEST, SMALLEST)
@example(LARGEST, LARGEST)
def test_the_range_holds_what_is_similar(one: int, other: int) -> None:
    low, high = range_of(one)
    assert low <= one <= high
    assert (low <= other <= high) == oracle.similar(one, other)
    for edge in (low, high):
        assert oracle.similar(one, edge)
    assert low == SMALLEST or not oracle.similar(one, low - 1)
    assert high == LARGEST or not oracle.similar(one, high + 1)


def test_the_relation_is_not_symmetric() -> None:
    assert oracle.similar(100, 75)
    assert not oracle.similar(75, 100)
    assert range_of(100) == (71, 129)
    assert range_of(-100) == (-129, -71)
    assert range_of(1) == (1, 1)
    assert range_of(0) == (0, 0)
