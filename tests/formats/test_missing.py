"""Parts that a document names and that are not there: it says so, as less than all of its text would be no text of it."""

import io
import zipfile

import pytest

from formats import office, others
from formats.office import zipped
from formats.test_places import found
from nearkin.formats.found import Problem
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
