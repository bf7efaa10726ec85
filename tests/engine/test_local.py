"""The one native pass from file to signature against the same steps taken one by one."""

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nearkin import _native
from nearkin.engine import local
from nearkin.model import Entry, Reading, Reason
from nearkin.read.decode import decode
from nearkin.read.walk import Unreadable, walk
from nearkin.scheme import Scheme, parse_scheme
from nearkin.settings import TextSettings, WalkSettings
from nearkin.text.canon import Canon
from nearkin.text.kind import MEDIA, TextKind, named_html, sniff, visible_text
from oracle.prose import prose

DEFAULT = Canon.of(TextSettings())
RAW = Canon.of(TextSettings(raw=True))
SHINGLES = parse_scheme("mod:window=20,sample=200,most=64")
CHUNKS = parse_scheme("tttd:mean=100")
GERMAN = "Die Größe des Gerätes läßt sich über die Übersicht ändern; natürlich fällt das später auf. " * 20
STYLE = "<style>p { color: red }</style>"
PAGE = f"<html><head><title>Größe</title>{STYLE}</head><body><p>Größe &amp; Maß</p>{{}}</body></html>"

FILES: dict[bytes, bytes] = {
    b"plain.txt": prose(1, 3000),
    b"german.txt": GERMAN.encode(),
    b"marked.txt": b"\xef\xbb\xbf" + GERMAN.encode(),
    b"only a mark.txt": b"\xef\xbb\xbf",
    b"wide.txt": GERMAN.encode("utf-16"),
    b"wide unmarked.txt": GERMAN.encode("utf-16-be"),
    b"only a wide mark.txt": b"\xff\xfe",
    b"latin.txt": GERMAN.encode("latin-1"),
    b"declared.html": PAGE.replace("<head>", '<head><meta charset="iso-8859-1">')
    .replace("{}", GERMAN)
    .encode("latin-1"),
    b"declared.xml": ('<?xml version="1.0" encoding="windows-1252"?><text>' + GERMAN + "</text>").encode(
        "cp1252"
    ),
    b"page.html": PAGE.replace("{}", GERMAN).encode(),
    b"PAGE.HTM": PAGE.replace("{}", "once more").encode(),
    b"page without a name": PAGE.replace("{}", prose(2, 500).decode()).encode(),
    b"fragment.html": b"just words, no tags",
    b"empty.txt": b"",
    b"empty.html": b"",
    b"picture.png": b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(4000),
    b"zeros.bin": bytes(1000),
    b"tiny": b"a",
    b"marks only.txt": b"... --- !!!",
    b"nineteen.txt": b"abcdefghijklmnopqrs",
    b"twenty.txt": b"abcdefghijklmnopqrst",
    b"large.txt": prose(3, 1 << 20),
    b"large.html": b"<p>" + prose(4, 300_000) + b"</p><script>" + prose(5, 1000) + b"</script>",
    b"lone surrogate.txt": b"\xed\xa0\x80 is not UTF-8 " * 10,
    b"folder/nested/deep.txt": prose(6, 500),
    b"folder/copy of plain.txt": prose(1, 3000),
    b"caf\xe9.txt": prose(7, 400),  # a name that is not UTF-8
    b"new\nline.txt": prose(8, 400),
    "名前.html".encode(): "<p>人人生而自由，在尊严和权利上一律平等。</p>".encode(),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path


def entries(folder: Path) -> Iterator[Entry]:
    for met in walk(folder, (folder,), WalkSettings()):
        assert not isinstance(met, Unreadable)
        yield met


def read(
    folder: Path,
    found: list[Entry],
    *,
    scheme: Scheme = SHINGLES,
    canon: Canon = DEFAULT,
    max_size: int = 1 << 30,
    jobs: int = 2,
) -> list[Reading]:
    how = local.recipe(scheme, canon, max_size=max_size)
    return [one for batch in local.ingest(os.fsencode(folder), found, how, jobs=jobs) for one in batch]


def settled(reading: Reading) -> Reading:
    """Without the modulus of what has no text; it has a test of its own."""
    return reading if reading.length else replace(reading, modulus=1)


def step_by_step(entry: Entry, scheme: Scheme, canon: Canon) -> Reading:
    data = FILES[entry.path]
    hint = named_html(entry.path)
    kind = sniff(data, named_html=hint)
    if canon.raw:
        extracted, encoding = data, "utf-8" if kind in (TextKind.TEXT, TextKind.HTML) else None
        media = MEDIA[kind]
    else:
        if kind is TextKind.BINARY:
            return Reading(entry, digest=_native.blake2b(data))
        encoding, media = None, MEDIA[kind]
        text = data
        if kind is TextKind.OTHER:
            decoded = decode(data, html=hint or data[:64].lstrip().startswith(b"<"))
            text, encoding = decoded.text.encode(), decoded.encoding
            kind = TextKind.HTML if sniff(text, named_html=hint) is TextKind.HTML else TextKind.TEXT
            media = MEDIA[kind]
        elif kind in (TextKind.TEXT, TextKind.HTML):
            encoding = "utf-8"
            text = data.removeprefix(b"\xef\xbb\xbf")
        extracted = visible_text(text) if kind is TextKind.HTML else text
    canonical = canon.apply(extracted)
    features, weights, modulus = _native.sign(scheme.native(), canonical)
    return Reading(
        entry,
        media=media,
        encoding=encoding,
        digest=_native.blake2b(data),
        text_digest=_native.blake2b(extracted),
        content_digest=_native.blake2b(canonical),
        text=extracted,
        characters=len(extracted) if canon.raw else len(extracted.decode("utf-8", "replace")),
        length=len(canonical),
        modulus=modulus,
        features=features.astype("<u8").tobytes(),
        weights=weights.astype("<u4").tobytes(),
    )


@pytest.mark.parametrize("scheme", [SHINGLES, CHUNKS], ids=lambda scheme: str(scheme.spec))
@pytest.mark.parametrize("canon", [DEFAULT, RAW], ids=lambda canon: str(canon.spec))
def test_every_kind_of_file_as_if_taken_step_by_step(folder: Path, scheme: Scheme, canon: Canon) -> None:
    found = list(entries(folder))
    assert {entry.path for entry in found} == set(FILES)
    for reading in map(settled, read(folder, found, scheme=scheme, canon=canon)):
        expected = step_by_step(reading.entry, scheme, canon)
        for name in Reading.__dataclass_fields__:
            mine, theirs = getattr(reading, name), getattr(expected, name)
            assert (mine or None) == (theirs or None), (reading.entry.path, name)


def test_the_kinds_are_told_apart(folder: Path) -> None:
    readings = {one.entry.path: one for one in read(folder, list(entries(folder)))}
    told = {path: (one.media, one.encoding, bool(one.text_digest)) for path, one in readings.items()}
    assert told[b"plain.txt"] == ("text/plain", "utf-8", True)
    assert told[b"marked.txt"] == ("text/plain", "utf-8", True)
    assert told[b"wide.txt"] == ("text/plain", "utf-16-le", True)
    assert told[b"wide unmarked.txt"] == ("text/plain", "utf-16-be", True)
    assert told[b"latin.txt"] == ("text/plain", "windows-1252", True)
    assert told[b"declared.html"] == ("text/html", "windows-1252", True)
    assert told[b"page without a name"] == ("text/html", "utf-8", True)
    assert told[b"empty.txt"] == ("text/plain", None, True)
    assert told[b"picture.png"] == ("application/octet-stream", None, False)
    # One text in five encodings is one content.
    same = (b"german.txt", b"marked.txt", b"wide.txt", b"wide unmarked.txt", b"latin.txt")
    assert len({readings[path].content_digest for path in same}) == 1
    assert len({readings[path].digest for path in same}) == 5
    assert readings[b"plain.txt"].digest == readings[b"folder/copy of plain.txt"].digest
    assert "color" not in readings[b"page.html"].text.decode()


def test_order_and_content_do_not_depend_on_jobs_or_batches(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list(entries(folder))
    once = [settled(one) for one in read(folder, found, jobs=1)]
    assert [reading.entry.path for reading in once] == sorted(FILES)
    for jobs, files, size in ((1, 1, 1 << 20), (2, 3, 1 << 20), (5, 2, 1), (3, 256, 32 << 20)):
        monkeypatch.setattr(local, "BATCH_FILES", files)
        monkeypatch.setattr(local, "BATCH_BYTES", size)
        assert [settled(one) for one in read(folder, found, jobs=jobs)] == once


@pytest.mark.xfail(strict=True, reason="a file without text takes over the modulus of the one before it")
def test_the_modulus_of_a_file_without_text_does_not_depend_on_its_neighbours(folder: Path) -> None:
    for reading in read(folder, list(entries(folder))):
        if not reading.length:
            assert reading.modulus == 1, reading.entry.path


def test_entries_are_taken_only_as_fast_as_they_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "BATCH_FILES", 2)
    taken = 0

    def counted() -> Iterator[Entry]:
        nonlocal taken
        for entry in list(entries(folder)) * 10:
            taken += 1
            yield entry

    batches = local.ingest(
        os.fsencode(folder), counted(), local.recipe(SHINGLES, DEFAULT, max_size=1 << 30), jobs=2
    )
    next(batches)
    assert taken <= 2 * (2 + 2 + 1)
    batches.close()  # type: ignore[attr-defined]
    assert taken < 50


def test_what_cannot_be_read_is_a_row_not_an_exception(folder: Path) -> None:
    found = {entry.path: entry for entry in entries(folder)}
    (folder / "plain.txt").unlink()
    (folder / "twenty.txt").unlink()
    (folder / "twenty.txt").mkdir()
    (folder / "tiny").unlink()
    (folder / "tiny").symlink_to(folder / "german.txt")
    (folder / "empty.txt").unlink()
    os.mkfifo(folder / "empty.txt")
    readings = {one.entry.path: one for one in read(folder, list(found.values()))}
    assert len(readings) == len(FILES)
    failed = {path: (one.reason, one.detail) for path, one in readings.items() if one.reason}
    assert set(failed) == {b"plain.txt", b"twenty.txt", b"tiny", b"empty.txt"}
    assert failed[b"plain.txt"] == (Reason.UNREADABLE, "no such file or directory")
    for reason, detail in failed.values():
        assert reason is Reason.UNREADABLE
        assert detail
    for path in failed:
        assert readings[path].digest is None
        assert not readings[path].text_digest
        assert not readings[path].features


def test_files_over_the_limit_are_too_large(folder: Path) -> None:
    found = list(entries(folder))
    for reading in read(folder, found, max_size=3000):
        too_large = len(FILES[reading.entry.path]) > 3000
        assert (reading.reason is Reason.TOO_LARGE) is too_large, reading.entry.path
        assert (reading.digest is None) is too_large


def test_a_file_that_grew_or_shrank_since_the_walk(folder: Path) -> None:
    found = [entry for entry in entries(folder) if entry.path in (b"plain.txt", b"tiny")]
    (folder / "plain.txt").write_bytes(b"shorter now")
    (folder / "tiny").write_bytes(prose(9, 100_000))
    sizes = {one.entry.path: (one.entry.size, one.text) for one in read(folder, found)}
    assert sizes == {b"plain.txt": (11, b"shorter now"), b"tiny": (100_000, prose(9, 100_000))}


def test_nothing_to_read(tmp_path: Path) -> None:
    assert read(tmp_path, []) == []
