"""Documents of formats that nobody here reads. Their names say that there is text in them, so they say that it is not
read: a binary file of no known name has none to miss."""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.model import Reason

HEAD = 128
MARKS = (  # where in the file, what stands there, whose it is
    (0, b"\xffWPC", "WordPerfect"),
    (0, b"WordPro", "Lotus Word Pro"),
    (0, b"1\xbe\0\0", "Microsoft Write"),
    (0, b"2\xbe\0\0", "Microsoft Write"),
    (0, b"AT&TFORM", "DjVu"),
    (0, b"ITSF", "compiled HTML help"),
    (0, b"ITOLITLS", "Microsoft Reader"),
    (60, b"BOOKMOBI", "Mobipocket and Kindle"),
    (0, b"HWP Document File", "Hangul Word Processor"),
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "OneNote"),
    (4, b"Standard Jet DB", "Access"),
    (4, b"Standard ACE DB", "Access"),
    (0, b"\0\0\2\0\6\4\6\0", "Lotus 1-2-3"),
    (0, b"\0\0\x1a\0", "Lotus 1-2-3"),
    (0, b"\x06\x06\xed\xf5", "InDesign"),
    (0, b"\xf7\x02", "TeX (DVI)"),
)


def read(file: BinaryIO, limits: Limits) -> Found:
    head = file.read(HEAD)
    whose = next((whose for at, mark, whose in MARKS if head.startswith(mark, at)), "this sort")
    raise Problem(Reason.UNSUPPORTED, f"documents of {whose} are not read")
