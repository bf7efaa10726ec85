"""Folders that moved or went: their documents must not pass for copies of what is there."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose, write

HINT = "if it moved: nearkin scan NEWPLACE --scope office{at}; if it is gone: nearkin store drop office{at}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    texts = {b"a.txt": prose(1), b"b.txt": edited(prose(1), 9), b"sub/c.txt": prose(2)}
    path = tmp_path / "kin.db"
    write(tmp_path / "office", texts)
    write(tmp_path / "home", {b"d.txt": edited(prose(2), 20), b"e.txt": prose(3)})
    for name in ("office", "home"):
        assert Called("scan", tmp_path / name, "--store", path, "-q").code == 0
    return path


def documents(store: Path) -> list[tuple[str, str]]:
    return [(one["scope"], one["path"]) for one in Called("documents", "--store", store).records]


def result(store: Path) -> list[Any]:
    return [Called(command, "--store", store).out for command in ("identical", "matches", "families")]


def test_a_scope_follows_its_folder(store: Path, tmp_path: Path) -> None:
    before = documents(store), result(store)
    (tmp_path / "office").rename(tmp_path / "archive")
    called = Called("scan", tmp_path / "archive", "--scope", "office", "--store", store, "--format", "table")
    assert called.code == 0, called.err
    assert f"Scope office is now at {tmp_path / 'archive'}" in called.words
    assert "Nothing has changed since the last scan" in called.out
    assert (documents(store), result(store)) == before
    (moved,) = Called("audit", "--action", "scope moved", "--store", store).records
    assert moved["subject"] == "office"
    assert (moved["before"]["root"], moved["after"]["root"]) == (f"{tmp_path / 'office'}", f"{tmp_path / 'archive'}")
    again = Called("scan", tmp_path / "archive", "--store", store, "--format", "table").out
    assert "is now at" not in again


def test_a_scope_whose_folder_is_there_stays(store: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", {b"x.txt": prose(4)})
    called = Called("scan", tmp_path / "other", "--scope", "office", "--store", store)
    assert called.code == 2
    assert f"Scope 'office' has the root {tmp_path / 'office'}, not {tmp_path / 'other'}" in called.err


def test_what_is_missing_is_named(store: Path, tmp_path: Path) -> None:
    (tmp_path / "office").rename(tmp_path / "archive")
    hint = HINT.format(at=f" --store {store}")
    note = f"Scope office: its folder {tmp_path / 'office'} no longer exists, but its 3 documents still count; {hint}"
    scan = Called("scan", tmp_path / "home", "--store", store, "--format", "table")
    assert note in scan.words
    assert note in Called("scan", tmp_path / "home", "--store", store).err
    assert Called("scan", tmp_path / "home", "--store", store, "-q").err == ""
    info = Called("store", "info", "--store", store)
    assert note in info.err
    assert {one["name"]: one["missing"] for one in info.records[0]["scopes"]} == {"office": True, "home": False}
    shown = Called("store", "info", "--store", store, "--format", "table").words
    assert note in shown
    assert "which no longer exists" in shown


def test_additions_without_a_folder_are_not_missing(store: Path, tmp_path: Path) -> None:
    (tmp_path / "loose.txt").write_text(prose(5))
    assert Called("check", tmp_path / "loose.txt", "--add", "--store", store).code == 0
    assert "no longer exists" not in Called("store", "info", "--store", store).err
    shown = Called("store", "info", "--store", store, "--format", "table").out
    assert "1 document, in no scanned folder" in shown
    refused = Called("scan", tmp_path / "office", "--scope", "added", "--store", tmp_path / "kin.db")
    assert refused.code == 2


def test_a_dropped_scope_is_gone_and_its_history_stays(store: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.db"
    assert Called("scan", tmp_path / "home", "--store", alone, "-q").code == 0
    (tmp_path / "office").rename(tmp_path / "archive")
    called = Called("store", "drop", "office", "--by", "ann", "--store", store)
    assert called.records == [{"scope": "office", "documents": 3}]
    assert called.err == ""
    assert result(store) == result(alone)
    assert Called("documents", "--store", store).out == Called("documents", "--store", alone).out  # no scopes named
    (noted,) = Called("audit", "--action", "drop", "--store", store).records
    assert (noted["by"], noted["subject"], noted["before"]["documents"]) == ("ann", "office", 3)
    (info,) = Called("store", "info", "--store", store).records
    assert (info["documents"], info["gone"], info["versions"]) == (2, 3, 5)
    with closing(sqlite3.connect(store)) as connection:
        gone = connection.execute(
            "SELECT DISTINCT kind, state FROM document JOIN run ON run.id = gone WHERE gone IS NOT NULL"
        ).fetchall()
    assert gone == [("regroup", "done")]
    assert Called("store", "check", "--store", store).code == 0
    assert "no longer exists" not in Called("scan", tmp_path / "home", "--store", store).err


def test_a_dropped_scope_comes_back_and_its_name_is_free(store: Path, tmp_path: Path) -> None:
    before = documents(store), result(store)[:2]  # families that ended are founded anew
    called = Called("store", "drop", "office", "--store", store, "--format", "table")
    assert called.out == "Dropped: scope office, 3 documents.\n"
    assert "still exists; a scan of it stores its documents again" in called.err
    assert Called("scan", tmp_path / "office", "--store", store, "-q").code == 0
    assert (documents(store), result(store)[:2]) == before
    Called("store", "drop", "office", "--store", store)
    write(tmp_path / "elsewhere", {b"a.txt": prose(9)})
    assert Called("scan", tmp_path / "elsewhere", "--scope", "office", "--store", store, "-q").code == 0
    assert ("office", "a.txt") in documents(store)


def test_a_dropped_scope_stands_in_nobodys_way(store: Path, tmp_path: Path) -> None:
    for name in ("office", "home"):
        assert Called("store", "drop", name, "--store", store).code == 0
    assert Called("scan", tmp_path, "--scope", "all", "--store", store, "-q", "--exclude", "*.db*").code == 0
    assert Called("scan", tmp_path / "office", "--store", store, "-q").code == 0  # as part of it
    assert Called("check", tmp_path / "office" / "a.txt", "--add", "--store", store).code == 0
    paths = [one["path"] for one in Called("documents", "--store", store).records]
    assert paths == ["home/d.txt", "home/e.txt", "office/a.txt", "office/b.txt", "office/sub/c.txt"]


def test_a_moved_folder_that_was_scanned_as_another_scope(store: Path, tmp_path: Path) -> None:
    (tmp_path / "office").rename(tmp_path / "archive")
    assert Called("scan", tmp_path / "archive", "--store", store, "-q").code == 0
    called = Called("scan", tmp_path / "archive", "--scope", "office", "--store", store)
    assert called.code == 2
    assert "nearkin store drop office" in called.err
    around = Called("scan", tmp_path, "--store", store)
    assert around.code == 2
    assert "the folder of scope" in around.err


def test_a_dropped_scope_is_no_longer_listed(store: Path, tmp_path: Path) -> None:
    assert Called("store", "drop", "home", "--store", store).code == 0
    assert Called("documents", "--changes", "--store", store).records == [], "home was the last to be scanned"
    (info,) = Called("store", "info", "--store", store).records
    assert [one["name"] for one in info["scopes"]] == ["office"]
    again = Called("store", "drop", "home", "--store", store)
    assert again.code == 3
    assert "Scope 'home' was dropped already" in again.err
    assert len(Called("audit", "--action", "drop", "--store", store).records) == 1
    assert Called("store", "drop", "nobody", "--store", store).err.endswith("known are: office.\n")
    assert Called("scan", tmp_path / "home", "--store", store, "-q").code == 0
    assert Called("store", "drop", "home", "--store", store).code == 0


def test_a_scope_that_nobody_knows(store: Path) -> None:
    called = Called("store", "drop", "nobody", "--store", store)
    assert called.code == 3
    assert "There is no scope 'nobody' in this store; known are: home, office." in called.err
