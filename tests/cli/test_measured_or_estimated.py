"""Every number says whether it was measured on the texts or estimated from samples, in every format."""

import csv
import io
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import nearkin
from cli.world import Called, prose, write
from nearkin import Store
from nearkin.store.database import connect

WORDS = prose(1, 1100).split()
VIEWS = ["chain", "pivot", "clique", "greedy"]


def drift(step: int) -> str:
    return " ".join(WORDS[40 * step : 40 * step + 600])


FILES: dict[bytes, str] = {
    **{f"draft-{step}.txt".encode(): drift(step) for step in range(3)},
    b"pair-1.txt": prose(5, 500),
    b"pair-2.txt": prose(5, 500) + " and some words more at the end",
    **{f"pair-{copy}.txt".encode(): prose(5, 500) for copy in range(3, 6)},
    b"copy-1.txt": prose(9),
    b"copy-2.txt": prose(9),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("measured")
    docs = write(folder / "docs", FILES)
    made = {"exact": folder / "exact.db", "estimated": folder / "estimated.db"}
    assert Called("scan", docs, "--store", made["exact"]).code == 0
    assert Called("scan", docs, "--store", made["estimated"], "--no-text").code == 0
    return made


def families(store: Path, *more: object) -> list[dict[str, Any]]:
    called = Called("families", "--store", store, *more)
    assert called.code == 0, called.err
    return called.records


def rows(*asked: object) -> list[dict[str, str]]:
    called = Called(*asked, "--format", "csv")
    assert called.code == 0, called.err
    return list(csv.DictReader(io.StringIO(called.out, newline="")))


@pytest.mark.parametrize("view", VIEWS)
def test_families_say_how_their_mean_and_weakest_link_are_known(stores: dict[str, Path], view: str) -> None:
    for store, exact in ((stores["exact"], True), (stores["estimated"], False)):
        found = families(store, "--view", view)
        linked = [family for family in found if family["weakest"]]
        assert len(linked) >= 2
        assert {family["weakest"]["exact"] for family in linked} == {exact}
        assert {family["mean_exact"] for family in linked} == {exact}
        assert [family["mean_exact"] for family in found if family["kind"] == "identical"] == [True]
        flat = rows("families", "--store", store, "--view", view)
        for family in found:
            own = [row for row in flat if row["id"] == family["id"]]
            link = family["weakest"] or {"a": "", "b": ""}
            assert {(row["weakest_a"], row["weakest_b"]) for row in own} == {(link["a"], link["b"])}
            assert {row["mean_exact"] for row in own} == {json.dumps(family["mean_exact"])}
        assert Store.open(store).families(view=view).to_pylist() == found


def test_another_threshold_is_marked_as_well(stores: dict[str, Path]) -> None:
    found = families(stores["estimated"], "--threshold", 0.8)
    assert {family["mean_exact"] for family in found if family["kind"] != "identical"} == {False}


def test_the_screen_marks_estimates(stores: dict[str, Path]) -> None:
    for name, mark in (("exact", ""), ("estimated", "~")):
        shown = " ".join(Called("families", "--store", stores[name], "--format", "table").out.split())
        assert re.search(rf"mean of all links {mark}0\.\d+, holds together at {mark}0\.\d+", shown)
        assert re.search(rf"pair with copies 5 documents, [^,]*, resemblance {mark}0\.\d+", shown)
        assert ("~" in shown) is bool(mark)
    again = Called("families", "--store", stores["estimated"], "--view", "pivot", "--format", "table").out
    again = " ".join(again.split())
    assert re.search(r"mean of all links ~0\.\d+, weakest link ~0\.\d+", again)


def test_the_scan_marks_estimates(tmp_path: Path) -> None:
    done = Called("scan", write(tmp_path / "d", FILES), "--store", tmp_path / "s", "--no-text", "--format", "table")
    assert re.search(r"versions +~0\.\d+", done.out)
    assert re.search(r"pair with copies +~0\.\d+", done.out)


def test_eight_documents_of_two_texts(stores: dict[str, Path]) -> None:
    (pair,) = (family for family in families(stores["exact"]) if family["kind"] == "pair")
    assert len(pair["documents"]) == 5
    assert pair["reason"].endswith(" 3 more documents have the same words as one of them.")


def test_custodians(stores: dict[str, Path]) -> None:
    for name in ("exact", "estimated"):
        (holder,) = Called("custodians", "pair-2.txt", "--store", stores[name]).records
        told = {one["tier"]: one["exact"] for one in holder["documents"]}
        assert told == {"bytes": None, "near": name == "exact"}
        assert {row["exact"] for row in rows("custodians", "pair-2.txt", "--store", stores[name])} == {
            "",
            json.dumps(name == "exact"),
        }


def test_reports(stores: dict[str, Path], tmp_path: Path) -> None:
    for name, store in stores.items():
        for ending in ("xlsx", "html"):
            assert Called("report", tmp_path / f"{name}.{ending}", "--store", store).code == 0
        book = openpyxl.load_workbook(tmp_path / f"{name}.xlsx", read_only=True)
        head, *lines = list(book["B families"].iter_rows(min_row=2, values_only=True))
        of_families = [dict(zip(head, line, strict=True)) for line in lines if line[0] is not None]
        assert {line["Measured"] for line in of_families if line["Type"] != "identical"} == {name}
        assert {line["Measured"] for line in of_families if line["Type"] == "identical"} == {"exact"}
        assert "pair with copies" in {line["Type"] for line in of_families}
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        section = page[page.index('id="families"') : page.index('id="matches"')]
        assert ("<td>estimated</td>" in section) is (name == "estimated")


def test_what_a_group_costs_adds_up_in_csv(stores: dict[str, Path], tmp_path: Path) -> None:
    store = stores["exact"]
    groups = Called("identical", "--store", store).records
    tables = {"identical": ("overhead", groups), "families": ("bytes", families(store))}
    for table, (column, records) in tables.items():
        written = tmp_path / f"{table}.csv"
        assert Called("report", written, "--table", table, "--store", store).code == 0
        with written.open(newline="") as file:
            reported = list(csv.DictReader(file))
        listed = rows(table, "--store", store)
        assert listed == reported
        assert sum(int(row[column]) for row in listed if row[column]) == sum(record[column] for record in records)


def test_payloads_in_every_format(tmp_path: Path) -> None:
    form = prose(3, 1500)
    docs = write(tmp_path / "docs", {f"{n}.txt".encode(): f"{prose(100 + n, 90)} {form}" for n in range(6)})
    store = tmp_path / "kin.db"
    assert Called("scan", docs, "--store", store).code == 0
    matches = Called("matches", "--store", store).records
    assert {(one["exact"], one["payload_exact"]) for one in matches} == {(True, False)}
    assert all(one["payload_low"] <= one["payload"] <= one["payload_high"] for one in matches)
    assert Store.open(store).matches().to_pylist() == matches
    for ending in ("csv", "jsonl", "xlsx", "parquet"):
        assert Called("report", tmp_path / f"m.{ending}", "--store", store).code == 0
    fields = ("payload", "payload_low", "payload_high")
    with (tmp_path / "m.csv").open(newline="") as file:
        flat = list(csv.DictReader(file))
    assert flat == rows("matches", "--store", store)
    assert [[float(row[key]) for key in fields] for row in flat] == [[one[key] for key in fields] for one in matches]
    assert {row["payload_exact"] for row in flat} == {"false"}
    assert [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()] == matches
    sheet = openpyxl.load_workbook(tmp_path / "m.xlsx", read_only=True)["C matches"]
    head, *lines = list(sheet.iter_rows(min_row=2, values_only=True))
    first = dict(zip(head, lines[0], strict=True))
    assert first["Payload measured"] == "estimated"
    assert (first["Payload low"], first["Payload high"]) == (matches[0]["payload_low"], matches[0]["payload_high"])


def test_a_store_of_version_3_says_no_more_than_it_knows(tmp_path: Path) -> None:
    form = prose(3, 1500)
    files = {f"{n}.txt".encode(): f"{prose(100 + n, 90)} {form}" for n in range(6)}
    for name, more in (("kept", ()), ("no-text", ("--no-text",))):
        store = tmp_path / f"{name}.db"
        assert Called("scan", write(tmp_path / name, files), "--store", store, *more).code == 0
        fresh = families(store)
        with closing(connect(store)) as connection:
            connection.execute("DELETE FROM match_column WHERE name = 'payload_sample'")
            connection.execute("ALTER TABLE match DROP COLUMN payload_sample")
            for column in ("weakest_exact", "mean_exact"):
                connection.execute(f"ALTER TABLE family DROP COLUMN {column}")
            connection.execute("ALTER TABLE document DROP COLUMN ctime_ns")
            connection.execute("PRAGMA user_version = 3")
        assert families(store) == fresh
        old = Called("matches", "--store", store).records
        assert {(one["payload_exact"], one["payload_low"]) for one in old} == {(False, None)}
        write(tmp_path / name, {b"6.txt": f"{prose(106, 90)} {form}"})
        assert Called("scan", tmp_path / name, "--store", store, *more).code == 0
        assert None not in {one["payload_low"] for one in Called("matches", "--store", store).records}


def test_pairs_in_memory() -> None:
    pairs = nearkin.match({f"draft-{step}": drift(step) for step in range(3)})
    (family,) = nearkin.families(pairs).to_pylist()
    assert (family["mean_exact"], family["weakest"]["exact"]) == (True, True)
