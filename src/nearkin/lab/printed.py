"""Pages as PDF (ISO 32000 §7.5): one font that every reader has, so only what Windows-1252 can write."""

from textwrap import wrap

from nearkin.sample.page import Page

_WIDTH = 88  # characters a line
_HEIGHT = 48  # lines a page
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def as_pdf(page: Page, *, numbered: bool = False) -> bytes:
    """Numbered: with title and number on every page, as reports have them."""
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
    for number, one in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    size = len(objects) + 1
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(data))
    return data + b"xref\n0 %d\n%s" % (size, table) + end
