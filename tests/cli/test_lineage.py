import csv
import json
import os
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.errors import UsageError
from nearkin.group import lineage as derivation
from nearkin.query import lineage

from .world import Called, edited, prose, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    one = prose(1)
    two = edited(one, 40)
    three = edited(two, 120) + " and more"
    files = {b"zz.txt": one, b"mm.txt": two, b"copies/mm.txt": two, b"aa.txt": three, b"other.txt": prose(9)}
    root = write(tmp_path / "tree", files)
    for name, day in (("zz.txt", 1), ("mm.txt", 2), ("copies/mm.txt", 5), ("aa.txt", 3)):
        os.utime(root / name, (day * 86_400, day * 86_400))
    assert Called("scan", root, "--store", tmp_path / "store.db", "-q").code == 0
    return tmp_path / "store.db"


def family(store: Path) -> str:
    (found,) = Called("families", "--store", store, "--format", "jsonl").records
    return str(found["id"])


def test_a_page_tells_when_it_was_modified_not_when_it_was_first_published(tmp_path: Path) -> None:
    """All its versions have that date."""
    one = prose(1)
    head = '<meta name="dcterms.created" content="1999-12-31">'
    files = {b"zz.html": f"{head}<p>{one}", b"aa.html": f"{head}<p>{edited(one, 40)}"}
    dated = f'{head}<meta name="dcterms.modified" content="2001-02-03"><p>{edited(one, 80)}'
    root = write(tmp_path / "tree", files | {b"mm.html": dated})
    for name, day in (("zz.html", 1), ("aa.html", 2), ("mm.html", 9)):
        os.utime(root / name, (day * 86_400, day * 86_400))
    assert Called("scan", root, "--store", tmp_path / "store.db", "-q").code == 0
    found = Called("lineage", family(tmp_path / "store.db"), "--store", tmp_path / "store.db").records
    dates = {one["path"]: one["date"] for one in found}
    assert dates == {"zz.html": "1970-01-02 00:00", "aa.html": "1970-01-03 00:00", "mm.html": "2001-02-03 00:00"}


def test_the_order_in_which_versions_were_made(store: Path) -> None:
    found = Called("lineage", family(store)[:6], "--store", store, "--format", "jsonl").records
    assert [(one["path"], one["source"], one["depth"]) for one in found] == [
        ("zz.txt", None, 0),
        ("copies/mm.txt", "zz.txt", 1),
        ("aa.txt", "copies/mm.txt", 2),
    ]
    assert [one["copies"] for one in found] == [[], ["mm.txt"], []]
    assert [one["date"] for one in found] == ["1970-01-02 00:00", "1970-01-03 00:00", "1970-01-04 00:00"]
    assert found == Store.open(store).lineage(family(store)).to_pylist()
    undated = Called("lineage", family(store), "--store", store, "--no-dates", "--format", "jsonl").records
    assert {frozenset((one["path"], one["source"])) for one in undated if one["source"]} == {
        frozenset(("zz.txt", "copies/mm.txt")),
        frozenset(("aa.txt", "copies/mm.txt")),
    }
    shown = Called("lineage", family(store), "--store", store, "--format", "table").out
    assert shown.splitlines()[0].startswith("1970-01-02 00:00  zz.txt")


@pytest.mark.parametrize(("name", "said"), [("feedbeef", "no family feedbeef"), ("nope.txt", "not a document")])
def test_no_such_family(store: Path, name: str, said: str) -> None:
    done = Called("lineage", name, "--store", store)
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert said in done.err


def test_in_csv_copies_are_a_list_of_json(store: Path) -> None:
    rows = list(csv.DictReader(Called("lineage", family(store), "--store", store, "--format", "csv").out.splitlines()))
    assert [json.loads(row["copies"]) for row in rows] == [[], ["mm.txt"], []]


@pytest.fixture
def rewritten(tmp_path: Path) -> Path:
    """Three versions, the last of which keeps three fifths of the second; and another document that is near nothing."""
    parts = [prose(n, 200) for n in range(20, 26)]
    one = " ".join(parts[:5])
    two = edited(one, 90)
    three = " ".join(two.split()[:720]) + " " + " ".join(parts[5:])
    files = {b"1.txt": one, b"2.txt": two, b"3.txt": three, b"other.txt": prose(9, 900)}
    root = write(tmp_path / "tree", files)
    for name in ("1.txt", "2.txt", "3.txt"):
        os.utime(root / name, (int(name[0]) * 86_400,) * 2)
    assert Called("scan", root, "--store", tmp_path / "store.db", "-q").code == 0
    return tmp_path / "store.db"


def test_a_version_that_was_rewritten_is_kin(rewritten: Path) -> None:
    name = family(rewritten)
    assert len(Called("families", "--store", rewritten, "--format", "jsonl").records[0]["documents"]) == 2
    found = Called("lineage", name, "--store", rewritten, "--format", "jsonl").records
    assert [(one["path"], one["source"], one["beyond"]) for one in found] == [
        ("1.txt", None, False),
        ("2.txt", "1.txt", False),
        ("3.txt", "2.txt", True),
    ]
    assert "below the threshold" in Called("lineage", name, "--store", rewritten, "--format", "table").out
    alone = Called("lineage", name, "--family-only", "--store", rewritten, "--format", "jsonl").records
    assert [one["path"] for one in alone] == ["1.txt", "2.txt"]


def test_a_lineage_by_a_document(rewritten: Path) -> None:
    whole = Called("lineage", family(rewritten), "--store", rewritten, "--format", "jsonl").records
    for path in ("1.txt", "2.txt"):
        assert Called("lineage", path, "--store", rewritten, "--format", "jsonl").records == whole
    outside = Called("lineage", "3.txt", "--store", rewritten, "--format", "jsonl").records
    assert {(one["path"], one["source"]) for one in outside} == {(one["path"], one["source"]) for one in whole}
    assert [one["path"] for one in outside if not one["beyond"]] == ["3.txt"]
    assert len(Called("lineage", "other.txt", "--store", rewritten, "--format", "jsonl").records) == 1


def test_what_a_person_parted_is_no_kin(rewritten: Path) -> None:
    assert Called("verdict", "set", "2.txt", "3.txt", "not-similar", "--store", rewritten).code == 0
    found = Called("lineage", "2.txt", "--store", rewritten, "--format", "jsonl").records
    assert "3.txt" not in {one["path"] for one in found if one["source"] == "2.txt"}


def test_other_line_breaks_are_nothing_new(tmp_path: Path) -> None:
    text = prose(1)
    root = write(tmp_path / "tree", {b"a.txt": text, b"b.txt": edited(text, 40).replace(" ", "\n")})
    assert Called("scan", root, "--store", tmp_path / "store.db", "-q").code == 0
    found = Called("lineage", "a.txt", "--store", tmp_path / "store.db", "--format", "jsonl").records
    assert 0 < found[1]["new"] < 200


def test_the_same_words_in_another_writing_are_nothing_new(tmp_path: Path) -> None:
    one = prose(1)
    loud = edited(one, 40).upper()
    files = {b"1.txt": one, b"2.html": f"<p>{one}</p>!", b"3.txt": one.upper(), b"4.txt": loud, b"5.txt": one.title()}
    root = write(tmp_path / "tree", files)
    for name in files:
        os.utime(root / name.decode(), (int(name[:1]) * 86_400,) * 2)
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    found = {one["path"]: one for one in Called("lineage", "1.txt", "--store", store, "--format", "jsonl").records}
    same = {name: (line["new"], line["lost"], line["same_words"]) for name, line in found.items()}
    assert same.pop("1.txt") == (None, None, False)
    new, lost, words = same.pop("4.txt")
    assert 0 < new < 100, "from the other one in capitals"
    assert 0 < lost < 100
    assert not words
    assert set(same.values()) == {(0, 0, True)}
    assert found["4.txt"]["source"] == "3.txt"
    assert found["2.html"]["source"] == "1.txt"
    assert {line["nearer"] for line in found.values()} == {None}
    shown = Called("lineage", "1.txt", "--store", store, "--format", "table").words
    assert shown.count("the same words, written differently") == 3
    assert list(found.values()) == Store.open(store).lineage("1.txt").to_pylist()


def test_too_many_kin_are_not_left_out_without_a_word(rewritten: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lineage, "MOST", 2)
    with pytest.raises(UsageError, match="beyond=False"):
        Store(rewritten).lineage("1.txt")


def test_of_very_long_texts_a_sample_is_counted_and_said_to_be(
    rewritten: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exactly = {one["path"]: one for one in Store(rewritten).lineage("1.txt").to_pylist()}
    assert {one["exact"] for one in exactly.values()} == {True}
    monkeypatch.setattr(derivation, "MOST", 4000)
    found = Store(rewritten).lineage("1.txt").to_pylist()
    for one in found:
        whole = exactly[one["path"]]
        if one["source"] is None:
            assert (one["exact"], one["new"]) == (True, None)
        else:
            assert not one["exact"]
            assert one["new_margin"] > 0
            assert abs(one["new"] - whole["new"]) <= 2 * one["new_margin"]
    shown = Called("lineage", "1.txt", "--store", rewritten, "--format", "table").out
    assert "±" in shown
    assert "estimated (95 %)" in shown
