"""A bar on a terminal for what takes longer than a second, and nowhere else."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.terminal import Typed
from cli.world import Called, edited, prose, write
from nearkin.cli.progress import Reporter, left
from nearkin.sample.repository import write_sample

# The real command, which finds after a tenth of a second that it takes long, and takes its time over small batches.
SLOW = """
import sys, time
from nearkin.cli import progress
from nearkin.engine import reader
from nearkin.group import views as greedy
from nearkin.query import signatures
from nearkin.report import export as ending
from nearkin.store import document_writer as writer
progress.PATIENCE = 0.1
progress.COUNTING = 0.1
reader.BATCH_FILES = writer.TRANSACTION_FILES = 40
def slowed(module, name, seconds):
    quick = getattr(module, name)
    def slow(*given, **more):
        time.sleep(seconds)
        return quick(*given, **more)
    setattr(module, name, slow)
slowed(writer.Writer, "flush", 0.15)
slowed(signatures, "signature_of", 0.012)
slowed(ending, "_write", 0.8)
from nearkin.query import regroup as regrouping
slowed(regrouping, "greedy", 0.8)
from nearkin.cli.main import run
sys.argv[0] = "nearkin"
run()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    write(folder / "docs", {b"%03d.txt" % at: edited(prose(at % 20), at % 7) for at in range(240)})
    assert Called("scan", folder / "docs", "--store", folder / "nearkin.db").code == 0
    return folder


def test_a_scan_shows_files_bytes_and_rates(place: Path) -> None:
    shown = Typed("scan", "docs", "--store", "other.db", "--jobs", 1, cwd=place, code=SLOW)
    assert shown.code == 0, shown.text
    narrow = re.findall(r"reading +[━╸╺]+ +\d+ %, \d+ files, [\d.]+ kB, [\d.]+ [kM]B/s +\d:\d\d", shown.text)
    assert narrow, shown.text
    assert all(len(line) < 76 for line in narrow), "there is room for ^C"
    shown = Typed("scan", "docs", "--store", "wide.db", "--jobs", 1, cwd=place, code=SLOW, columns=110)
    assert "━" in shown.text
    told = re.findall(
        r"reading +[━╸╺]+ +(\d+) %, (\d+) files, [\d.]+ kB, [\d,]+ files/s, [\d.]+ [kM]B/s +\d:\d\d", shown.text
    )
    assert told, shown.text
    assert all(int(percent) == 100 * int(files) // 240 for percent, files in told)
    assert len({files for _, files in told}) > 1
    assert all(len(line.rstrip()) <= 110 for line in shown.lines)


def test_where_only_some_are_read_no_share_is_told(place: Path) -> None:
    assert Called("scan", place / "docs", "--store", place / "again.db").code == 0
    for at in range(0, 240, 2):
        (place / "docs" / f"{at:03}.txt").write_text(prose(1000 + at))
    shown = Typed("scan", "docs", "--store", "again.db", "--jobs", 1, cwd=place, code=SLOW)
    assert re.search(r"reading +[━╸╺]+ +\d+ files, ", shown.text), shown.text
    assert "%" not in shown.text[: shown.text.index("scanned")]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("families --view greedy", "grouping"),
        ("report kin.csv", "writing"),
        ("demo DIR --documents 3000", r"writing +[━╸╺]+ +\d+ % done"),
    ],
)
def test_what_takes_long_shows_that_it_is_at_work(place: Path, tmp_path: Path, command: str, told: str) -> None:
    words = [str(tmp_path / "sample") if word == "DIR" else word for word in command.split()]
    shown = Typed(*words, cwd=place, code=SLOW)
    assert shown.code == 0, shown.text
    assert re.search(told, shown.text), shown.text
    quiet = Typed(
        *(f"{word}2" if word == words[1] and "sample" in word else word for word in words),
        "--quiet",
        cwd=place,
        code=SLOW,
    )
    assert quiet.code == 0, quiet.text
    assert "━" not in quiet.text


def test_signing_a_store_into_a_file_shows_how_far_it_is(place: Path, tmp_path: Path) -> None:
    script = f'"$0" -c "$1" sign --store nearkin.db --digest > {tmp_path / "signed.jsonl"}'
    shown = Typed("sign", cwd=place, shell=["sh", "-c", script, sys.executable, SLOW])
    assert re.search(r"signing +[━╸╺]+ +\d+ % done", shown.text), shown.text
    assert (tmp_path / "signed.jsonl").read_text().count("\n") > 20


@pytest.mark.parametrize("command", ["scan docs --store piped.db", "families --view greedy", "report kin.csv"])
def test_a_pipe_gets_no_bar(place: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW, *command.split()], cwd=place, capture_output=True, timeout=60, check=True
    )
    assert "━" not in (done.stdout + done.stderr).decode()
    assert b"\x1b" not in done.stdout + done.stderr


def test_what_is_quick_shows_no_bar(place: Path, tmp_path: Path) -> None:
    write_sample(tmp_path / "sample", documents=20, plain=True)
    patient = SLOW.replace("PATIENCE = 0.1", "PATIENCE = 50")
    shown = Typed("scan", tmp_path / "sample", "--store", tmp_path / "kin.db", cwd=place, code=patient)
    assert shown.code == 0
    assert "reading" not in shown.text
    assert "━" not in shown.text


def test_the_time_left_is_told_once_it_is_known() -> None:
    assert left(300, 1000, 1.0) == "30 % done"
    assert left(300, 1000, 3.0) == "30 % done, about 7.0 s left"
    assert left(1000, 1000, 9.0) == "100 % done"


def test_more_files_than_were_counted_are_no_share() -> None:
    """Members of archives were not."""
    reporter = Reporter("read", total=10)
    reporter("read", 9, 900)
    assert reporter.share == (9, 10)
    reporter("read", 11, 1100)
    assert reporter.share is None


def test_rates_are_those_of_their_stage() -> None:
    reporter = Reporter("read")
    reporter("read", 10, 1000)
    first = reporter.begun
    time.sleep(0.01)
    reporter("match", 5, 0)
    assert reporter.begun > first
    assert reporter.figures == "5 texts"
    reporter("join", 500, 1000)
    assert reporter.figures == "50 % done"
