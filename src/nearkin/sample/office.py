"""Office documents of the sample: their makers, and the writers of Word, Excel, PDF, mail and ZIP files.

Each maker writes exactly `size` files. Members of mails and archives are documents too, named as nearkin names them:
`mail.eml!/a.pdf`.

Files have the same bytes everywhere, and no more parts than a reader needs: Word and Excel (ECMA-376); PDF (ISO 32000
§7.5) with one font that every reader has, so only what Windows-1252 can write; mail with attachments (RFC 5322, MIME),
written by hand, as the output of Python's own writer changes with its version; ZIP with stored members, as zlibs
differ, that all have the same time.
"""

import io
import zipfile
from base64 import b64encode, encodebytes
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from email.utils import formatdate
from html import escape
from textwrap import wrap

from nearkin.sample.desk import Desk, FiledDocument
from nearkin.sample.languages import ENGLISH, FRENCH, GERMAN
from nearkin.sample.page import OPERATIONS, EditPlan, Page, PageBlock, Shape, affordable, edited, longest_word
from nearkin.sample.prose import Prose, person
from nearkin.sample.truth import FamilyKind, RelationKind

_LANGUAGES = (ENGLISH, ENGLISH, GERMAN, FRENCH)  # what the PDFs' font can write
_WRITINGS = ("html", "docx", "pdf", "txt")
MEMBER = "!/"


def across_formats(desk: Desk, size: int) -> None:
    """Write the same words as HTML, Word, PDF and text."""
    prose, page = _page(desk)
    paths = [_filed(desk, page, prose, writing).path for writing in _WRITINGS[:size]]
    desk.relate(RelationKind.SAME_WORDS, *paths)
    desk.gather(FamilyKind.IDENTICAL, paths)


def versions_across_formats(desk: Desk, size: int) -> None:
    """Write a chain of versions, each in another format; the PDF has title and number on every page."""
    prose, page = _page(desk, 6_000)
    chain, steps = [_filed(desk, page, prose, "html")], list[dict[str, object]]()
    for writing in ("docx", "report", "txt")[: size - 1]:
        most = affordable(page.size, touched=longest_word(page)) // 2
        edit = EditPlan(min(most, desk.dice.between(2, 12)), OPERATIONS, "even")
        page = edited(page, edit, desk.dice, lambda: prose.word(desk.dice))
        chain.append(_filed(desk, page, prose, writing, when=desk.later(chain[-1].when)))
        steps.append(asdict(edit))
    paths = [filed.path for filed in chain]
    desk.relate(RelationKind.VERSIONS, *paths, steps=steps)
    desk.gather(FamilyKind.of(contents=size, parts=0), paths)


def sheet(desk: Desk, size: int) -> None:
    """Write a table as a sheet and as text."""
    assert size == 2
    prose = desk.prose(desk.dice.pick(_LANGUAGES))
    lines = prose.passage(desk.dice, desk.typical_size())
    rows = tuple("\t".join(_halves(line)) for line in lines)
    page = Page(prose.language, prose.product, (PageBlock(Shape.TABLE, rows),))
    paths = [_filed(desk, page, prose, writing).path for writing in ("xlsx", "txt")]
    desk.relate(RelationKind.SAME_WORDS, *paths)
    desk.gather(FamilyKind.IDENTICAL, paths)


def mailed(desk: Desk, size: int) -> None:
    """Write a file, and mails with a copy of it attached."""
    prose, page = _page(desk)
    filed = _filed(desk, page, prose, desk.dice.pick(("docx", "pdf", "html")))
    name = f"attachment{filed.suffix}"
    mails = [_mail(desk, {name: filed.data}, when=desk.later(filed.when)) for _ in range(size - 1)]
    _alike(desk, filed.path, *(f"{path}{MEMBER}{name}" for path in mails))


def boxed(desk: Desk, size: int) -> None:
    """Write files, and an archive with copies of them."""
    filed = [_filed(desk, page, prose, writing) for writing, (prose, page) in _several(desk, size - 1)]
    members = {f"papers/{turn}-{_last(document.path)}": document.data for turn, document in enumerate(filed, 1)}
    box = desk.file_bytes(parcel(members), ".zip", f"box-{desk.dice.between(1, 999)}")
    for document, name in zip(filed, members, strict=True):
        _alike(desk, document.path, f"{box.path}{MEMBER}{name}")


def mailed_box(desk: Desk, size: int) -> None:
    """Write a file, and a mail with an archive that has a copy of it."""
    assert size == 2
    prose, page = _page(desk)
    filed = _filed(desk, page, prose, "docx")
    path = _mail(desk, {"papers.zip": parcel({"report.docx": filed.data})}, when=desk.later(filed.when))
    _alike(desk, filed.path, f"{path}{MEMBER}papers.zip{MEMBER}report.docx")


def _alike(desk: Desk, *paths: str) -> None:
    desk.relate(RelationKind.IDENTICAL, *paths)
    desk.gather(FamilyKind.IDENTICAL, list(paths))


def _page(desk: Desk, size: int = 0) -> tuple[Prose, Page]:
    prose = desk.prose(desk.dice.pick(_LANGUAGES))
    return prose, desk.page(prose, size or desk.typical_size())


def _several(desk: Desk, count: int) -> list[tuple[str, tuple[Prose, Page]]]:
    return [(_WRITINGS[turn % len(_WRITINGS)], _page(desk)) for turn in range(count)]


def _filed(desk: Desk, page: Page, prose: Prose, writing: str, *, when: int | None = None) -> FiledDocument:
    match writing:
        case "docx":
            data, suffix = as_docx(page), ".docx"
        case "xlsx":
            data, suffix = as_xlsx(page), ".xlsx"
        case "pdf" | "report":
            data, suffix = as_pdf(page, numbered=writing == "report"), ".pdf"
        case "html":
            data, suffix = page.as_html().encode(), ".html"
        case "txt":
            data, suffix = page.as_text().encode(), ".txt"
        case _:
            raise ValueError(f"unknown writing: {writing}")
    return desk.file_bytes(data, suffix, desk.name(prose.title(desk.dice), page.language), when=when)


def _mail(desk: Desk, attached: dict[str, bytes], *, when: int) -> str:
    """Write a mail whose own text is related to nothing."""
    prose, page = _page(desk, desk.dice.between(1_200, 2_400))
    sender, receiver = (person(desk.dice.below(600)) for _ in range(2))
    data = mail(page.title, page.as_text(), attached, sender=sender, receiver=receiver, when=when)
    return desk.file_bytes(data, ".eml", desk.name(prose.title(desk.dice), page.language), when=when).path


def _halves(line: str) -> tuple[str, str]:
    words = line.split(" ")
    return " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])


def _last(path: str) -> str:
    return path.rpartition("/")[2]


_WIDTH = 88  # characters a line
_HEIGHT = 48  # lines a page
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def as_pdf(page: Page, *, numbered: bool = False) -> bytes:
    """Return a page as PDF. `numbered`: with title and number on every page, as reports have them."""
    lines = [
        piece
        for line in page.as_text().splitlines()
        for piece in (wrap(line, _WIDTH, break_on_hyphens=False, break_long_words=False) or [""])
    ]
    sheets = [lines[at : at + _HEIGHT] for at in range(0, len(lines), _HEIGHT)]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", _FONT]
    kids = []
    for number, sheet in enumerate(sheets, 1):
        shown = [f"{page.title} {number}", "", *sheet] if numbered and number > 1 else sheet
        text = b"\n".join(b"(%s) '" % _escaped(line) for line in shown)
        stream = b"BT /F1 10 Tf 14 TL 60 780 Td\n%s\nET" % text
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (len(objects) + 2)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    named = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), named)
    return _file(objects)


def _escaped(line: str) -> bytes:
    return line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: list[bytes]) -> bytes:
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    table = b"0000000000 65535 f \n"
    for number, content in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(data))
    return data + b"xref\n0 %d\n%s" % (size, table) + end


_BOUNDARY = "=-sample-part-="


def mail(subject: str, body: str, attached: Mapping[str, bytes], *, sender: str, receiver: str, when: int) -> bytes:
    """Return a mail. Names of attachments are ASCII."""
    fields = (
        f"From: {sender} <{sender.lower()}@example.org>",
        f"To: {receiver} <{receiver.lower()}@example.org>",
        f"Date: {formatdate(when)}",
        f"Subject: =?utf-8?b?{b64encode(subject.encode()).decode()}?=",
        f"Message-ID: <{when}.{sender.lower()}@example.org>",
        "MIME-Version: 1.0",
        f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
    )
    parts = [("text/plain; charset=utf-8", "inline", body.encode())]
    parts += [("application/octet-stream", f'attachment; filename="{name}"', data) for name, data in attached.items()]
    lines = "".join(
        f"--{_BOUNDARY}\nContent-Type: {kind}\nContent-Disposition: {place}\n"
        f"Content-Transfer-Encoding: base64\n\n{encodebytes(data).decode()}"
        for kind, place, data in parts
    )
    return ("\n".join(fields) + f"\n\n{lines}--{_BOUNDARY}--\n").replace("\n", "\r\n").encode("ascii")


_MOMENT = (2020, 1, 1, 0, 0, 0)
_UNIX = 3


def parcel(members: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as file:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, _MOMENT)
            member.create_system = _UNIX
            member.external_attr = 0o644 << 16
            file.writestr(member, data)
    return held.getvalue()


_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org"
_KIND = "application/vnd.openxmlformats-officedocument"


def as_docx(page: Page) -> bytes:
    """Return a page as a Word document. Title, headings, lists and tables have their styles; words are cut into runs,
    as editors leave them."""
    title = _paragraph(page.language.shown(page.title), "Title")
    body = "".join(_words(block, page) for block in page.blocks)
    main = f'<w:document xmlns:w="{_OPEN}/wordprocessingml/2006/main"><w:body>{title}{body}</w:body></w:document>'
    return _package("word/document.xml", f"{_KIND}.wordprocessingml.document.main+xml", {"word/document.xml": main})


def as_xlsx(page: Page) -> bytes:
    """Return a page as a workbook with one sheet, named by the title: a row a line, a cell between tabs."""
    rows = "".join(_row(line.split("\t")) for block in page.blocks for line in block.lines)
    sheet = f'<worksheet xmlns="{_OPEN}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    book = (
        f'<workbook xmlns="{_OPEN}/spreadsheetml/2006/main" xmlns:r="{_OPEN}/officeDocument/2006/relationships">'
        f'<sheets><sheet name="{escape(page.title)}" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    parts = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": sheet,
    }
    more = f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.spreadsheetml.worksheet+xml"/>'
    return _package("xl/workbook.xml", f"{_KIND}.spreadsheetml.sheet.main+xml", parts, more)


def _words(block: PageBlock, page: Page) -> str:
    lines = [page.language.shown(line) for line in block.lines]
    if block.shape is Shape.TABLE:
        rows = ("".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in line.split("\t")) for line in lines)
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    style = {Shape.HEADING: "Heading1", Shape.LIST: "ListBullet"}.get(block.shape, "")
    return "".join(_paragraph(line, style) for line in lines)


def _paragraph(line: str, style: str = "") -> str:
    half = len(line) // 2
    runs = "".join(f'<w:r><w:t xml:space="preserve">{escape(run)}</w:t></w:r>' for run in (line[:half], line[half:]))
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}{runs}</w:p>"


def _row(cells: Iterable[str]) -> str:
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in cells) + "</row>"


def _package(main: str, kind: str, parts: dict[str, str], more: str = "") -> bytes:
    types = (
        f'<Types xmlns="{_OPEN}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{main}" ContentType="{kind}"/>{more}</Types>'
    )
    whole = {"[Content_Types].xml": types, "_rels/.rels": _relation("officeDocument", main), **parts}
    return parcel({name: (_HEAD + part).encode() for name, part in whole.items()})


def _relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_OPEN}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_OPEN}/officeDocument/2006/relationships/{kind}" Target="{target}"/></Relationships>'
    )
