"""`nearkin store info|check|compact|forget` as a person or a script calls them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.world import FILES, Called, nearkin, prose, write
from nearkin.api.store import Store
from nearkin.store.schema import SCHEMA_VERSION


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    write(folder, FILES)
    path = tmp_path / "store.db"
    assert Called("scan", folder, "--store", path, "-q").code == 0
    return path


def test_info(store: Path) -> None:
    (record,) = Called("store", "info", "--store", store).records
    assert record["documents"] == len(FILES)
    assert record["schema"] == SCHEMA_VERSION
    assert sum(part["share"] for part in record["parts"]) == pytest.approx(1, abs=0.01)
    assert {"texts", "signatures", "matches", "families", "documents", "indices", "segments", "log"} <= {
        part["name"] for part in record["parts"]
    }
    shown = Called("store", "info", "--store", store, "--format", "table").out
    assert "mod:window=20,sample=200,most=64" in shown
    assert "indices" in shown
    lines = Called("store", "info", "--store", store, "--format", "csv").out.splitlines()
    assert lines[0] == "part,bytes,share"


def test_info_counts_contents_as_the_scan_does(store: Path) -> None:
    (store.parent / "docs" / "single.txt").unlink()
    scanned = Called("scan", store.parent / "docs", "--store", store, "-q")
    (record,) = Called("store", "info", "--store", store).records
    assert record["contents"] == scanned.records[0]["contents"]
    shown = Called("store", "info", "--store", store, "--format", "table").words
    assert f"contents {record['contents']} distinct texts in these documents" in shown


def test_check(store: Path) -> None:
    fine = Called("store", "check", "--store", store)
    assert (fine.code, fine.out, fine.err) == (0, "", "")
    assert Called("store", "check", "--store", store, "--format", "table").out == "The store is undamaged.\n"
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE content SET digest = randomblob(32) WHERE length > 0")
        connection.commit()
    assert Called("store", "check", "--store", store, "--quick").code == 0
    broken = Called("store", "check", "--store", store)
    assert broken.code == 4
    assert all(record["what"] == "texts" for record in broken.records)
    assert broken.err.startswith(f"nearkin: The store {store} is damaged: ")


def test_one_finding_is_no_plural(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE content SET digest = randomblob(32) WHERE id = (SELECT max(id) FROM content)")
        connection.commit()
    assert "is damaged: 1 finding, see above" in Called("store", "check", "--store", store).err
    shown = Called("store", "check", "--store", store, "--format", "table")
    assert all(len(line) <= 80 for line in shown.out.splitlines())


def test_compact(store: Path, tmp_path: Path) -> None:
    Called("scan", tmp_path / "docs", "--store", store, "--scheme", "exact:window=20", "-q")
    (record,) = Called("store", "compact", "--store", store).records
    assert record["after"] < record["before"]
    assert record["signatures"] > 0
    shown = Called("store", "compact", "--store", store, "--format", "table")
    assert "before" in shown.out
    assert Called("store", "compact", "--store", store, "--format", "table", "-q").out == ""


def test_forget_asks_unless_told(store: Path) -> None:
    asked = nearkin("store", "forget", "single.txt", "--store", store, input=b"n\n")
    assert asked.returncode == 0
    assert b"cannot be undone" in asked.stderr
    assert b"Nothing was forgotten" in asked.stderr
    assert nearkin("store", "forget", "single.txt", "--store", store, input=b"").returncode == 130
    assert "single.txt" in Called("documents", "--store", store).out
    asked = nearkin("store", "forget", "single.txt", "--store", store, input=b"y\n")
    assert asked.returncode == 0
    assert "single.txt" not in Called("documents", "--store", store).out


def test_forget_says_what_is_left(store: Path) -> None:
    done = Called("store", "forget", "manual-1.txt", "part.txt", "--yes", "--store", store)
    assert [record["path"] for record in done.records] == ["manual-1.txt", "part.txt"]
    assert done.records[0]["kept_for"] == ["copies/manual-1.html", "copies/manual-1.txt"]
    assert "is also in copies/manual-1.html, copies/manual-1.txt" in done.err
    assert "The file part.txt still exists" in done.err
    again = Called("store", "forget", "part.txt", "--yes", "--store", store)
    assert (again.code, again.out) == (3, "")
    assert "No document at part.txt is or was in this store" in again.err


@pytest.mark.parametrize("command", [["info"], ["check"], ["compact"], ["drop", "x"], ["forget", "x", "--yes"]])
def test_without_a_store(command: list[str], tmp_path: Path) -> None:
    called = Called("store", *command, "--store", tmp_path / "none.db")
    assert called.code == 4
    assert called.err.startswith("nearkin: There is no store at ")
    assert not (tmp_path / "none.db").exists()


def test_what_is_stale_names_what_removes_it(store: Path, tmp_path: Path) -> None:
    Called("scan", tmp_path / "docs", "--store", store, "--scheme", "exact:window=20", "-q")
    (tmp_path / "docs" / "single.txt").unlink()
    Called("scan", tmp_path / "docs", "--store", store, "-q")

    def remedies() -> dict[str, str]:
        (record,) = Called("store", "info", "--store", store).records
        return {one["what"].split(" ")[0]: one["remedy"] for one in record["stale"] if "by exact" in one["what"]} | {
            one["what"]: one["remedy"] for one in record["stale"] if "by exact" not in one["what"]
        }

    assert remedies()["signatures"] == "nearkin store compact"
    assert remedies()["texts of documents that are gone"] == "only nearkin store forget"
    assert "nearkin store compact" in Called("store", "info", "--store", store, "--format", "table").out
    Called("store", "compact", "--store", store)
    assert "signatures" not in remedies()
    Called("store", "forget", "single.txt", "--yes", "--store", store)
    assert remedies() == {}


def test_the_scan_and_info_give_one_size(store: Path, tmp_path: Path) -> None:
    (tmp_path / "docs" / "another.txt").write_text("a few more words, so that something has changed")
    shown = Called("scan", tmp_path / "docs", "--store", store, "--format", "table").out
    told = shown[shown.index("\nStore") :].split("(")[1].split(")")[0]
    info = Called("store", "info", "--store", store, "--format", "table").out
    assert f", {told}" in " ".join(info.split("schema")[0].split())


def test_scopes_without_a_folder_have_nothing_below(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "loose.txt").write_text("a few words")
    Called("check", tmp_path / "loose.txt", "--add", "--store", store)
    shown = Called("store", "info", "--store", store, "--format", "table").out
    assert "scope added" in shown
    assert not any(line.rstrip().endswith("below") for line in shown.splitlines())


def test_a_first_scan_that_runs_or_was_cut_short(tmp_path: Path) -> None:
    root, path = write(tmp_path / "tree", {f"{n}.txt".encode(): prose(n) for n in range(3)}), tmp_path / "kin.db"
    info = ["store", "info", "--store", path, "--format"]
    listed, shown = [], []

    def look(stage: str, *_: object) -> None:
        if stage == "match":
            listed.append(Called("families", "--store", path))
            shown.append(Called(*info, "table").out)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Store(path).scan(root, progress=look)
    assert listed[0].code == 4
    assert "The first scan of this store is still running" in listed[0].err
    assert "3 documents read so far by a scan that is running" in shown[0]
    assert "run: nearkin scan FOLDER" in Called("families", "--store", path).err
    after = Called(*info, "table").out
    assert "3 documents read by an interrupted scan; the next scan continues from there" in " ".join(after.split())
    assert "Stale" not in after
    record = json.loads(Called(*info, "json").out)
    assert (record["pending"], record["running"]) == (3, False)
    Store(path).scan(root)
    record = json.loads(Called(*info, "json").out)
    assert (record["pending"], record["running"], record["stale"]) == (0, False, [])
    assert "cut short" not in Called(*info, "table").out
