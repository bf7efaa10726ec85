"""Families that are grouped again: forms, stars, the largest only, and what is partial."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, prose, write
from nearkin import Store
from nearkin.errors import UsageError

VIEWS = ["chain", "pivot", "clique"]
FORM = prose(50, 300)


def invoice(number: int) -> str:
    return f"{FORM} customer {prose(1000 + number, 12)} amount {number * 7919 % 10007}"


def families(store: Path, view: str, *more: object) -> list[dict[str, Any]]:
    called = Called("families", "--store", store, "--view", view, *more)
    assert called.code == 0, called.err
    return called.records


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight invoices, six drafts of a report, and pairs of unlike sizes."""
    folder = tmp_path_factory.mktemp("regrouped")
    words = prose(60, 700).split()
    files = {f"invoice-{number}.txt".encode(): invoice(number) for number in range(8)}
    files |= {f"draft-{step}.txt".encode(): " ".join(words[20 * step : 20 * step + 500]) for step in range(6)}
    for pair in range(3):
        text = prose(70 + pair, 100 + 10 * pair)
        files |= {f"pair-{pair}-{which}.txt".encode(): f"{text} {which}" for which in ("a", "b")}
    store = folder / "kin.db"
    assert Called("scan", write(folder / "docs", files), "--store", store).code == 0
    return store


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("threshold", [0.7, 0.71])
def test_forms_are_told_in_every_view(mixed: Path, view: str, threshold: float) -> None:
    found = families(mixed, view, "--threshold", threshold)
    kinds = {
        family["documents"][0]["path"].split("-")[0]: family["kind"] for family in found if len(family["documents"]) > 4
    }
    assert kinds["invoice"] == "same-form"
    assert kinds.get("draft", "versions") == "versions"
    assert {family["kind"] for family in found if len(family["documents"]) == 2} == {"pair"}


@pytest.mark.parametrize("view", [*VIEWS, "greedy"])
@pytest.mark.parametrize("threshold", [None, 0.75])
def test_the_largest_are_the_first_of_all(mixed: Path, view: str, threshold: float | None) -> None:
    asked = [] if threshold is None else ["--threshold", threshold]
    whole = families(mixed, view, *asked)
    for limit in (1, 2, len(whole) - 1):
        called = Called("families", "--store", mixed, "--view", view, *asked, "--limit", limit)
        assert called.records == whole[:limit]
        assert "Showing the" in called.err
    for limit in (len(whole), 1000):
        called = Called("families", "--store", mixed, "--view", view, *asked, "--limit", limit)
        assert (called.records, called.err) == (whole, "")
    assert Store.open(mixed).families(view=view, threshold=threshold, limit=2).num_rows == 2


def test_a_limit_is_a_number_of_families(mixed: Path) -> None:
    assert Called("families", "--store", mixed, "--limit", 0).code == 2
    assert len(Called("families", "--store", mixed, "--history", "--limit", 1).records) == 1
    with pytest.raises(UsageError, match="at least 1"):
        Store.open(mixed).families(limit=0)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_below_the_threshold_every_view_says_that_it_is_partial(mixed: Path, view: str, form: str) -> None:
    called = Called("families", "--store", mixed, "--view", view, "--threshold", 0.6, "--format", form)
    assert called.code == 0
    assert "nearkin: Incomplete below 0.7: the scan kept only the strongest matches there" in called.err
    if form == "json":
        assert isinstance(json.loads(called.out), list)
    at_it = Called("families", "--store", mixed, "--view", view, "--threshold", 0.7, "--format", form)
    assert "Incomplete" not in at_it.err


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Near-identical ones of unlike lengths: the longest has not the largest signature."""
    folder = tmp_path_factory.mktemp("letters")
    body = prose(80, 150)
    files = {
        f"{number:04}.txt".encode(): f"dear {prose(2000 + number, 2)} {body} number {number} {'so ' * (number % 9)}"
        for number in range(600)
    }
    files |= {b"one.txt": prose(90), b"other.txt": prose(90) + " changed"}
    store = folder / "kin.db"
    assert Called("scan", write(folder / "docs", files), "--store", store, "--hot", 100).code == 0
    return store


def test_letters_linked_as_stars_are_one_family_around_the_centre(letters: Path) -> None:
    for more in ([], ["--threshold", 0.72]):
        found = families(letters, "pivot", *more)
        assert [len(family["documents"]) for family in found] == [600, 2]
        assert found[0]["links"] == 599
        assert min(document["to_pivot"] for document in found[0]["documents"]) >= 0.7


def test_cliques_of_stars_are_not_evaluated_and_say_so(letters: Path) -> None:
    called = Called("families", "--store", letters, "--view", "clique")
    assert [(len(family["documents"]), family["evaluated"]) for family in called.records] == [(600, False), (2, True)]
    assert called.err == "nearkin: 1 family not evaluated: the scan did not list all pairs of their members.\n"
    shown = Called("families", "--store", letters, "--view", "clique", "--limit", 1, "--format", "table")
    assert "not evaluated" in shown.out
