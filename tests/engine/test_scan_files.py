"""The one native pass from file to signature against the same steps taken one by one."""

import json
import os
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from nearkin import _native
from nearkin.engine import reader, scan_files
from nearkin.formats.registry import UNKNOWN
from nearkin.model import Reason
from nearkin.read.walk import Unreadable, walk
from nearkin.scheme import Scheme, parse_scheme
from nearkin.settings import TextSettings, WalkSettings
from nearkin.store.batch import FAILED, DocumentBatch
from nearkin.store.compression import unpack
from nearkin.text.canon import Canon
from nearkin.text.decode import decode
from nearkin.text.html import page
from nearkin.text.kind import EXTRACTORS, MEDIA, TextKind, is_page, named_html, plain_text, sniff
from oracle.prose import prose

DEFAULT = Canon.of(TextSettings())
RAW = Canon.of(TextSettings(raw=True))
SHINGLES = parse_scheme("mod:window=20,sample=200,most=64")
CHUNKS = parse_scheme("tttd:mean=100")
GERMAN = "Die Größe des Gerätes läßt sich über die Übersicht ändern; natürlich fällt das später auf. " * 20
PAGE = (
    "<html><head><title>Größe</title><style>p { color: red }</style></head><body><p>Größe &amp; Maß</p>{}</body></html>"
)

FILES: dict[bytes, bytes] = {
    b"plain.txt": prose(1, 3000),
    b"german.txt": GERMAN.encode(),
    b"marked.txt": b"\xef\xbb\xbf" + GERMAN.encode(),
    b"only a mark.txt": b"\xef\xbb\xbf",
    b"wide.txt": GERMAN.encode("utf-16"),
    b"wide unmarked.txt": GERMAN.encode("utf-16-be"),
    b"only a wide mark.txt": b"\xff\xfe",
    b"chinese.txt": ("人人生而自由，在尊严和权利上一律平等。" * 9).encode("utf-16-le"),
    b"japanese.html": "<title>尊厳</title><p>人間は、理性と良心とを授けられており、".encode("iso-2022-jp"),
    b"escape.html": b"<p>no \x1b$ Japanese",
    b"crashed.log": b"a line of a log\n" * 30 + bytes(500) + b"another line\n" * 30,
    b"escaped.json": json.dumps([GERMAN, {"слово": "other \n words"}]).encode(),
    b"wide.json": json.dumps([GERMAN]).encode("utf-16-le"),
    b"lines.jsonl": b'\xef\xbb\xbf{"a": "\\u00e9"}\n' * 40,
    b"latin.txt": GERMAN.encode("latin-1"),
    b"declared.html": PAGE.replace("<head>", '<head><meta charset="iso-8859-1">')
    .replace("{}", GERMAN)
    .encode("latin-1"),
    b"declared.xml": ('<?xml version="1.0" encoding="windows-1252"?><text>' + GERMAN + "</text>").encode("cp1252"),
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


def met_in(folder: Path) -> list[bytes]:
    found = []
    for met in walk(folder, (folder,), WalkSettings()):
        assert not isinstance(met, Unreadable)
        found.append(met)
    return found


Row = dict[str, Any]
COLUMNS = ["paths", *FAILED]


def rows(readings: DocumentBatch) -> list[Row]:
    """With the canonical texts that the batches hold."""
    columns = zip(*(getattr(readings, name) for name in COLUMNS), strict=True)
    held = {d: text for one in readings.batches for d, text in zip(one.contents, one.take_canonical(), strict=True)}
    found = [dict(zip(COLUMNS, row, strict=True)) for row in columns]
    return [{**row, "canonical": held.get(row["contents"])} for row in found]


def read(
    folder: Path,
    paths: list[bytes],
    *,
    scheme: Scheme = SHINGLES,
    canon: Canon = DEFAULT,
    max_size: int = 1 << 30,
    jobs: int = 2,
) -> list[Row]:
    how = scan_files.recipe(scheme, canon, max_size=max_size)
    return [row for batch in scan_files.ingest(os.fsencode(folder), paths, how, jobs=jobs) for row in rows(batch)]


def by_path(readings: list[Row]) -> dict[bytes, Row]:
    return {row["paths"]: row for row in readings}


def step_by_step(folder: Path, path: bytes, scheme: Scheme, canon: Canon) -> Row:
    data = FILES[path]
    info = (folder / os.fsdecode(path)).stat()
    row: Row = {
        "paths": path,
        "sizes": len(data),
        "mtimes": info.st_mtime_ns,
        "ctimes": info.st_ctime_ns,
        "inodes": info.st_ino,
        "owners": info.st_uid,
        "digests": sha256(data).digest(),
        "reasons": None,
        "details": None,
        "packed": None,
        "readers": None,
        "properties": None,
        "md5": None,
        "sha1": None,
    }
    hint = named_html(path)
    kind = sniff(data, named_html=hint)
    encoding = "utf-8" if kind in (TextKind.TEXT, TextKind.HTML) else None
    if canon.raw:
        extracted, extractor = data, "raw"
    elif kind is TextKind.BINARY:
        nothing = dict.fromkeys(("encodings", "texts", "characters", "canonical", "contents", "lengths"))
        found = {"readers": UNKNOWN, "features": b"", "weights": None, "media": MEDIA[kind], "extractors": ""}
        return row | nothing | found | {"moduli": 1}
    else:
        text = data
        if kind is TextKind.OTHER:
            decoded = decode(data, html=hint or data[:64].lstrip().startswith(b"<"))
            text, encoding = decoded.text.encode(), decoded.encoding
            kind = TextKind.HTML if is_page(text, named_html=hint) else TextKind.TEXT
        elif encoding:
            text = data.removeprefix(b"\xef\xbb\xbf")
        extracted, extractor = plain_text(text), EXTRACTORS[kind]
        if kind is TextKind.HTML:
            extracted, said = page(text)
            row["properties"] = json.dumps(said, sort_keys=True) if said else None
    canonical = canon.apply(extracted)
    features, weights, modulus = _native.sign(scheme.native(), canonical)
    return row | {
        "media": MEDIA[kind],
        "encodings": encoding,
        "extractors": extractor,
        "texts": extracted,
        "characters": len(extracted) if canon.raw else len(extracted.decode("utf-8", "replace")),
        "canonical": canonical,
        "contents": sha256(canonical).digest(),
        "lengths": len(canonical),
        "moduli": modulus,
        "features": features.astype("<u8").tobytes(),
        "weights": weights.astype("<u4").tobytes(),
    }


@pytest.mark.parametrize("scheme", [SHINGLES, CHUNKS], ids=lambda scheme: str(scheme.spec))
@pytest.mark.parametrize("canon", [DEFAULT, RAW], ids=lambda canon: str(canon.spec))
def test_every_kind_of_file_as_if_taken_step_by_step(folder: Path, scheme: Scheme, canon: Canon) -> None:
    found = met_in(folder)
    assert set(found) == set(FILES)
    readings = read(folder, found, scheme=scheme, canon=canon)
    assert [row["paths"] for row in readings] == found
    for row in readings:
        expected = step_by_step(folder, row["paths"], scheme, canon)
        for name in (*COLUMNS, "canonical"):
            assert (row[name] or None) == (expected[name] or None), (row["paths"], name)


def test_texts_to_be_kept_are_packed_once(tmp_path: Path) -> None:
    texts = {
        b"a.txt": b"one text",
        b"b.txt": b"another text",
        b"c.txt": b"one text",
        b"d.bin": b"\0\1\2",
        b"e.txt": b"",
    }
    for name, text in texts.items():
        (tmp_path / os.fsdecode(name)).write_bytes(text)
    how = scan_files.recipe(SHINGLES, DEFAULT, max_size=1 << 20)
    (readings,) = scan_files.ingest(os.fsencode(tmp_path), sorted(texts), how, jobs=1, keep=True)
    packed = [None if blob is None else unpack(blob) for blob in readings.packed]
    assert packed == [b"one text", b"another text", b"one text", None, b""]
    again = scan_files.ingest(os.fsencode(tmp_path), sorted(texts) * reader.BATCH_FILES, how, jobs=1, keep=True)
    first, *later = again
    assert sum(blob is not None for blob in first.packed) >= 3
    assert not any(blob is not None for batch in later for blob in batch.packed), "met before"


def test_the_kinds_are_told_apart(folder: Path) -> None:
    readings = by_path(read(folder, met_in(folder)))
    told = {path: (row["media"], row["encodings"], row["contents"] is not None) for path, row in readings.items()}
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
    assert len({readings[path]["contents"] for path in same}) == 1
    assert len({readings[path]["digests"] for path in same}) == 5
    assert readings[b"plain.txt"]["digests"] == readings[b"folder/copy of plain.txt"]["digests"]
    assert "color" not in readings[b"page.html"]["texts"].decode()
    extractors = {path: row["extractors"] for path, row in readings.items()}
    assert {extractors[path] for path in (*same, b"declared.xml", b"tiny", b"empty.txt")} == {"text/2"}
    pages = {extractors[path] for path in (b"page.html", b"declared.html", b"page without a name")}
    assert pages == {EXTRACTORS[TextKind.HTML]}
    assert extractors[b"picture.png"] == ""
    assert {row["extractors"] for row in read(folder, met_in(folder), canon=RAW)} == {"raw"}


def test_order_and_content_do_not_depend_on_jobs_or_batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = met_in(folder)
    once = read(folder, found, jobs=1)
    assert [row["paths"] for row in once] == sorted(FILES)
    for jobs, files in ((1, 1), (2, 3), (5, 2), (3, 256)):
        monkeypatch.setattr(reader, "BATCH_FILES", files)
        assert read(folder, found, jobs=jobs) == once


def test_the_modulus_of_a_file_without_text_does_not_depend_on_its_neighbours(folder: Path) -> None:
    for row in read(folder, met_in(folder)):
        if not row["lengths"]:
            assert row["moduli"] == 1, row["paths"]


def test_large_files_end_a_batch_and_none_is_lost(tmp_path: Path) -> None:
    for i in range(12):
        (tmp_path / f"{i:02}.txt").write_bytes(b"%d words " % i * 600_000)
    paths = [b"%02d.txt" % i for i in range(12)]
    how = scan_files.recipe(SHINGLES, DEFAULT, max_size=1 << 30)
    batches = list(scan_files.ingest(os.fsencode(tmp_path), paths, how, jobs=2))
    assert len(batches) > 2
    assert [path for batch in batches for path in batch.paths] == paths
    assert all(sum(batch.sizes) < 32 << 20 for batch in batches)


def test_paths_are_taken_only_as_fast_as_they_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BATCH_FILES", 2)
    taken = 0

    def counted() -> Iterator[bytes]:
        nonlocal taken
        for path in met_in(folder) * 10:
            taken += 1
            yield path

    batches = scan_files.ingest(
        os.fsencode(folder), counted(), scan_files.recipe(SHINGLES, DEFAULT, max_size=1 << 30), jobs=2
    )
    next(batches)
    assert taken <= 2 * (2 + reader.AHEAD + 1)
    batches.close()  # type: ignore[attr-defined]
    assert taken < 50


def test_what_cannot_be_read_is_a_row_not_an_exception(folder: Path) -> None:
    found = met_in(folder)
    (folder / "plain.txt").unlink()
    (folder / "twenty.txt").unlink()
    (folder / "twenty.txt").mkdir()
    (folder / "tiny").unlink()
    (folder / "tiny").symlink_to(folder / "german.txt")
    (folder / "empty.txt").unlink()
    os.mkfifo(folder / "empty.txt")
    for canon in (DEFAULT, RAW):
        readings = by_path(read(folder, found, canon=canon))
        assert len(readings) == len(FILES)
        failed = {path: (row["reasons"], row["details"]) for path, row in readings.items() if row["reasons"]}
        assert set(failed) == {b"plain.txt", b"twenty.txt", b"tiny", b"empty.txt"}
        assert failed[b"plain.txt"] == (Reason.UNREADABLE, "no such file or directory")
        for path, (reason, detail) in failed.items():
            assert reason is Reason.UNREADABLE
            assert detail
            assert readings[path]["digests"] is None
            assert readings[path]["contents"] is None
            assert not readings[path]["features"]


def test_files_over_the_limit_are_too_large(folder: Path) -> None:
    for row in read(folder, met_in(folder), max_size=3000):
        too_large = len(FILES[row["paths"]]) > 3000
        assert (row["reasons"] is Reason.TOO_LARGE) is too_large, row["paths"]
        assert (row["digests"] is None) is too_large


def test_a_file_that_grew_or_shrank_since_the_walk(folder: Path) -> None:
    found = [path for path in met_in(folder) if path in (b"plain.txt", b"tiny")]
    (folder / "plain.txt").write_bytes(b"shorter now")
    (folder / "tiny").write_bytes(prose(9, 100_000))
    sizes = {row["paths"]: (row["sizes"], row["texts"]) for row in read(folder, found)}
    assert sizes == {b"plain.txt": (11, b"shorter now"), b"tiny": (100_000, prose(9, 100_000))}


def test_nothing_to_read(tmp_path: Path) -> None:
    assert read(tmp_path, []) == []


def test_batches_end_to_end_are_one(folder: Path) -> None:
    found = met_in(folder)
    how = scan_files.recipe(CHUNKS, DEFAULT, max_size=1 << 30)
    (whole,) = scan_files.ingest(os.fsencode(folder), found, how, jobs=1)
    (first,) = scan_files.ingest(os.fsencode(folder), found[:11], how, jobs=1)
    (second,) = scan_files.ingest(os.fsencode(folder), found[11:], how, jobs=1)
    first.extend(second)
    assert len(first) == len(found)
    assert rows(first) == rows(whole)
    with pytest.raises(ValueError, match="taken already"):
        rows(whole)
    whole.batches.clear()
    whole.extend(DocumentBatch.failed(b"locked", "permission denied"))
    last = rows(whole)[-1]
    assert len(whole) == len(found) + 1
    assert (last["paths"], last["reasons"], last["details"]) == (b"locked", Reason.UNREADABLE, "permission denied")
    assert (last["digests"], last["contents"]) == (None, None)


def test_batches_of_some_rows_are_nobody_elses(folder: Path) -> None:
    how = scan_files.recipe(CHUNKS, DEFAULT, max_size=1 << 30)
    whole, other = (next(scan_files.ingest(os.fsencode(folder), met_in(folder), how, jobs=1)) for _ in range(2))
    before = [*whole.batches]
    whole.without({0}).extend(other)
    assert whole.batches == before


def test_features_are_held_twice(tmp_path: Path) -> None:
    """By whoever stores them and by whoever remembers them: of all shingles that is nearly everything."""
    (tmp_path / "long.txt").write_bytes(prose(1, 20_000))
    how = scan_files.recipe(parse_scheme("exact:window=20"), DEFAULT, max_size=1 << 30)
    (readings,) = scan_files.ingest(os.fsencode(tmp_path), [b"long.txt"], how, jobs=1)
    assert readings.held == len(readings.texts[0]) + readings.lengths[0] + 2 * len(readings.features[0])
