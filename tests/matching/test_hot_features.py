"""Hot features: contents that all share them are linked as stars, in linear time, and nothing else changes."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.candidates import Candidates, Postings, find_candidates
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings
from oracle.candidates import Content, Limits, all_pairs

EXACT = parse_scheme("exact:window=20")


def postings(lists: list[set[int]]) -> Postings:
    ordered = [sorted(one) for one in lists]
    return Postings(
        np.cumsum([0, *map(len, ordered)], dtype=np.uint64),
        np.array([feature for one in ordered for feature in one], np.uint64),
        np.zeros(0, np.uint32),
        np.ones(len(ordered), np.uint64),
    )


def joined(lists: list[set[int]], *, hot: int, threads: int = 1) -> Candidates:
    return find_candidates(postings(lists), EXACT, MatchSettings(hot=hot), threads=threads)


def families(found: Candidates, contents: int) -> list[set[int]]:
    strong = found.strong
    label = _native.components(contents, found.a[strong], found.b[strong])
    groups: dict[int, set[int]] = defaultdict(set)
    for row, one in enumerate(label.tolist()):
        groups[one].add(row)
    return sorted((group for group in groups.values() if len(group) > 1), key=min)


def letters(dice: random.Random, number: int, *, form: set[int]) -> list[set[int]]:
    """Near-identical: a form, and a feature or two of their own."""
    return [form | {dice.getrandbits(60) for _ in range(2)} for _ in range(number)]


def features(dice: random.Random, number: int) -> set[int]:
    return {dice.getrandbits(60) for _ in range(number)}


def test_near_identical_letters_are_one_family_with_as_many_links_as_letters() -> None:
    dice = random.Random(1)
    found = joined(letters(dice, 500, form=features(dice, 100)), hot=50)
    assert families(found, 500) == [set(range(500))]
    assert 499 <= len(found.a) < 40 * 500
    assert found.hot.features > 0
    assert found.hot.links == len(found.a)
    assert found.hot.contents.tolist() == list(range(500))


def test_letters_of_unequal_moduli_are_one_family() -> None:
    """A long letter counts every other feature; that by which it meets a shorter one may be in the prefix of that one
    only as the long one counts."""
    for seed in range(8):
        dice = random.Random(seed)
        form = [dice.getrandbits(60) & ~1 | (at % 2) for at in range(240)]
        lists, moduli = [], []
        for number in range(120):
            modulus = 1 + number % 2
            own = {dice.getrandbits(60) * 2 for _ in range(9)} | {dice.getrandbits(60) * 2 + 1 for _ in range(9)}
            own |= set(form) - {form[(number * 7 + at) % 240] for at in range(20)}
            lists.append({feature for feature in own if feature % modulus == 0})
            moduli.append(modulus)
        given = replace(postings(lists), moduli=np.array(moduli, np.uint64))
        scheme = parse_scheme("mod:window=20,sample=200,most=64")
        found = find_candidates(given, scheme, MatchSettings(hot=20), threads=1)
        assert found.hot.features > 0
        assert families(found, 120) == [set(range(120))], seed


def test_two_forms_that_resemble_each_other_are_one_family() -> None:
    """Each is a star by what only its own letters have; what both have comes later, and finds everyone at home."""
    dice = random.Random(2)
    both, one, other = features(dice, 100), features(dice, 15), features(dice, 15)
    lists = [*letters(dice, 200, form=both | one), *letters(dice, 200, form=both | other)]
    found = joined(lists, hot=50)
    assert families(found, 400) == [set(range(400))]
    assert len(found.a) < 40 * 400


def test_documents_that_share_only_a_footer_are_none() -> None:
    dice = random.Random(2)
    footer = features(dice, 12)
    found = joined([footer | features(dice, 100) for _ in range(500)], hot=50)
    assert len(found.a) == 0
    assert found.hot.features == 0


def test_two_hot_groups_that_share_a_form_do_not_merge() -> None:
    dice = random.Random(3)
    form = features(dice, 40)
    groups = [letters(dice, 300, form=form | features(dice, 60)) for _ in range(2)]
    mixed = [one for pair in zip(*groups, strict=True) for one in pair]
    assert families(joined(mixed, hot=50), 600) == [set(range(0, 600, 2)), set(range(1, 600, 2))]


def test_what_is_not_hot_is_joined_as_ever() -> None:
    dice = random.Random(4)
    rest = letters(dice, 20, form=features(dice, 100))
    whole = letters(dice, 300, form=features(dice, 100)) + rest
    found, alone = joined(whole, hot=50), joined(rest, hot=50)
    inside = {(int(a) - 300, int(b) - 300) for a, b in zip(found.a, found.b, strict=True) if a >= 300}
    assert inside == {(int(a), int(b)) for a, b in zip(alone.a, alone.b, strict=True)}
    assert len(inside) == 190


@settings(max_examples=150)
@given(
    seed=st.integers(0, 1 << 32),
    contents=st.integers(0, 30),
    universe=st.sampled_from([3, 10, 40]),
    hot=st.sampled_from([1, 2, 3, 6]),
)
def test_stars_make_up_nothing_and_lose_only_what_they_say(seed: int, contents: int, universe: int, hot: int) -> None:
    dice = random.Random(seed)
    pool = [dice.getrandbits(60) for _ in range(universe)]
    base = [set(dice.sample(pool, dice.randint(1, universe))) for _ in range(3)]
    lists = [{f for f in dice.choice(base) if dice.random() > 0.1} | {dice.choice(pool)} for _ in range(contents)]
    found = joined(lists, hot=hot)
    limits = Limits(sampled=False)
    expected = all_pairs([Content(Counter(one)) for one in lists], limits)
    strong = {key for key, pair in expected.items() if pair.strong}
    columns = zip(found.a.tolist(), found.b.tolist(), found.strong.tolist(), strict=True)
    got = {(a, b) for a, b, is_strong in columns if is_strong}
    assert got <= strong
    starred = set(found.hot.contents.tolist())
    assert all({*pair} & starred for pair in strong - got)
    for threads in (2, 3):
        again = joined(lists, hot=hot, threads=threads)
        assert (again.a.tolist(), again.b.tolist()) == (found.a.tolist(), found.b.tolist())
        assert again.hot.contents.tolist() == found.hot.contents.tolist()
        assert (again.hot.features, again.hot.links) == (found.hot.features, found.hot.links)
