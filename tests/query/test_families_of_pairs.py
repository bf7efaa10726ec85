"""Families of pairs that stand alone."""

import tracemalloc

import pyarrow as pa
import pytest

import nearkin
from nearkin.errors import UsageError
from similar_texts import few_texts, prose


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return few_texts()


def test_families_of_pairs(texts: list[str]) -> None:
    families = nearkin.families(nearkin.match(texts), threshold=0.8).to_pylist()
    members = [{document["path"] for document in family["documents"]} for family in families]
    assert members == [{0, 1, 2}, {3, 4}]
    assert [family["kind"] for family in families] == ["pair", "contains"]
    assert families[0]["weakest"]["resemblance"] == families[0]["mean_resemblance"]
    assert [d["role"] for d in families[1]["documents"]] == ["member", "part"]
    assert families[1]["id"] == 4
    copies = nearkin.families(nearkin.match([texts[0]] * 3)).to_pylist()
    assert [(family["kind"], len(family["documents"])) for family in copies] == [("identical", 3)]
    with pytest.raises(UsageError, match="known are: chain, pivot, clique, greedy"):
        nearkin.families(nearkin.match(texts), view="circle")
    with pytest.raises(UsageError, match=r"use: Store.families\(view='greedy'\)"):
        nearkin.families(nearkin.match(texts), view="greedy")


def test_families_take_in_all_that_match_found() -> None:
    text = prose(1)
    changed = text[: len(text) * 6 // 7] + prose(2)[: len(text) // 7]
    pairs = nearkin.match([text, changed])
    assert 0.7 <= pairs["resemblance"][0].as_py() < 0.8
    assert nearkin.families(pairs).num_rows == 1


def test_families_refuse_what_is_no_table_of_pairs() -> None:
    pairs = nearkin.match(["a text", "a text"])
    for wrong, words in (({"a": [1]}, "not dict"), (pairs.drop_columns(["exact"]), "no column 'exact'")):
        with pytest.raises(UsageError, match=f"the table that match gives.*{words}"):
            nearkin.families(wrong)


def test_families_of_very_many_pairs_are_made_of_columns() -> None:
    """As Python's objects half a million pairs took 300 MB."""
    pairs = nearkin.match([prose(1)] * 1000)
    assert pairs.num_rows == 499_500
    nearkin.families(pairs.slice(0, 1))  # what is imported is no matter of pairs
    tracemalloc.start()
    try:
        found = nearkin.families(pairs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [len(family["documents"]) for family in found.to_pylist()] == [1000]
    assert peak < 120e6


def test_families_of_pairs_that_were_elsewhere_meanwhile(texts: list[str]) -> None:
    pairs = nearkin.match({f"text {row}": text for row, text in enumerate(texts)})
    found = nearkin.families(pairs).to_pylist()
    wide = pairs.set_column(0, "a", pairs["a"].cast(pa.large_string()))
    halves = pa.concat_tables([pairs.slice(2), pairs.slice(0, 2)])
    again = pa.Table.from_pylist(pairs.to_pylist())
    encoded = pairs.set_column(1, "b", pairs["b"].dictionary_encode())
    for same in (wide, halves, again, encoded):
        assert nearkin.families(same).to_pylist() == found
    unnamed = pairs.set_column(1, "b", pa.nulls(pairs.num_rows, pa.string()))
    with pytest.raises(UsageError, match="a pair has no name"):
        nearkin.families(unnamed)


def test_families_of_the_same_pairs_in_another_order(texts: list[str]) -> None:
    pairs = nearkin.match(texts)
    turned = pairs.take(list(range(pairs.num_rows))[::-1])
    assert nearkin.families(pairs).equals(nearkin.families(turned))
