"""Nothing a reader sees is lost: each format's document gives back the sentence of every place, and no deletion."""

import io
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from formats import documents, excel_97, office, outlook, powerpoint_97, word_97
from nearkin.formats.adapter import Extraction, Limits, Problem
from nearkin.formats.registry import HEAD, detect, read_with
from nearkin.model import Reason

MADE: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "docx": (office.docx, office.WORD_PLACES),
    "doc": (word_97.doc, word_97.DOC_PLACES),
    "ppt": (powerpoint_97.ppt, powerpoint_97.PPT_PLACES),
    "pptx": (office.pptx, office.SLIDE_PLACES),
    "odt": (office.odt, office.ODT_PLACES),
    "odp": (office.odp, office.ODP_PLACES),
    "ods": (office.ods, office.ODS_PLACES),
    "xlsx": (documents.xlsx, documents.XLSX_PLACES[1:]),
    "xls": (excel_97.xls, excel_97.XLS_PLACES),
    "pdf": (documents.pdf, documents.PDF_PLACES),
    "rtf": (documents.rtf, documents.RTF_PLACES),
    "epub": (documents.epub, documents.EPUB_PLACES),
    "eml": (documents.eml, documents.MAIL_PLACES),
    "mhtml": (documents.mhtml, ("page", "frame", "picture")),
    "msg": (outlook.msg, ("body",)),
    "xml": (documents.xml, ("title", "para")),
}


def found(data: bytes, name: bytes = b"", limits: Limits | None = None) -> tuple[str, Extraction]:
    file = io.BytesIO(data)
    chosen = detect(data[:HEAD], name, file)
    assert chosen is not None
    return chosen.name, read_with(chosen, file, limits or Limits())


@pytest.mark.parametrize("name", MADE)
def test_every_place_is_read_and_no_deletion(name: str) -> None:
    make, places = MADE[name]
    told, document = found(make())
    assert told == name
    assert document.text is not None
    words = " ".join(document.text.split())
    assert [place for place in places if words.count(office.say(place)) != 1] == []
    assert "Deleted" not in words


def test_boxes_and_fractions_of_word_do_not_run_into_other_words() -> None:
    box = f"<w:r><w:pict><w:txbxContent>{office.paragraph('box')}</w:txbxContent></w:pict></w:r>"
    half = "<m:f xmlns:m='m'><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    body = f"<w:p><w:r><w:t>Hello</w:t></w:r>{box}<w:r><w:t>world</w:t></w:r></w:p><w:p>{half}</w:p>"
    assert (found(office.docx(body))[1].text or "").startswith("Hello\nbox\nworld\n1/2\n")


@pytest.mark.parametrize("name", ["docx", "pptx", "odt", "odp", "ods"])
def test_the_properties_of_office_files(name: str) -> None:
    assert found(MADE[name][0]())[1].properties == office.OFFICE_PROPERTIES


@pytest.mark.parametrize("name", ["xlsx", "pdf", "rtf", "epub", "doc", "ppt"])
def test_title_and_author(name: str) -> None:
    told = found(MADE[name][0]())[1].properties
    assert (told["title"], told["author"]) == ("The title", "Ann Author")


def test_dates_of_pdf_and_rtf_are_iso() -> None:
    assert found(documents.pdf())[1].properties["created"].startswith("2024-01-02T03:04:05")
    assert found(documents.rtf())[1].properties["created"] == "2024-01-02T03:04:00"


def test_cells_are_told_alike_whatever_their_type() -> None:
    text = found(documents.xlsx())[1].text
    assert text is not None
    assert text.startswith("sheet name stands\n")
    assert f"{office.say('cell')}\t2\t2.5\t2024-01-02\n" in text


def test_errors_of_cells_are_told() -> None:
    for data in (documents.xlsx(), excel_97.xls()):
        assert "\n" + "\t".join(documents.ERRORS) + "\n" in (found(data)[1].text or "")
    assert "\nTRUE\t\t#DIV/0!\n" in (found(excel_97.xls())[1].text or "")
    assert f"{office.say('cell')}\t#DIV/0!\t#N/A\t2.5\n" in (found(office.ods())[1].text or "")


def test_rtf_characters() -> None:
    text = found(documents.rtf())[1].text or ""
    assert "café да 😀" in text


@pytest.mark.parametrize(
    ("data", "fields"), [(documents.eml(), documents.MAIL_FIELDS), (outlook.msg(), outlook.MSG_FIELDS)]
)
def test_the_fields_of_a_mail_are_in_its_text_and_its_properties(data: bytes, fields: tuple[str, ...]) -> None:
    _, document = found(data)
    lines = (document.text or "").splitlines()
    for line in fields:
        assert line in lines
        name, _, value = line.partition(": ")
        assert document.properties[name.lower()] == value
    assert any(line.startswith("Date: ") and "2024" in line for line in lines)
    assert document.properties["message-id"] == "<1@example.org>"
    assert document.properties["date"].startswith("2024-01-0")


def test_a_mail_without_a_plain_body_shows_its_html() -> None:
    assert office.say("HTML body") in (found(documents.mail(html_only=True).as_bytes())[1].text or "")


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (r"\upr{ansi}{\*\ud{uni}} rest {group} end", "uni rest group end"),
        (r"{\upr{ansi{deep}}{\*\ud{uni{deep}}}} rest {group} end", "unideep rest group end"),
        (r"\upr{a}{\*\ud{b}}\upr{c}{\*\ud{d}} {e}", "bd e"),
    ],
)
def test_what_rtf_says_twice_hides_nothing_after_it(inside: str, text: str) -> None:
    assert found(rf"{{\rtf1 {inside}\par}}".encode())[1].text == f"{text}\n"


def test_a_mail_of_outlook_with_its_text_in_packed_rtf() -> None:
    assert office.say("body") in (found(outlook.msg(packed=True))[1].text or "")


def test_attachments_are_members() -> None:
    members = {member.name.decode(): member.data for member in found(documents.eml())[1].members}
    assert members["größe.bin"] == b"attached words"
    assert members["notes.txt"].strip() == b"attached text"
    assert office.say("HTML body") in (found(members["part-2.eml"])[1].text or "")


def test_attachments_of_outlook_are_members_and_embedded_mail_is_mail() -> None:
    members = {member.name.decode(): member.data for member in found(outlook.msg())[1].members}
    assert members["größe.bin"].startswith(b"attached words")
    inner = found(members["Inner.eml"], b"Inner.eml")[1].text or ""
    assert "Subject: Inner subject" in inner
    assert office.say("embedded mail") in inner


def test_the_fields_of_a_pdf_form_are_read() -> None:
    assert found(documents.pdf_form())[1].text == office.say("form field") + "\n"


def test_files_attached_to_pdf_are_members() -> None:
    assert [(member.name, member.data) for member in found(documents.pdf())[1].members] == [
        (b"attached.txt", b"attached words")
    ]
    document = found(documents.pdf(), limits=Limits(member=10))[1]
    (lost,) = document.members
    assert document.text == found(documents.pdf())[1].text
    assert (lost.data, lost.problem and lost.problem.reason) == (b"", Reason.TOO_LARGE)


def test_mails_of_a_mailbox_are_members() -> None:
    first, second = found(documents.mbox())[1].members
    assert office.say("HTML body") in (found(first.data)[1].text or "")
    assert second.data.endswith(b"\n\nFrom the start\n>From deeper\n\n")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (documents.pdf(password="secret"), b"a.pdf"),
        (documents.epub(encrypted=True), b"a.epub"),
        (outlook.ole(outlook.stream("EncryptedPackage", b"x")), b"a.docx"),
        (word_97.doc(flags=0x0100), b"a.doc"),
        (powerpoint_97.ppt(mark=0xF3D1C4DF), b"a.ppt"),
        (office.opened("text", "", "", **{"META-INF__manifest.xml": "<m><encryption-data/></m>"}), b"a.odt"),
    ],
)
def test_encrypted_documents_say_so(data: bytes, name: bytes) -> None:
    with pytest.raises(Problem) as error:
        found(data, name)
    assert error.value.reason is Reason.ENCRYPTED


def test_a_pdf_of_pictures_says_so() -> None:
    with pytest.raises(Problem, match="3 pages without text") as error:
        found(documents.pdf(3, text=False))
    assert error.value.reason is Reason.EMPTY


def test_a_presentation_in_the_order_of_its_slides() -> None:
    """Two edits: the second moved a slide; what only the first knows of it is gone. Numbers of slides are no text."""
    text = found(powerpoint_97.ppt())[1].text or ""
    order = ("text box", "outline", "title", "comment", "notes", "second slide", "other notes", "master")
    places = [text.index(office.say(place)) for place in order]
    assert places == sorted(places)
    assert "\n日本\nnext\n" in text
    assert "*" not in text


def of_slide(*inside: bytes, after: bytes = b"") -> str:
    return (
        found(powerpoint_97.shows(powerpoint_97.holding(0x03EE, powerpoint_97.drawing(*inside), after)))[1].text or ""
    ).rstrip("\n")


def test_tags_of_other_programs_are_theirs_in_a_presentation() -> None:
    """They may hold any bytes; only PowerPoint's own are made of records ([MS-PPT])."""
    tags = powerpoint_97.holding(0x1388, powerpoint_97.tag("MYADDIN", b"ADDIN\xff\xfe\1\2\3binary data"))
    assert of_slide(powerpoint_97.shape(powerpoint_97.box(powerpoint_97.text("hello"))), after=tags) == "hello"


def row(key: int, data: bytes, *, size: int | None = None) -> tuple[bytes, bytes]:
    return struct.pack("<HI", key | 0x8000, len(data) if size is None else size), data


@pytest.mark.parametrize(
    "array",
    [
        row(0x145, struct.pack("<3H", 2, 2, 4) + bytes(8)),
        row(0x145, struct.pack("<3H", 2, 2, 4) + bytes(8), size=8),
        row(0x145, struct.pack("<3H", 3, 3, 0xFFF0) + bytes(12), size=12),
        row(0x197, struct.pack("<3H", 1, 1, 8) + bytes(8), size=8),
        row(0x145, b""),
        row(0x105, struct.pack("<3H", 1, 1, 8)[:6] + bytes(2)),  # no array, though it may look like one
    ],
)
def test_alt_texts_after_arrays_that_do_not_count_their_heads(array: tuple[bytes, bytes]) -> None:
    rows = [array, row(0x381, "an alt text\0".encode("utf-16-le"))]
    table = b"".join(head for head, _ in rows) + b"".join(data for _, data in rows)
    assert (
        of_slide(powerpoint_97.shape(powerpoint_97.record(0xF00B, table, version=3, instance=len(rows))))
        == "an alt text"
    )


@pytest.mark.parametrize(
    ("text", "place", "wide", "told"),
    [
        ("😀 Page * of ten", 8, True, "😀 Page  of ten"),
        ("Page * of ten", 5, True, "Page  of ten"),
        ("Page * of ten", 5, False, "Page  of ten"),
        ("Page * of ten", 13, True, "Page * of ten"),
        ("Page * of ten", -1, True, "Page * of ten"),
    ],
)
def test_numbers_of_slides_are_no_text_wherever_they_stand(text: str, place: int, wide: bool, told: str) -> None:
    """Places count units of UTF-16."""
    number = powerpoint_97.record(0x0FD8, struct.pack("<i", place))
    assert of_slide(powerpoint_97.shape(powerpoint_97.box(powerpoint_97.text(text, wide=wide) + number))) == told


@pytest.mark.parametrize("damage", [{"lost": True}, {"cut": 60}, {"cut": 2000}])
def test_a_presentation_without_all_of_its_slides_is_corrupt(damage: dict[str, Any]) -> None:
    with pytest.raises(Problem) as error:
        found(powerpoint_97.ppt(**damage))
    assert error.value.reason is Reason.CORRUPT


def test_characters_of_word() -> None:
    text = found(word_97.doc())[1].text or ""
    assert "non-breaking, 日本 \U0001f600\n" in text
    assert "HYPERLINK" not in text
    assert found(word_97.doc())[1].properties["created"] == "2020-01-01T00:00:00"


def test_nothing_is_lost_to_a_field_that_never_ends() -> None:
    text = found(word_97.doc(field="\x13 PAGE {}"))[1].text or ""
    assert [place for place in word_97.DOC_PLACES if text.count(office.say(place)) != 1] == []


def test_word_documents_of_other_times_are_unsupported() -> None:
    with pytest.raises(Problem, match="Word 97") as error:
        found(word_97.doc(version=0x65))
    assert error.value.reason is Reason.UNSUPPORTED


@pytest.mark.parametrize("what", ["counts", "pieces"])
def test_word_documents_that_are_not_whole_say_so(what: str) -> None:
    """More characters are counted than there are; a piece leads beyond the end."""
    data = bytearray(word_97.doc())
    start = data.index(b"\xec\xa5\xc1\0")
    if what == "counts":
        data[start + 0x4C + 2] = 1
    else:
        at = data.index(b"\2\x1c\0\0\0")
        data[at + 5 + 12 + 8 + 2 + 2] = 0x20
    with pytest.raises(Problem, match="some of its text is missing") as error:
        found(bytes(data))
    assert error.value.reason is Reason.CORRUPT


def test_word_documents_with_more_text_than_they_count_say_so() -> None:
    data = bytearray(word_97.doc())
    at = data.index(b"\xec\xa5\xc1\0") + 0x4C
    data[at : at + 4] = (20).to_bytes(4, "little")
    with pytest.raises(Problem, match="more text than it says") as error:
        found(bytes(data))
    assert error.value.reason is Reason.CORRUPT


def test_the_other_number_of_word_97_is_read_alike() -> None:
    assert found(word_97.doc(version=0xC0))[1].text == found(word_97.doc())[1].text


def test_properties_that_are_said_to_be_many_take_no_time() -> None:
    data = word_97.summary("The title", "Ann Author")
    many = word_97.summary("The title", "Ann Author", many=0xFFFFFFFF)
    whole = word_97.doc()
    assert found(whole.replace(data, many))[1].properties["title"] == "The title"


@pytest.mark.parametrize(
    ("stream", "name"), [("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("other", "ole")]
)
def test_old_binary_files_are_unsupported(stream: str, name: str) -> None:
    data = outlook.ole(outlook.stream(stream, b"x"))
    chosen = detect(data[:HEAD], b"a.bin", io.BytesIO(data))
    assert chosen is not None
    assert chosen.name == name
    with pytest.raises(Problem) as error:
        read_with(chosen, io.BytesIO(data), Limits())
    assert error.value.reason is Reason.UNSUPPORTED


@pytest.mark.parametrize("width", [0, 65_500, 65_530, 200_000])
def test_headers_of_sheets_with_prefixed_names(width: int) -> None:
    """As some programs write them; across the pieces that the file is read by."""
    with zipfile.ZipFile(io.BytesIO(documents.xlsx())) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    assert isinstance(sheet, bytes)
    plain = sheet.replace(b"<headerFooter", b"<!--%s headerFooter--><headerFooter" % (b" " * width))
    names = re.sub(rb"<(/?)(?=\w)", rb"<\1x:", plain).replace(b"xmlns=", b"xmlns:x=")
    assert b"<x:oddHeader>" in names
    whole = found(documents.xlsx())[1].text
    for data in (plain, names):
        assert found(office.zipped({**parts, "xl/worksheets/sheet1.xml": data}))[1].text == whole


def word_with(body: str, **others: bytes) -> str:
    """The parts are named by their relation."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": office.types("wordprocessingml.document"),
        "word/document.xml": f'<w:document xmlns:w="w" xmlns:r="r">{body}</w:document>',
        "word/_rels/document.xml.rels": "<Relationships>"
        + "".join(f'<Relationship Id="{name}" Type="x/aFChunk" Target="{name}"/>' for name in others)
        + "</Relationships>",
    }
    text = found(office.zipped(parts | {f"word/{name}": data for name, data in others.items()}))[1].text
    assert text is not None
    return text


@pytest.mark.parametrize(
    ("inside", "chosen"),
    [
        ('<w:result w:val="1"/><w:default w:val="2"/>', "two"),
        ('<w:default w:val="2"/>', "three"),
        ("", "one"),
        ('<w:result w:val="9"/>', ""),
    ],
)
def test_the_chosen_value_of_an_old_drop_down_field(inside: str, chosen: str) -> None:
    listed = "".join(f'<w:listEntry w:val="{word}"/>' for word in ("one", "two", "three"))
    field = f"<w:r><w:fldChar><w:ffData><w:ddList>{inside}{listed}</w:ddList></w:ffData></w:fldChar></w:r>"
    assert word_with(f"<w:p><w:r><w:t>It is </w:t></w:r>{field}</w:p>") == f"It is {chosen}\n"


def test_documents_that_word_shows_in_place() -> None:
    chunks = {
        "a.html": "<p>of a page, café</p>".encode(),
        "b.txt": b"of a text",
        "c.rtf": b"{\\rtf1 of RTF\\par}",
        "d.docx": office.docx(office.paragraph("of Word")),
        "e.txt": b"",
        "f.xml": b"<a/>",
    }
    marks = "".join(f'<w:altChunk r:id="{name}"/>' for name in chunks)
    text = word_with(office.paragraph("before") + marks + office.paragraph("after"), **chunks)
    assert text.split("The sentence")[0].splitlines() == ["before", "of a page, café", "of a text", "of RTF", "of Word"]
    assert text.endswith("\nafter\n")
    assert "café</p>" not in text


def test_word_in_word_in_word_ends() -> None:
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": office.types("wordprocessingml.document"),
        "word/document.xml": '<w:document xmlns:w="w" xmlns:r="r"><w:altChunk r:id="a"/></w:document>',
        "word/_rels/document.xml.rels": '<Relationships><Relationship Id="a" Type="x/aFChunk" Target="a.docx"/>'
        "</Relationships>",
    }
    data = office.docx(office.paragraph("deep"))
    for _ in range(8):
        data = office.zipped({**parts, "word/a.docx": data})
    assert (found(data)[1].text or "").startswith("deep\n")
    with pytest.raises(Problem) as error:
        found(office.zipped({**parts, "word/a.docx": data}))
    assert error.value.reason is Reason.TOO_LARGE
