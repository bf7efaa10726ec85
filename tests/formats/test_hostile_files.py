"""Files made to hurt: they cost what the limits allow, and what comes of them is text or a Problem, nothing else."""

import io
import random
import re
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from formats import documents, excel_97, office, outlook, powerpoint_97, word_97
from formats.archives import MEMBERS, PACKERS, plain_zip, tar
from formats.office import docx, paragraph, zipped
from formats.seven_zip import archive
from formats.test_visible_text import found
from nearkin.formats import ole, registry, sniff, xlsx
from nearkin.formats import sheets as xls_errors
from nearkin.formats.adapter import Limits, Problem
from nearkin.formats.registry import BY_NAME, HEAD, read_with
from nearkin.model import Reason

LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
BILLION = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "lol">{LAUGHS}]>'
FETCH = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'

MADE: dict[str, Callable[[], bytes]] = {
    "docx": office.docx, "pptx": office.pptx, "odt": office.odt, "odp": office.odp, "ods": office.ods,
    "xlsx": documents.xlsx, "xls": excel_97.xls, "pdf": documents.pdf, "rtf": documents.rtf, "epub": documents.epub,
    "eml": documents.eml, "mhtml": documents.mhtml, "msg": outlook.msg, "mbox": documents.mbox, "xml": documents.xml,
    "zip": plain_zip, "tar": tar, "7z": partial(archive, dict(MEMBERS)),
    "doc": word_97.doc, "ppt": powerpoint_97.ppt,
    **{name: partial(pack, b"words" * 99) for name, pack in PACKERS.items()},
}  # fmt: skip


def reason(data: bytes, name: bytes = b"", limits: Limits | None = None) -> Reason:
    with pytest.raises(Problem) as error:
        found(data, name, limits)
    return error.value.reason


def test_a_billion_laughs_stay_one() -> None:
    assert found(f"{BILLION}<x>one &a9; laugh</x>".encode())[1].text == "one &a9; laugh"
    assert found(docx_of(BILLION, "<w:t>&a9;</w:t>"))[1].text.startswith("&a9;")  # type: ignore[union-attr]


def test_laughs_in_an_attribute_end_in_an_error() -> None:
    assert reason(f'{BILLION}<x a="&a9;">words</x>'.encode()) is Reason.CORRUPT


def test_nothing_external_is_fetched() -> None:
    assert found(f"{FETCH}<x>one &f; file</x>".encode())[1].text == "one &f; file"
    assert found(docx_of(FETCH, "<w:t>one &f; file</w:t>"))[1].text.startswith("one &f; file")  # type: ignore[union-attr]


def docx_of(prolog: str, run: str) -> bytes:
    return zipped(
        {
            "[Content_Types].xml": office.types("wordprocessingml.document"),
            "word/document.xml": f'{prolog}<w:document xmlns:w="w"><w:p>{run}</w:p></w:document>',
        }
    )


@pytest.mark.parametrize("depth", [50_000, pytest.param(300_000, marks=pytest.mark.soak)])
def test_xml_nested_deep_keeps_its_text(depth: int) -> None:
    deep = b"<?xml version='1.0'?>" + b"<a>" * depth + b"the bottom" + b"</a>" * depth
    assert found(deep)[1].text == "the bottom"


def test_a_word_file_nested_20_000_deep_keeps_its_text() -> None:
    assert "the bottom" in (found(docx("<w:a>" * 20_000 + paragraph("the bottom") + "</w:a>" * 20_000))[1].text or "")


def test_rtf_nested_deep_keeps_its_text_or_says_why_not() -> None:
    assert found(b"{\\rtf1 " + b"{" * 90_000 + b"the bottom" + b"}" * 90_001)[1].text == "the bottom"
    assert reason(b"{\\rtf1 " + b"{" * 200_000) is Reason.TOO_LARGE


def test_a_word_file_that_unpacks_to_much_is_refused_before_it_fills_the_memory() -> None:
    bomb = docx(paragraph("a" * 50_000_000))
    assert len(bomb) < 100_000
    tracemalloc.start()
    assert reason(bomb, limits=Limits(characters=1_000_000)) is Reason.TOO_LARGE
    assert reason(bomb, limits=Limits(unpacked=1_000_000)) is Reason.TOO_LARGE
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_tag_that_never_ends_is_refused() -> None:
    assert reason(docx("<w:" + "a" * 30_000_000)) is Reason.TOO_LARGE


@pytest.mark.parametrize("name", MADE)
def test_cut_and_flipped_copies_are_read_or_refused(name: str) -> None:
    """Sixty of each here; thousands in the long run."""
    whole = MADE[name]()
    for seed in range(60):
        try_one(name, whole, seed)


@pytest.mark.soak
@pytest.mark.parametrize("name", MADE)
def test_thousands_of_cut_and_flipped_copies(name: str) -> None:
    whole = MADE[name]()
    for seed in range(60, 360):
        try_one(name, whole, seed)


def try_one(name: str, whole: bytes, seed: int) -> None:
    data = mutated(whole, random.Random(seed))
    chosen = registry.detect(data[:HEAD], f"a.{name}".encode(), io.BytesIO(data))
    for tried in {chosen, BY_NAME[name]} - {None}:
        assert tried is not None
        with suppress(Problem):
            document = read_with(tried, io.BytesIO(data), Limits(unpacked=50_000_000, characters=5_000_000))
            (document.text or "").encode()
            for member in document.members:
                assert member.problem is None or not member.data


def mutated(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    how = dice.randrange(3)
    if how == 0:
        del changed[dice.randrange(len(changed)) :]
    elif how == 1:
        for _ in range(dice.randrange(1, 30)):
            changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    else:
        start = dice.randrange(len(changed))
        changed[start : start + dice.randrange(200)] = dice.randbytes(dice.randrange(200))
    return bytes(changed)


@pytest.mark.parametrize("far", ["XFD1048576", "XFD400", "E1048576"])
def test_cells_far_apart_are_read(far: str) -> None:
    """Not with all the empty cells between: of the first there are 17 thousand million."""
    text = found(documents.cells("A1", "C1", "A2", far))[1].text or ""
    assert text.split("\n")[1:4] == ["cell A1\tcell C1", "cell A2", f"cell {far}"]


def test_cells_that_are_near_stay_where_they_are() -> None:
    assert "cell A1\t\tcell C1\n" in (found(documents.cells("A1", "C1", "A2"))[1].text or "")


def test_looking_for_errors_takes_nothing_from_what_may_be_unpacked() -> None:
    """A book is gone through for errors, rewritten for them, and read: no pass may unpack more than the limit."""
    with zipfile.ZipFile(io.BytesIO(documents.cells("A1", "C1"))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    (sheet,) = (name for name in parts if "worksheets/sheet" in name and name.endswith(".xml"))
    error = b'<row r="9"><c r="A9" t="e"><v>#N/A</v></c></row></sheetData>'
    padding = b"<!--" + b" " * 2_000_000 + b"--></worksheet>"
    parts[sheet] = parts[sheet].replace(b"</sheetData>", error).replace(b"</worksheet>", padding)
    book = zipped({**parts})
    assert "#N/A" in (found(book, limits=Limits(unpacked=3_000_000))[1].text or "")
    assert reason(book, limits=Limits(unpacked=1_900_000)) is Reason.TOO_LARGE


def nested_mail(depth: int) -> bytes:
    mail = b"\n\nthe bottom"
    for level in range(depth):
        mark = b"b%d" % level
        mail = b"Content-Type: multipart/mixed; boundary=%s\n\n--%s\n%s\n--%s--\n" % (mark, mark, mail, mark)
    return b"From: a@b\nSubject: x\nMIME-Version: 1.0\n" + mail


def test_a_mail_of_parts_in_parts_is_too_large_not_corrupt() -> None:
    assert "the bottom" in (found(nested_mail(20))[1].text or "")
    assert reason(nested_mail(3000)) is Reason.TOO_LARGE


def test_a_document_type_in_word_is_no_way_to_other_files() -> None:
    text = found(docx_of('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>', "<w:t>plain &f; words</w:t>"))[
        1
    ].text
    assert text is not None
    assert "plain &f; words" in text


@pytest.mark.parametrize(
    "data",
    [
        b"<?xml version='1.0'?><a>first words</a>\n<b>second &amp; words</b>",
        b"<?xml version='1.0'?><!DOCTYPE a PUBLIC '-//X//EN'>\n<a>first words <b>second &amp; words</a>",
        b"<?xml version='1.0' encoding='iso-8859-1'?><a>first words <!-- no --> <b c='d'>second & words</b>",
    ],
)
def test_broken_xml_is_read_without_its_tags(data: bytes) -> None:
    from io import BytesIO

    from nearkin.formats.adapter import Limits
    from nearkin.formats.xml import read

    assert " ".join((read(BytesIO(data), Limits()).text or "").split()) == "first words second & words"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("<a><style>one</style><script>two</script><template>three</template>", "one two three"),
        ('<!DOCTYPE a [ <!ENTITY x "secret > value"> ]><a>words', "words"),
        ("<a>one <![CDATA[<two> &amp;]]> three<?no text?><!-- nor <b> this -->", "one <two> &amp; three"),
        (
            "<a t='x > y'>if a < b and c<d or e>f, &lt;g&gt; &#65;&#x42; &nbsp;",
            "if a < b and c<d or e>f, <g> AB &nbsp;",
        ),
        ('<a><b c="d>words</b><b c=d>more</b>', "words more"),
        ("<a><!-- never closed, text", "never closed, text"),
        ("<!DOCTYPE a [ never closed <a>text <![CDATA[x]]>", "<!DOCTYPE a [ never closed text x"),
    ],
)
def test_of_broken_xml_no_text_is_lost(data: str, told: str) -> None:
    from nearkin.formats.xml import without_tags

    assert " ".join("".join(without_tags(data)).split()) == told
    text = found(f"<?xml version='1.0'?>{data}".encode(), b"x.xml")[1].text or ""
    assert " ".join(text.split()) == told


def test_broken_xml_of_attributes_alone_is_corrupt() -> None:
    assert reason(b"<?xml version='1.0'?><a b='words'><c d='more words'/>") is Reason.CORRUPT


@pytest.mark.parametrize("piece", ["<", "<!--", "<a b='", "<a b", "<![CDATA[", "<!DOCTYPE a [", "<a =", "&#"])
def test_broken_xml_takes_no_quadratic_time(piece: str) -> None:
    from nearkin.formats.xml import without_tags

    for filling in (piece * 100_000, piece + " =" * 100_000, piece + "x " * 100_000):
        assert "".join(without_tags(filling)) is not None


def test_sheets_of_an_old_book_that_lie_in_one_another_are_not_walked_each_time() -> None:
    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    error = record(0x0205, struct.pack("<HHHBB", 1, 1, 0, 0x2A, 1))
    many, head = 200, record(0x0809, bytes(16))
    begin = len(head) + many * 12 + 4
    sheets = [record(0x0085, struct.pack("<IHH", begin, 0, 0))] * many
    one = b"".join([head, *sheets[:1], *[record(0x00FF, bytes(8))] * (many - 1), record(0x000A, b"")])
    sheet = head + error * 5 + record(0x000A, b"")
    assert xls_errors.errors(one + sheet) == [{(1, 1): "#N/A"}]
    with pytest.raises(Problem, match="its sheets overlap"):
        xls_errors.errors(b"".join([head, *sheets, record(0x000A, b"")]) + sheet)


@pytest.mark.parametrize("name", [b"a.xls", b"a.ppt", b"a"])
def test_sectors_beyond_all_measure_are_told_in_plain_words(name: bytes) -> None:
    data = bytearray(excel_97.xls())
    data[32:34] = b"\xff\xff"
    with pytest.raises(Problem, match="not a readable Office file") as error:
        found(bytes(data), name)
    assert error.value.reason is Reason.CORRUPT


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [
        (sniff.FLAT_DOCUMENT, b"<office:document "),
        (xlsx.AT, b"<c s='1' "),
        (xlsx.ERROR, b"<c "),
        (xlsx.ERROR, b" t="),
        (xlsx.PLACE, b"<row "),
        (xlsx.PLACE, b"<c r='"),
        (xlsx.PLACE, b" r="),
        (xlsx.TEXTS, b"<oddHeader "),
        (xlsx.TEXTS, b"<oddHeader>"),
        (sniff.FROM_LINE, b"00:00"),
        (sniff.FROM_LINE, b" 00:00\r"),
    ],
)
def test_tags_that_never_end_take_no_quadratic_time(pattern: re.Pattern[bytes], piece: bytes) -> None:
    for start in (b"", b"<c ", b"<table:table-cell ", b"From "):
        assert pattern.sub(b"", start + piece * 100_000) is not None


def test_tables_of_a_presentation_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many edits may lead to the same table, or into the middle of it."""
    read: list[ole.OfficeRecord] = []

    def record_at(data: bytes, place: int) -> ole.OfficeRecord:
        read.append(ole.record_at(data, place))
        return read[-1]

    monkeypatch.setattr("nearkin.formats.ppt.record_at", record_at)
    slide = powerpoint_97.holding(
        0x03EE, powerpoint_97.drawing(powerpoint_97.shape(powerpoint_97.box(powerpoint_97.text("hello"))))
    )
    many = 300
    heads = b"".join(struct.pack("<HHI", 0, 0x1772, 8 * (many - number)) for number in range(many)) + bytes(8)
    assert reason(powerpoint_97.shows(slide, edits=many, table=heads)) is Reason.CORRUPT
    assert sum(one.end - one.start for one in read if one.kind == 0x1772) < 100_000
    same = powerpoint_97.shows(slide, edits=2, table=powerpoint_97.record(0x1772, struct.pack("<2I", 1 << 20 | 99, 0)))
    assert (found(same)[1].text or "").split() == ["hello"]


def test_a_slide_that_is_listed_over_and_over_is_not_read_each_time() -> None:
    slide = powerpoint_97.holding(
        0x03EE, powerpoint_97.drawing(*[powerpoint_97.shape(powerpoint_97.box(powerpoint_97.text("hello")))] * 20)
    )
    assert (found(powerpoint_97.shows(slide, slide, times=1))[1].text or "").split() == ["hello"] * 40
    assert reason(powerpoint_97.shows(slide, times=1000)) is Reason.CORRUPT


NOISE = b"\x89\0" + random.Random(7).randbytes(3000) + b"\0\0"


@pytest.mark.parametrize("name", ["eml", "rtf", "mht", "mhtml", "mbox", "mbx"])
@pytest.mark.parametrize("data", [NOISE, b"words \0 that are of no format", b"\n\n" + NOISE])
def test_what_is_only_named_like_a_format_is_corrupt(name: str, data: bytes) -> None:
    assert reason(data, b"r." + name.encode()) is Reason.CORRUPT


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("eml", b"\r\nSubject: a note\r\n\r\nwords \0 and more"),
        ("eml", b"From - Tue\nSubject: a note\n\nwords \0 and more"),
        ("mht", b"Subject:a note\n\nwords \0 and more"),
        ("rtf", b"\n{\\rtf1 words \0 and more}"),
    ],
)
def test_what_begins_almost_like_its_format_is_read(name: str, data: bytes) -> None:
    assert "words" in (found(data, b"a." + name.encode())[1].text or "")


def test_rtf_that_was_cut_off_is_corrupt() -> None:
    """But for cuts at the end of a paragraph: there only the last brace may have been forgotten."""
    words = [f"paragraph {n} is {{\\b bold}} here" for n in range(40)]
    whole = ("{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}" + "\\par\r\n".join([*words, "}"])).encode()
    assert (found(whole)[1].text or "").count("bold here") == 40
    read = []
    for end in range(7, len(whole)):
        with suppress(Problem):
            read.append(whole[:end].rstrip(b"\r\n") if found(whole[:end], b"a.rtf")[1].text else b"")
    assert read
    assert all(one.endswith(b"\\par") for one in read)
    assert reason(whole[: len(whole) // 2]) is Reason.CORRUPT
    assert reason(whole[: len(whole) // 10]) is Reason.CORRUPT


@pytest.mark.parametrize("end", [b"", b"\0", b" \r\n"])
def test_a_last_brace_may_be_forgotten_in_rtf(end: bytes) -> None:
    assert found(b"{\\rtf1 {\\b some} words\\par " + end)[1].text.strip("\n\0 ") == "some words"  # type: ignore[union-attr]
    assert reason(b"{\\rtf1 {\\b some words\\par " + end) is Reason.CORRUPT


def in_a_circle(data: bytes, stream: str) -> bytes:
    """An OLE file of which a stream is said to have 300 MB: its first sector, again and again."""
    changed = bytearray(data)
    entry = data.index(stream.encode("utf-16-le") + b"\0\0")
    (first,) = struct.unpack_from("<I", data, entry + 116)
    (tables,) = struct.unpack_from("<I", data, 76)
    struct.pack_into("<I", changed, 512 * (tables + 1) + 4 * first, first)
    struct.pack_into("<Q", changed, entry + 120, 300 << 20)
    return bytes(changed)


def test_sectors_in_a_circle_are_not_followed() -> None:
    mail = outlook.ole(outlook.fixed(32), outlook.text(0x1000, "the text"), outlook.stream("x", b"x" * 5000))
    start = time.process_time()
    assert reason(in_a_circle(mail, "__properties_version1.0"), b"a.msg") is Reason.CORRUPT
    text = found(in_a_circle(word_97.doc(), "Data"), b"a.doc")[1].text or ""
    assert (office.say("body") in text, office.say("alt text of a picture") in text) == (True, False)
    assert time.process_time() - start < 1  # 8 s where they are


@pytest.mark.parametrize("said", [(0, 1 << 20, 0, 60_000), (9, 3, 0, 9), (0, 9, 9, 3)])
def test_an_old_sheet_that_says_it_is_larger_than_any_can_be(said: tuple[int, ...]) -> None:
    """Calamine makes room for all of it, and the process ends where there is none."""
    book = excel_97.xls()
    at = book.rindex(b"\x00\x02\x0e\x00") + 4
    assert reason(book[:at] + struct.pack("<2I2H", *said) + book[at + 12 :]) is Reason.CORRUPT
