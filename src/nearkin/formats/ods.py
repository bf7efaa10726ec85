"""OpenDocument sheets: names and cells by calamine, as of Excel; comments and text boxes from content.xml.

A cell with an error says so in an extension, shows it as text, and has no value or a zero. Calamine is given the text.
"""

import re
from typing import BinaryIO

from nearkin.formats.cells import add_sheets
from nearkin.formats.found import Found, Limits
from nearkin.formats.odf import add, add_around, opened, properties
from nearkin.formats.prose import Prose
from nearkin.formats.zip_parts import Parts

CONTENT = "content.xml"
SOME = re.compile(rb":value-type=[\"']error[\"']")
# Up to the next < at most, and never tried again from within: many tags that never end would take quadratic time.
CELL = re.compile(rb"""<(?:[\w.-]++:)?table-cell\b(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>""")
VALUE = re.compile(rb"""\s[\w.-]+:(?:value-type|value|string-value)=(?:"[^"]*"|'[^']*')""")
NAME = re.compile(rb"<[^\s/>]+")


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose = Prose(limits)
    for name, problem in add_sheets(_with_errors(file, parts), prose).items():
        parts.lack(f"sheet {name}", problem)
    add(parts, CONTENT, prose, cells=False)
    add_around(parts, prose)
    return Found(prose.text(), properties(parts), parts.lacking)


def _with_errors(file: BinaryIO, parts: Parts) -> BinaryIO:
    if not parts.can_be_rewritten or not parts.contains(CONTENT, SOME):
        return file
    return parts.rewritten(lambda name, data: CELL.sub(_as_text, data) if name == CONTENT else data)


def _as_text(cell: re.Match[bytes]) -> bytes:
    if not SOME.search(cell[0]):
        return cell[0]
    return NAME.sub(rb'\g<0> office:value-type="string"', VALUE.sub(b"", cell[0]), count=1)
