"""One document at a time or in native batches: the text extracted is the same."""

from pathlib import Path

import pytest

from nearkin.engine import scan_files
from nearkin.read.walk import Unreadable, walk
from nearkin.sample.repository import write_sample
from nearkin.scheme import parse_scheme
from nearkin.settings import TextSettings, WalkSettings
from nearkin.text.canon import Canon
from nearkin.text.kind import extract, named_html

ODD = {
    "empty.txt": b"",
    "marked.txt": b"\xef\xbb\xbfwith a mark",
    "only-mark.txt": b"\xef\xbb\xbf",
    "latin.txt": "Größe und Maße in den Straßen".encode("latin-1"),
    "latin.html": "<html><p>Größe <script>x</script></html>".encode("latin-1"),
    "page-without-name": b"<!doctype html><title>t</title><p>seen<style>hidden</style>",
    "marked.html": b"\xef\xbb\xbf<html><p>marked</html>",
    "plain.html": b"no mark-up at all",
    "wide.txt": b"\xff\xfe" + "wide text".encode("utf-16-le"),
    "wide.html": b"\xff\xfe" + "<html><p>wide page</html>".encode("utf-16-le"),
    "russian.txt": ("Двигатель остановлен, крышка снята. " * 4).encode("cp1251"),
    "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00",
    "nul.txt": b"a\x00b",
    "lone.txt": b"\xff\xfe\x00\xd8x\x00",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mixed") / "sample"
    write_sample(root, documents=300)
    for name, data in ODD.items():
        (root / name).write_bytes(data)
    return root


@pytest.mark.parametrize("raw", [False, True])
def test_extracting_equals_what_a_scan_stores(folder: Path, raw: bool) -> None:
    how = scan_files.recipe(parse_scheme("exact:window=20"), Canon.of(TextSettings(raw=raw)), max_size=1 << 20)
    paths = [met for met in walk(folder, (folder,), WalkSettings()) if not isinstance(met, Unreadable)]
    assert len(paths) >= 300 + len(ODD)
    seen = []
    for batch in scan_files.ingest(bytes(folder), paths, how, jobs=2):
        columns = (batch.paths, batch.contents, batch.texts, batch.media, batch.encodings)
        for path, content, text, media, encoding in zip(*columns, strict=True):
            data = (folder / path.decode("utf-8", "surrogateescape")).read_bytes()
            found = extract(data, named_html=named_html(path), raw=raw)
            assert (found.text is not None) == (content is not None), path
            assert (found.text or b"") == (text if content else b""), path
            assert (found.media, found.encoding) == (media, encoding), path
            seen.append(path)
    assert seen == paths
