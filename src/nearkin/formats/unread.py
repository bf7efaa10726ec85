"""Formats that are known and not read: archives, mailboxes and documents. Each fails with the name of its format.

Nothing else would tell that a container holds documents, or that a document of such a name holds text. A binary file
of no known name has no text to miss.
"""

from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem
from nearkin.model import Reason

CONTAINER_MARKS = (
    (b"Rar!\x1a\x07", "RAR archives are not read"),
    (b"\x78\x9f\x3e\x22", "what Outlook packs into winmail.dat (TNEF) is not read"),
    (b"LZIP", "files packed by lzip are not read"),
    (b"MSCF", "cabinets of Windows are not read"),
    (b"!BDN", "mailboxes of Outlook (PST, OST) are not read"),
    (b"\x1f\x9d", "files packed by compress are not read"),
)


def read_unread_container(file: BinaryIO, limits: Limits) -> Extraction:
    head = file.read(8)
    for mark, detail in CONTAINER_MARKS:
        if head.startswith(mark):
            raise Problem(Reason.UNSUPPORTED, detail)
    raise Problem(Reason.CORRUPT, "it is not what its name says")


DOCUMENT_HEAD = 128
DOCUMENT_MARKS = (  # place in the file, bytes that stand there, program
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


def read_unread_document(file: BinaryIO, limits: Limits) -> Extraction:
    head = file.read(DOCUMENT_HEAD)
    program = next((program for at, mark, program in DOCUMENT_MARKS if head.startswith(mark, at)), "this sort")
    raise Problem(Reason.UNSUPPORTED, f"documents of {program} are not read")
