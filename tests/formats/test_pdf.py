"""What is missing of a PDF is told, and what is there is read all the same."""

import re

import pytest

from formats import others
from formats.office import say
from formats.test_places import found
from nearkin.formats.found import Problem
from nearkin.model import Reason


def made(objects: list[str]) -> bytes:
    """From the catalogue on. PDFium finds the objects of a file without a table of them."""
    numbered = "".join(f"{number} 0 obj{one}endobj\n" for number, one in enumerate(objects, 1))
    return f"%PDF-1.7\n{numbered}trailer<</Root 1 0 R>>\n".encode()


def shown(text: str) -> str:
    stream = f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET"
    return f"<</Length {len(stream)}>>stream\n{stream}\nendstream\n"


PAGES = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
FONT = "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
PAGE = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]{FONT}"


def test_pages_that_are_missing_are_told() -> None:
    whole = others.pdf_of([[f"text of page {number}", f"and {number}s"] for number in range(10)])
    numbers = re.findall(rb"(\d+) 0 obj\n<<[^>]*?/Type /Page\n", whole)
    assert len(numbers) == 10
    for number in numbers[:4]:
        whole = whole.replace(b"\n%s 0 obj\n" % number, b"\n%s 1 xbj\n" % number)
    with pytest.raises(Problem, match=r"^4 of 10 pages cannot be read$") as error:
        found(whole)
    assert error.value.reason is Reason.CORRUPT


def test_why_it_fails_is_not_what_the_one_before_failed_of() -> None:
    broken = others.pdf().replace(b"<</Marked true>>", b"<</Marked true>~")
    for before in (others.pdf(password="secret"), others.pdf(password="secret"), b"%PDF-1.4\nrubbish"):
        with pytest.raises(Problem):
            found(before)
        with pytest.raises(Problem, match="Data format error") as error:
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


def attached(number: int, name: str, text: str) -> list[str]:
    """A file and its description, from that object on."""
    return [
        f"<</Type/Filespec/F({name})/UF({name})/EF<</F {number + 1} 0 R>>>>",
        f"<</Type/EmbeddedFile/Length {len(text)}>>stream\n{text}\nendstream\n",
    ]


def appearance(text: str) -> str:
    stream = f"BT /F1 12 Tf 2 5 Td ({text}) Tj ET"
    return f"<</Type/XObject/Subtype/Form/BBox[0 0 300 20]{FONT}/Length {len(stream)}>>stream\n{stream}\nendstream\n"


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
