"""Invoices of one form and drafts of one report share as much; what is left without it tells them apart."""

import random
from pathlib import Path

import pytest

from nearkin.api.store import Store
from oracle.prose import prose


def invoices(number: int) -> dict[str, bytes]:
    form = [prose(900 + i, 160) for i in range(12)]
    made = {}
    for n in range(number):
        dice = random.Random(n)
        values = [b" %d.%02d " % (dice.randrange(10**6), dice.randrange(100)) for _ in form]
        pieces = [part + value for part, value in zip(form, values, strict=True)]
        made[f"invoice {n}.txt"] = b" ".join(pieces)
    return made


def drafts(number: int) -> dict[str, bytes]:
    """Each is the one before with a sentence replaced."""
    dice = random.Random(7)
    sentences = [prose(2000 + i, 80) for i in range(60)]
    made = {}
    for n in range(number):
        made[f"draft {n}.txt"] = b" ".join(sentences)
        sentences[dice.randrange(len(sentences))] = prose(5000 + n, 80)
    return made


@pytest.mark.parametrize("scheme", ["mod:window=20,sample=200,most=64", "exact:window=20"])
def test_forms_and_versions_in_one_store(tmp_path: Path, scheme: str) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    others = {f"other {i}.txt": prose(10_000 + i, 900) for i in range(150)}
    for name, text in {**invoices(40), **drafts(40), **others}.items():
        (folder / name).write_bytes(text)
    store = Store(tmp_path / "kin.db")
    store.scan(folder, scheme=scheme)
    kinds = {
        frozenset(one["path"].split()[0] for one in family["documents"]): (family["kind"], len(family["documents"]))
        for family in store.families().to_pylist()
    }
    assert kinds == {frozenset({"invoice"}): ("same-form", 40), frozenset({"draft"}): ("versions", 40)}
    matches = store.matches().to_pylist()
    values = [match["payload"] for match in matches if match["a"].startswith("invoice")]
    assert all(value < 0.25 for value in values)
    assert max(match["payload"] for match in matches if match["a"].startswith("draft")) > 0.5


def test_a_few_documents_are_no_form(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in invoices(4).items():
        (folder / name).write_bytes(text)
    store = Store(tmp_path / "kin.db")
    store.scan(folder)
    (family,) = store.families().to_pylist()
    assert family["kind"] == "versions"
    assert {match["payload"] for match in store.matches().to_pylist()} == {None}


def test_a_few_versions_are_no_form(tmp_path: Path) -> None:
    """What was added early most of them have, so that only each one's own is payload; but most of what is not in all is
    in several."""
    folder = tmp_path / "docs"
    folder.mkdir()
    sentences = [prose(3000 + i, 90) for i in range(60)]
    for n in range(7):
        (folder / f"revision {n}.txt").write_bytes(b" ".join([*sentences, prose(4000 + n, 250)]))
        if n < 3:
            sentences[7 * n : 7 * n] = [prose(5000 + 10 * n + i, 90) for i in range(10)]
    store = Store(tmp_path / "kin.db")
    store.scan(folder)
    (family,) = store.families().to_pylist()
    assert (family["kind"], len(family["documents"])) == ("versions", 7)
