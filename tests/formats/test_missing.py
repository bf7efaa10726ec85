"""What is not there, or is not read, is told: parts that a document names, other containers, files of no bytes."""

import io
import sqlite3
import zipfile
from pathlib import Path

import pytest

from formats import office, others
from formats.office import zipped
from formats.test_places import found
from formats.test_scanned import scanned
from nearkin.api.store import Store
from nearkin.formats.found import Problem
from nearkin.formats.table import FORMATS
from nearkin.model import Reason


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def without(data: bytes, name: str) -> bytes:
    parts = parts_of(data)
    del parts[name]
    return zipped({**parts})


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (others.epub(), "OEBPS/a.xhtml", "1 of the 2 pages it names are missing"),
        (office.pptx(), "ppt/slides/slide1.xml", "1 of its 2 slides are missing"),
        (office.pptx(), "ppt/_rels/presentation.xml.rels", "2 of its 2 slides are missing"),
        (office.pptx(), "ppt/notesSlides/notes1.xml", "the part ppt/notesSlides/notes1.xml is missing"),
        (office.pptx(), "ppt/slideMasters/master1.xml", "the part ppt/slideMasters/master1.xml is missing"),
        (office.docx(), "word/footnotes.xml", "the part word/footnotes.xml is missing"),
        (office.docx(), "word/header2.xml", "the part word/header2.xml is missing"),
        (office.docx(), "word/charts/chart1.xml", "the part word/charts/chart1.xml is missing"),
        (others.xlsx(), "xl/comments/comment1.xml", "the part xl/comments/comment1.xml is missing"),
    ],
)
def test_parts_that_are_missing_are_told(data: bytes, name: str, said: str) -> None:
    with pytest.raises(Problem) as error:
        found(without(data, name))
    assert (error.value.reason, error.value.detail) == (Reason.CORRUPT, said)


def test_sheets_that_are_missing_are_told() -> None:
    with pytest.raises(Problem, match="the sheet two is missing") as error:
        found(without(others.xlsx(), "xl/worksheets/sheet2.xml"))
    assert error.value.reason is Reason.CORRUPT


def test_a_relation_to_a_sheet_that_the_book_does_not_list_is_none() -> None:
    parts = parts_of(others.xlsx())
    kin = parts["xl/_rels/workbook.xml.rels"]
    more = f'<Relationship Id="old" Type="{office.RELS}/worksheet" Target="worksheets/gone.xml"/></Relationships>'
    parts["xl/_rels/workbook.xml.rels"] = kin.replace(b"</Relationships>", more.encode())
    assert parts["xl/_rels/workbook.xml.rels"] != kin
    assert found(zipped({**parts}))[1].text == found(others.xlsx())[1].text


@pytest.mark.parametrize("data", [office.docx(), office.pptx()])
def test_properties_that_are_missing_are_no_text(data: bytes) -> None:
    less = found(without(data, "docProps/core.xml"))[1]
    assert (less.text, less.properties) == (found(data)[1].text, {})


def test_sections_of_a_show_name_no_slides() -> None:
    """They list them again, by number, as PowerPoint writes them."""
    data = office.pptx()
    section = b'<p14:sectionLst xmlns:p14="p14"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:sectionLst>'
    parts = parts_of(data)
    show = parts["ppt/presentation.xml"]
    parts["ppt/presentation.xml"] = show.replace(b"</p:presentation>", section + b"</p:presentation>")
    assert found(zipped({**parts}))[1].text == found(data)[1].text


def test_a_part_may_be_named_with_escapes() -> None:
    data = office.docx()
    parts = parts_of(data)
    parts["word/foot notes.xml"] = parts.pop("word/footnotes.xml")
    kin = parts["word/_rels/document.xml.rels"]
    parts["word/_rels/document.xml.rels"] = kin.replace(b"footnotes.xml", b"foot%20notes.xml")
    assert found(zipped({**parts}))[1].text == found(data)[1].text


UNREAD = {
    "a.rar": b"Rar!\x1a\x07\x01\0",
    "winmail.dat": b"\x78\x9f\x3e\x22\1\0",
    "a.lz": b"LZIP\1\x0c\0",
    "a.cab": b"MSCF\0\0\0\0\0",
    "a.pst": b"!BDN\x01\x02\0",
    "a.tar.Z": b"\x1f\x9d\x90\0\0",
}


def test_containers_that_are_not_read_are_told(tmp_path: Path) -> None:
    files = {**UNREAD, "box.zip": zipped({**UNREAD}), "noise.rar": b"\x89\0\1\2"}
    _, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    assert {name: reason for name, (reason, _) in failed.items()} == {
        **dict.fromkeys(UNREAD, "unsupported"),
        **{f"box.zip!/{name}": "unsupported" for name in UNREAD},
        "noise.rar": "corrupt",
    }
    assert all(detail.endswith(" not read") for name, (_, detail) in failed.items() if name != "noise.rar")


def test_files_of_no_bytes_that_are_named_like_a_format_are_empty(tmp_path: Path) -> None:
    names = [f"a{form.extensions[0]}" for form in FORMATS]
    files = {**dict.fromkeys(names, b""), "a.txt": b"", "a": b"", "box.zip": zipped({"b.docx": b"", "b.txt": b""})}
    store = Store(tmp_path / "kin.db")
    _, failed = scanned(store, tmp_path / "docs", files)
    assert failed == dict.fromkeys([*names, "box.zip!/b.docx"], ("empty", "it has no bytes"))


def test_files_of_no_bytes_that_an_older_nearkin_took_for_plain_are_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "kin.db")
    scanned(store, tmp_path / "docs", {"a.docx": b"", "a.txt": b""})
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE document SET reader = NULL, reason = NULL, detail = NULL")
    connection.close()
    assert store.documents(failed=True).num_rows == 0
    store.scan(tmp_path / "docs")
    assert [one["path"] for one in store.documents(failed=True).to_pylist()] == ["a.docx"]
