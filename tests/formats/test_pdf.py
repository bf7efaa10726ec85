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
