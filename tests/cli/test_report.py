"""Reports from the command line: they agree with the commands, with one another, and with themselves the next time."""

import csv
import json
import os
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest

import nearkin
from cli.world import Called, edited, prose, write

TABLES = {
    "documents": ["documents"],
    "failed": ["documents", "--failed"],
    "matches": ["matches"],
    "families": ["families"],
    "identical": ["identical"],
}
ALL = ["all.xlsx", "all.html", "all.dat", "matches.csv", "matches.jsonl", "matches.parquet"]


@pytest.fixture(scope="module")
def scoped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scopes with like paths, a verdict that parts two, and a file that fails."""
    folder = tmp_path_factory.mktemp("scoped")
    for scope in ("left", "right"):
        write(
            folder / scope,
            {
                b"a.txt": prose(1),
                b"b.txt": edited(prose(1), 30),
                b"c.txt": edited(prose(1), 90),
                b"=d.txt": prose(2 if scope == "left" else 3),
                b"e.txt": edited(prose(2), 5),
                b"broken.zip": "PK\3\4",
            },
        )
        assert Called("scan", folder / scope, "--store", folder / "kin.db", "-q", "--format", "json").code == 0
    said = Called("verdict", "set", "left:=d.txt", "left:e.txt", "not-similar", "--store", folder / "kin.db")
    assert said.code == 0, said.err
    return folder / "kin.db"


@pytest.mark.parametrize("which", ["store", "scoped"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_flat_tables_are_what_the_commands_say(
    which: str, table: str, form: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kin = request.getfixturevalue(which)
    assert Called("report", tmp_path / f"x.{form}", "--table", table, "--store", kin, "-q").code == 0
    listed = Called(*TABLES[table], "--store", kin, "--format", form, "-q")
    assert (tmp_path / f"x.{form}").read_bytes() == listed.raw


@pytest.mark.parametrize("contained", ["0.7 + (a * 7 + b * 5) % 3 / 10.0", "0.75"])
def test_matches_of_one_strength_come_in_the_same_order(contained: str, scoped: Path, tmp_path: Path) -> None:
    shutil.copy(scoped, tmp_path / "kin.db")
    with closing(sqlite3.connect(tmp_path / "kin.db")) as connection, connection:
        connection.execute(f"UPDATE match SET resemblance = 0.8, a_in_b = {contained}, b_in_a = 0.75")
        # And names in another order than that in which they were read.
        connection.execute("UPDATE document SET path = CAST(char(122 - id % 26) || path AS BLOB)")
    assert Called("report", tmp_path / "x.jsonl", "--store", tmp_path / "kin.db", "-q").code == 0
    listed = Called("matches", "--store", tmp_path / "kin.db", "--format", "jsonl", "-q")
    assert len(listed.records) > 2
    assert (tmp_path / "x.jsonl").read_bytes() == listed.raw


@pytest.mark.parametrize("table", TABLES)
def test_parquet_is_what_python_gives(table: str, scoped: Path, tmp_path: Path) -> None:
    kin = nearkin.Store.open(scoped)
    written = kin.report(tmp_path / "x.parquet", table=table)
    read = pq.read_table(tmp_path / "x.parquet")
    given = kin.documents(failed=True) if table == "failed" else getattr(kin, table)()
    assert read.to_pylist() == given.to_pylist()
    assert written.rows == len(given)
    told = json.loads(read.schema.metadata[b"nearkin.about"])
    assert told["scheme"].startswith("mod:")


@pytest.mark.parametrize("which", ["store", "scoped"])
def test_all_figures_add_up(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    kin = request.getfixturevalue(which)
    listed = {
        table: Called(*given, "--store", kin, "--format", "jsonl", "-q").records for table, given in TABLES.items()
    }
    for name in ("all.xlsx", "all.html", "all.dat", "x.csv"):
        assert Called("report", tmp_path / name, "--store", kin, "-q").code == 0
    counts = json.loads((tmp_path / "x.csv.about.json").read_text())["counts"]
    assert counts == json.loads((tmp_path / "all.dat.about.json").read_text())["counts"]
    for table in TABLES:
        assert counts[table] == len(listed[table]), table
    of_bytes = [group for group in listed["identical"] if group["tier"] == "bytes"]
    assert counts["bytes_sets"] == len(of_bytes)
    assert counts["bytes_files"] == sum(len(group["paths"]) for group in of_bytes)
    assert counts["overhead"] == sum(group["overhead"] for group in of_bytes)
    assert counts["family_documents"] == sum(len(family["documents"]) for family in listed["families"])
    assert counts["family_bytes"] == sum(family["bytes"] for family in listed["families"])
    assert counts["identical"] == counts["bytes_sets"] + counts["words_sets"]

    book = openpyxl.load_workbook(tmp_path / "all.xlsx")
    rows = {sheet.title[0]: list(sheet.iter_rows(min_row=3, values_only=True)) for sheet in book}
    summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert summary["Matches"] == counts["matches"] == len(rows["C"])
    assert summary["Families"] == counts["families"] == sum(row[0] is not None for row in rows["B"])
    assert sum(row[1] or 0 for row in rows["B"]) == counts["family_bytes"] == sum(row[6] or 0 for row in rows["B"])
    assert sum(row[2] or 0 for row in rows["B"]) == counts["family_documents"]
    assert sum(row[2] or 0 for row in rows["A"] if row[5] == "bytes") == counts["overhead"]
    assert len(rows["D"]) == counts["failed"] == summary["Failed documents"]
    scores = [match["resemblance"] for match in listed["matches"]]
    assert [row[0] for row in rows["C"]] == pytest.approx(scores, rel=1e-15)  # a cell holds 16 digits

    page = (tmp_path / "all.html").read_text()
    for name in ("documents", "families", "matches", "failed"):
        assert f"<b>{counts[name]:,}</b>" in page, name

    lines = load_file(tmp_path / "all.dat")
    assert len(lines) == counts["documents"] + counts["failed"]
    groups = Counter(line["GROUPID"] for line in lines if line["GROUPID"])
    for line in lines:
        assert not line["GROUPID"] or int(line["GROUPCOUNT"]) == groups[line["GROUPID"]]
    originals = Counter(line["GROUPID"] for line in lines if line["DUPSTATUS"].endswith("original"))
    assert originals == dict.fromkeys(groups, 1)  # one to read of each
    for family in listed["families"]:
        assert groups[family["id"]] == len(family["documents"])


def load_file(path: Path) -> list[dict[str, str]]:
    """Read as review platforms do."""
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\r\n")
    header, *lines = [
        [field[1:-1].replace("þþ", "þ") for field in line.split("\x14")]
        for line in text.removesuffix("\r\n").split("\r\n")
    ]
    return [dict(zip(header, line, strict=True)) for line in lines]


@pytest.mark.parametrize("name", ALL)
def test_the_same_store_makes_the_same_bytes(
    name: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / f"1-{name}", tmp_path / f"2-{name}"
    assert Called("report", first, "--store", store).code == 0
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert Called("report", second, "--store", store).code == 0
    assert first.read_bytes() == second.read_bytes()


def test_a_scan_writes_as_many_as_it_is_asked_for(docs: Path, tmp_path: Path) -> None:
    asked = [option for name in ALL for option in ("--report", tmp_path / name)]
    done = Called("scan", docs, "--store", tmp_path / "kin.db", "--format", "json", *asked)
    assert done.code == 0
    assert all((tmp_path / name).stat().st_size for name in ALL)
    assert "all.xlsx: 2 identical sets" in done.err
    about = json.loads((tmp_path / "matches.csv.about.json").read_text())
    assert about["counts"]["matches"] == json.loads(done.out)["matches"]
    assert about["thresholds"]["threshold"] == 0.7
    assert "resemblance" in about["measures"]


def test_what_cannot_be_written_is_refused_before_anything_is_done(docs: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    assert Called("scan", docs, "--store", store, "--report", tmp_path / "x.csv", "--plan").code == 2
    for name, code in (("x.pdf", 2), ("x", 2), ("none/x.csv", 3)):
        done = Called("scan", docs, "--store", store, "--report", tmp_path / name)
        assert done.code == code
        assert done.err.count("\n") == 1
        assert not store.exists()


def test_wrong_usage(store: Path, tmp_path: Path) -> None:
    unknown = Called("report", tmp_path / "x.doc", "--store", store)
    assert unknown.code == 2
    assert ".xlsx, .html, .csv, .jsonl, .parquet, .dat" in unknown.err
    assert Called("report", tmp_path / "x.xlsx", "--table", "matches", "--store", store).code == 2
    assert Called("report", tmp_path / "x.csv", "--table", "all", "--store", store).code == 2
    assert Called("report", tmp_path / "x.csv", "--links", "--store", store).code == 2
    assert Called("report", tmp_path / "x.csv", "--store", tmp_path / "none.db").code == 4
    with pytest.raises(nearkin.UsageError):
        nearkin.Store.open(store).report(tmp_path / "x.csv", table="all")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".", "folder", "sub/kin.pdf"])
def test_what_cannot_be_a_report_is_named(store: Path, name: str) -> None:
    called = Called("report", name, "--store", store)
    assert called.code == 2
    assert f'"{name}"; a report ends with .xlsx' in called.err


def test_what_stands_in_the_way_is_code_3(store: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    done = Called("report", tmp_path / "folder.csv", "--store", store)
    assert done.code == 3
    assert "folder" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize("name", ALL)
def test_nothing_half_written_is_left(name: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk fills up when matches are read for the second time: what was there before stays."""
    (tmp_path / name).write_text("before")
    calls = 0

    def no_room(*_: object, **__: object) -> object:
        nonlocal calls
        calls += 1
        raise OSError(28, "No space left on device")

    for one in ("query.streams.matches", "report.concordance.load_lines"):
        monkeypatch.setattr(f"nearkin.{one}", no_room)
    done = Called("report", tmp_path / name, "--store", store)
    assert calls == 1
    assert done.code == 3
    assert "No space left" in done.err or "no space left" in done.err
    assert (tmp_path / name).read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_link_stays_a_link(store: Path, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("")
    (tmp_path / "x.csv").symlink_to("real.csv")
    assert Called("report", tmp_path / "x.csv", "--store", store).code == 0
    assert (tmp_path / "x.csv").is_symlink()
    assert (tmp_path / "real.csv").stat().st_size


def test_no_cell_of_csv_is_a_formula(store: Path, tmp_path: Path) -> None:
    assert Called("report", tmp_path / "x.csv", "--table", "documents", "--store", store).code == 0
    with (tmp_path / "x.csv").open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        names = {row["path"] for row in csv.DictReader(file)}
    assert {"./=formula.txt", "./-dash.txt", os.fsdecode(b"caf\xe9.txt")} <= names


def test_an_empty_store_has_empty_reports(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert Called("scan", tmp_path / "none", "--store", tmp_path / "kin.db", "--format", "json").code == 0
    for name in ALL:
        done = Called("report", tmp_path / name, "--store", tmp_path / "kin.db", "--format", "json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["rows"] == 0
