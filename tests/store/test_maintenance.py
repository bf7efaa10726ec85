"""Inventory, integrity and compaction: what is said of a store is true, what is broken is found, what goes may go."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.errors import BusyError
from nearkin.store.compression import pack_all
from nearkin.store.database import connect, one_scan
from nearkin.store.inventory import table_sizes
from nearkin.store.segments import folder_of
from oracle.prose import prose
from store.world import is_sound, listings, rows

pytestmark = pytest.mark.usefixtures("either_insert")


def broken_off(store: Store, folder: Path) -> None:
    def break_off(stage: str, *_: int) -> None:
        if stage == "match":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.scan(folder, progress=break_off)


# Inventory.


def test_what_is_in_it(store: Store, folder: Path) -> None:
    (folder / "single.txt").unlink()
    (folder / "manual.txt").write_bytes(prose(50, 1000))
    store.scan(folder)
    (folder / "new.txt").write_bytes(prose(51, 1000))
    broken_off(store, folder)
    info = store.info()
    assert (info.documents, info.failed, info.gone, info.versions) == (
        8,
        0,
        1,
        10,
    )  # what the broken off scan read is neither
    assert (info.runs, info.unfinished) == (2, 1)
    assert [(scope.name, scope.documents) for scope in info.scopes] == [("docs", 8)]
    assert info.scheme == "mod:window=20,sample=200,most=64"


def test_sizes_add_up_to_the_files(store: Store) -> None:
    beside = folder_of(store.path)
    (beside / "x").write_bytes(b"x" * 77)
    segments = sum(file.stat().st_size for file in beside.iterdir())
    info = store.info()
    parts = {part.name: part.bytes for part in info.parts}
    log = store.path.with_name("store.db-wal")
    assert info.bytes == store.path.stat().st_size + (log.stat().st_size if log.exists() else 0) + segments
    assert parts["segments"] == segments
    assert parts["texts"] > 0
    assert parts["signatures"] > 0


def test_sizes_where_sqlite_was_built_without_the_table_of_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(sqlite3.Connection):
        def execute(self, sql: str, *given: object) -> sqlite3.Cursor:
            if "dbstat" in sql:
                raise sqlite3.OperationalError("no such table: dbstat")
            return super().execute(sql, *given)  # type: ignore[arg-type]

    with closing(sqlite3.connect(store.path, factory=Plain)) as connection:
        sizes = dict(table_sizes(connection))
        (kept,) = connection.execute("SELECT sum(length(zstd)) FROM text").fetchone()
    assert sizes["text"] >= kept
    assert {"document", "signature", "match", "family", "content"} <= sizes.keys()
    with monkeypatch.context() as patch:
        patch.setattr("nearkin.store.inventory.table_sizes", lambda _: list(sizes.items()))
        info = store.info()
    assert sum(part.bytes for part in info.parts if part.name not in ("log", "segments")) == store.path.stat().st_size


def test_what_is_stale(store: Store, folder: Path) -> None:
    assert store.info().stale == ()
    store.scan(folder, scheme="tttd:mean=100")
    (folder / "single.txt").unlink()
    store.scan(folder)
    (folder / "new.txt").write_bytes(prose(51, 1000))
    broken_off(store, folder)
    stale = {one.what: one.count for one in store.info().stale}
    (other,) = (count for what, count in stale.items() if what.startswith("signatures by tttd"))
    assert other == 7
    assert stale["signatures of contents that are gone"] == 1  # not the new one, which nobody has seen yet
    assert stale["texts of documents that are gone"] == 1
    assert stale["documents read by scans that did not finish"] == 1


# Integrity.


def test_a_store_that_is_whole(store: Store, folder: Path) -> None:
    assert store.verify() == []
    store.scan(folder, scheme="tttd:mean=100", raw=True)
    (folder / "single.txt").unlink()
    store.scan(folder)
    (folder / "new.txt").write_bytes(prose(51, 1000))
    broken_off(store, folder)
    assert store.verify() == []
    seen = []
    store.verify(progress=lambda stage, *_: seen.append(stage))
    assert dict.fromkeys(seen) == dict.fromkeys(["sqlite", "references", "rows", "texts"])


@pytest.mark.parametrize(
    ("damage", "what", "said"),
    [
        ("UPDATE content SET digest = randomblob(32) WHERE id = 2", "texts", "not the one that was compared"),
        ("UPDATE text SET zstd = x'0011' WHERE id = 2", "texts", "cannot be unpacked"),
        ("DELETE FROM text WHERE id = 2", "references", "of text that is not there"),
        ("DELETE FROM signature WHERE content = 2", "rows", "1 contents of present documents are not signed"),
        ("UPDATE signature SET features = x'00' WHERE content = 2", "rows", "length that no signature has"),
        ("UPDATE document SET digest = randomblob(32) WHERE id = 2", "rows", "other bytes than theirs"),
        ("UPDATE document SET gone = 1 WHERE path = x'6d616e75616c2d322e747874'", "rows", "matches are of a content"),
        ("DELETE FROM family_content", "rows", "families have no members"),
    ],
)
def test_damage_is_found(store: Store, damage: str, what: str, said: str) -> None:
    with closing(connect(store.path, write=True)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(damage)
    found = store.verify()
    assert any(one.what == what and said in one.sentence for one in found), found
    if what == "texts":
        assert store.verify(quick=True) == []


def test_a_text_of_other_words_is_found(store: Store) -> None:
    with closing(connect(store.path, write=True)) as connection:
        connection.execute("UPDATE text SET zstd = ? WHERE id = 1", pack_all([b"other words"]))
    (found,) = store.verify()
    assert found.sentence.endswith("is not the one that was compared.")


# Compaction.


def test_only_what_can_be_made_again_goes(store: Store, folder: Path) -> None:
    store.scan(folder, scheme="tttd:mean=100")
    before_other = listings(store)
    (folder / "single.txt").unlink()
    store.scan(folder)
    before = listings(store)
    (folder / "new.txt").write_bytes(prose(51, 1000))
    broken_off(store, folder)
    texts, history = rows(store, "SELECT * FROM text"), rows(store, "SELECT * FROM document WHERE gone = 3")
    assert len(history) == 1
    done = store.compact()
    assert (done.signatures, done.documents) == (8, 1)
    assert done.matches > 0
    assert done.families > 0
    assert done.after < done.before
    assert listings(store) == before
    assert rows(store, "SELECT * FROM text") == texts
    assert rows(store, "SELECT * FROM document WHERE gone = 3") == history
    assert is_sound(store)
    assert store.verify() == []
    assert store.compact().signatures == 0
    # What went is made again when it is asked for.
    (folder / "new.txt").unlink()
    (folder / "single.txt").write_bytes(prose(3, 2000))
    store.scan(folder, scheme="tttd:mean=100")
    now, then = listings(store), before_other
    assert (now["matches"], now["families"], now["identical"]) == (then["matches"], then["families"], then["identical"])


def test_signatures_of_texts_that_were_not_kept_stay(tmp_path: Path, folder: Path) -> None:
    store = Store(tmp_path / "bare.db")
    store.scan(folder, keep_text=False)
    store.scan(folder, scheme="tttd:mean=100", keep_text=False)
    count = rows(store, "SELECT count(*) FROM signature")
    assert store.compact().signatures == 0
    assert rows(store, "SELECT count(*) FROM signature") == count


def test_the_next_scan_of_a_compacted_store_reads_nothing(store: Store, folder: Path) -> None:
    store.compact()
    seen: list[int] = []
    summary = store.scan(folder, progress=lambda stage, done, _: seen.append(done) if stage == "read" else None)
    assert (seen, summary.new, summary.changed, summary.resigned) == ([], 0, 0, 0)


def test_files_the_store_does_not_name_go(store: Store) -> None:
    beside = folder_of(store.path)
    named = {file.name for file in beside.iterdir()}
    (beside / "begun").write_bytes(b"x")
    store.compact()
    assert {file.name for file in beside.iterdir()} == named


def test_not_while_a_scan_runs(store: Store) -> None:
    with one_scan(store.path), pytest.raises(BusyError, match="Another scan is writing"):
        store.compact()
