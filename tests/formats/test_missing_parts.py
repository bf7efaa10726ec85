"""What is not there, or is not read, is told: parts that a document names, other containers, files of no bytes."""

import io
import sqlite3
import zipfile
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from formats import documents, office
from formats.office import zipped
from formats.test_scan_hostile_files import scanned
from formats.test_visible_text import found
from nearkin.api.store import Store
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import FORMATS
from nearkin.model import Reason


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def without(data: bytes, name: str) -> bytes:
    parts = parts_of(data)
    del parts[name]
    return zipped({**parts})


@pytest.mark.parametrize(
    ("data", "name", "place"),
    [
        (documents.epub(), "OEBPS/a.xhtml", "second chapter"),
        (office.pptx(), "ppt/slides/slide1.xml", "second slide"),
        (office.pptx(), "ppt/notesSlides/notes1.xml", "notes"),
        (office.pptx(), "ppt/slideMasters/master1.xml", "master"),
        (office.docx(), "word/footnotes.xml", "footnote"),
        (office.docx(), "word/header2.xml", "second header"),
        (office.docx(), "word/charts/chart1.xml", "chart"),
        (documents.xlsx(), "xl/comments/comment1.xml", "comment"),
        (documents.xlsx(), "xl/worksheets/sheet2.xml", "second sheet"),
    ],
)
def test_what_is_there_is_read_and_parts_that_are_missing_fail(data: bytes, name: str, place: str) -> None:
    whole, document = found(data)[1], found(without(data, name))[1]
    assert whole.members == ()
    (lost,) = document.members
    assert lost.name.decode() == ("sheet two" if "sheet2" in name else name)
    assert lost.problem is not None
    assert lost.problem.reason is Reason.CORRUPT
    assert document.text is not None
    assert office.say(place) not in document.text
    assert whole.text is not None
    left = Counter(document.text.split())
    assert left <= Counter(whole.text.split())
    assert left


@pytest.mark.parametrize(
    ("data", "names", "said"),
    [
        (documents.epub(), ["OEBPS/a.xhtml", "OEBPS/b .xhtml"], "the 2 pages it names are missing"),
        (office.pptx(), ["ppt/_rels/presentation.xml.rels"], "its 2 slides are missing"),
        (office.docx(), ["word/document.xml"], "the part word/document.xml is missing"),
        (documents.xlsx(), ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"], "its 2 sheets are missing"),
    ],
)
def test_without_what_it_is_made_of_it_is_no_document(data: bytes, names: list[str], said: str) -> None:
    for name in names:
        data = without(data, name)
    with pytest.raises(Problem) as error:
        found(data)
    assert (error.value.reason, error.value.detail) == (Reason.CORRUPT, said)


def test_a_part_that_is_missing_is_listed_and_counted(tmp_path: Path) -> None:
    files = {"a.docx": without(office.docx(), "word/header2.xml"), "b.docx": office.docx()}
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    said = "the document names this part, and it is missing"
    assert failed == {"a.docx!/word/header2.xml": ("corrupt", said)}
    assert (summary.documents, summary.failed) == (2, 1)


@pytest.mark.parametrize(("many", "named", "last"), [(100, 100, None), (101, 100, "1"), (5000, 100, "4,900")])
def test_parts_that_are_missing_are_named_up_to_a_hundred(many: int, named: int, last: str | None) -> None:
    """A file of 700 KB may name 140,000: each would be a row of the store."""
    parts = parts_of(office.docx())
    kin = parts["word/_rels/document.xml.rels"]
    more = "".join(f'<Relationship Id="h{n}" Type="x/header" Target="gone{n}.xml"/>' for n in range(many))
    parts["word/_rels/document.xml.rels"] = kin.replace(b"</Relationships>", f"{more}</Relationships>".encode())
    document = found(zipped({**parts}))[1]
    lost = list(document.members)
    assert document.text == found(office.docx())[1].text
    assert [one.name.decode() for one in lost[:100]] == [f"word/gone{n}.xml" for n in range(named)]
    assert [one.name.decode() for one in lost[100:]] == ([] if last is None else [f"other parts: {last}"])
    assert all(one.problem is not None and one.problem.reason is Reason.CORRUPT for one in lost)


def test_after_ten_thousand_missing_parts_no_more_are_looked_for() -> None:
    """300,000 took 11 seconds. What is not looked for is told."""
    parts = parts_of(office.docx())
    kin = parts["word/_rels/document.xml.rels"]
    more = "".join(f'<Relationship Id="h{n}" Type="x/header" Target="gone{n}.xml"/>' for n in range(10_005))
    parts["word/_rels/document.xml.rels"] = kin.replace(b"</Relationships>", f"{more}</Relationships>".encode())
    document = found(zipped({**parts}))[1]
    first, *_, last = document.members
    assert document.text == found(office.docx())[1].text
    assert first.name == b"word/_rels/document.xml.rels"
    assert first.problem is not None
    assert (first.problem.reason, first.problem.detail) == (
        Reason.TOO_LARGE,
        "over 10,000 parts that it names are missing",
    )
    assert last.name == b"other parts: 9,902"


@pytest.mark.parametrize(
    ("target", "mode"),
    [
        ("gone.xml", "External"),
        ("gone.xml", "external"),
        ("NULL", ""),
        ("../NULL", ""),
        ("#there", ""),
        ("", ""),
        ("https://example.org/header.xml", ""),
        ("file:///C:/header.xml", ""),
        ("//server/header.xml", ""),
    ],
)
def test_a_relation_that_leads_to_no_part_names_none(target: str, mode: str) -> None:
    parts = parts_of(office.docx())
    kin = parts["word/_rels/document.xml.rels"]
    more = f'<Relationship Id="h" Type="x/header" Target="{target}" TargetMode="{mode}"/></Relationships>'
    parts["word/_rels/document.xml.rels"] = kin.replace(b"</Relationships>", more.encode())
    document = found(zipped({**parts}))[1]
    assert list(document.members) == []
    assert document.text == found(office.docx())[1].text


def test_a_relation_may_lead_to_a_place_in_a_part() -> None:
    parts = parts_of(office.docx())
    kin = parts["word/_rels/document.xml.rels"]
    parts["word/_rels/document.xml.rels"] = kin.replace(b"footnotes.xml", b"footnotes.xml#there")
    assert found(zipped({**parts}))[1].text == found(office.docx())[1].text


def test_a_relation_to_a_sheet_that_the_book_does_not_list_is_none() -> None:
    parts = parts_of(documents.xlsx())
    kin = parts["xl/_rels/workbook.xml.rels"]
    more = f'<Relationship Id="old" Type="{office.RELS}/worksheet" Target="worksheets/gone.xml"/></Relationships>'
    parts["xl/_rels/workbook.xml.rels"] = kin.replace(b"</Relationships>", more.encode())
    assert parts["xl/_rels/workbook.xml.rels"] != kin
    assert found(zipped({**parts}))[1].text == found(documents.xlsx())[1].text


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


BLANK = [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n", b"\n" * 9000]


@pytest.mark.parametrize("blank", BLANK, ids=["no bytes", "white", "mark", "mark and white", "much white"])
def test_files_of_nothing_but_white_space_are_documents_without_text(tmp_path: Path, blank: bytes) -> None:
    endings = [form.extensions[0] for form in FORMATS] + [".txt", ".html", ""]
    files = {f"a{ending}": blank for ending in endings}
    store = Store(tmp_path / "kin.db")
    summary, failed = scanned(store, tmp_path / "docs", {**files, "box.zip": zipped({"b.docx": blank, "b.txt": blank})})
    assert failed == {}
    assert summary.documents == len(files) + 3
    assert store.matches().num_rows == 0
    again = store.scan(tmp_path / "docs")
    assert (again.new, again.changed, again.resigned, again.failed) == (0, 0, 0, 0)
    with sqlite3.connect(store.path) as connection:
        (runs,) = connection.execute("SELECT count(DISTINCT seen) FROM document").fetchone()
    connection.close()
    assert runs == 1  # nothing was stored twice


def test_files_with_white_space_before_them_are_read_still(tmp_path: Path) -> None:
    files = {"a.xml": b"\n" * 5000 + b"<a>seen</a>"}
    store = Store(tmp_path / "kin.db")
    assert scanned(store, tmp_path / "docs", files)[1] == {}
    assert store.check("seen").to_pylist()[0]["tier"] == "words"


def test_files_of_no_bytes_that_an_older_nearkin_called_empty_are_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "kin.db")
    scanned(store, tmp_path / "docs", {"a.docx": b"", "a.txt": b""})
    (docx,) = (form for form in FORMATS if form.name == "docx")
    with sqlite3.connect(store.path) as connection:
        connection.execute(
            "UPDATE document SET reader = ?, reason = 'empty', detail = 'it has no bytes', text = NULL WHERE path = ?",
            (f"docx/{docx.version}", b"a.docx"),
        )
    connection.close()
    assert store.documents(failed=True).num_rows == 1
    store.scan(tmp_path / "docs")
    assert store.documents(failed=True).num_rows == 0


NOISE = b"no such thing\0" * 400


def book_of(records: bytes) -> bytes:
    file = io.BytesIO()
    import_module("xlwt.CompoundDoc").XlsDoc().save(file, records)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.zip", b"PK\3\4" + NOISE, "not a zip file, or cut off"),
        ("a.docx", b"PK\3\4" + NOISE, "not a zip file, or cut off"),
        ("a.docx", NOISE, "not a zip file, or cut off"),
        ("a.pdf", b"%PDF-1.4" + NOISE, "damaged: not a readable PDF"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + NOISE, "damaged: not a readable Office file"),
        ("a.xls", NOISE, "damaged: not a readable Office file"),
        ("a.xls", book_of(NOISE), "not a readable Excel file"),
        ("a.gz", b"\x1f\x8b\x08" + NOISE, "damaged, or cut off"),
        ("a.bz2", b"BZh" + NOISE, "damaged: not a readable bzip2 file (OSError)"),
    ],
)
def test_what_is_damaged_is_told_in_words_that_need_no_manual(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    assert scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", {name: data})[1] == {name: ("corrupt", said)}
