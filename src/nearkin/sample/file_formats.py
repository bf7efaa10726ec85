"""Pages as Word documents and as sheets, with no more parts than a reader needs (ECMA-376)."""

from collections.abc import Iterable
from html import escape

from nearkin.lab.parcel import parcel
from nearkin.sample.page import Block, Page, Shape

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org"
_KIND = "application/vnd.openxmlformats-officedocument"


def as_docx(page: Page) -> bytes:
    """Title, headings, lists and tables by their styles; words are cut into runs, as editors leave them."""
    title = _paragraph(page.language.shown(page.title), "Title")
    body = "".join(_words(block, page) for block in page.blocks)
    main = f'<w:document xmlns:w="{_OPEN}/wordprocessingml/2006/main"><w:body>{title}{body}</w:body></w:document>'
    return _package("word/document.xml", f"{_KIND}.wordprocessingml.document.main+xml", {"word/document.xml": main})


def as_xlsx(page: Page) -> bytes:
    """One sheet, named by the title: a row a line, a cell between tabs."""
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


def _words(block: Block, page: Page) -> str:
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
