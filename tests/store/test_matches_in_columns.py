"""The columns of matches say what the rows say, whatever becomes of these; and without them the rows are read."""

import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from cli.world import Called, prose, write
from nearkin.store.contents import Holdings, present_contents
from nearkin.store.database import connect
from nearkin.store.matches import DTYPES, columns_named, columns_of_rows, has_columns, stored_columns

pytestmark = pytest.mark.usefixtures("either_insert")

VIEWS = ("chain", "pivot", "clique")


def files(seeds: range) -> dict[bytes, str]:
    """Pairs of versions, and parts in what contains them."""
    return {
        name: text
        for seed in seeds
        for name, text in {
            f"{seed}.txt".encode(): prose(seed),
            f"{seed}-changed.txt".encode(): prose(seed) + " and a few words more",
            f"{seed}-whole.txt".encode(): f"{prose(seed + 500, 400)} {prose(seed)} {prose(seed + 900, 400)}",
        }.items()
    }


def scheme_of(connection: sqlite3.Connection) -> int:
    (scheme,) = connection.execute("SELECT max(scheme) FROM match").fetchone()
    return int(scheme)


def say_the_same(connection: sqlite3.Connection) -> int:
    """Columns and rows; of how many matches."""
    scheme = scheme_of(connection)
    found, rows = columns_named(connection, scheme), columns_of_rows(connection, scheme)
    assert found.keys() == rows.keys() == DTYPES.keys()
    for name, one in found.items():
        assert one.dtype == rows[name].dtype
        assert np.array_equal(one, rows[name], equal_nan=one.dtype.kind == "f"), name
    some = stored_columns(connection, scheme)
    for field in fields(some):
        one = getattr(some, field.name)
        assert np.array_equal(one, found[field.name], equal_nan=one.dtype.kind == "f"), field.name
    return len(found["a"])


def agree(store: Path, *, packed: bool = True) -> int:
    with closing(connect(store)) as connection:
        assert has_columns(connection, scheme_of(connection)) is packed
        return say_the_same(connection)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    found = tmp_path / "kin.db"
    assert Called("scan", write(tmp_path / "docs", files(range(1, 4))), "--store", found).code == 0
    return found


def test_a_run_leaves_columns_that_agree(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    before = agree(store)
    assert before >= 6
    write(folder, files(range(4, 6)))
    assert Called("scan", folder, "--store", store).code == 0
    assert agree(store) > before
    (folder / "1.txt").unlink()
    assert Called("scan", folder, "--store", store).code == 0
    agree(store)
    assert Called("scan", folder, "--store", store).code == 0  # nothing changed
    agree(store)
    assert Called("scan", folder, "--store", store, "--full", "--threshold", 0.8).code == 0
    agree(store)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM match WHERE a = (SELECT min(a) FROM match)",
        "UPDATE match SET resemblance = 0.5 WHERE a = (SELECT min(a) FROM match)",
        "UPDATE match SET scheme = scheme",
        "INSERT OR REPLACE INTO match SELECT * FROM match LIMIT 1",
        "DELETE FROM match_column WHERE name = 'payload'",
    ],
)
def test_whoever_changes_a_match_takes_them_away(store: Path, change: str) -> None:
    with closing(connect(store)) as connection:
        connection.execute(change)
        connection.commit()
        say_the_same(connection)
        assert not has_columns(connection, scheme_of(connection))


def test_rows_are_read_some_at_a_time(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(connect(store)) as connection:
        at_once = columns_of_rows(connection, scheme_of(connection))
        monkeypatch.setattr("nearkin.store.matches.AT_ONCE", 2)
        assert len(at_once["a"]) > 4
        assert say_the_same(connection) == len(at_once["a"])


def test_what_an_older_version_did_not_store_is_added(store: Path, tmp_path: Path) -> None:
    with closing(connect(store)) as connection:
        connection.execute("DELETE FROM match_column WHERE name IN ('shared_bytes', 'low', 'high')")
        connection.commit()
        say_the_same(connection)
    write(tmp_path / "docs", {b"new.txt": prose(77)})  # like nothing else, so no match changes
    assert Called("scan", tmp_path / "docs", "--store", store).code == 0
    agree(store)


def test_what_was_forgotten_is_in_no_column(store: Path, tmp_path: Path) -> None:
    (tmp_path / "docs" / "1.txt").unlink()
    assert Called("scan", tmp_path / "docs", "--store", store).code == 0
    agree(store)
    called = Called("store", "forget", "2.txt", "--yes", "--store", store)
    assert called.code == 0, called.err
    agree(store)  # its families were grouped again
    assert Called("scan", tmp_path / "docs", "--store", store, "--full").code == 0
    agree(store)


def test_views_without_columns_are_the_same(store: Path) -> None:
    def seen() -> list[str]:
        return [Called("families", "--store", store, "--view", view, "--threshold", 0.6).out for view in VIEWS]

    before = seen()
    assert all(before)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DELETE FROM match_column")
        connection.commit()
    assert seen() == before
    agree(store, packed=False)


def test_contents_in_columns_are_those_that_are_present(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write(folder, {b"copy.txt": prose(2), b"empty.txt": "", b"copy again.txt": prose(2)})
    (folder / "3.txt").unlink()
    assert Called("scan", folder, "--store", store).code == 0
    with closing(connect(store)) as connection:
        connection.execute("UPDATE text SET extractor = 'older 1' WHERE id = (SELECT max(id) FROM text)")
        scheme = scheme_of(connection)
        rows = connection.execute(
            """SELECT c.id, c.digest, c.length, count(*) FROM present d JOIN text t ON t.id = d.text
               JOIN content c ON c.id = t.content
               WHERE d.reason IS NULL AND t.extractor <> 'older 1' AND c.length > 0 GROUP BY c.id ORDER BY c.digest"""
        ).fetchall()
        held = Holdings.load(connection)
        for found in (held.contents(connection, scheme), present_contents(connection, scheme)):
            copies = found.copies.tolist()
            columns = (found.ids.tolist(), found.digests, found.lengths.tolist(), copies)
            assert list(zip(*columns, strict=True)) == rows
        assert held.documents.sum() == held.fresh.sum() + 1
        ((size,),) = connection.execute("SELECT sum(size) FROM present WHERE reason IS NULL AND text IS NOT NULL")
        assert held.bytes.sum() == size


def test_nothing_at_all(tmp_path: Path) -> None:
    found = tmp_path / "kin.db"
    assert Called("scan", write(tmp_path / "docs", {b"empty.txt": ""}), "--store", found).code == 0
    for view in VIEWS:
        called = Called("families", "--store", found, "--view", view, "--threshold", 0.8, "--limit", 3)
        assert (called.code, called.out, called.err) == (0, "", "")
