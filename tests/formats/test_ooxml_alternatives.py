"""What Word and PowerPoint files say twice is read once, and what only one of several alternatives says is read."""

import pytest

from formats import office
from formats.office import alternatives, paragraph, zipped
from formats.test_visible_text import found
from nearkin.formats.adapter import Extraction
from nearkin.model import Reason

NAMES = " ".join(f'xmlns:{name}="{name}"' for name in ("w", "r", "wp", "pic", "mc", "v", "c", "a", "cx", "m", "p"))
EMPTY = "<w:drawing><wp:inline><wp:posOffset>120</wp:posOffset></wp:inline></w:drawing>"


def word(body: str, parts: dict[str, bytes] | None = None, *, kind: str = "aFChunk") -> Extraction:
    """Parts beside the body are named by their relations, all of one kind."""
    parts = parts or {}
    kin = "".join(f'<Relationship Id="{name}" Type="x/{kind}" Target="{name}"/>' for name in parts)
    made: dict[str, str | bytes] = {
        "[Content_Types].xml": office.types("wordprocessingml.document"),
        "word/document.xml": f"<w:document {NAMES}>{body}</w:document>",
        "word/_rels/document.xml.rels": f"<Relationships>{kin}</Relationships>",
    }
    return found(zipped(made | {f"word/{name}": data for name, data in parts.items()}))[1]


def drawing(outer: str, inner: str) -> str:
    return f'<w:p><w:r><w:drawing><wp:docPr descr="{outer}"/><pic:cNvPr descr="{inner}"/></w:drawing></w:r></w:p>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (alternatives(EMPTY, paragraph("fallback")), "fallback\n"),
        (alternatives(EMPTY, paragraph("second"), paragraph("fallback")), "second\n"),
        (alternatives(EMPTY, EMPTY, '<v:shape alt="old alt"/>'), "old alt\n"),
        (alternatives('<wp:docPr descr="new alt"/>', '<v:shape alt="old alt"/>'), "new alt\n"),
        (
            alternatives('<wp:docPr descr="new alt"/>', f'<v:shape alt="x">{paragraph("box")}</v:shape>'),
            "new alt\nbox\n",
        ),
        (alternatives('<wp:docPr descr="new alt"/>', paragraph("box"), paragraph("no")), "new alt\nbox\n"),
        (
            alternatives(
                alternatives('<wp:docPr descr="new alt"/>', EMPTY), alternatives(EMPTY, '<v:shape alt="no"/>')
            ),
            "new alt\n",
        ),
        (alternatives('<wp:docPr descr="a"/>' * 2 + paragraph("box"), paragraph("no")), "a\na\nbox\n"),
        (alternatives('<wp:docPr descr="a"/>', EMPTY) + '<wp:docPr descr="b"/>', "a\nb\n"),
        (
            '<w:tbl><w:tblPr><w:tblCaption w:val="a title"/><w:tblDescription w:val="a text"/></w:tblPr></w:tbl>',
            "a title\na text\n",
        ),
        (alternatives('<v:textpath string="art"/>', paragraph("fallback")), "art\n"),
        (alternatives('<w:sym w:char="0041"/>', paragraph("fallback")), "A\n"),
        (alternatives("<m:r><m:t>x</m:t></m:r>", paragraph("fallback")), "x\n"),
        (alternatives("<w:t> </w:t>", paragraph("fallback")), " \nfallback\n"),
        (alternatives(alternatives(EMPTY, paragraph("inner")), paragraph("fallback")), "inner\n"),
        (alternatives(alternatives(EMPTY, EMPTY), paragraph("fallback")), "fallback\n"),
        # What a chart says stands in a part of its own; its fallback tells to get a better program.
        (alternatives('<cx:chart r:id="x"/>', paragraph("This chart is not available.")) + paragraph("p"), "p\n"),
        (drawing("a cat", "a cat"), "a cat\n"),
        (drawing("a cat", "a dog"), "a cat\na dog\n"),
        (drawing("a cat", "a cat") * 2, "a cat\na cat\n"),
    ],
)
def test_word_says_it_once(body: str, text: str) -> None:
    assert word(body).text == text


def test_the_alt_text_of_an_object_that_only_old_programs_are_told() -> None:
    ole = alternatives('<p:oleObj spid="1"/>', '<p:oleObj><p:pic><p:cNvPr descr="ALT"/></p:pic></p:oleObj>')
    slide = f"<p:sld {NAMES}><p:graphicFrame>{ole}</p:graphicFrame></p:sld>"
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": office.types("presentationml.presentation"),
        "_rels/.rels": office.related(officeDocument="ppt/presentation.xml"),
        "ppt/presentation.xml": f'<p:presentation {NAMES}><p:sldIdLst><p:sldId r:id="slide1"/></p:sldIdLst>'
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": office.related(slide1="slides/slide1.xml"),
        "ppt/slides/slide1.xml": slide,
    }
    assert found(zipped(parts))[1].text == "ALT\n"


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ("", ["2019", "2020"]),
        ("<c:formatCode>General</c:formatCode>", ["2019", "2020"]),
        ('<c:formatCode>0" days"</c:formatCode>', ["2019", "2020"]),
        ("<c:formatCode>Standard</c:formatCode>", ["2019", "2020"]),
        ("<c:formatCode>dd\\.mm\\.yyyy</c:formatCode>", ["1905-07-11", "1905-07-12"]),  # days since 1900
    ],
)
@pytest.mark.parametrize("held", ["numCache", "numLit"])
def test_numbers_on_the_axis_of_a_chart(held: str, numbers: str, said: list[str]) -> None:
    def points(*values: str) -> str:
        return "".join(f"<c:pt><c:v>{value}</c:v></c:pt>" for value in values)

    name = f"<c:tx><c:strCache>{points('Sales')}</c:strCache></c:tx>"
    axis = f"<c:cat><c:{held}>{numbers}{points('2019', '2020')}</c:{held}></c:cat>"
    values = f"<c:val><c:numCache><c:formatCode>0</c:formatCode>{points('17.5', '18')}</c:numCache></c:val>"
    chart = f"<c:chartSpace {NAMES}><c:ser>{name}{axis}{values}</c:ser></c:chartSpace>".encode()
    text = word(paragraph("before"), {"chart": chart}, kind="chart").text or ""
    assert text.split() == ["before", "Sales", *said]


@pytest.mark.parametrize(
    ("start", "form", "value", "said"),
    [
        ("", "[$-409]mmm\\-yy", "45293", "2024-01-02"),
        ("", "m/d/yy h:mm", "45293.5", "2024-01-02 12:00:00"),
        ("", "m/d/yy h:mm", "45293.333333333", "2024-01-02 08:00:00"),
        ("", "yyyy", "59", "1900-02-28"),
        ("", "yyyy", "61", "1900-03-01"),
        ("", "h:mm", "0.75", "18:00:00"),
        ("", "yyyy", "1e99", "1e99"),
        ("", "yyyy", "soon", "soon"),
        ("<c:date1904/>", "yyyy", "43831", "2024-01-02"),
        ("<c:date1904 val='0'/>", "yyyy", "45293", "2024-01-02"),
    ],
)
def test_dates_on_the_axis_of_a_chart(start: str, form: str, value: str, said: str) -> None:
    points = f"<c:pt><c:v>{value}</c:v></c:pt><c:pt formatCode='0'><c:v>7</c:v></c:pt>"
    axis = f"<c:cat><c:numCache><c:formatCode>{form}</c:formatCode>{points}</c:numCache></c:cat>"
    chart = f"<c:chartSpace {NAMES}>{start}<c:ser>{axis}</c:ser></c:chartSpace>".encode()
    text = word(paragraph("before"), {"chart": chart}, kind="chart").text or ""
    assert text.splitlines() == ["before", said, "7"]


@pytest.mark.parametrize("shape", ["shape", "rect", "roundrect", "oval", "line", "group", "image"])
def test_alt_texts_of_old_drawings(shape: str) -> None:
    inner = "<v:textbox><w:txbxContent>" + paragraph("inside") + "</w:txbxContent></v:textbox>"
    drawn = f'<w:p><w:r><w:pict><v:{shape} title="a title" alt="an alt text">{inner}</v:{shape}></w:pict></w:r></w:p>'
    assert (word(drawn, {}).text or "").splitlines() == ["a title", "an alt text", "inside"]
    choice = alternatives(f'<w:r><w:pict><v:{shape} alt="an alt text"/></w:pict></w:r>', paragraph("its text"))
    assert (word(f"<w:p>{choice}</w:p>", {}).text or "").splitlines() == ["an alt text", "its text"]


SEALED = (
    b'From: a@b.c\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
    b"of a mail\r\n--b\r\nContent-Type: application/pgp-encrypted; name=sealed.pgp\r\n\r\nx\r\n--b--\r\n"
)


def test_what_lacks_in_a_document_shown_in_place_costs_no_text() -> None:
    lacking = zipped(
        {
            "[Content_Types].xml": office.types("wordprocessingml.document"),
            "word/document.xml": f"<w:document {NAMES}>{paragraph('inner')}</w:document>",
            "word/_rels/document.xml.rels": '<Relationships><Relationship Id="a" Type="x/footnotes" '
            'Target="footnotes.xml"/></Relationships>',
        }
    )
    chunks = {"a.docx": lacking, "b.eml": SEALED, "c.docx": b"PK\3\4 half a file"}
    marks = "".join(f'<w:altChunk r:id="{name}"/>' for name in (*chunks, "a.docx"))
    document = word(paragraph("before") + marks + paragraph("after"), chunks)
    lines = [line for line in (document.text or "").splitlines() if line]
    assert lines == ["before", "inner", "From: a@b.c", "of a mail", "inner", "after"]
    lost = [(member.name.decode(), member.problem and member.problem.reason) for member in document.members]
    assert lost == [
        ("word/a.docx/word/footnotes.xml", Reason.CORRUPT),
        ("word/b.eml/sealed.pgp", Reason.ENCRYPTED),
        ("word/c.docx", Reason.CORRUPT),
    ]
