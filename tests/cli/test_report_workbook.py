"""The workbook, read back by another library and opened with LibreOffice where that is installed."""

import shutil
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest

from cli.world import Called, prose, write
from nearkin.report import workbook
from nearkin.report.workbook import PERCENT, SHARE, moment

SHEETS = ["Summary", "A identical", "B families", "C matches", "D failed"]
needs_libreoffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


def convert(book: Path, folder: Path) -> None:
    """Each sheet as a person sees it, into CSV. It takes seconds to start."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
    done = subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", every_sheet, "--outdir", folder, book],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def book(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "all.xlsx"
    assert Called("report", path, "--store", store, "-q").code == 0
    return path


def test_sheets_have_totals_a_frozen_header_and_a_filter(book: Path) -> None:
    read = openpyxl.load_workbook(book)
    assert read.sheetnames == SHEETS
    for one in read.worksheets[1:]:
        assert one.freeze_panes == "A3"
        assert one.auto_filter.ref.startswith("A2:")
    assert "1 set with the same bytes   2 files" in read["A identical"]["A1"].value
    assert "overhead" in read["A identical"]["A1"].value
    heads = [cell.value for cell in read["B families"][2]]
    assert heads[:8] == ["Family #", "Total size", "# Files", "Links", "Type", "% Similar", "File size", "Filename"]
    heads = [cell.value for cell in read["A identical"][2]]
    assert heads[:5] == ["Set #", "# Files", "Overhead B", "File size", "Filename"]


def test_documents_are_folded_under_their_families(book: Path) -> None:
    families = openpyxl.load_workbook(book)["B families"]
    rows = list(families.iter_rows(min_row=3))
    for row in rows:
        level = families.row_dimensions[row[0].row].outlineLevel
        assert level == (0 if row[0].value is not None else 1)
    assert families.sheet_properties.outlinePr.summaryBelow is False
    part = next(row for row in rows if row[7].value == "part.txt")
    assert part[4].value == "part"
    assert part[5].value == 1.0  # all of the smaller
    assert part[8].value is None or part[8].value < 0.7


def test_numbers_are_numbers_and_dates_dates(book: Path) -> None:
    read = openpyxl.load_workbook(book)
    for row in read["A identical"].iter_rows(min_row=3, values_only=True):
        assert isinstance(row[3], int)
        assert isinstance(row[6], datetime)
    for row in read["C matches"].iter_rows(min_row=3, values_only=True):
        assert isinstance(row[0], float)
    date = next(row[1] for row in read["Summary"].iter_rows() if row[0].value == "Date of the run")
    assert isinstance(date.value, datetime)


def test_it_is_dated_by_the_run(store: Path, tmp_path: Path) -> None:
    shutil.copy(store, tmp_path / "kin.db")
    with closing(sqlite3.connect(tmp_path / "kin.db")) as connection, connection:
        connection.execute("UPDATE run SET ended = '2020-02-03T04:05:06.700+00:00'")
    assert Called("report", tmp_path / "x.xlsx", "--store", tmp_path / "kin.db", "-q").code == 0
    read = openpyxl.load_workbook(tmp_path / "x.xlsx")
    shown = next(row[1] for row in read["Summary"].iter_rows(values_only=True) if row[0] == "Date of the run")
    assert shown == read.properties.created == read.properties.modified == datetime(2020, 2, 3, 4, 5, 6)


def test_no_cell_is_a_formula_and_no_name_a_link_unless_asked(book: Path, store: Path, tmp_path: Path) -> None:
    read = openpyxl.load_workbook(book)
    cells = [cell for one in read.worksheets for row in one.iter_rows() for cell in row]
    assert "=formula.txt" in {cell.value for cell in cells}
    assert not [cell for cell in cells if cell.data_type == "f" or cell.hyperlink]
    with zipfile.ZipFile(book) as parts:
        assert all(b"<f>" not in parts.read(name) for name in parts.namelist())
    assert Called("report", tmp_path / "x.xlsx", "--links", "--store", store, "-q").code == 0
    linked = openpyxl.load_workbook(tmp_path / "x.xlsx")["C matches"]
    targets = {cell.hyperlink.target for row in linked.iter_rows(min_row=3) for cell in row if cell.hyperlink}
    assert any(target.startswith("FILE:///") and target.endswith("/caf%E9.txt") for target in targets), targets


def test_a_full_sheet_goes_on_in_another(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "ROW_LIMIT", 5)
    assert Called("report", tmp_path / "x.xlsx", "--store", store, "-q").code == 0
    read = openpyxl.load_workbook(tmp_path / "x.xlsx")
    parts = [one for one in read.worksheets if one.title.startswith("C matches")]
    assert [one.title for one in parts] == [f"C matches{more}" for more in ("", " 2", " 3", " 4")][: len(parts)]
    assert len(parts) > 1
    assert all(one.max_row <= 5 and one["A2"].value == "Resemblance" for one in parts)
    listed = Called("matches", "--store", store).records
    assert sum(one.max_row - 2 for one in parts) == len(listed)


@pytest.fixture(scope="module")
def almost_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store of two long texts that differ in one word, and its workbook."""
    folder = tmp_path_factory.mktemp("almost")
    long = prose(1, 100_000)
    write(folder / "tree", {b"a.txt": long, b"b.txt": f"{long} otherwise"})
    assert Called("scan", folder / "tree", "--store", folder / "kin.db", "--report", folder / "all.xlsx").code == 0
    return folder / "kin.db", folder / "all.xlsx"


def test_cells_hold_what_was_measured(almost_one: tuple[Path, Path]) -> None:
    (match,) = Called("matches", "--store", almost_one[0]).records
    assert 0.9999 < match["resemblance"] < 1.0
    read = openpyxl.load_workbook(almost_one[1])
    (row,) = read["C matches"].iter_rows(min_row=3)
    assert [cell.value for cell in row[:4]] == [match[name] for name in ("resemblance", "a_in_b", "b_in_a", "a_in_b")]
    assert [cell.number_format for cell in row[:4]] == [SHARE, SHARE, SHARE, PERCENT]
    assert read["B families"]["I3"].value == match["resemblance"]


@pytest.mark.soak
@needs_libreoffice
def test_only_what_is_1_is_shown_as_1(almost_one: tuple[Path, Path], tmp_path: Path) -> None:
    convert(almost_one[1], tmp_path)
    shown = (tmp_path / "all-C matches.csv").read_text().splitlines()[2].split(",")
    assert shown[:4] == [">0.9999", "1.0000", ">0.9999", "100.0%"]


def test_moments_that_a_spreadsheet_does_not_know() -> None:
    assert moment(0) is None
    assert moment(-3_000_000_000 * 10**9) is None
    assert moment(10**30) is None
    assert moment(10**18) == datetime(2001, 9, 9, 1, 46, 40)


@pytest.mark.soak
@needs_libreoffice
def test_libreoffice_opens_it(book: Path, tmp_path: Path) -> None:
    convert(book, tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == sorted(f"all-{name}.csv" for name in SHEETS)
    families = (tmp_path / "all-B families.csv").read_text()
    assert "part.txt" in families
    assert "=formula.txt" in families
    assert "###" not in families
