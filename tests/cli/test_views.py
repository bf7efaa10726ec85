"""Views of families as a person asks for them: from what one scan stored, with no new join."""

import random
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from numpy.typing import NDArray

import nearkin
from cli.world import Called, prose, write
from nearkin import Store
from nearkin.errors import UsageError

WORDS = prose(1, 1100).split()
LONG = prose(3, 400)


def drift(step: int) -> str:
    """Neighbours resemble each other by about 0.82, those two steps apart by 0.67, four steps by 0.43."""
    return " ".join(WORDS[60 * step : 60 * step + 600])


FILES: dict[bytes, str] = {
    **{f"draft-{step}.txt".encode(): drift(step) for step in range(5)},
    b"part.txt": prose(2),
    b"whole.txt": f"{LONG} {prose(2)} {prose(4, 400)}",
    b"whole-2.txt": f"{LONG} {prose(2)} {prose(4, 400)} and no more",
    b"copy-1.txt": prose(9),
    b"copy-2.txt": prose(9),
}
DRAFTS = {name.decode() for name in FILES if name.startswith(b"draft")}
VIEWS = ["chain", "pivot", "clique"]


@pytest.fixture(scope="module")
def drifting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("views")
    store = folder / "kin.db"
    assert Called("scan", write(folder / "docs", FILES), "--store", store).code == 0
    return store


def families(store: Path, view: str, *more: object) -> list[dict[str, Any]]:
    called = Called("families", "--store", store, "--view", view, *more)
    assert called.code == 0, called.err
    return called.records


def paths(family: dict[str, Any], role: str = "member") -> set[str]:
    return {document["path"] for document in family["documents"] if document["role"] == role}


def drafts(found: list[dict[str, Any]]) -> list[set[str]]:
    return [paths(family) for family in found if paths(family) <= DRAFTS]


def strong_pairs(store: Path, threshold: float = 0.7) -> dict[frozenset[str], float]:
    matches = Called("matches", "--store", store, "--min-resemblance", threshold, "--all-copies").records
    return {frozenset((match["a"], match["b"])): match["resemblance"] for match in matches}


def test_a_chain_names_its_most_distant_members(drifting: Path) -> None:
    called = Called("families", "--store", drifting)
    (chain,) = (family for family in called.records if paths(family) == DRAFTS)
    far = chain["most_distant"]
    assert (far["a"], far["b"], far["exact"]) == ("draft-0.txt", "draft-4.txt", True)
    assert far["resemblance"] == nearkin.resemblance(drift(0), drift(4))
    assert [family["most_distant"] for family in called.records if paths(family) != DRAFTS] == [None, None]
    assert called.err == (
        "nearkin: 1 family has members that resemble each other by less than 0.5;"
        " --view pivot or --view clique keeps such documents apart.\n"
    )
    shown = Called("families", "--store", drifting, "--format", "table").out
    assert f"least alike members {far['resemblance']:.2f}" in shown
    assert shown.count("least alike members") == 1


def test_the_spread_is_asked_for(drifting: Path) -> None:
    for spread, named in ((0, 0), (0.3, 0), (0.5, 1), (1, 2)):
        called = Called("families", "--store", drifting, "--spread", spread)
        assert sum(family["most_distant"] is not None for family in called.records) == named
        assert bool(called.err) is bool(named)
        assert Called("families", "--store", drifting, "--spread", spread, "--quiet").err == ""
    refused = Called("families", "--store", drifting, "--view", "pivot", "--spread", 0.5)
    assert (refused.code, refused.out) == (2, "")
    assert "chain view" in refused.err
    assert Called("families", "--store", drifting, "--spread", 2).code == 2


def test_where_texts_are_not_kept_the_spread_is_an_estimate(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    assert Called("scan", write(tmp_path / "docs", FILES), "--store", store, "--no-text").code == 0
    (chain,) = (family for family in families(store, "chain", "--spread", 0.6) if len(paths(family) & DRAFTS) > 2)
    assert chain["most_distant"]["exact"] is False
    assert "least alike members ~0." in Called("families", "--store", store, "--spread", 0.6, "--format", "table").out
    exact = [document["exact"] for family in families(store, "pivot") for document in family["documents"]]
    assert False in exact


def test_in_the_pivot_view_every_member_reaches_the_threshold_with_the_pivot(drifting: Path) -> None:
    found = families(drifting, "pivot")
    known = strong_pairs(drifting)
    groups = drafts(found)
    assert len(groups) > 1
    assert set().union(*groups) <= DRAFTS
    for family in found:
        pivot = family["documents"][0]
        assert (family["view"], pivot["pivot"], pivot["to_pivot"]) == ("pivot", True, 1.0)
        for document in family["documents"][1:]:
            if document["role"] == "member" and family["kind"] != "identical":
                assert document["to_pivot"] == known[frozenset((pivot["path"], document["path"]))]
                assert document["exact"] is True
                size, other = (len(FILES[one["path"].encode()]) for one in (pivot, document))
                assert size >= other
    parts = [paths(family, "part") for family in found if paths(family, "part")]
    assert parts == [{"part.txt"}]


def test_in_the_clique_view_every_two_members_reach_it(drifting: Path) -> None:
    found = families(drifting, "clique")
    known = strong_pairs(drifting)
    assert {family["evaluated"] for family in found} == {True}
    for family in found:
        if family["kind"] != "identical":
            values = [known[frozenset(pair)] for pair in combinations(sorted(paths(family)), 2)]
            assert family["weakest"]["resemblance"] == min(values)
            assert family["mean_resemblance"] == pytest.approx(sum(values) / len(values))
            assert family["links"] == len(values) + len(paths(family, "part"))
    assert sorted(map(len, drafts(found))) == [2, 2]


@pytest.mark.parametrize("view", VIEWS)
def test_copies_and_parts_are_the_same_in_every_view(drifting: Path, view: str) -> None:
    found = families(drifting, view)
    assert {"copy-1.txt", "copy-2.txt"} in [paths(family) for family in found if family["kind"] == "identical"]
    (mixed,) = (family for family in found if family["kind"] == "mixed")
    assert (paths(mixed), paths(mixed, "part")) == ({"whole.txt", "whole-2.txt"}, {"part.txt"})


@pytest.mark.parametrize("view", VIEWS)
def test_thresholds_need_no_new_scan_and_lower_ones_are_partial(drifting: Path, view: str) -> None:
    def asked(threshold: float) -> Called:
        return Called("families", "--store", drifting, "--view", view, "--threshold", threshold)

    assert {len(members) for members in drafts(asked(0.95).records)} <= {1}  # a part and what contains it
    lower = asked(0.6)
    assert lower.err.startswith("nearkin: Incomplete below 0.7")
    assert max(map(len, drafts(lower.records))) >= max(map(len, drafts(families(drifting, view))))
    assert asked(0.4).err == "nearkin: Below 0.5 the scan kept no matches; scan again with --floor 0.4.\n"


@pytest.mark.parametrize("view", VIEWS)
def test_below_the_threshold_texts_are_measured_as_above_it(tmp_path: Path, view: str) -> None:
    """Of these pairs the scan has estimated many; a threshold applies to what was measured."""
    dice = random.Random(11)
    texts: dict[bytes, str] = {}
    for chain in range(4):
        text = prose(100 + chain, 300).split()
        for version in range(8):
            texts[b"%d-%d.txt" % (chain, version)] = " ".join(text)
            for _ in range(8):
                text[dice.randrange(300)] = dice.choice(WORDS)
    store = tmp_path / "kin.db"
    Called("scan", write(tmp_path / "docs", texts), "--store", store)
    estimated = Called("matches", "--store", store, "--min-resemblance", 0.5).records
    assert sum(not match["exact"] for match in estimated) > 10

    def between(a: str, b: str) -> float | None:
        return nearkin.resemblance(texts[a.encode()], texts[b.encode()])

    for family in families(store, view, "--threshold", 0.5):
        pivot = next(document["path"] for document in family["documents"] if document["pivot"])
        for document in family["documents"]:
            assert document["to_pivot"] == between(document["path"], pivot)
        weakest = family["weakest"]
        assert weakest["resemblance"] == between(weakest["a"], weakest["b"])
        assert weakest["resemblance"] >= 0.5


@pytest.mark.parametrize("view", [*VIEWS[1:], "greedy"])
def test_the_largest_part_of_a_stored_family_keeps_its_id(drifting: Path, view: str) -> None:
    stored = {family["id"]: paths(family) for family in families(drifting, "chain")}
    found = {family["id"]: paths(family) for family in families(drifting, view)}
    assert len(found) == len(families(drifting, view))
    largest = max(map(len, drafts(families(drifting, view))))
    (chain,) = (name for name, members in stored.items() if members == DRAFTS)
    assert len(found[chain]) == largest
    assert found[chain] < DRAFTS
    assert stored.keys() <= found.keys()
    assert families(drifting, view) == families(drifting, view)
    history = Called("families", "--store", drifting, "--history").records
    assert {event["what"] for event in history} == {"founded"}


@pytest.mark.parametrize("view", VIEWS)
def test_what_a_person_parted_links_no_family_in_any_view(tmp_path: Path, view: str) -> None:
    store = tmp_path / "kin.db"
    assert Called("scan", write(tmp_path / "docs", FILES), "--store", store).code == 0
    assert Called("verdict", "set", "whole.txt", "whole-2.txt", "not-similar", "--store", store).code == 0
    assert not any({"whole.txt", "whole-2.txt"} <= paths(family) for family in families(store, view))
    for step in range(4):
        pair = f"draft-{step}.txt", f"draft-{step + 1}.txt"
        assert Called("verdict", "set", *pair, "not-similar", "--store", store).code == 0
    assert drafts(families(store, view)) == []


@pytest.mark.parametrize("view", VIEWS)
def test_templates_count_in_no_view(tmp_path: Path, view: str) -> None:
    form = prose(5, 500)
    files = {f"{name}.txt".encode(): f"{form} {prose(20 + at, 60)}" for at, name in enumerate("abc")}
    store, blank = tmp_path / "kin.db", tmp_path / "blank.txt"
    assert Called("scan", write(tmp_path / "docs", files), "--store", store).code == 0
    (family,) = families(store, view)
    assert family["template"] == "with"
    blank.write_text(form)
    assert Called("template", "add", "--file", blank, "--name", "form", "--store", store).code == 0
    assert families(store, view) == []


def test_pairs_that_were_not_listed_leave_cliques_unevaluated(drifting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def some(connection: Any, scheme: int) -> NDArray[np.int64]:
        rows = connection.execute(
            "SELECT t.content FROM present d JOIN text t ON t.id = d.text WHERE d.path = ?", (b"draft-1.txt",)
        )
        return np.array([content for (content,) in rows], np.int64)

    monkeypatch.setattr("nearkin.query.regroup.unlisted_contents", some)
    called = Called("families", "--store", drifting, "--view", "clique")
    assert [paths(family) for family in called.records if not family["evaluated"]] == [DRAFTS]
    assert called.err == "nearkin: 1 family not evaluated: the scan did not list all pairs of their members.\n"
    assert "not evaluated" in Called("families", "--store", drifting, "--view", "clique", "--format", "table").out
    assert drafts(families(drifting, "pivot")) != [DRAFTS]


def test_neither_threads_nor_the_order_of_reading_matter(drifting: Path, tmp_path: Path) -> None:
    other = tmp_path / "kin.db"
    names = list(FILES)
    for some in (names[::-1][:3], names):  # contents get their ids in another order
        folder = write(tmp_path / "docs", {name: FILES[name] for name in some})
        assert Called("scan", folder, "--store", other, "--jobs", 1 if len(some) == 3 else 3).code == 0

    def seen(store: Path, view: str) -> list[dict[str, Any]]:
        return [{**family, "id": None} for family in families(store, view, "--threshold", 0.65)]

    for view in VIEWS:
        assert seen(other, view) == seen(drifting, view)


@pytest.mark.parametrize("view", VIEWS)
def test_every_format_says_the_same(drifting: Path, view: str) -> None:
    rows = Called("families", "--store", drifting, "--view", view, "--format", "csv").out.splitlines()
    found = families(drifting, view)
    assert len(rows) == 1 + sum(len(family["documents"]) for family in found)
    own = {"chain": {"most_distant", "most_distant_a"}, "pivot": {"reason"}, "clique": {"evaluated"}}[view]
    assert own <= {*rows[0].split(",")}
    table = Store.open(drifting).families(view=view)
    assert table.column_names == list(found[0])
    assert table.to_pylist() == found


def test_views_of_pairs_in_memory() -> None:
    texts = {f"draft-{step}": drift(step) for step in range(5)}
    pairs = nearkin.match(texts)
    known = {frozenset((row["a"], row["b"])) for row in pairs.to_pylist() if row["resemblance"] >= 0.7}
    for family in nearkin.families(pairs, view="pivot", threshold=0.7).to_pylist():
        members = {document["path"] for document in family["documents"]} - {family["id"]}
        assert all(frozenset((member, family["id"])) in known for member in members)
    found = nearkin.families(pairs, view="clique").to_pylist()
    assert [len(family["documents"]) for family in found] == [2, 2]
    assert all(family["evaluated"] for family in found)
    with pytest.raises(UsageError, match="needs signatures"):
        nearkin.families(pairs, view="greedy")


def test_the_spread_from_python(drifting: Path) -> None:
    store = Store.open(drifting)
    far = store.families(spread=0.3).column("most_distant").to_pylist()
    assert set(far) == {None}
    with pytest.raises(UsageError, match="Only the chain view"):
        store.families(view="clique", spread=0.5)
    with pytest.raises(UsageError, match="between 0 and 1"):
        store.families(spread=1.5)


@pytest.fixture(scope="module")
def without_texts(drifting: Path) -> Path:
    store = drifting.parent / "textless.db"
    assert Called("scan", drifting.parent / "docs", "--store", store, "--no-text").code == 0
    return store


def to_pivots(found: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float | None, bool]]:
    """Of (pivot, document)."""
    return {
        (family["documents"][0]["path"], document["path"]): (document["to_pivot"], document["exact"])
        for family in found
        for document in family["documents"]
    }


def test_without_texts_the_chain_estimates_how_far_documents_are_from_its_pivot(without_texts: Path) -> None:
    chains = to_pivots(families(without_texts, "chain"))
    assert all(value is not None for value, _ in chains.values())
    assert not all(exact for _, exact in chains.values())
    around = to_pivots(families(without_texts, "pivot"))
    both = chains.keys() & around.keys()
    assert {pair: chains[pair] for pair in both} == {pair: around[pair] for pair in both}
    assert any(not chains[pair][1] for pair in both)
    regrouped = to_pivots(families(without_texts, "chain", "--threshold", 0.75))
    assert all(value is not None for value, _ in regrouped.values())
    shown = Called("families", "--store", without_texts, "--format", "table").out
    assert "~0." in shown
    in_csv = Called("families", "--store", without_texts, "--format", "csv").out.splitlines()
    assert in_csv[0].split(",")[3:8] == ["path", "pivot", "to_pivot", "role", "exact"]
    with Store.open(without_texts) as store:
        assert store.families().to_pylist() == families(without_texts, "chain")


def test_reports_say_what_is_estimated(without_texts: Path, tmp_path: Path) -> None:
    for ending in ("html", "xlsx", "csv"):
        asked = ("--table", "families") if ending == "csv" else ()
        assert Called("report", tmp_path / f"all.{ending}", *asked, "--store", without_texts).code == 0
    sheet = openpyxl.load_workbook(tmp_path / "all.xlsx")["B families"]
    said = {row[-1] for row in sheet.iter_rows(values_only=True)}
    assert {"Measured", "exact", "estimated"} <= said
    found = re.search(r'id="families".*?application/json">(.*?)</script>', (tmp_path / "all.html").read_text(), re.S)
    assert found
    assert "estimated" in found[1]
    listed = Called("families", "--store", without_texts, "--format", "csv")
    assert (tmp_path / "all.csv").read_bytes() == listed.raw
