"""Sheets, PDF, RTF, books and mail with a known sentence in every place that a reader sees."""

import io
from datetime import datetime
from email.message import EmailMessage

from formats.office import say, zipped

XLSX_PLACES = ("sheet name", "cell", "comment", "header", "footer", "second sheet")
ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")


def xlsx() -> bytes:
    from openpyxl import Workbook
    from openpyxl.comments import Comment

    book = Workbook()
    sheet = book.active
    sheet.title = "sheet name stands"
    sheet["A1"] = say("cell")
    sheet["B1"], sheet["C1"], sheet["D1"] = 2, 2.5, datetime(2024, 1, 2)
    sheet["A1"].comment = Comment(say("comment"), "Ann")
    sheet.oddHeader.left.text = say("header")
    sheet.oddFooter.center.text = "&P " + say("footer")
    book.create_sheet("two")["C9"] = say("second sheet")
    book["two"].append([*ERRORS])
    book.properties.title, book.properties.creator = "The title", "Ann Author"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def cells(*places: str) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for place in places:
        book.active[place] = f"cell {place}"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def shared_strings() -> bytes:
    """A book whose texts lie in a part of their own, as Excel writes it."""
    from xlsxwriter import Workbook

    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"created": datetime(2024, 1, 2)})
        for name in ("one", "two"):
            book.add_worksheet(name).write(0, 0, say(f"sheet {name}"))
    return file.getvalue()


def pdf_of(pages: list[list[str]]) -> bytes:
    """Lines, one below the other."""
    from fpdf import FPDF

    made = FPDF()
    made.set_font("helvetica", size=12)
    for page in pages:
        made.add_page()
        for line in page:
            made.cell(text=line, new_x="LMARGIN", new_y="NEXT")
    return bytes(made.output())


PDF_PLACES = ("first page", "second page", "note", "alt text")


def pdf(pages: int = 2, *, password: str = "", text: bool = True) -> bytes:
    from fpdf import FPDF
    from PIL import Image

    made = FPDF()
    made.set_creation_date(datetime(2024, 1, 2, 3, 4, 5))
    made.set_title("The title")
    made.set_author("Ann Author")
    if password:
        made.set_encryption(owner_password="owner", user_password=password)
    for number in range(pages):
        made.add_page()
        if text:
            made.set_font("helvetica", size=12)
            made.cell(text=say(("first page", "second page")[number % 2]))
            if number == 0:
                made.image(Image.new("L", (2, 2)), alt_text=say("alt text"))
                made.text_annotation(20, 20, say("note"))
                made.embed_file(bytes=b"attached words", basename="attached.txt")
    return bytes(made.output())


RTF_PLACES = (
    "body", "header", "footer", "footnote", "comment", "text box", "alt text", "table cell", "unicode", "code page",
    "link", "object", "Unicode twin", "starred note", "starred endnote", "word art", "old text box", "equation",
    "choice", "new place",
)  # fmt: skip


def rtf() -> bytes:
    return (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Deleted font;}{\f1\fcharset204 Deleted;}}{\stylesheet Deleted;}"
        r"{\info{\title The title}{\author Ann Author}{\creatim\yr2024\mo1\dy2\hr3\min4}}"
        r"{\header " + say("header") + r"\par}{\footer " + say("footer") + r"\par}"
        r"\pard " + say("body") + r"{\footnote " + say("footnote") + r"}\par"
        r"{\deleted Deleted words.}{\*\unknown Deleted destination}"
        r"{\*\annotation " + say("comment") + r"}{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv " + say("alt text") + r"}}"
        r"{\sp{\sn other}{\sv Deleted value}}{\shptxt " + say("text box") + r"\par}}}"
        r"\trowd " + say("table cell") + r"\cell\row "
        r"The sentence of the unic\u111?de stands here.\par The sentence of the code page stands here. "
        r"caf\'e9 {\f1\'e4\'e0} \u55357?\u56832?\par{\field{\*\fldinst Deleted}{\fldrslt " + say("link") + r"}}"
        r"{\object\objemb{\*\objclass Deleted}{\*\objdata 0105Deleted}{\result{\pict 01}" + say("object") + r"}}"
        r"{\upr{Deleted old}{\*\ud{" + say("Unicode twin") + r"}}}"
        r"\par{\*\footnote\chftn " + say("starred note") + r"}{\*\footnote\ftnalt " + say("starred endnote") + r"}"
        r"{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv " + say("word art") + r"}}}{\shprslt Deleted copy}}"
        r"{\*\do\dobxpage{\dptxbxtext\pard " + say("old text box") + r"\par}\dpx1}"
        r"{\mmath{\*\moMathPara{\moMathParaPr{\mjc Deleted}}{\*\moMath{\mf{\mfPr{\mtype Deleted}}{\mnum{\mr\mnor "
        + say("equation")
        + r"}}}}}}\par{\field{\*\fldinst{ FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffname Deleted}"
        r"{\*\ffl Deleted}{\*\ffl " + say("choice") + r"}}}}}{\fldrslt}}{\nonesttables Deleted\par}"
        r"{\mvf Deleted, moved}{\mvt " + say("new place") + r"}"
        r"{\pict 0102Deleted}{\pict\bin4 }}}}}\par}"
    ).encode("latin-1")


EPUB_PLACES = ("first chapter", "second chapter", "picture")


def epub(*, encrypted: bool = False) -> bytes:
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head><body><p>{}</p></body></html>"
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": "<container><rootfile full-path='OEBPS/book.opf'/></container>",
        "OEBPS/book.opf": "<package xmlns:dc='d'><metadata><dc:title>The title</dc:title><dc:creator>Ann Author"
        "</dc:creator></metadata><manifest><item id='b' href='b%20.xhtml'/><item id='a' href='a.xhtml'/></manifest>"
        "<spine><itemref idref='b'/><itemref idref='a'/></spine></package>",
        "OEBPS/a.xhtml": page.format(say("second chapter") + f"<img src='x.png' alt='{say('picture')}'/>"),
        "OEBPS/b .xhtml": page.format(say("first chapter")).replace(
            "<title>x</title>", "<title/><script src='x'/><style/>"
        ),
    }
    if encrypted:
        parts["META-INF/encryption.xml"] = (
            "<e><EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></e>"
        )
    return zipped(parts)


MAIL_PLACES = ("plain body",)
MAIL_FIELDS = (
    "From: Zoë Mustermann <zoe@example.org>",
    "To: a@example.org, b@example.org",
    "Cc: c@example.org",
    "Subject: Grüße aus dem Büro",
)


def mail(*, html_only: bool = False) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Zoë Mustermann <zoe@example.org>"
    made["To"] = "a@example.org, b@example.org"
    made["Cc"] = "c@example.org"
    made["Date"] = "Tue, 02 Jan 2024 03:04:05 +0100"
    made["Subject"] = "Grüße aus dem Büro"
    made["Message-ID"] = "<1@example.org>"
    if html_only:
        made.set_content(f"<p>{say('HTML body')}<img alt='{say('picture')}'></p>", subtype="html")
    else:
        made.set_content(say("plain body"))
        made.add_alternative(f"<p>{say('plain body')}</p>", subtype="html")
    return made


def eml() -> bytes:
    made = mail()
    made.add_attachment(b"attached words", maintype="application", subtype="octet-stream", filename="größe.bin")
    made.add_attachment(mail(html_only=True))
    made.add_attachment("attached text", filename="notes.txt")
    return made.as_bytes()


def mbox() -> bytes:
    one = mail(html_only=True).as_bytes()
    two = b"Message-ID: <2@example.org>\n\n>From the start\n>>From deeper\n"
    return b"From a Tue Jan  2 03:04:05 2024\n" + one + b"\nFrom b Tue Jan  2 03:04:05 2024\n" + two + b"\n"


def mhtml() -> bytes:
    return (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\nSubject: The title\r\n"
        "Date: Tue, 2 Jan 2024 03:04:05 -0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        f"<html><meta name=3Dauthor content=3D'Ann Author'><body>{say('page')} caf=C3=A9</body></html>\r\n"
        "--b\r\nContent-Type: text/css\r\n\r\nDeleted {}\r\n--b\r\nContent-Type: text/html\r\n\r\n"
        f"<p>{say('frame')}<img alt='{say('picture')}'></p>\r\n--b--\r\n"
    ).encode()


def xml() -> bytes:
    inside = f"<title>{say('title')}</title><para>{say('para')}</para>"
    return f"<?xml version='1.0'?><book id='Deleted'>{inside}</book>".encode()


def pdf_form() -> bytes:
    """PDFium finds the objects of a file without a table of them."""
    return (
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Annots[4 0 R]>>endobj\n"
        f"4 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[0 0 99 20]/V({say('form field')})>>endobj\n"
        "trailer<</Root 1 0 R>>\n"
    ).encode()
