"""Plain files are stored as the kernels left them, and what a store then holds is what it holds row by row."""

import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.api.store import Store
from nearkin.engine.threads import recipe
from nearkin.scheme import parse_scheme
from nearkin.settings import TextSettings
from nearkin.store.batch import DocumentBatch, NativeColumns
from nearkin.store.bulk import insert_columns, open_connection
from nearkin.store.database import connect
from nearkin.store.document_writer import Writer
from nearkin.store.text_writer import TextWriter
from nearkin.text.canon import Canon
from oracle.prose import prose
from store.world import hide_sqlite, is_sound, listings, rows

# All there is, by digests and paths: ids tell in which order it came.
HELD = {
    "documents": """SELECT path, size, mtime_ns, ctime_ns, inode, owner, media, encoding, d.digest, reason, detail,
                           reader, properties, md5, sha1, t.extractor, c.digest FROM document d
                    LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content ORDER BY path""",
    "texts": """SELECT t.digest, extractor, c.digest, characters, zstd FROM text t JOIN content c ON c.id = t.content
                ORDER BY 1, 2, 3""",
    "contents": """SELECT digest, length, modulus, features, weights, spec FROM content c
                   JOIN signature ON content = c.id JOIN canon ON canon.id = c.canon ORDER BY digest""",
    "delta": "SELECT count(*) FROM delta",
}


def held(store: Store) -> dict[str, list[Any]]:
    return {name: rows(store, query) for name, query in HELD.items()}


def alike(number: int) -> bytes:
    """Digests of which a map sees little that tells them apart."""
    return bytes([number % 3]) * 8 + bytes(7) + bytes([number % 2]) + number.to_bytes(16, "big")


@given(st.lists(st.tuples(st.binary(min_size=32, max_size=32) | st.integers(0, 300).map(alike), st.integers(1, 2**60))))
def test_ids_are_found_by_digest(given: list[tuple[bytes, int]]) -> None:
    contents, texts, known = _native.ContentIds(), _native.TextIds(), dict[bytes, int]()
    for digest, number in given:
        assert contents.get(digest) == known.get(digest)
        contents[digest] = known[digest] = number
        texts[digest, "text/2", 7] = number
    assert len(contents) == len(texts) == len(known)
    for digest, number in known.items():
        assert contents.get(digest) == texts.get((digest, "text/2", 7)) == number
        assert texts.get((digest, "text/2", 8)) is None
        assert texts.get((digest, "html/5", 7)) is None


def test_what_is_thrown_while_rows_are_read_is_an_error_of_sqlite(tmp_path: Path) -> None:
    """Through a library of C it would end the process."""
    (tmp_path / "a.txt").write_bytes(prose(1, 300))
    how = recipe(parse_scheme("exact:window=20"), Canon.of(TextSettings()), max_size=1000)
    batch = _native.ingest_files(os.fsencode(tmp_path) + b"/", [b"a.txt"], how)
    filed = _native.file_away(batch, False, ["text/2"] * 9, _native.ContentIds(), _native.TextIds(), 1, 1)
    with closing(open_connection(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a)")
        with pytest.raises(sqlite3.OperationalError):
            insert_columns(connection, "kept", {"a": filed.by_kind([])})
        insert_columns(connection, "kept", {"a": filed.by_kind(["plain"] * 9)})
        assert connection.execute("SELECT a FROM kept").fetchall() == [("plain",)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of every kind some, and more than one batch of them."""
    folder = tmp_path / "docs"
    dice = random.Random(5)
    for i in range(700):
        place = folder / f"{i % 7}"
        place.mkdir(parents=True, exist_ok=True)
        text = prose(i % 400, 300 + i)
        page = b"<title>%s</title><p>%s" % (dice.choice([b"", b' Page "1" ', "Größe".encode(), b"a&amp;b"]), text)
        name, data = dice.choice(
            [
                (f"{i}.txt", text),
                (f"{i}.html", page),
                (f"{i}.htm", page + b"<meta name=author content='Ann'>"),
                (f"{i}.txt", "Grüße und Küsse, ".encode("latin-1") + text),
                (f"{i}.html", b"<title>M\xfcller</title>" + text),
                (f"{i}.bin", bytes([0, 1, 2, i % 256]) * 9),
                (f"{i}.txt", b""),
                (f"{i}.html", b" "),
                (f"{i}.txt", b"From nobody Thu Jan 1\nSubject: x\n\n" + text),
                (f"{i}.xml", b"<?xml version='1.0'?><a>" + text + b"</a>"),
                (f"{i}.json", b'{"a": "\\u00fc %s"}' % text[:50]),
                (f"{i}.txt", prose(9, 400)),
            ]
        )
        (place / name).write_bytes(data)
    (folder / os.fsdecode(b"not utf-8 \xff.txt")).write_bytes(prose(1, 500))
    return folder


@pytest.fixture
def row_by_row(folder: Path, tmp_path: Path) -> Store:
    store = Store(tmp_path / "rows.db")
    with pytest.MonkeyPatch.context() as patch:
        hide_sqlite(patch)
        store.scan(folder)
    return store


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_stored_is_the_same(folder: Path, row_by_row: Store, tmp_path: Path, jobs: int) -> None:
    store = Store(tmp_path / "fed.db")
    store.scan(folder, jobs=jobs)
    assert held(store) == held(row_by_row)
    assert listings(store) == listings(row_by_row)
    assert is_sound(store)
    assert store.scan(folder).changed == 0


def test_plain_files_are_stored_so(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the tests here would compare one way with itself."""
    filed = []
    whole = Writer.add

    def noted(self: Writer, batch: DocumentBatch, **where: Any) -> list[int]:
        stayed = whole(self, batch, **where)
        if batch.native is not None:
            filed.extend(batch.paths)
        return stayed

    monkeypatch.setattr(Writer, "add", noted)
    Store(tmp_path / "fed.db").scan(folder)
    assert 300 < len(filed) < 600
    assert len(set(filed)) == len(filed)


def must_ask(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The store, after so many batches: as when someone else has added something."""
    left = after
    whole = TextWriter.takes

    def takes(self: TextWriter, batch: DocumentBatch) -> bool:
        nonlocal left
        left -= batch.native is not None
        if left < 0:
            self.forget()
        return whole(self, batch)

    monkeypatch.setattr(TextWriter, "takes", takes)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_from_some_batch_on_the_store_must_be_asked(
    folder: Path, row_by_row: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    must_ask(monkeypatch, after)
    store = Store(tmp_path / "fed.db")
    store.scan(folder)
    assert held(store) == held(row_by_row)
    assert is_sound(store)


@pytest.mark.parametrize("how", [{"raw": True}, {"scheme": "tttd:mean=100"}, {"scheme": "fuzzy"}, {"keep_text": False}])
def test_however_it_is_read(folder: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    stores = [Store(tmp_path / name) for name in ("rows.db", "fed.db")]
    with pytest.MonkeyPatch.context() as patch:
        hide_sqlite(patch)
        stores[0].scan(folder, **how)
    stores[1].scan(folder, **how)
    assert held(stores[0]) == held(stores[1])


def test_a_batch_that_fails_leaves_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do ids that were given meanwhile stay in use."""
    store = Store(tmp_path / "fed.db")
    whole = TextWriter.add_native
    calls = 0

    def failing(self: TextWriter, native: NativeColumns) -> Any:
        nonlocal calls
        filed = whole(self, native)
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return filed

    with monkeypatch.context() as patch:
        patch.setattr(TextWriter, "add_native", failing)
        with pytest.raises(KeyboardInterrupt):
            store.scan(folder)
    with closing(connect(store.path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    store.scan(folder)
    other = Store(tmp_path / "other.db")
    other.scan(folder)
    assert held(store) == held(other)
    assert is_sound(store)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Batches of plain rows, and some with one that is not."""
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, odd in {
        "plain.jsonl": [],
        "odd.jsonl": ['{"text": 7}', '{"text": "\\u0000\\u0001\\u0002"}', "{"],
    }.items():
        lines = [json.dumps({"text": prose(i % 300, 200 + i).decode(), "n": i}) for i in range(700)]
        lines += [json.dumps({"text": f"<title>Page {i}</title><p>{prose(i, 300).decode()}"}) for i in range(40)]
        lines += [json.dumps({"text": ""}), json.dumps({"text": "Größe 漢字"}), *odd]
        (folder / name).write_text("\n".join(lines))
    (folder / "beside.txt").write_bytes(prose(3, 203))
    return folder


@pytest.mark.parametrize("how", [{}, {"raw": True}, {"scheme": "tttd:mean=100"}])
def test_rows_of_tables_as_well(tables: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    stores = [Store(tmp_path / name) for name in ("rows.db", "fed.db")]
    with pytest.MonkeyPatch.context() as patch:
        hide_sqlite(patch)
        stores[0].scan(tables, text_column="text", **how)
    filed = []
    whole = Writer.add

    def noted(self: Writer, batch: DocumentBatch, *, parent: int | None = None, **where: Any) -> list[int]:
        stayed = whole(self, batch, parent=parent, **where)
        if batch.native is not None:
            filed.append((parent is not None, len(batch)))
        return stayed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Writer, "add", noted)
        stores[1].scan(tables, text_column="text", **how)
    assert sum(size for inside, size in filed if inside) > 700
    assert held(stores[0]) == held(stores[1])
    assert listings(stores[0]) == listings(stores[1])
    parents = "SELECT d.path, p.path FROM document d LEFT JOIN document p ON p.id = d.parent ORDER BY d.path"
    assert rows(stores[0], parents) == rows(stores[1], parents)
    assert is_sound(stores[1])
    assert stores[1].scan(tables, text_column="text", **how).changed == 0


def test_rows_of_a_table_when_the_store_must_be_asked(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = Store(tmp_path / "fed.db"), Store(tmp_path / "whole.db")
    other.scan(tables, text_column="text")
    must_ask(monkeypatch, 2)
    store.scan(tables, text_column="text")
    assert held(store) == held(other)


def test_something_is_checked_in_between_two_transactions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the scan remembers is not all there is then, and the ids that follow are taken."""
    folder, store, other = tmp_path / "docs", Store(tmp_path / "fed.db"), Store(tmp_path / "other.db")
    folder.mkdir()
    store.scan(folder)  # before a first scan has ended nothing can be added
    for i in range(600):
        (folder / f"{i}.txt").write_bytes(prose(i, 300))
    note = b"checked in meanwhile " + prose(1000, 500)
    added = 0
    whole = Writer.flush

    def flush(self: Writer) -> None:
        nonlocal added
        begun = self.transactions.files > 0
        whole(self)
        if begun and not added:
            added += store.add(note, name="note")

    monkeypatch.setattr("nearkin.store.document_writer.TRANSACTION_FILES", 100)
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "flush", flush)
        store.scan(folder)
    assert added
    other.scan(folder)
    other.add(note, name="note")
    assert held(store)["texts"] == held(other)["texts"]
    assert held(store)["documents"][:600] == held(other)["documents"][:600]  # the last is the note, of another time
    assert is_sound(store)
