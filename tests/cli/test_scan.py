"""A user's day with `nearkin scan`."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.shell import typed
from cli.world import FILES, NEARKIN, Called, edited, nearkin, prose, write
from nearkin.sample.repository import write_sample

LISTINGS = [
    [command, "--format", form]
    for command in ("matches", "families", "identical")
    for form in ("table", "json", "jsonl", "csv")
]
SUMMARY = ["documents", "contents", "failed", "identical", "matches", "families", "seconds"]
SUMMARY += ["new", "changed", "moved", "gone", "resigned", "hot", "hot_links", "unlisted"]
SUMMARY += ["skipped_links", "skipped_special"]


def listed(store: Path) -> list[bytes]:
    found = [Called(*listing, "--store", store).raw for listing in LISTINGS]
    assert all(found)
    return found


def scanned(folder: Path, store: Path, *options: object) -> dict[str, int]:
    called = Called("scan", folder, "--store", store, *options)
    assert called.code == 0, called.err
    assert called.err == ""
    (summary,) = called.records
    return summary


def test_the_summary(tmp_path: Path, docs: Path) -> None:
    summary = scanned(docs, tmp_path / "kin.db")
    assert list(summary) == SUMMARY
    assert all(type(value) is int for value in summary.values())
    assert summary["documents"] == len(FILES)
    assert summary["contents"] == len(FILES) - 3  # two copies and the empty one
    assert (summary["failed"], summary["identical"]) == (0, 2)
    in_csv = Called("scan", docs, "--store", tmp_path / "kin.db", "--format", "csv").out.splitlines()
    assert in_csv[0] == ",".join(SUMMARY)
    in_json = json.loads(Called("scan", docs, "--store", tmp_path / "kin.db", "--format", "json").out)
    assert list(in_json) == SUMMARY


def test_the_screen(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    shown = Called("scan", docs, "--format", "table").out
    lines = shown.splitlines()
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines if "nearkin compare" not in line)
    for heading in ("Identical", "Families", "Matches", "Store", "Next"):
        assert any(line.startswith(heading) for line in lines)
    assert f"{len(FILES)} documents" in shown
    assert "nearkin.db" in shown
    assert "\x1b" not in shown
    quiet = Called("scan", docs, "--format", "table", "--quiet")
    counts = json.loads(Called("scan", docs, "--format", "json").out)
    assert quiet.err == ""
    assert quiet.out == (
        f"{counts['documents']} documents, 0 not read;"
        f" {counts['identical']} identical groups, {counts['families']} families,"
        f" {counts['matches']} matches\n"
    )


def test_what_the_screen_says_to_type_next_works(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = Called("scan", docs, "--format", "table", "--store", "kin.db").out
    after = shown[shown.index("\nNext") + 5 :].replace("\\\n", " ")
    commands = [line.strip() for line in after.splitlines()]
    assert [command.split()[1] for command in commands] == ["compare", "families", "identical", "keep"]
    for command in commands:
        code, out, err = typed(command)
        assert (code, err) == (0, "")
        assert out or (tmp_path / "identical.csv").read_bytes()


def test_nothing_found_is_said_so(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": prose(2)})
    shown = Called("scan", folder, "--store", tmp_path / "kin.db", "--format", "table").out
    assert "Identical  none" in shown
    for command, words in (
        ("identical", "No two documents are identical."),
        ("matches", "No two documents match."),
        ("families", "There are no families."),
    ):
        assert Called(command, "--store", tmp_path / "kin.db", "--format", "table").out == f"{words}\n"
        assert Called(command, "--store", tmp_path / "kin.db", "--format", "json").out == "[]\n"
    (tmp_path / "none").mkdir()
    assert scanned(tmp_path / "none", tmp_path / "none.db", "-q")["documents"] == 0
    assert Called("scan", tmp_path / "none", "--store", tmp_path / "none.db", "--format", "table").code == 0


def test_the_same_whatever_the_jobs_and_the_order_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write_sample(folder, documents=200)
    scanned(folder, tmp_path / "one.db", "--jobs", 1)
    scanned(folder, tmp_path / "two.db", "--jobs", 2)
    other = tmp_path / "other" / "docs"
    files = sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.name[::-1])
    for path in files:
        target = other / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for place in sorted(other.iterdir(), reverse=True):  # entries of a folder come in another order
        place.rename(other / "aside")
        (other / "aside").rename(place)
    scanned(other, tmp_path / "three.db", "--jobs", 2)
    expected = listed(tmp_path / "one.db")
    assert listed(tmp_path / "two.db") == expected
    assert listed(tmp_path / "three.db") == expected


def test_scanning_again_brings_the_store_up_to_date(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", dict(FILES))
    store = tmp_path / "kin.db"
    scanned(folder, store)
    first = listed(store)
    scanned(folder, store)
    assert listed(store) == first
    (folder / "manual-2.txt").unlink()
    write(folder, {b"new.txt": edited(prose(5), 3)})
    scanned(folder, store)
    after = b"".join(listed(store)) + Called("documents", "--store", store).raw
    assert b"manual-2.txt" not in after
    assert ("new.txt", "single.txt") in {(m["a"], m["b"]) for m in Called("matches", "--store", store).records}


def test_a_subfolder_belongs_to_the_scope_around_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", dict(FILES))
    store = tmp_path / "kin.db"
    scanned(folder, store)
    first = listed(store)
    scanned(folder / "copies", store)
    assert listed(store) == first


def test_what_is_gone_from_a_scanned_subfolder_is_gone(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", dict(FILES))
    store = tmp_path / "kin.db"
    scanned(folder, store)
    (folder / "copies" / "manual-1.html").unlink()
    assert scanned(folder / "copies", store)["documents"] == len(FILES) - 1


def test_which_files_are_met(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "docs",
        {
            b"a.txt": "one",
            b"b.log": "two",
            b".hidden.txt": "three",
            b"drafts/c.txt": "four",
            b"d.TXT": "five",
        },
    )

    def met(*options: str) -> set[str]:
        store = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
        scanned(folder, store, *options)
        return {document["path"] for document in Called("documents", "--store", store).records}

    assert met() == {"a.txt", "b.log", "drafts/c.txt", "d.TXT"}
    assert met("--include", "*.txt", "--include", "*.log") == {"a.txt", "b.log", "drafts/c.txt"}
    assert met("--exclude", "drafts", "--exclude", "*.log") == {"a.txt", "d.TXT"}
    assert met("--hidden") == {"a.txt", "b.log", "drafts/c.txt", "d.TXT", ".hidden.txt"}


def test_the_store_is_no_document_of_its_folder(tmp_path: Path) -> None:
    write(tmp_path, {b"a.txt": "one"})
    for _ in range(2):
        assert scanned(tmp_path, tmp_path / "kin.db")["documents"] == 1


def test_options_reach_the_scan(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": prose(1).upper(), b"c.txt": edited(prose(1), 9)})
    assert scanned(folder, tmp_path / "1.db")["identical"] == 1
    assert scanned(folder, tmp_path / "2.db", "--raw")["identical"] == 0
    assert scanned(folder, tmp_path / "3.db", "--ignore", "")["identical"] == 0
    assert scanned(folder, tmp_path / "4.db", "--threshold", "1", "--containment", "1")["matches"] == 0
    assert scanned(folder, tmp_path / "5.db", "--min-shared-bytes", "1000000")["matches"] == 0
    assert scanned(folder, tmp_path / "6.db", "--scheme", "tttd:mean=50", "--memory", "64M", "--jobs", "1")["matches"]
    scanned(folder, tmp_path / "7.db", "--scope", "ours")
    renamed = Called("scan", folder, "--store", tmp_path / "7.db", "--scope", "theirs")
    assert renamed.code == 2
    assert "'ours'" in renamed.err


def test_without_texts_matches_are_estimates(tmp_path: Path) -> None:
    long = prose(1, 4000)
    folder = write(tmp_path / "docs", {b"a.txt": long, b"b.txt": edited(long, 9)})
    store = tmp_path / "kin.db"
    scanned(folder, store, "--no-text")
    (match,) = Called("matches", "--store", store).records
    assert match["exact"] is False
    assert match["low"] <= match["resemblance"] <= match["high"]
    assert "est. 0." in Called("matches", "--store", store, "--format", "table").out


def test_two_scans_at_once(tmp_path: Path) -> None:
    from nearkin.store.database import one_scan

    folder = write(tmp_path / "docs", {b"a.txt": "one"})
    store = tmp_path / "kin.db"
    scanned(folder, store)
    with one_scan(store):
        second = Called("scan", folder, "--store", store)
    assert second.code == 4
    assert "Another scan is writing" in second.err
    assert scanned(folder, store)["documents"] == 1


# The real command, which takes its time over small transactions, so that no machine is too fast to be interrupted, and
# tells of each, so that none is too slow.
SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
from nearkin.engine import reader
from nearkin.store import document_writer as writer
reader.BATCH_FILES = writer.TRANSACTION_FILES = 2
flush = writer.Writer.flush
def slow(self):
    flush(self)
    print("kept", flush=True)
    time.sleep(0.5)
writer.Writer.flush = slow
from nearkin.cli.main import run
sys.argv[0] = "nearkin"
run()
"""


def test_ctrl_c_keeps_what_was_read(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write_sample(folder, documents=300, plain=True)
    store = tmp_path / "kin.db"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "scan", folder, "--store", store, "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert [process.stdout.readline() for _ in range(3)] == [b"kept\n"] * 3
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert set(out.splitlines()) <= {b"kept"}
    assert err.decode() == f"nearkin: Interrupted; what was read so far is kept in {store}.\n"
    for command in ("documents", "matches"):  # what a scan found is seen when it has finished
        assert Called(command, "--store", store).code == 4
    with closing(sqlite3.connect(store)) as connection:
        (kept,) = connection.execute("SELECT count(*) FROM document").fetchone()
    assert 3 < kept < 301
    assert scanned(folder, store)["documents"] == 301


def test_ctrl_c_before_anything_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    folder = write(tmp_path / "docs", {b"a.txt": "one"})
    store = tmp_path / "kin.db"
    with monkeypatch.context() as patched:
        patched.setattr("nearkin.pipeline.take_in", interrupt)
        for _ in range(2):
            done = Called("scan", folder, "--store", store)
            assert (done.code, done.err) == (130, "nearkin: Interrupted; nothing new had been stored yet.\n")
        assert store.exists()
    scanned(folder, store)
    with monkeypatch.context() as patched:
        patched.setattr("nearkin.pipeline.take_in", interrupt)
        assert "nothing new had been stored yet" in Called("scan", folder, "--store", store).err


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"%d.txt" % at: edited(prose(1), at) for at in range(120)})
    store = tmp_path / "kin.db"
    scanned(folder, store)
    for form in ("jsonl", "csv", "table"):
        with subprocess.Popen(
            [*NEARKIN, "matches", "--store", store, "--format", form],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=20) == 0


def test_names_that_are_no_utf8_survive_a_pipe(store: Path) -> None:
    assert b"caf\xe9.txt" in nearkin("documents", "--store", store, "--format", "csv").stdout
    ascii_only = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    for form in ("csv", "table"):
        run = nearkin("documents", "--store", store, "--format", form, env=ascii_only)
        assert (run.returncode, run.stderr) == (0, b""), form
        assert b"caf" in run.stdout


def test_a_terminal_gets_colours(tmp_path: Path, docs: Path) -> None:
    master, slave = os.openpty()
    process = subprocess.Popen(
        [*NEARKIN, "scan", docs, "--store", tmp_path / "kin.db"],
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # how a terminal says that nobody writes to it any more
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    assert process.wait(timeout=20) == 0
    assert b"\x1b[1mFamilies" in shown


def test_another_scheme_signs_the_rest_of_the_store_too(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {b"a.txt": prose(1), b"b.txt": prose(2)})
    two = write(tmp_path / "two", {b"c.txt": edited(prose(1), 3), b"d.txt": prose(4)})
    store = tmp_path / "kin.db"
    scanned(one, store)
    assert scanned(two, store)["matches"] == 1
    again = Called("scan", two, "--store", store, "--scheme", "exact:window=20", "--format", "json")
    assert again.code == 0
    assert len(Called("matches", "--store", store).records) == 1


def test_other_text_settings_are_refused_while_other_documents_have_theirs(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {b"a.txt": prose(1)})
    two = write(tmp_path / "two", {b"c.txt": prose(2)})
    store = tmp_path / "kin.db"
    scanned(one, store)
    refused = Called("scan", two, "--store", store, "--raw")
    assert refused.code == 2
    assert "other text settings" in refused.err
    assert [record["path"] for record in Called("documents", "--store", store).records] == ["a.txt"]
    assert Called("scan", one, "--store", store, "--raw", "--format", "json").code == 0


def test_a_store_left_by_an_interrupted_scan_says_so(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": edited(prose(1), 3)})
    store = tmp_path / "kin.db"
    scanned(folder, store)
    assert Called("matches", "--store", store).err == ""
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "INSERT INTO run (state, started, version, settings)"
            " SELECT 'interrupted', started, version, settings FROM run"
        )
    assert "interrupted" in Called("matches", "--store", store).err


def test_documents_without_text_are_said_to_be_compared_by_their_bytes_only(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": "one"})
    (folder / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    shown = Called("scan", folder, "--store", tmp_path / "kin.db", "--format", "table").out
    assert "1 document has no readable text and was compared by bytes only" in shown
    found = Called("compare", folder / "scan.png", folder / "a.txt", "--store", tmp_path / "kin.db").records
    assert found[0]["relation"] == "no text"


def test_a_floor_not_given_follows_a_lower_threshold(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text of its own")
    called = Called("scan", tmp_path / "a.txt", "--threshold", "0.4", "--store", tmp_path / "kin.db")
    assert (called.code, called.err) == (0, "")
    assert "or the threshold if lower" in " ".join(Called("scan", "--help").out.split())


def test_filters_that_match_nothing_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"private/b.txt": prose(2), b"c.log": prose(3)})
    asked = ("scan", folder, "--store", tmp_path / "kin.db", "--exclude", folder / "private", "--exclude", "*.log")
    told = Called(*asked).err
    assert f"--exclude {folder / 'private'} matched nothing; patterns are relative to the scanned folder." in told
    assert "*.log" not in told
    assert "matched nothing" not in Called(*asked[:4], "--exclude", "private/", "--include", "a.*").err
