"""Every error: its exit code, one sentence on stderr, no traceback, nothing left behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.world import Called, nearkin, prose
from nearkin.model import Reason


def refused(called: Called, code: int, *words: str) -> None:
    assert called.code == code, called.err
    assert called.out == ""
    assert called.err.startswith("nearkin: ")
    assert called.err.count("\n") == 1
    assert "Traceback" not in called.err
    for word in words:
        assert word in called.err


def test_a_missing_path_leaves_no_store(tmp_path: Path) -> None:
    refused(Called("scan", tmp_path / "missing", "--store", tmp_path / "kin.db"), 3, "missing", "no such file")
    refused(Called("scan", "", "--store", tmp_path / "kin.db"), 3, "Cannot read ''", "no such file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--threshold", "1.5"], "--threshold"),
        (["--threshold", "0"], "--threshold"),
        (["--threshold", "nan"], "--threshold"),
        (["--threshold", "much"], "--threshold"),
        (["--floor", "0.9"], "--floor"),
        (["--threshold", "0.4", "--floor", "0.5"], "--floor"),
        (["--containment", "-1"], "--containment"),
        (["--jobs", "0"], "--jobs"),
        (["--memory", "1K"], "--memory"),
        (["--memory", "lots"], "--memory"),
        (["--max-size", "0"], "--max-size"),
        (["--min-shared-bytes", "-1"], "--min-shared-bytes"),
        (["--scheme", "nonsense:n=1"], "known are: exact, mod"),
        (["--scheme", "mod:colour=1"], "window, n, sample, most"),
        (["--scheme", "mod:n=0"], "n=0"),
        (["--ignore", "vowels"], "case, punctuation, digits, accents"),
        (["--format", "xml"], "--format"),
        (["--unknown"], "--unknown"),
    ],
)
def test_wrong_usage_leaves_no_store(tmp_path: Path, arguments: list[str], word: str) -> None:
    store = tmp_path / "kin.db"
    refused(Called("scan", tmp_path, "--store", store, *arguments), 2, word)
    assert not store.exists()


def test_unknown_commands_and_missing_arguments() -> None:
    refused(Called("scann"), 2, "scann", "nearkin --help")
    refused(Called("scan"), 2, "PATH", "nearkin scan --help")
    refused(Called("families", "--view", "circle"), 2, "chain")


@pytest.mark.parametrize("command", ["identical", "matches", "families", "documents"])
def test_a_missing_store(tmp_path: Path, command: str) -> None:
    refused(Called(command, "--store", tmp_path / "none.db"), 4, "none.db", "nearkin scan")
    assert list(tmp_path.iterdir()) == []


def foreign_text(path: Path) -> None:
    path.write_text("dear diary, " * 1000)


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [foreign_text, foreign_database, folder])
def test_a_foreign_store_is_refused_and_left_alone(tmp_path: Path, docs: Path, make: object) -> None:
    path = tmp_path / "theirs.db"
    make(path)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else b""
    refused(Called("scan", docs, "--store", path), 4, "theirs.db")
    refused(Called("matches", "--store", path), 4, "theirs.db")
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_newer_store_is_refused(tmp_path: Path, docs: Path) -> None:
    path = tmp_path / "kin.db"
    Called("scan", docs, "--store", path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    refused(Called("scan", docs, "--store", path), 4, "newer nearkin")
    refused(Called("families", "--store", path), 4, "newer nearkin")


def test_a_damaged_store_is_refused(tmp_path: Path, docs: Path) -> None:
    path = tmp_path / "kin.db"
    Called("scan", docs, "--store", path)
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    for command in ("matches", "families", "identical", "documents"):
        refused(Called(command, "--store", path), 4, "kin.db")


def test_a_store_in_a_missing_folder(tmp_path: Path, docs: Path) -> None:
    refused(Called("scan", docs, "--store", tmp_path / "none" / "kin.db"), 4, "none")


def test_a_store_without_a_finished_scan(tmp_path: Path) -> None:
    from nearkin.store.database import connect

    connect(tmp_path / "kin.db", create=True).close()
    listings = ["identical", "matches", "families", "folders", "keep", "sign", "families --history"]
    listings += ["documents", *(f"documents --{which}" for which in ("failed", "without-text", "changes"))]
    for command in listings:
        called = Called(*command.split(), "--store", tmp_path / "kin.db")
        refused(called, 4, "No scan of this store has finished yet", "nearkin scan FOLDER")


def test_special_files_are_passed_over(tmp_path: Path) -> None:
    import os

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a text")
    os.mkfifo(tmp_path / "docs" / "pipe")
    (tmp_path / "docs" / "link").symlink_to("a.txt")
    scanned = Called("scan", tmp_path / "docs", "--store", tmp_path / "kin.db", "--format", "json")
    assert '"documents": 1' in scanned.out
    assert '"failed": 0' in scanned.out
    refused(Called("scan", tmp_path / "docs" / "pipe", "--store", tmp_path / "kin.db"), 3, "neither a file nor")


def test_a_file_that_vanishes_between_walk_and_reading_is_recorded(tmp_path: Path) -> None:
    from nearkin.engine import scan_files
    from nearkin.scheme import parse_scheme
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    how = scan_files.recipe(parse_scheme("exact"), Canon.of(TextSettings()), max_size=100)
    (readings,) = scan_files.ingest(bytes(tmp_path), [b"gone.txt"], how, jobs=1)
    assert readings.paths == [b"gone.txt"]
    assert readings.reasons == [Reason.UNREADABLE]
    assert readings.details == ["no such file or directory"]


def test_files_too_large_fail_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "small.txt").write_text("small")
    (tmp_path / "docs" / "large.txt").write_text("large" * 1000)
    store = tmp_path / "kin.db"
    shown = Called("scan", tmp_path / "docs", "--store", store, "--max-size", "1K", "--format", "table")
    assert "Not read  1" in shown.out
    assert "large.txt" in shown.out
    (failed,) = Called("documents", "--failed", "--store", store).records
    assert (failed["path"], failed["reason"]) == ("large.txt", "too large")
    assert failed["detail"] == "5,000 bytes, over the limit of 1,024"
    assert "too large" in Called("documents", "--failed", "--store", store, "--format", "table").out
    assert [document["path"] for document in Called("documents", "--store", store).records] == ["small.txt"]


def test_the_unexpected_is_one_sentence_too(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("nearkin.store.documents.present", broken)
    refused(Called("documents", "--store", store), 5, "RuntimeError: out of luck", "NEARKIN_DEBUG=1")
    monkeypatch.setenv("NEARKIN_DEBUG", "1")
    with pytest.raises(RuntimeError):
        Called("documents", "--store", store)


def test_a_check_that_broke_has_found_nothing_similar(
    monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("out of luck")

    (tmp_path / "new.txt").write_text(prose(4242))
    monkeypatch.setattr("nearkin.query.check.Checker.check", broken)
    refused(Called("check", tmp_path / "new.txt", "--store", store, "--exit-code"), 5, "out of luck")


def test_exit_codes_reach_the_shell(tmp_path: Path) -> None:
    assert nearkin("--version").returncode == 0
    assert nearkin("scan", "nowhere", cwd=tmp_path).returncode == 3
    wrong = nearkin("scan", ".", "--threshold", 1.5, cwd=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stderr == b"nearkin: --threshold must be greater than 0 and at most 1, not 1.5.\n"
    assert nearkin("matches", cwd=tmp_path).returncode == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["matches", "--min-resemblance"], "nearkin matches"),
        (["matches", "--colour"], "nearkin matches"),
        (["store", "info", "--store"], "nearkin store info"),
        (["store", "forgett"], "nearkin store"),
        (["verdict", "set"], "nearkin verdict set"),
        (["--colour"], "nearkin"),
    ],
)
def test_hints_name_the_command(arguments: list[str], command: str) -> None:
    refused(Called(*arguments), 2, f"(see: {command} --help).")


def test_what_to_type_names_the_store(tmp_path: Path) -> None:
    """A command that is copied from a message must be about the same store."""
    docs, store = tmp_path / "docs", tmp_path / "my store.db"
    docs.mkdir()
    (docs / "broken.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (docs / "a.txt").write_text(prose(1))
    named = f"--store '{store}'"
    done = Called("scan", docs, "--store", store, "--format", "jsonl")
    assert f"see: nearkin documents --failed {named}\n" in done.err
    assert f"See: nearkin documents --failed {named}" in Called("scan", docs, "--store", store, "--strict").err
    assert f"nearkin documents {named}" in Called("verdict", "set", "none.txt", "a.txt", "same", "--store", store).err
    assert f"see: nearkin documents {named}" in Called("store", "forget", "none.txt", "--yes", "--store", store).err
    other = "min:window=20,n=50"
    check = Called("check", docs / "a.txt", "--store", store, "--scheme", other)
    assert f"run: nearkin scan FOLDER --scheme {other} {named}" in check.err
    docs.rename(tmp_path / "elsewhere")
    assert f"nearkin store drop docs {named}" in Called("store", "info", "--store", store, "--format", "json").err
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE run SET state = 'running'")
    for command in ("matches", "families", "identical", "keep"):
        unfinished = Called(command, "--store", store)
        assert unfinished.code == 4
        assert f"run: nearkin scan FOLDER {named}" in unfinished.err


@pytest.mark.parametrize(
    "command",
    [
        "keep 0123456789abcdef",
        "keep nothing",
        "lineage 0123456789abcdef",
        "lineage nothing",
        "custodians nothing",
        "verdict set nothing version",
        "verdict clear nothing",
        "verdict clear --id 7",
        "template remove nothing",
        "template add --family nothing",
        "store drop nothing",
        "store forget nothing --yes",
        "matches --between nothing docs",
    ],
)
def test_a_name_that_is_not_in_the_store_is_missing_input(store: Path, command: str) -> None:
    called = Called(*command.split(), "--store", store)
    assert called.code == 3, called.err
    assert called.err.count("\n") == 1
