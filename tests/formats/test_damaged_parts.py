"""A part that is damaged fails alone: what is whole is read, and of its own text no word is wrong."""

import io
import struct
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from formats import documents, office
from formats.office import zipped
from formats.test_missing_parts import parts_of
from formats.test_scan_hostile_files import scanned
from formats.test_visible_text import found
from nearkin.api.store import Store
from nearkin.formats.adapter import Problem
from nearkin.model import Reason


def entry(data: bytes, name: str) -> tuple[int, int]:
    """Where the packed bytes of a part begin and end."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
    names, extra = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + names + extra
    return start, start + info.compress_size


def with_another_checksum(data: bytes, name: str) -> bytes:
    """Every byte of the part is there, and it is well-formed: only its checksum tells that one was another."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
        right = struct.pack("<I", info.CRC)
    assert data.count(right) == 2
    return data.replace(right, struct.pack("<I", info.CRC ^ 1))


def with_broken_packing(data: bytes, name: str) -> bytes:
    start, end = entry(data, name)
    return data[:start] + b"\xff" * (end - start) + data[end:]


def with_packing_that_breaks_late(data: bytes, name: str) -> bytes:
    """Its beginning can be unpacked, and would be text."""
    start, end = entry(data, name)
    middle = (start + end) // 2
    return data[:middle] + b"\xff" * (end - middle) + data[end:]


def with_broken_xml(data: bytes, name: str) -> bytes:
    """Written so, with a checksum of what it is."""
    parts = parts_of(data)
    return zipped({**parts, name: parts[name][:9]})


DAMAGES = (with_another_checksum, with_broken_packing, with_packing_that_breaks_late, with_broken_xml)
PARTS = [
    (office.pptx(), "ppt/slides/slide1.xml", "second slide"),
    (office.pptx(), "ppt/notesSlides/notes1.xml", "notes"),
    (office.pptx(), "ppt/charts/chart1.xml", "category"),
    (office.pptx(), "ppt/slideMasters/master1.xml", "master"),
    (office.docx(), "word/footnotes.xml", "footnote"),
    (office.docx(), "word/header2.xml", "second header"),
    (office.docx(), "word/charts/chart1.xml", "chart"),
    (office.docx(), "word/_rels/document.xml.rels", "endnote"),
    (office.docx(), "docProps/core.xml", ""),
    (documents.xlsx(), "xl/comments/comment1.xml", "comment"),
    (documents.xlsx(), "xl/worksheets/sheet2.xml", "second sheet"),
    (documents.xlsx(), "xl/worksheets/sheet1.xml", "cell"),
    (office.odt(), "styles.xml", "footer"),
    (office.odt(), "Object 1/content.xml", "chart"),
    (office.odt(), "meta.xml", ""),
    (office.odp(), "META-INF/manifest.xml", ""),
    (office.ods(), "styles.xml", "header"),
    (office.ods(), "meta.xml", ""),
    (documents.epub(), "OEBPS/a.xhtml", "second chapter"),
]
CALLED = {"xl/worksheets/sheet1.xml": "sheet sheet name stands", "xl/worksheets/sheet2.xml": "sheet two"}


@pytest.mark.parametrize("damaged", DAMAGES)
@pytest.mark.parametrize(("data", "name", "place"), PARTS, ids=[name for _, name, _ in PARTS])
def test_what_is_whole_is_read_and_a_damaged_part_fails(
    data: bytes, name: str, place: str, damaged: Callable[[bytes, str], bytes]
) -> None:
    if name.endswith(".xhtml") and damaged is with_broken_xml:
        pytest.skip("a page is read as HTML, which is never broken")
    whole, document = found(data)[1], found(damaged(data, name))[1]
    (lost,) = document.members
    assert lost.name.decode() == CALLED.get(name, name)
    assert lost.problem is not None
    assert lost.problem.reason is Reason.CORRUPT
    assert document.text is not None
    assert whole.text is not None
    left = Counter(document.text.split())
    assert left <= Counter(whole.text.split())
    assert left
    if place:
        assert office.say(place) not in document.text
    else:
        assert document.text == whole.text


MAIN = [
    (office.docx(), ["word/document.xml"]),
    (office.pptx(), ["ppt/presentation.xml"]),
    (office.pptx(), ["ppt/_rels/presentation.xml.rels"]),
    (office.pptx(), ["ppt/slides/slide1.xml", "ppt/slides/slide2.xml"]),
    (documents.xlsx(), ["xl/workbook.xml"]),
    (documents.shared_strings(), ["xl/sharedStrings.xml"]),
    (documents.xlsx(), ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]),
    (office.odt(), ["content.xml"]),
    (office.odp(), ["content.xml"]),
    (office.ods(), ["content.xml"]),
    (documents.epub(), ["META-INF/container.xml"]),
    (documents.epub(), ["OEBPS/book.opf"]),
    (documents.epub(), ["OEBPS/a.xhtml", "OEBPS/b .xhtml"]),
]


@pytest.mark.parametrize("damaged", DAMAGES)
@pytest.mark.parametrize(("data", "names"), MAIN, ids=[names[0] for _, names in MAIN])
def test_without_its_main_part_it_is_corrupt(
    data: bytes, names: list[str], damaged: Callable[[bytes, str], bytes]
) -> None:
    if names[0].endswith(".xhtml") and damaged is with_broken_xml:
        pytest.skip("a page is read as HTML, which is never broken")
    for name in names:
        data = damaged(data, name)
    with pytest.raises(Problem) as error:
        found(data, b"a." + found_name(names[0]))
    assert error.value.reason is Reason.CORRUPT


def found_name(name: str) -> bytes:
    return {"wo": b"docx", "pp": b"pptx", "xl": b"xlsx", "co": b"odt", "ME": b"epub", "OE": b"epub"}[name[:2]]


@pytest.mark.parametrize("damaged", [with_another_checksum, with_broken_packing])
@pytest.mark.parametrize(
    ("data", "name"), [(office.docx(), b""), (office.pptx(), b"a.pptx"), (documents.xlsx(), b"a.zip")]
)
def test_without_its_list_of_types_it_is_told_by_its_parts(
    data: bytes, name: bytes, damaged: Callable[[bytes, str], bytes]
) -> None:
    assert found(damaged(data, "[Content_Types].xml"), name)[1].text == found(data)[1].text


def test_what_stands_before_a_mistake_in_xml_is_read() -> None:
    """It was written so: what comes before is right. Of damaged bytes nobody knows that."""
    parts = parts_of(office.docx())
    notes = parts["word/footnotes.xml"]
    parts["word/footnotes.xml"] = notes.replace(b"</w:notes>", office.paragraph("\x0b Lost words.").encode())
    document = found(zipped({**parts}))[1]
    assert document.text == found(office.docx())[1].text
    assert [one.name for one in document.members] == [b"word/footnotes.xml"]
    cut = found(with_another_checksum(zipped({**parts}), "word/footnotes.xml"))[1]
    assert office.say("footnote") not in (cut.text or "")


@pytest.mark.parametrize("damaged", DAMAGES)
def test_without_its_styles_a_book_has_its_cells(damaged: Callable[[bytes, str], bytes]) -> None:
    document = found(damaged(documents.xlsx(), "xl/styles.xml"))[1]
    for place in ("cell", "second sheet", "header", "comment"):
        assert office.say(place) in (document.text or "")
    assert [one.name for one in document.members] == [b"xl/styles.xml"]


def test_damage_beside_cells_far_apart_or_with_errors() -> None:
    """Such books are written anew for the library that reads cells."""
    parts = parts_of(documents.xlsx())
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</sheetData>", ERROR + b"</sheetData>")
    data = with_broken_packing(zipped({**parts}), "xl/comments/comment1.xml")
    data = with_broken_packing(data, "xl/theme/theme1.xml")
    document = found(data)[1]
    assert [one.name for one in document.members] == [b"xl/comments/comment1.xml"]
    assert "#N/A" in (document.text or "")


ERROR = b'<row r="99"><c r="A99" t="e"><v>#N/A</v></c></row>'


def test_a_part_that_is_encrypted_or_packed_in_a_rare_way_fails_alone() -> None:
    data = office.docx()
    (start, _), name = entry(data, "word/footer1.xml"), b"word/footer1.xml"
    central = data.rindex(name) - 46
    local = start - 30 - len(name)
    for flag, method, reason in ((1, 8, Reason.ENCRYPTED), (0, 99, Reason.UNSUPPORTED)):
        made = bytearray(data)
        struct.pack_into("<HH", made, local + 6, flag, method)
        struct.pack_into("<HH", made, central + 8, flag, method)
        (lost,) = found(bytes(made))[1].members
        assert lost.name == name
        assert lost.problem is not None
        assert lost.problem.reason is reason


def test_limits_are_those_of_the_whole_document() -> None:
    parts = parts_of(office.docx())
    parts["word/footer1.xml"] = b"<w:" + b"a" * 30_000_000
    with pytest.raises(Problem) as error:
        found(zipped({**parts}))
    assert error.value.reason is Reason.TOO_LARGE


def test_a_damaged_part_is_listed_and_counted(tmp_path: Path) -> None:
    files = {"a.docx": with_another_checksum(office.docx(), "word/header2.xml"), "b.docx": office.docx()}
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    assert failed == {"a.docx!/word/header2.xml": ("corrupt", "damaged, or cut off")}
    assert (summary.documents, summary.failed) == (2, 1)
