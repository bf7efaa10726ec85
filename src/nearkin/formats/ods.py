"""OpenDocument sheets: names and cells by calamine, as of Excel; comments and text boxes from content.xml."""

from typing import BinaryIO

from nearkin.formats.cells import add_sheets
from nearkin.formats.found import Found, Limits
from nearkin.formats.odf import add, add_around, opened, properties
from nearkin.formats.prose import Prose


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose = Prose(limits)
    add_sheets(file, prose)
    add(parts, "content.xml", prose, cells=False)
    add_around(parts, prose)
    return Found(prose.text(), properties(parts))
