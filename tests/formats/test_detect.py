"""By content first, by name second; and what the native core reads itself is left to it, quickly."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import documents, office
from formats.archives import plain_zip, tar
from formats.office import zipped
from nearkin.formats.registry import FORMATS, HEAD, detect
from nearkin.formats.sniff import FROM_LINE

DOCS = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


def told(data: bytes, name: bytes = b"") -> str | None:
    chosen = detect(data[:HEAD], name, io.BytesIO(data))
    return chosen.name if chosen else None


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", b"a.txt"),
        (b"", b"a.pdf"),
        (b" \n", b"a.xml"),
        (b"", b""),
        (b"LZIP is a program", b"a.txt"),
        (b"words that were unpacked", b"a.rar"),
        (b"plain words", b"a.txt"),
        (b"# Title\n\nwords", b"a.md"),
        (b"a,b\n1,2\n", b"a.csv"),
        (b'{"a": 1}', b"a.json"),
        (b"#include <stdio.h>\n", b"a.c"),
        (b"<!DOCTYPE html><html><body>x", b"a.html"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='x'>", b"a.xml"),
        (b"<html><body>saved by a spreadsheet</body></html>", b"a.xls"),
        (b"<html><body>not found</body></html>", b"a.pdf"),
        (b"words that a browser unpacked", b"a.gz"),
        (b"Subject: a note\n\nno mail", b"a.txt"),
        (b"From here on, 12:30 is noon\nand so on", b"a.txt"),
        (b"From the desk of 10:30 meeting\nSubject: hello\nwords", b"a.txt"),
        (b"Received: 5 boxes by courier; 10:30\nFrom: storage\nTo: office\n\nwords", b"a.txt"),
        (b"Subject: plan\nMessage-ID: none\nFrom: ann@example.org\n\nwords", b"a.md"),
        (b"Message-ID: <a@b>\nFrom: ann@example.org\nDate: 1 Jan 2024 10:00\nand a line of text\n\nmore", b"a.txt"),
        (b"Message-ID: <a@b>\nFrom: ann@example.org\nDate: 1 Jan 2024 10:00\nand a line of text", b"a.txt"),
        (b"Message-ID: <a@b> is a header field\n\nwords about it", b""),
        (b"\x89PNG\r\n\x1a\n\0\0", b"a.png"),
        (b"Files that begin with %PDF-1.4 meet our objections.", b"a.txt"),
        (b"The header\n%PDF-1.4\n1 0 obj\nis that of a gr\xc3\xb6\xc3\x9fere file", b"a.txt"),
        (b"\n%PDF- obj", b"a.txt"),
        (b"words that someone has converted", b"a.wpd"),
    ],
)
def test_left_to_the_native_core(data: bytes, name: bytes) -> None:
    assert told(data, name) is None


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (office.docx(), b"a.zip", "docx"),
        (office.odt(), b"a.docx", "odt"),
        (documents.rtf(), b"a.doc", "rtf"),
        (documents.pdf(), b"a.txt", "pdf"),
        (b"\r\n  junk\n" + documents.pdf(), b"a.pdf", "pdf"),
        (b"\xef\xbb\xbf%PDF-1.7\n1 0 obj<<>>endobj", b"a", "pdf"),
        (b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj", b"a", "pdf"),
        (documents.eml(), b"1234", "eml"),
        (b"Message-ID: <a@b>\nFrom: ann@example.org\nDate: 1 Jan 2024 10:00\nX-Other: x\n\nwords", b"a.txt", "eml"),
        (b"Received: from a by b;\n\t1 Jan 2024 10:00\nFrom: ann@example.org\nSubject: x\n\nwords", b"1234", "eml"),
        (b"Return-Path: <>\nFrom: a@b\nTo: c\n" + b"X-Long: x\n" * 1000, b"1234", "eml"),
        (b"Subject: a note\n\na mail", b"a.eml", "eml"),
        (plain_zip(), b"a.docx", "zip"),
        (tar(), b"a", "tar"),
        (b"<?xml version='1.0' encoding='utf-16'?><a>x</a>".decode().encode("utf-16"), b"a", "xml"),
        (b"<a>x</a>", b"a.xml", "xml"),
        (b"no zip at all", b"a.odt", "odt"),
        (zipped({"a": b"x"})[:40], b"a.docx", "docx"),
        (zipped({"a": b"x"})[:40], b"a", "zip"),
        (b"y\0\1", b"a.zip", "zip"),
        (b"Rar!\x1a\x07\x01\0", b"a", "rar"),
        (b"\x78\x9f\x3e\x22\1\0", b"winmail.dat", "tnef"),
        (b"LZIP\1\x0c", b"a.lz", "lzip"),
        (b"MSCF\0\0\0\0\x99", b"a", "cab"),
        (b"!BDN\x01\x02\0", b"a", "pst"),
        (b"\x1f\x9d\x90\0", b"a.tar.Z", "compress"),
        (b"\xffWPC\x10\0\0\0", b"a.WPD", "other"),
        (b"\1\2\0\3", b"a.mobi", "other"),
    ],
)
def test_told(data: bytes, name: bytes, expected: str) -> None:
    assert told(data, name) == expected


def test_every_adapter_is_there_and_reads() -> None:
    assert all(callable(known.adapter) for known in FORMATS)
    assert len({known.extractor for known in FORMATS}) == len(FORMATS)


def test_every_format_has_its_row_in_the_docs() -> None:
    page = DOCS.read_text(encoding="utf-8")
    for known in FORMATS:
        assert f"| {known.name} |" in page, known.name
        row = next(line for line in page.splitlines() if line.startswith(f"| {known.name} |"))
        assert [ending for ending in known.extensions if ending not in row] == []


def test_the_table_loads_no_library() -> None:
    code = "import sys, nearkin.formats.registry; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"zipfile", "olefile", "pypdfium2", "python_calamine", "email", "xml", "zstandard"} & set(loaded)


FROM_PIECES = st.sampled_from(
    [b"From ", b"ann", b" ", b"@", b"Mon Jan  1 12:34 2024", b"1", b"\r", b"\n", b">", b"S: x"]
)
DATED = rb"From  ?\S+ +Mon Jan  1 12:34 2024[ \t]*\r?\n>?[!-9;-~]{1,76}:"


@given(st.lists(FROM_PIECES, max_size=6))
def test_the_first_line_of_a_mailbox_has_an_address_and_a_time(pieces: list[bytes]) -> None:
    head = b"From " + b"".join(pieces)
    assert bool(FROM_LINE.match(head)) == bool(re.match(DATED, head))


def test_a_mailbox_is_told_by_its_first_line() -> None:
    assert FROM_LINE.match(b"From ann@example.org Mon Jan  1 12:34:56 2024\r\nSubject: x\r\n")
