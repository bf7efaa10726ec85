"""nearkin.match, as INTERFACE promises it: of anything that is texts."""

import random
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearkin
from nearkin.errors import UsageError
from nearkin.settings import DEFAULT_SCHEME
from similar_texts import MATCH_COLUMNS, WINDOW, few_texts, shingles

ODD = ["", " ", "\ufeffone", "caf\u00e9 ", "\U0001f600"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return few_texts()


@pytest.mark.parametrize("scheme", ["exact:window=20", "mod:window=20,sample=200,most=64", "mod:window=20,n=10"])
def test_match_finds_the_pairs_of_the_definition(texts: list[str], scheme: str) -> None:
    found = nearkin.match(texts, scheme=scheme)
    assert found.column_names == MATCH_COLUMNS
    rows = {(row["a"], row["b"]): row for row in found.to_pylist()}
    expected = {}
    for a, b in combinations([at for at, text in enumerate(texts) if len(text) > WINDOW], 2):
        one, other = shingles(texts[a]), shingles(texts[b])
        common = len(one & other)
        measures = (common / len(one | other), common / len(one), common / len(other))
        if measures[0] >= 0.7 or max(measures) >= 0.9:
            expected[a, b] = measures
    assert expected.keys() == rows.keys()
    assert (0, 2) in rows
    assert (3, 4) in rows
    for pair, measures in expected.items():
        row = rows[pair]
        assert (row["resemblance"], row["a_in_b"], row["b_in_a"]) == pytest.approx(measures)
        assert row["exact"]
        assert row["low"] is row["high"] is None
    strengths = found["resemblance"].to_pylist()
    assert strengths == sorted(strengths, reverse=True)


def test_texts_that_say_the_same_over_and_over_are_found() -> None:
    """Logs of three lines have few distinct shingles: of a sample by their length nothing may be left."""
    dice = random.Random(5)
    texts = []
    for number in range(30):
        lines = [f"pump {number} {''.join(dice.choices('abcdefgh', k=12))} is running\n" for _ in range(3)]
        times = dice.randrange(50, 400)
        texts += [dice.choice(lines).join([*lines, ""]) + "".join(lines) * many for many in (times, times + 1)]
    found, exact = (nearkin.match(texts, scheme=scheme) for scheme in (DEFAULT_SCHEME, "exact:window=20"))
    assert exact.num_rows >= 30
    assert found.to_pylist() == exact.to_pylist()


def test_match_names_texts_by_their_keys(texts: list[str]) -> None:
    named = nearkin.match({f"text {at}": text for at, text in enumerate(texts)})
    numbered = nearkin.match(iter(texts))
    assert named["a"].to_pylist() == [f"text {at}" for at in numbered["a"].to_pylist()]
    assert named["b"].to_pylist() == [f"text {at}" for at in numbered["b"].to_pylist()]
    assert nearkin.match({"caf\udce9": texts[0], "b": texts[0]})["a"].to_pylist() == ["caf\\xe9"]


def test_copies_may_be_named_once(texts: list[str]) -> None:
    pairs = nearkin.match(texts, all_copies=False)
    assert {(row["a"], row["b"]) for row in pairs.to_pylist()} == {(0, 2), (0, 1), (3, 4)}


def test_match_takes_anything_iterable(texts: list[str]) -> None:
    wanted = nearkin.match(texts)
    assert len(wanted) > 0
    for some in (tuple(texts), iter(texts), (text for text in texts), dict(enumerate(texts)), map(str.encode, texts)):
        assert nearkin.match(some).equals(wanted)
    assert len(nearkin.match(iter(()))) == 0


class Foreign:
    """Of another library, that speaks Arrow's protocol; gone through it would give no texts."""

    def __init__(self, held: pa.ChunkedArray | pa.Table) -> None:
        self._held = held

    def __arrow_c_stream__(self, schema: object = None) -> object:
        return self._held.__arrow_c_stream__(schema)

    def __iter__(self) -> Iterator[str]:
        return iter(("names", "of", "columns"))


class ForeignArray:
    def __init__(self, held: pa.Array) -> None:
        self._held = held

    def __arrow_c_array__(self, schema: object = None) -> object:
        return self._held.__arrow_c_array__(schema)


def test_match_takes_columns_of_arrow(texts: list[str]) -> None:
    wanted = nearkin.match(texts)
    column = pa.array(texts)
    several = pa.chunked_array([texts[:1], [], texts[1:]], pa.string())
    table = pa.table({"text": several})
    kinds = [pa.large_string(), pa.binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    for some in (
        *(column, several, table, table["text"], table.to_reader(), table.to_batches()[0].slice(0, 0), list(column)),
        *(column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind) for kind in kinds),
        *(Foreign(several), Foreign(table), ForeignArray(column), dict(enumerate(column)), np.array(texts)),
    ):
        found = nearkin.match(some)
        assert len(found) == 0 if isinstance(some, pa.RecordBatch) else found.equals(wanted), type(some)
    assert nearkin.learn_reference(column) == nearkin.learn_reference(texts)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(ODD + few_texts()), max_size=8), st.data())
def test_columns_are_read_as_lists_are(texts: list[str], data: st.DataObject) -> None:
    """Wherever a column is cut, and however many of its texts are signed at once."""
    several = [pa.array(["before", *texts[:cut], "after"]).slice(1, cut) for cut in (len(texts), len(texts) // 2)]
    raw = data.draw(st.booleans(), label="raw")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nearkin.engine.texts.AT_ONCE", data.draw(st.integers(1, 3), label="at once"))
        patch.setattr("nearkin.engine.texts.BYTES_AT_ONCE", data.draw(st.integers(1, 5000), label="bytes at once"))
        found = nearkin.match(pa.chunked_array(several, pa.string()), raw=raw, threshold=0.1)
    assert found.equals(nearkin.match(texts + texts[: len(texts) // 2], raw=raw, threshold=0.1))


def test_what_is_no_texts_is_refused_with_its_place(texts: list[str]) -> None:
    table = pa.table({"id": [1, 2], "text": texts[:2]})
    for some, said in (
        (None, "match takes a list, a dict or an iterable of texts, not None"),
        (7, "not int"),
        (bytearray(b"one"), "not one text"),
        (table, r"takes one column of a table, as table\['text'\]; this one has: id, text"),
        (table.to_reader(), "this one has: id, text"),
        (Foreign(table), "this one has: id, text"),
        (pa.array(["a", None]), "the one at 1 is None"),
        (["a", "b", None], "the one at 2 is None"),
        ({"x": "a", "y": 3.5}, "the one at 'y' is float"),
        (pa.array([1, 2]), "the one at 0 is int"),
        (pa.array([b"a", b"b\xff"]).view(pa.string()), "is UTF-8; the one at 1 is not"),
    ):
        with pytest.raises(UsageError, match=said):
            nearkin.match(some)  # type: ignore[arg-type]


def test_match_holds_no_more_of_a_generator_than_it_needs() -> None:
    class Told(str):
        alive = most = 0

        def __new__(cls, text: str) -> "Told":
            cls.alive += 1
            cls.most = max(cls.most, cls.alive)
            return super().__new__(cls, text)

        def __del__(self) -> None:
            type(self).alive -= 1

    nearkin.match(Told(f"{i % 7} some text that is long enough to be told from others") for i in range(2000))
    assert Told.most <= 10


def test_match_refuses_what_it_cannot_do(texts: list[str]) -> None:
    with pytest.raises(UsageError):
        nearkin.match("one text")
    with pytest.raises(UsageError):
        nearkin.match(texts, threshold=1.5)
    with pytest.raises(UsageError):
        nearkin.match(texts, scheme="nonsense:n=1")
    with pytest.raises(UsageError):
        nearkin.match([None])  # type: ignore[list-item]


@pytest.mark.parametrize("copies", [2, 3, 5])
def test_pairs_of_equal_texts(copies: int) -> None:
    every = nearkin.match(["the same short text"] * copies)
    pairs = list(zip(every["a"].to_pylist(), every["b"].to_pylist(), strict=True))
    assert pairs == [(a, b) for a in range(copies) for b in range(a + 1, copies)]
    once = nearkin.match(["the same short text"] * copies, all_copies=False)
    assert once["a"].to_pylist() == [0] * (copies - 1)
    assert once["b"].to_pylist() == [*range(1, copies)]


def test_many_equal_texts_named_once() -> None:
    """All their pairs would be five billion."""
    assert nearkin.match(["the same short text"] * 100_000, all_copies=False).num_rows == 99_999


def test_names_beyond_64_bits_are_told_as_text() -> None:
    assert nearkin.match({1 << 70: "a text", 2: "a text"})["b"].to_pylist() == ["2"]


def test_what_equal_texts_share_is_known_whatever_the_scheme(texts: list[str]) -> None:
    found = nearkin.match([*texts, texts[0]], scheme="fuzzy", threshold=0.5).to_pylist()
    assert {one["shared_bytes"] is None for one in found} == {True, False}
    assert all((one["shared_bytes"] is None) == (one["resemblance"] < 1) for one in found)


def test_families_below_the_limits_of_match_say_that_they_are_partial(texts: list[str]) -> None:
    found = nearkin.match(texts, threshold=0.8)
    for view in ("chain", "pivot", "clique"):
        told = nearkin.families(found, threshold=0.6, view=view).schema.metadata[b"nearkin.partial"]
        assert told == (
            b"Incomplete below a threshold of 0.8: no pairs were listed there. Match again with threshold=0.6."
        )
    below = nearkin.families(found, threshold=0.8, containment=0.5)
    assert b"below a containment of 0.9" in below.schema.metadata[b"nearkin.partial"]
    for threshold in (0.8, 0.9):
        assert not nearkin.families(found, threshold=threshold).schema.metadata
    assert not nearkin.families(found.replace_schema_metadata(None), threshold=0.6).schema.metadata
    of_words = nearkin.match(texts, threshold=0.8, scheme="fuzzy")
    assert b"threshold" in nearkin.families(of_words, threshold=0.6).schema.metadata[b"nearkin.partial"]


def test_names_that_would_be_written_alike_are_refused() -> None:
    with pytest.raises(UsageError, match="both written '1'"):
        nearkin.match({1: "one text", "1": "another"})
    assert nearkin.match({1: "one text", "2": "one text"}).to_pylist()[0]["b"] == "2"
