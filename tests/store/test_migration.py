"""Stores of every earlier version are brought up to date by whoever opens them, at once, and lose nothing."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from nearkin.api.store import Store
from nearkin.errors import StoreError, UsageError
from nearkin.store import schema
from nearkin.store.database import connect, one_scan
from nearkin.store.schema import CODE, SCHEMA_VERSION
from store.old_stores import HERE, VERSIONS, files, store_of

SI = "si:method=3,stream=soundex,variation=B,k=8"
SCHEMA = """
    SELECT 'column', t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, t.wr
        FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.schema = 'main'
    UNION ALL SELECT 'reference', t.name, f."from", f."table", f."to", f.on_delete, NULL, NULL
        FROM pragma_table_list t, pragma_foreign_key_list(t.name) f WHERE t.schema = 'main'
    UNION ALL SELECT 'index', t.name, i.name, i."unique", i.partial, x.seqno, x.name, x.desc
        FROM pragma_table_list t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
        WHERE t.schema = 'main' AND x.key
    UNION ALL SELECT type, tbl_name, name, sql, NULL, NULL, NULL, NULL
        FROM sqlite_schema WHERE type IN ('trigger', 'view')
"""


def schema_of(path: Path) -> list[str]:
    """Columns in no order: those that were added stand last."""
    with closing(sqlite3.connect(path)) as connection:
        return sorted(repr(row) for row in connection.execute(SCHEMA))


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return int(version)


def listings(store: Store) -> dict[str, Any]:
    documents = store.documents().drop(["modified"]).to_pylist()
    return {
        "documents": documents,
        "identical": store.identical().to_pylist(),
        "matches": store.matches().to_pylist(),
        "families": store.families().to_pylist(),
    }


def without_ids(listed: dict[str, Any]) -> dict[str, Any]:
    return listed | {"families": [{**family, "id": None} for family in listed["families"]]}


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    path = store_of(request.param, tmp_path / "old.db", files(tmp_path / "docs"))
    assert version_of(path) == request.param
    return Store(path)


def test_it_has_the_schema_of_a_fresh_one(old: Store, tmp_path: Path) -> None:
    connect(old.path).close()
    connect(tmp_path / "fresh", create=True).close()
    assert version_of(old.path) == SCHEMA_VERSION
    assert schema_of(old.path) == schema_of(tmp_path / "fresh")


def fewer(found: Any, written: Any) -> Any:
    """Records have more fields by now."""
    if isinstance(written, dict):
        return {key: fewer(found[key], one) for key, one in written.items()}
    if isinstance(written, list):
        return [fewer(*both) for both in zip(found, written, strict=True)]
    return found


def test_a_reader_finds_what_was_there_before(old: Store) -> None:
    written = json.loads((HERE / "version_2.json").read_text(encoding="utf-8"))
    assert {name: fewer(records, written[name]) for name, records in listings(old).items()} == written
    with closing(connect(old.path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        # What had gone is not forgotten; every signature waits to be put in a segment.
        assert connection.execute("SELECT path FROM document WHERE gone IS NOT NULL").fetchall() == [(b"gone.txt",)]
        counts = connection.execute("SELECT (SELECT count(*) FROM signature), (SELECT count(*) FROM delta)").fetchone()
        assert counts[0] == counts[1] > 0


def test_the_next_scan_gives_what_a_scan_from_nothing_gives(old: Store, tmp_path: Path) -> None:
    summary = old.scan(tmp_path / "docs")
    assert (summary.new, summary.changed, summary.gone) == (0, 0, 0)
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(tmp_path / "docs")
    assert without_ids(listings(old)) == without_ids(listings(fresh))
    assert len(listings(old)["matches"]) == 2


def test_every_file_changed_since(old: Store, tmp_path: Path) -> None:
    for path in (tmp_path / "docs").iterdir():
        os.utime(path, ns=(1, 1))
    (tmp_path / "docs" / "copy.txt").unlink()
    (tmp_path / "docs" / "part.txt").rename(tmp_path / "docs" / "moved part.txt")
    summary = old.scan(tmp_path / "docs")
    assert (summary.new, summary.changed, summary.moved, summary.gone) == (0, 0, 1, 1)
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(tmp_path / "docs")
    assert without_ids(listings(old)) == without_ids(listings(fresh))


def test_codes_come_with_the_next_scan_that_needs_them(old: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no signatures of si"):
        old.check("a text", scheme=SI)
    old.scan(tmp_path / "docs", scheme=SI)
    with closing(connect(old.path)) as connection:
        assert connection.execute("SELECT count(*) FROM code").fetchone()[0] > 4


def test_times_of_change_that_an_older_store_does_not_know(tmp_path: Path) -> None:
    """They are not compared, so nothing is read again because of them; a file that is read has one from then on."""
    folder, store = files(tmp_path / "docs"), Store(tmp_path / "old.db")
    store.scan(folder)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("ALTER TABLE document DROP COLUMN ctime_ns")
        connection.execute("PRAGMA user_version = 4")
    (folder / "first.txt").chmod(0o600)
    os.utime(folder / "part.txt", ns=(1, 1))
    summary = store.scan(folder)
    assert (summary.new, summary.changed, summary.gone) == (0, 0, 0)
    with closing(sqlite3.connect(store.path)) as connection:
        known = connection.execute("SELECT path, ctime_ns FROM document WHERE ctime_ns <> 0").fetchall()
    assert known == [(b"part.txt", (folder / "part.txt").stat().st_ctime_ns)]


@pytest.mark.parametrize("broken", range(1, SCHEMA_VERSION))
def test_a_migration_that_breaks_off_leaves_the_old_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    path = store_of(1, tmp_path / "old", files(tmp_path / "docs"))
    before = schema_of(path)
    monkeypatch.setitem(schema.MIGRATIONS, broken, schema.MIGRATIONS[broken] + CODE + CODE)
    with pytest.raises(StoreError, match="code already exists"):
        connect(path)
    assert version_of(path) == 1
    assert schema_of(path) == before
    monkeypatch.undo()
    connect(path).close()
    assert version_of(path) == SCHEMA_VERSION


def test_not_while_an_older_nearkin_writes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_of(2, tmp_path / "old", files(tmp_path / "docs"))
    monkeypatch.setattr("nearkin.store.database.PATIENCE", 0.05)
    with one_scan(path), pytest.raises(StoreError, match="Another scan is writing"):
        connect(path)
    assert version_of(path) == 2


OPEN = "import sys; from pathlib import Path; from nearkin.store.database import connect; connect(Path(sys.argv[1]))"


def test_several_who_open_it_at_once(tmp_path: Path) -> None:
    path = store_of(1, tmp_path / "old", files(tmp_path / "docs"))
    children = [subprocess.Popen([sys.executable, "-c", OPEN, str(path)], stderr=subprocess.PIPE) for _ in range(4)]
    for child in children:
        with child:
            _, complained = child.communicate()
        assert (child.returncode, complained) == (0, b"")
    assert version_of(path) == SCHEMA_VERSION


def test_one_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store_of(2, tmp_path / "old", files(tmp_path / "docs"))
    whole = sqlite3.connect

    def only_to_read(name: Path, **given: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = whole(f"file:{name}?mode=ro", uri=True, **given)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", only_to_read)
        with pytest.raises(StoreError, match="older nearkin and must be brought up to date, but cannot be written"):
            connect(path)
    assert version_of(path) == 2


def test_an_older_nearkin_refuses_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(tmp_path / "store", create=True).close()
    monkeypatch.setattr("nearkin.store.database.SCHEMA_VERSION", 1)
    with pytest.raises(StoreError, match="newer nearkin"):
        connect(tmp_path / "store")
