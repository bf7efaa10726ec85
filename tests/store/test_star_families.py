"""Very many documents that are alike: stars save comparisons, and neither lose a family nor change its kind."""

import json
import random
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import nearkin
from cli.world import Called
from nearkin.api.store import Store

pytestmark = pytest.mark.usefixtures("either_insert")

DICE = random.Random(1)
WORDS = ["".join(DICE.choices(string.ascii_lowercase, k=DICE.randint(3, 9))) for _ in range(8000)]
ALL = 100_000  # documents: nothing is hot


def words(dice: random.Random, number: int) -> list[str]:
    return dice.choices(WORDS, k=number)


def contracts(number: int) -> dict[str, str]:
    """A form of 200 words and 60 of each contract's own, in two versions: two contracts resemble each other by 0.62,
    which some samples take for 0.7."""
    dice = random.Random(13)
    form = words(dice, 200)
    made: dict[str, str] = {}
    for one in range(number):
        own = words(dice, 60)
        made |= {f"{one}{version}": " ".join(form + own + words(dice, 2)) for version in "ab"}
    return made


def letters(*groups: int, own: int = 50, seed: int = 50) -> dict[str, str]:
    """Of groups that share a form; each letter has three words of its own."""
    dice = random.Random(seed)
    form = words(dice, 200)
    made: dict[str, str] = {}
    for group, number in enumerate(groups):
        shared = form + words(dice, own)
        made |= {f"{group}-{one}": " ".join(shared + words(dice, 3)) for one in range(number)}
    return made


def drafts(number: int) -> dict[str, str]:
    """Each has one of its first 40 words replaced."""
    dice = random.Random(9)
    text = words(dice, 300)
    made: dict[str, str] = {}
    for one in range(number):
        text[dice.randrange(40)] = dice.choice(WORDS)
        made[f"{one:04}"] = " ".join(text)
    return made


def invoices(number: int) -> dict[str, str]:
    dice = random.Random(3)
    head, terms = " ".join(words(dice, 90)), " ".join(words(dice, 120))
    made: dict[str, str] = {}
    for one in range(number):
        date = f"{dice.randint(1, 28):02}.{dice.randint(1, 12):02}.2024"
        amount = f"{dice.randint(10, 9999)}.{dice.randint(0, 99):02}"
        made[f"{one:04}"] = f"{head}\nInvoice date: {date}\nTotal amount payable in euro {amount}\n{terms}"
    return made


def scanned(folder: Path, texts: dict[str, str], *more: object) -> tuple[Path, dict[str, Any]]:
    folder.mkdir(exist_ok=True)
    table, store = folder / "texts.jsonl", folder / "kin.db"
    table.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()))
    how = ("--text-column", "text", "--id-column", "id", "--store", store, "--format", "jsonl")
    (summary,) = Called("scan", table, *how, *more).records
    return store, summary


def grouped(store: Path, *more: object) -> list[tuple[str, frozenset[str]]]:
    found = Called("families", "--store", store, "--format", "jsonl", *more).records
    return sorted((one["kind"], frozenset(member["path"] for member in one["documents"])) for one in found)


@pytest.mark.parametrize(
    "texts",
    [contracts(60), *(letters(60, 55, own=own, seed=own) for own in (44, 50, 56, 62, 70)), letters(*[12] * 10, own=60)],
)
def test_families_are_those_that_all_pairs_make(tmp_path: Path, texts: dict[str, str]) -> None:
    stars, summary = scanned(tmp_path / "stars", texts, "--hot", 40)
    pairs, complete = scanned(tmp_path / "pairs", texts, "--hot", ALL)
    assert summary["hot"] > 0
    assert summary["hot_links"] > 0
    assert (complete["hot"], complete["hot_links"], complete["unlisted"]) == (0, 0, 0)
    assert grouped(stars) == grouped(pairs)
    assert summary["matches"] + summary["unlisted"] >= complete["matches"]


def test_small_groups_lose_no_pair(tmp_path: Path) -> None:
    texts = letters(*[3] * 40, own=75)
    for hot in (40, ALL):
        store, summary = scanned(tmp_path / str(hot), texts, "--hot", hot)
        assert (summary["matches"], summary["unlisted"]) == (120, 0)
        assert [len(members) for _, members in grouped(store, "--view", "clique")] == [3] * 40


def test_a_part_is_no_twin(tmp_path: Path) -> None:
    dice = random.Random(12)
    form, more = words(dice, 200), words(dice, 120)
    texts = {f"a{i}": " ".join(form + more + words(dice, 1)) for i in range(60)}
    texts |= {f"b{i}": " ".join(form + words(dice, 1)) for i in range(55)}
    texts |= {f"c{i}": " ".join(words(dice, 300) + more) for i in range(60)}
    store, _ = scanned(tmp_path, texts, "--scheme", "exact:window=20", "--hot", 50)
    assert sorted(len(members) for _, members in grouped(store)) == [55, 60]


@pytest.mark.parametrize("hot", [40, ALL])
def test_kinds_do_not_depend_on_which_pairs_are_listed(tmp_path: Path, hot: int) -> None:
    for number, (texts, kind) in enumerate(
        [(invoices(150), "same-form"), (drafts(150), "versions"), (letters(100), "same-form")]
    ):
        store, _ = scanned(tmp_path / str(number), texts, "--hot", hot)
        assert [(one, len(members)) for one, members in grouped(store)] == [(kind, len(texts))]
        for view in ("pivot", "greedy"):
            assert {one for one, members in grouped(store, "--view", view) if len(members) >= 5} == {kind}


def test_what_is_not_all_says_so(tmp_path: Path) -> None:
    path, summary = scanned(tmp_path, letters(60), "--hot", 40)
    assert summary["matches"] + summary["unlisted"] == 60 * 59 // 2
    called = Called("families", "--store", path, "--threshold", 0.9)
    assert "a family may be split. Scan again with --threshold 0.9 or a higher --hot." in called.err
    assert "are not listed" in Called("matches", "--store", path).err
    store = Store(path)
    assert b"not all of their pairs" in store.families(view="pivot").schema.metadata[b"nearkin.partial"]
    assert b"are not listed" in store.matches().schema.metadata[b"nearkin.partial"]
    assert b"below 0.7" in store.families(threshold=0.6).schema.metadata[b"nearkin.partial"]
    assert not store.families().schema.metadata
    (family,) = store.families(view="clique").to_pylist()
    assert (family["evaluated"], len(family["documents"])) == (False, 60)


def test_match_says_it_too() -> None:
    texts = letters(60)
    found = nearkin.match(texts, hot=40)
    assert b"of 60 texts" in found.schema.metadata[b"nearkin.partial"]
    for view in ("chain", "pivot", "clique"):
        told = nearkin.families(found, view=view)
        (family,) = told.to_pylist()
        assert len(family["documents"]) == 60
        assert family.get("evaluated", False) is False
    every = nearkin.match(texts)
    assert every.num_rows == 60 * 59 // 2
    assert b"nearkin.partial" not in every.schema.metadata
    assert Counter(len(one["documents"]) for one in nearkin.families(every, view="clique").to_pylist()) == {60: 1}
