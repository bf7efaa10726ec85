"""What is missing of a PDF is told, and what is there is read all the same."""

import io
import random
import re
import zlib
from pathlib import Path

import pytest
from fpdf import FPDF
from fpdf.enums import AccessPermission

from formats import documents
from formats.office import say
from formats.pdf_objects import PAGE, PAGES, appearance, attached, made, shown
from formats.test_scan_hostile_files import scanned
from formats.test_visible_text import found
from nearkin.api.store import Store
from nearkin.formats import pdf_objects
from nearkin.formats.adapter import Problem
from nearkin.model import Reason


def test_pages_that_are_missing_are_told() -> None:
    whole = documents.pdf_of([[f"text of page {number}", f"and {number}s"] for number in range(10)])
    numbers = re.findall(rb"(\d+) 0 obj\n<<[^>]*?/Type /Page\n", whole)
    assert len(numbers) == 10
    for number in numbers[:4]:
        whole = whole.replace(b"\n%s 0 obj\n" % number, b"\n%s 1 xbj\n" % number)
    with pytest.raises(Problem, match=r"^4 of 10 pages cannot be read$") as error:
        found(whole)
    assert error.value.reason is Reason.CORRUPT


def test_why_it_fails_is_not_what_the_one_before_failed_of() -> None:
    broken = documents.pdf().replace(b"<</Marked true>>", b"<</Marked true>~")
    for before in (documents.pdf(password="secret"), documents.pdf(password="secret"), b"%PDF-1.4\nrubbish"):
        with pytest.raises(Problem):
            found(before)
        with pytest.raises(Problem, match="damaged: not a readable PDF") as error:
            found(broken)
        assert error.value.reason is Reason.CORRUPT


def test_an_attached_file_without_data_fails_alone() -> None:
    names = "/Names<</EmbeddedFiles<</Names[(a)5 0 R(b)6 0 R]>>>>"
    document = found(
        made(
            [
                f"<</Type/Catalog/Pages 2 0 R{names}>>",
                PAGES,
                f"{PAGE}/Contents 4 0 R>>",
                shown(say("page")),
                "<</Type/Filespec/F(lost.txt)/UF(lost.txt)>>",
                "<</Type/Filespec/F(b.txt)/UF(b.txt)/EF<</F 7 0 R>>>>",
                "<</Type/EmbeddedFile/Length 5>>stream\nwords\nendstream\n",
            ]
        )
    )[1]
    assert say("page") in (document.text or "")
    lost, there = document.members
    assert (lost.name, lost.data) == (b"lost.txt", b"")
    assert lost.problem is not None
    assert lost.problem.reason is Reason.CORRUPT
    assert (there.name, there.data, there.problem) == (b"b.txt", b"words", None)


@pytest.mark.parametrize("xfa", ["", "/XFA[(template)7 0 R]"])
def test_a_field_s_value_is_read_where_its_widget_has_none(xfa: str) -> None:
    widget = "<</Type/Annot/Subtype/Widget/Rect[0 0 99 20]/Parent {} 0 R>>"
    text = found(
        made(
            [
                f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 6 0 R]{xfa}>>>>",
                PAGES,
                f"{PAGE}/Annots[5 0 R 7 0 R]>>",
                f"<</FT/Tx/T(name)/V({say('parent')})/Kids[5 0 R]>>",
                widget.format(4),
                "<</FT/Btn/T(box)/V/On/Kids[7 0 R]>>",
                widget.format(6),
            ]
        )
    )[1].text
    assert text == say("parent") + "\n"


def lines(page: int) -> list[str]:
    return [f"page {page} line {number} has words of its own" for number in range(40)]


WHOLE = documents.pdf_of([lines(page) for page in range(3)])
FLATE = re.compile(rb"(\d+) 0 obj\s*<<[^>]*/FlateDecode[^>]*>>\s*stream\r?\n")
SECOND = list(FLATE.finditer(WHOLE))[1]
SIZE = WHOLE.index(b"\nendstream", SECOND.end()) - SECOND.end()


@pytest.mark.parametrize("place", [0, 2, 10, SIZE // 2, SIZE - 5])
@pytest.mark.parametrize("damage", [b"\0", b"\xff\xff\xff", None])
def test_a_stream_that_is_damaged_is_told(place: int, damage: bytes | None) -> None:
    """PDFium gives what comes before, or no text of that page, or something else."""
    at = SECOND.end() + place
    damage = damage or b"\x55" * (SIZE - place)
    document = found(WHOLE[:at] + damage + WHOLE[at + len(damage) :])[1]
    assert [(one.name.decode(), one.problem and one.problem.reason) for one in document.members] == [
        (f"object {SECOND[1].decode()}", Reason.CORRUPT)
    ]
    for page in (0, 2):
        assert " ".join(lines(page)) in " ".join((document.text or "").split())


def test_a_damaged_stream_is_listed_and_counted(tmp_path: Path) -> None:
    cut = WHOLE[: SECOND.end()] + b"\xff" * 9 + WHOLE[SECOND.end() + 9 :]
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", {"a.pdf": cut, "b.pdf": WHOLE})
    said = "its stream is damaged: what it says from there on is not read"
    assert failed == {f"a.pdf!/object {SECOND[1].decode()}": ("corrupt", said)}
    assert (summary.documents, summary.failed) == (2, 1)


def test_streams_that_are_whole_or_cannot_be_told_are_not_told() -> None:
    for data in (WHOLE, documents.pdf()):
        assert [one for one in found(data)[1].members if one.problem] == []
    assert pdf_objects.damaged(io.BytesIO(WHOLE)) == []
    assert pdf_objects.damaged(io.BytesIO(b"%PDF-1.4\nrubbish")) == []
    # Of a file that nobody needs a password for every stream is encrypted, too.
    made = FPDF()
    made.set_encryption(owner_password="owner", permissions=AccessPermission.none())
    made.set_font("helvetica")
    made.add_page()
    made.cell(text=say("page"))
    assert pdf_objects.damaged(io.BytesIO(bytes(made.output()))) != []
    document = found(bytes(made.output()))[1]
    assert say("page") in (document.text or "")
    assert list(document.members) == []


def packed(number: int, data: bytes, about: bytes = b"/Filter/FlateDecode") -> bytes:
    return b"%d 0 obj\n<</Length %d%b>>stream\n%b\nendstream\nendobj\n" % (number, len(data), about, data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (packed(1, b"broken"), [1]),
        (packed(1, b"broken", b"/Filter [ /FlateDecode ]"), [1]),
        (packed(1, b"broken", b"/DecodeParms<</Predictor 12>>/Filter /FlateDecode"), [1]),
        (packed(1, b"broken") + packed(1, zlib.compress(b"later")), []),  # changed since
        (packed(1, zlib.compress(b"whole")) + packed(1, b"broken"), [1]),
        (packed(1, b"broken", b"/Filter[/ASCII85Decode/FlateDecode]"), []),
        (packed(1, b"broken", b"/Filter/FlateDecode/Subtype /Image"), []),
        (packed(1, b"broken", b"/Filter/FlateDecode/Length1 99"), []),
        (packed(1, packed(9, b"broken"), b"/Subtype/Image") + packed(2, b"broken"), [2]),  # passed over by its length
        (packed(1, zlib.compress(b"x" * 5_000_000)) + packed(2, b"broken"), [2]),
        (packed(1, zlib.compress(random.Random(5).randbytes(3_000_000))) + packed(2, b"broken"), [2]),
        (packed(1, random.Random(6).randbytes(3_000_000), b"/Subtype/Image") + packed(2, b"broken"), [2]),
        (b"% no stream " * 300_000 + packed(2, b"broken"), [2]),
        (packed(3, zlib.compress(b"words" * 99)[:-9]), [3]),
    ],
)
def test_which_streams_are_told(data: bytes, told: list[int]) -> None:
    assert pdf_objects.damaged(io.BytesIO(b"%PDF-1.4\n" + data)) == told


@pytest.mark.parametrize("step", range(1, 40))
def test_a_stream_between_two_blocks_is_found(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_objects, "BLOCK", 4096)
    monkeypatch.setattr(pdf_objects, "DICTIONARY", 256)
    assert pdf_objects.damaged(io.BytesIO(b" " * (8300 - 2 * step) + packed(2, b"broken"))) == [2]


def test_a_bomb_in_a_stream_is_not_unpacked_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_objects, "LEAST", 1 << 20)
    data = packed(1, zlib.compress(bytes(50_000_000))) + packed(2, b"broken")
    assert pdf_objects.damaged(io.BytesIO(data)) == []


def test_a_file_without_text_whose_streams_are_damaged_is_not_called_a_picture() -> None:
    data = documents.pdf_of([lines(0)])
    at = FLATE.search(data)
    assert at is not None
    with pytest.raises(Problem, match=r"^no text, and 1 damaged stream$") as error:
        found(data[: at.end()] + b"\xff" * 9 + data[at.end() + 9 :])
    assert error.value.reason is Reason.CORRUPT


def test_what_is_attached_comes_out_whatever_the_pages_gave() -> None:
    names = "/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>"
    blank = made([f"<</Type/Catalog/Pages 2 0 R{names}>>", PAGES, f"{PAGE}>>", *attached(4, "a.txt", "words")])
    document = found(blank)[1]
    assert document.text is None
    assert document.problem is not None
    assert document.problem.reason is Reason.EMPTY
    assert [(member.name, member.data) for member in document.members] == [(b"a.txt", b"words")]
    lost = found(blank.replace(b"3 0 obj<</Type/Page/", b"3 0 obj<</Type/Pine/").replace(b"/Kids[3", b"/Kids[9"))[1]
    assert lost.problem is not None
    assert (lost.problem.reason, lost.problem.detail) == (Reason.CORRUPT, "1 of 1 page cannot be read")
    assert [member.data for member in lost.members] == [b"words"]


def test_files_pinned_to_a_page_are_members_each_once() -> None:
    pin = "<</Type/Annot/Subtype/FileAttachment/Rect[0 0 20 20]/FS {} 0 R/Contents({})>>"
    names = "/Names<</EmbeddedFiles<</Names[(a)7 0 R]>>>>"
    document = found(
        made(
            [
                f"<</Type/Catalog/Pages 2 0 R{names}>>",
                PAGES,
                f"{PAGE}/Annots[4 0 R 5 0 R 6 0 R 11 0 R]>>",
                pin.format(7, say("pin")),
                pin.format(9, ""),
                "<</Type/Annot/Subtype/FileAttachment/Rect[0 0 20 20]>>",
                *attached(7, "a.txt", "words"),
                *attached(9, "b.txt", "others"),
                "<</Type/Annot/Subtype/Stamp/Rect[0 0 300 20]/AP<</N 12 0 R>>>>",
                appearance(say("stamp")),
            ]
        )
    )[1]
    assert document.text == f"{say('stamp')}\n{say('pin')}\n"
    one, two, lost = document.members
    assert [(one.name, one.data), (two.name, two.data)] == [(b"a.txt", b"words"), (b"b.txt", b"others")]
    assert lost.problem is not None


NOTE = "<</Type/Annot/Rect[0 {} 300 {}]{}>>"


def noted(*notes: str, page: str = "") -> str:
    """A page with such annotations, one above the other; those that are drawn say what."""
    listed = " ".join(f"{5 + 2 * at} 0 R" for at in range(len(notes)))
    objects = [
        f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{listed}]>>>>",
        PAGES,
        f"{PAGE}/Contents 4 0 R/Annots[{listed}]>>",
        shown(page),
    ]
    for at, note in enumerate(notes):
        told, _, drawn = note.partition("|")
        look = f"/AP<</N {6 + 2 * at} 0 R>>" if drawn else ""
        objects += [NOTE.format(30 * at, 30 * at + 20, told + look), appearance(drawn)]
    return found(made(objects))[1].text or ""


@pytest.mark.parametrize(
    "note",
    [
        f"/Subtype/Stamp|{say('note')}",
        f"/Subtype/Watermark|{say('note')}",
        f"/Subtype/FreeText/Contents({say('note')})|{say('note')}",
        f"/Subtype/FreeText/RC(<?xml version='1.0'?><body><p>{say('note')}</p></body>)",
        f"/Subtype/FreeText/RC(<body><p>{say('note')}</p></body>)|{say('note')}",
        f"/Subtype/Text/Contents({say('note')})",
        f"/Subtype/Widget/FT/Tx/T(a)|{say('note')}",
        f"/Subtype/Widget/FT/Tx/T(a)/V({say('note')})|{say('note')}",
        f"/Subtype/Widget/FT/Sig/T(a)|{say('note')}",
        f"/Subtype/Widget/FT/Btn/Ff 65536/T(a)/MK<</CA({say('note')})>>|{say('note')}",
        f"/Subtype/Widget/FT/Ch/Ff 131072/T(a)/V(no)/Opt[[(no)({say('note')})][(nor)(this)]]",
        f"/Subtype/Widget/FT/Ch/Ff 131072/T(a)/V(no)/Opt[[(no)({say('note')})][(nor)(this)]]|{say('note')}",
    ],
)
def test_what_annotations_show_is_read_once(note: str) -> None:
    assert noted(note, page=say("page")) == f"{say('page')}\n{say('note')}\n"


def test_all_that_was_chosen_of_a_list_is_read() -> None:
    assert noted("/Subtype/Widget/FT/Ch/Ff 2097152/T(a)/V[(one)(three)]/Opt[(one)(two)(three)]") == "one\nthree\n"


def test_a_comment_that_only_resembles_what_is_shown_is_read_too() -> None:
    assert noted("/Subtype/Text/Contents(draft)", "/Subtype/Stamp|draftsmen", page="a draft") == (
        "a draft\ndraftsmen\ndraft\n"
    )


def test_states_of_buttons_are_no_text() -> None:
    assert noted("/Subtype/Widget/FT/Btn/T(a)/V/Yes/AS/Yes", page="a form") == "a form\n"


ASKED = (
    f"<template><subform><draw><value><text>{say('label')}</text></value></draw><field><caption><value><exData>"
    f"<body><p>{say('caption')}</p></body></exData></value></caption><items><text>Deleted choice</text></items>"
    "<event><script>Deleted()</script></event></field></subform></template>"
)
FILLED_IN = (
    f"<datasets><data><form><who>{say('value')}</who><n>7</n><p contentType='image/png'>Deleted</p></form></data>"
    "</datasets>"
)
XFA = ('<xdp:xdp xmlns:xdp="x">', ASKED, FILLED_IN, "</xdp:xdp>")


def form(*packets: str, renders: bool = True) -> bytes:
    named = "".join(f"({number}){number + 5} 0 R" for number in range(len(packets)))
    waits = "/NeedsRendering true" if renders else ""
    return made(
        [
            f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]/XFA[{named}]>>{waits}>>",
            PAGES,
            f"{PAGE}/Contents 4 0 R>>",
            shown("Please wait"),
            *(f"<</Length {len(packet)}>>stream\n{packet}\nendstream\n" for packet in packets),
        ]
    )


def test_a_form_that_is_xml_says_what_it_asks_and_what_was_filled_in() -> None:
    document = found(form(*XFA))[1]
    assert (document.text or "").splitlines() == ["Please wait", *map(say, ("label", "caption", "value")), "7"]
    assert found(form(*XFA, renders=False))[1].text == "Please wait\n"  # it has pages of its own


def test_a_form_whose_xml_is_broken_is_told_beside_its_page() -> None:
    document = found(form(*XFA[:2]))[1]
    assert document.text == f"Please wait\n{say('label')}\n{say('caption')}\n"
    assert [(one.name, one.problem and one.problem.reason) for one in document.members] == [
        (b"form.xdp", Reason.CORRUPT)
    ]


def test_a_form_in_very_many_pieces_does_not_cost_its_page() -> None:
    """PDFium lists all of them anew for each: 8,000 took 4 s, and ten times as many a hundred times as long."""
    document = found(form(*[*XFA[:3], *["<!---->"] * 1000, XFA[3]]))[1]
    assert document.text == "Please wait\n"
    assert [one.problem and one.problem.detail for one in document.members] == ["its form is in 1,004 pieces"]
