"""What Excel files say beside their cells, and cells that lie far apart."""

import io
import struct
import time
import zipfile

import pytest

from formats import documents, excel_97
from formats.office import LABELS, cached, drawn, related, say, zipped
from formats.test_visible_text import found
from nearkin.formats import xlsx
from nearkin.formats.adapter import Limits, TextBuilder
from nearkin.formats.xls import add_beside
from nearkin.formats.xlsx import binary_headers

NAMES = " ".join(f'xmlns:{name}="{name}"' for name in ("a", "c", "xdr", "x"))
KIN = "xl/worksheets/_rels/sheet1.xml.rels"


def book(**more: str | bytes) -> dict[str, str | bytes]:
    """One sheet's, without comments of its own. The names of more parts have _ for a slash."""
    with zipfile.ZipFile(io.BytesIO(documents.cells("A1", "B2"))) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return parts | {f"xl/{name.replace('__', '.').replace('_', '/')}": data for name, data in more.items()}


def lines(parts: dict[str, str | bytes]) -> list[str]:
    return (found(zipped(parts))[1].text or "").splitlines()


def test_charts_say_what_no_cell_says() -> None:
    """Their names are those of cells most often, and those are read."""
    cells = "".join(f"<c:tx><c:strRef>{cached(text)}</c:strRef></c:tx>" for text in ("cell A1", "cell B2", "cell gone"))
    parts = book(drawings_a__xml=f"<xdr:wsDr {NAMES}/>", charts_a__xml=f"<c:chart {NAMES}>{cells}{LABELS}</c:chart>")
    parts[KIN] = related(drawing="../drawings/a.xml")
    parts["xl/drawings/_rels/a.xml.rels"] = related(chart="../charts/a.xml")
    parts["xl/charts/_rels/a.xml.rels"] = related(chartUserShapes="../drawings/b.xml")
    parts["xl/drawings/b.xml"] = f"<c:userShapes {NAMES}>{drawn(say('box in a chart'))}</c:userShapes>"
    said = lines(parts)
    assert said[:3] == ["Sheet", "cell A1", "cell B2"]
    names = ("series", "category", "literal series", "label from cells")
    assert said[3:] == [say("box in a chart"), "cell gone", *map(say, names)]


OLD = (
    f"<x:comments {NAMES}><x:authors><x:author>Ann</x:author><x:author>tc={{1-2}}</x:author></x:authors><x:commentList>"
    f"<x:comment authorId='0'><x:text><x:r><x:t>{say('old comment')}</x:t></x:r></x:text></x:comment>"
    f"<x:comment authorId='1'><x:text><x:t>Deleted: your version of Excel {say('thread')}</x:t></x:text></x:comment>"
    "</x:commentList></x:comments>"
)
THREAD = f"<x:list {NAMES}><x:threadedComment><x:text>{say('thread')}</x:text></x:threadedComment></x:list>"


def test_threads_of_comments_are_read_once() -> None:
    parts = book(comments1__xml=OLD, threads_a__xml=THREAD)
    parts[KIN] = related(comments="../comments1.xml", threadedComment="../threads/a.xml")
    assert lines(parts)[3:] == [say("thread"), say("old comment")]
    copied = [say("old comment"), f"Deleted: your version of Excel {say('thread')}"]
    parts["xl/threads/a.xml"] = "<broken"
    assert lines(parts)[3:] == copied
    parts[KIN] = related(comments="../comments1.xml")
    assert lines(parts)[3:] == copied


def record(kind: int, data: bytes) -> bytes:
    """Of a binary workbook: numbers of seven bits a byte."""
    size = len(data)
    return bytes([kind & 0x7F | 0x80, kind >> 7, size & 0x7F | 0x80, size >> 7 & 0x7F]) + data


def noted(text: str, length: int | None = None) -> bytes:
    data = text.encode("utf-16-le")
    return record(637, struct.pack("<BI", 1, len(data) // 2 if length is None else length) + data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"\xf4\x04\x00" + record(635, bytes(36)) + noted(say("binary comment")) + b"\xfc\x04\x00",
            [say("binary comment")],
        ),
        (noted("one 😀") + noted("two"), ["one 😀", "two"]),
        (noted("cut", 99)[:-2], ["cu"]),
        (b"\xff" * 99, []),
        (b"\xfd\x04\xff", []),
        (b"", []),
    ],
    ids=["one", "two", "cut", "no end", "no size", "empty"],
)
def test_comments_of_binary_workbooks(data: bytes, said: list[str]) -> None:
    parts = book(comments1__bin=data)
    parts[KIN] = related(comments="../comments1.bin")
    assert lines(parts)[3:] == said


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_cells_far_apart_in_a_sheet_that_does_not_say_how_large_it_is(
    prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few places at a time are looked at; a tag across two pieces counts."""
    monkeypatch.setattr(xlsx, "CHUNK", 1000)
    row = '<{0}row r="{1}"><{0}c s="0" r="{2}{1}" t="inlineStr"><{0}is><{0}t>cell {2}</{0}t></{0}is></{0}c></{0}row>'
    rows = "".join(
        row.format(prefix, *place) for place in ((1, "A"), *((at, "B") for at in range(2, 40)), (1048576, "XFD"))
    )
    space = f"xmlns{':' * bool(prefix)}{prefix.rstrip(':')}='http://schemas.openxmlformats.org/spreadsheetml/2006/main'"
    parts = book()
    parts["xl/worksheets/sheet1.xml"] = (
        f"<{prefix}worksheet {space}><{prefix}sheetData>{rows}</{prefix}sheetData></{prefix}worksheet>"
    )
    assert lines(parts) == ["Sheet", "cell A", *["cell B"] * 38, "cell XFD"]


def note(row: int, text: bytes) -> bytes:
    return excel_97.record(0x001C, struct.pack("<3H", row, 0, len(text)) + text)


def excel_95(page: int, *records: bytes) -> str:
    """What stands beside the cells of a book of one sheet."""
    begin = excel_97.record(0x0809, struct.pack("<HH4x", 0x0500, 5))
    pages = excel_97.record(0x0042, struct.pack("<H", page))
    told = excel_97.record(0x0085, struct.pack("<I", len(begin + pages + excel_97.END) + 8))
    prose = TextBuilder(Limits())
    add_beside(b"".join((begin, pages, told, excel_97.END, begin, *records, excel_97.END)), prose)
    return prose.text()


@pytest.mark.parametrize(
    ("page", "codec", "words"),
    [(1251, "cp1251", "Большой"), (0x8000, "mac-roman", "größe"), (0x8001, "cp1252", "größe"), (9, "cp1252", "größe")],
)
def test_comments_and_headers_of_excel_95_are_in_a_code_page(page: int, codec: str, words: str) -> None:
    """A long comment goes on in another record."""
    said = words.encode(codec)
    header = excel_97.record(0x0014, bytes([len(said) + 2]) + b"&C" + said)
    notes = note(1, said + b" ") + note(0xFFFF, said) + note(3, said)
    assert excel_95(page, header, notes) == f"{words}\n{words} {words}\n{words}\n"


def test_a_comment_in_very_many_records_takes_no_quadratic_time() -> None:
    start = time.process_time()
    assert len(excel_95(1252, note(1, b"a"), note(0xFFFF, b"a") * 600_000)) == 600_002
    assert time.process_time() - start < 4  # 0.7 s; 8 s where each was joined to all before it


def test_records_beside_old_cells_that_end_early_say_what_is_there() -> None:
    begin, whole = excel_97.record(0x0809, struct.pack("<HH12x", 0x0600, 0x0010)), excel_97.beside()
    told = excel_97.record(0x0085, struct.pack("<I", len(begin + excel_97.END) + 8))
    book = begin + told + excel_97.END + begin + whole
    said = [0]
    for end in range(len(book) - len(whole), len(book)):
        prose = TextBuilder(Limits())
        add_beside(book[:end], prose)
        said.append(len(prose.text().splitlines()))
    assert said == sorted(said)
    assert said[-1] == 10  # lines: one box has two, and no cell says what the chart takes from one


def sheet(cells: str) -> str:
    names = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    other = '<c r="C1" t="inlineStr"><is><t>other</t></is></c>'
    return f'<worksheet {names}><sheetData><row r="1">{cells}{other}</row></sheetData></worksheet>'


@pytest.mark.parametrize(
    ("cell", "shown"),
    [('t="n"><v> 41</v>', "41"), ('t="n"><v>n/a</v>', "n/a"), ("t='n' s='0'><v>\n4.5</v>", "4.5")],
)
def test_one_cell_that_is_no_number_does_not_cost_its_sheet(cell: str, shown: str) -> None:
    made = book(worksheets_sheet1__xml=sheet(f'<c r="A1" {cell}</c><c r="B1" t="n"><v>7</v></c>'))
    assert lines(made) == ["Sheet", f"{shown}\t7\tother"]


def test_headers_of_binary_sheets() -> None:
    """[MS-XLSB]: flags, then headers and footers of odd and even pages and of the first. Its number is met before."""
    texts = ("&C" + say("header"), None, "", say("even"), None, "Первая &P")
    told = b"\3\0"
    for text in texts:
        length = 0xFFFFFFFF if text is None else len(text)
        told += struct.pack("<I", length) + (text or "").encode("utf-16-le")
    size = bytes((len(told) & 0x7F | 0x80, len(told) >> 7))
    sheet = b"\x81\1\0 cells \xdf\3\5 none " + b"\xdf\3" + size + told + b"\xe0\3\0" + b"\x82\1\0"
    assert [*binary_headers(sheet)] == ["&C" + say("header"), "", "", say("even"), "", "Первая &P"]
    assert [*binary_headers(sheet[:-20])] == []
