"""Suggested templates: forms are found, versions are not taken for forms."""

import random

import numpy as np
import pytest

from nearkin.matching import boilerplate
from nearkin.matching.boilerplate import suggest
from nearkin.matching.candidates import Postings
from nearkin.scheme import parse_scheme, sign
from oracle.prose import prose

SCHEME = parse_scheme("mod:window=20,sample=200,most=64")


def postings(texts: list[bytes]) -> Postings:
    signed = [sign(text, SCHEME) for text in texts]
    return Postings(
        np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        np.concatenate([np.zeros(0, np.uint64), *(one.features for one in signed)]),
        np.zeros(0, np.uint32),
        np.array([one.modulus for one in signed], np.uint64),
    )


def forms(seed: int, count: int, share: int = 3000) -> list[bytes]:
    blanks = [prose(seed, share // 2), prose(seed + 1, share // 2)]
    return [blanks[0] + prose(10_000 * seed + i, 700) + blanks[1] for i in range(count)]


def versions(seed: int, count: int) -> list[bytes]:
    dice, found = random.Random(seed), [prose(seed, 4000)]
    while len(found) < count:
        text = found[-1]
        for _ in range(4):
            at = dice.randrange(len(text) - 200)
            text = text[:at] + prose(dice.randrange(1 << 30), 60) + text[at + 60 :]
        found.append(text)
    return found


def test_nothing_of_nothing() -> None:
    assert suggest(postings([]), least=5) == []
    assert suggest(postings([prose(i, 2000) for i in range(30)]), least=5) == []


def test_forms_are_found_whole_and_versions_are_not() -> None:
    texts = forms(1, 9) + versions(500, 8) + forms(3, 6) + [prose(900 + i, 3000) for i in range(20)]
    found = suggest(postings(texts), least=5)
    assert [one.rows.tolist() for one in found] == [list(range(9)), list(range(17, 23))]


def test_too_few_are_no_form() -> None:
    assert suggest(postings(forms(1, 4)), least=5) == []
    assert len(suggest(postings(forms(1, 4)), least=4)) == 1


def test_copies_of_one_text_with_nothing_else_are_no_form() -> None:
    text = prose(1, 4000)
    assert suggest(postings([text[:-i] for i in range(1, 9)]), least=5) == []


def test_true_kin_inside_a_form_do_not_hide_it() -> None:
    texts = forms(1, 8)
    texts.append(texts[0].replace(texts[0][1600:1640], b""))
    (found,) = suggest(postings(texts), least=5)
    assert found.rows.tolist() == list(range(9))


def test_a_form_inside_a_form_does_not_hide_the_outer_one() -> None:
    outer = prose(77, 2000)
    texts = [outer + text for text in forms(1, 7) + forms(3, 7)] + [outer + prose(700 + i, 2000) for i in range(7)]
    found = [one.rows.tolist() for one in suggest(postings(texts), least=5)]
    assert sorted(found) == [list(range(7)), list(range(21)), list(range(7, 14))]


def test_many_postings_are_thinned_out(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = forms(1, 30, share=6000) + [prose(900 + i, 3000) for i in range(20)]
    made = postings(texts)
    monkeypatch.setattr(boilerplate, "MOST_POSTINGS", len(made.features) // 10)
    (found,) = suggest(made, least=5)
    assert found.rows.tolist() == list(range(30))


def test_the_order_of_contents_changes_numbers_only() -> None:
    texts = forms(1, 9) + forms(3, 6) + [prose(900 + i, 3000) for i in range(20)]
    order = random.Random(3).sample(range(len(texts)), len(texts))
    found = suggest(postings(texts), least=5)
    turned = suggest(postings([texts[i] for i in order]), least=5)
    assert [sorted(order[row] for row in one.rows) for one in turned] == [one.rows.tolist() for one in found]
    assert [one.features.tolist() for one in turned] == [one.features.tolist() for one in found]
