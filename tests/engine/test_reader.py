"""The kernels' quick look at every file against the closer one: whoever is handed over was suspected."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.engine.reader import MAGIC, SUSPECTS, HandedOver, is_suspect
from nearkin.engine.scan_files import ingest, recipe
from nearkin.formats.registry import ENDINGS, HEAD, has_ending
from nearkin.scheme import keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.text.canon import Canon
from nearkin.text.kind import TextKind, sniff

PIECES = (
    *(mark for mark in MAGIC),
    *(b"%PDF-1.4", b" obj ", b"\0", b"From ann@x 10:20\n", b"From: a\n", b"Received: by x\n", b"MIME-Version: 1.0\n"),
    *(b"\xef\xbb\xbf", b"\xff\xfe<\0?\0x\0", b"\xfe\xff\0<\0?\0x", b"<?xml version='1.0'?>", b"<rss>", b"<html>"),
    *(b" ", b"\n\f\v\t\r", b"words of a text ", b"\xe9t\xe9 ", b"a" * 75, b":", b": ", b"x" * 240),
)
BLOCK = b"a.txt".ljust(156, b"\0").ljust(257, b"0") + b"ustar\00000"
pieces = st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=6).map(b"".join)


@given(pieces)
@example(BLOCK.ljust(1024, b"\0"))
@example(b" " * 4090 + b"<?xml version='1.0'?>")
@example(b"x" * 1019 + b"%PDF-" + b"\0")
@example(b"a" * 76 + b":\tMIME-Version: x\nMIME-Version: 1.0")
def test_whoever_is_told_by_content_was_suspected(data: bytes) -> None:
    kind = int(sniff(data))
    text = data.removeprefix(b"\xef\xbb\xbf") if kind == TextKind.TEXT else data
    if is_suspect(kind, b"name", text[:HEAD]):
        assert SUSPECTS.by_content(data, kind)


@given(st.lists(st.sampled_from([*sorted(ENDINGS), b".html", b".txt", b"a", b".", b"/", b"Zz"])).map(b"".join))
def test_names_are_told_by_their_endings(name: bytes) -> None:
    for one in (name, name.upper()):
        assert SUSPECTS.by_name(one) == has_ending(one)


@pytest.mark.parametrize("text", [b"a text like most", b"note: this one has a colon", b"<p>a page", b" indented"])
def test_plain_ones_are_not_looked_at_again(text: bytes) -> None:
    found = [SUSPECTS.by_content(text, int(sniff(text)))]
    assert found == [text.startswith(b"note: ")]


@pytest.mark.parametrize("data", [b"{\\rtf1 all of it is ASCII}", b"Rar!\x1a\x07 no zero", b"PK\x05\x06 nor here"])
def test_marks_are_told_in_what_might_be_text(data: bytes) -> None:
    kind = int(sniff(data))
    assert is_suspect(kind, b"name", data)
    assert SUSPECTS.by_content(data, kind)


@pytest.mark.parametrize("ending", [b"zip", b".longer", b".tar.gz", b""])
def test_endings_that_no_name_would_be_told_by_are_refused(ending: bytes) -> None:
    with pytest.raises(ValueError, match="an ending is a dot"):
        _native.Suspects(endings=[ending], marks=[])


def test_of_those_with_an_ending_only_bytes_are_known(tmp_path: Path) -> None:
    """And what is read of the others does not depend on whether someone takes them."""
    files = {
        "a.eml": b"Subject: a mail by its name\n\ntext",
        "b.xml": "\ufeffno XML at all".encode(),
        "c": b"From: a@b.c\nTo: d@e.f\nMIME-Version: 1.0\n\na mail by its content",
        "d.zip": b"",
        "e": b"To: whom it may concern\nthis is a text",
        "f": b"\x89PNG\r\n\x1a\n\0\0",
        "g.txt": "words, gar nicht schön".encode("latin-1"),
        "h.html": b"<p>a page",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    scheme, root = parse_scheme(Settings().scheme), os.fsencode(tmp_path)
    how = recipe(scheme, Canon.of(Settings().text, lines=keeps_lines(scheme)), max_size=1 << 20)
    handed: list[HandedOver] = []
    paths = sorted(map(os.fsencode, files))
    (asked,) = ingest(root, paths, how, jobs=1, hand_over=handed.extend)
    (alone,) = ingest(root, paths, how, jobs=1)
    assert [one.path for one in handed] == [b"a.eml", b"b.xml", b"c", b"d.zip"]
    told = dict(zip(alone.paths, alone.digests, strict=True))
    assert all(one.digest == told[one.path] and one.size == len(files[one.path.decode()]) for one in handed)
    assert asked == alone.without({paths.index(one.path) for one in handed})
