"""A scan, checks and a decision at once, from processes of their own; and what a reader sees meanwhile."""

import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cli.world import NEARKIN, Called
from nearkin.api.store import Store
from nearkin.cli.main import COMMANDS
from nearkin.store.database import connect
from oracle.prose import prose
from store.world import is_sound, listings, rows

# Tells when it has stored something, and goes on when it is told so.
SCAN = """
import sys
from pathlib import Path
from nearkin.api.store import Store
from nearkin.engine import reader
from nearkin.store import document_writer as writer

reader.BATCH_FILES = writer.TRANSACTION_FILES = 8


def tell(stage, done, _):
    if stage == "match" or done % 40 == 0:
        print(stage, flush=True)
        sys.stdin.readline()


Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=1, progress=tell)
"""

# Stands for a person's decision where there is no command for it: as it writes, beside a scan.
DECIDE = """
import sys
from contextlib import closing
from pathlib import Path
from nearkin.store.database import connect, explained, transaction, turn

store = Path(sys.argv[1])
with explained(store), closing(connect(store, write=True)) as connection, turn(store), transaction(connection):
    connection.execute(
        "INSERT INTO verdict (about, verdict, by, at) VALUES ('pair', 'not-similar', 'Ada', '2030-01-01')"
    )
"""


def decision(store: Path) -> list[str]:
    if "verdict" in COMMANDS:
        pair = ["0000.txt", "0001.txt", "not-similar"]
        return [*NEARKIN, "verdict", "set", *pair, "--by", "Ada", "--store", str(store)]
    return [sys.executable, "-c", DECIDE, str(store)]


def repository(folder: Path, *, files: int, seed: int = 0) -> Path:
    folder.mkdir(exist_ok=True)
    for i in range(files):
        text = prose(seed + i % 12, 3000)
        (folder / f"{seed or ''}{i:04}.txt").write_bytes(text[: i * 20] + prose(1000 + seed + i, 60) + text[i * 20 :])
    return folder


class RunningScan:
    """Of a process of its own, which stops wherever it tells what it does."""

    def __init__(self, store: Path, folder: Path, until: ExitStack) -> None:
        self.child = until.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", SCAN, str(store), str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )

    def next(self) -> str:
        """What it does now; empty when it has ended."""
        assert self.child.stdout is not None
        return self.child.stdout.readline().rstrip()

    def go_on(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write("\n")
        self.child.stdin.flush()


def started(command: list[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended_well(children: "list[subprocess.Popen[bytes]]") -> list[bytes]:
    found = []
    for child in children:
        with child:
            out, complaint = child.communicate(timeout=60)
        assert (child.returncode, complaint) == (0, b"")
        found.append(out)
    return found


def everything(store: Store) -> dict[str, Any]:
    return listings(store) | {"ids": store.families().to_pylist(), "check": store.check(prose(3, 3000)).to_pylist()}


def test_a_scan_three_checks_and_a_verdict(tmp_path: Path) -> None:
    folder = repository(tmp_path / "docs", files=60)
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    seen = everything(store)
    repository(folder, files=200, seed=50)
    (folder / "0003.txt").unlink()
    (folder / "0004.txt").write_bytes(prose(900, 2000))
    asked = [
        [*NEARKIN, "check", str(folder / name), "--store", str(store.path), "--format", "jsonl", "-q"]
        for name in ("0000.txt", "0001.txt", "0002.txt")
    ]
    before = [Called(*command[len(NEARKIN) :]).raw for command in asked]
    assert all(before)
    stages: list[str] = []
    with ExitStack() as until:
        scan = RunningScan(store.path, folder, until)
        while stage := scan.next():
            # Once it is in the middle of its work, and goes on while the others are at theirs.
            if not stages:
                children = [started(command) for command in (*asked, decision(store.path))]
                scan.go_on()
                assert ended_well(children)[:3] == before
                assert everything(store) == seen
            else:
                assert everything(store) == seen, f"in the middle of {stage}"
                scan.go_on()
            stages.append(stage)
    assert scan.child.returncode == 0
    assert "match" in stages
    assert len(stages) > 3
    assert rows(store, "SELECT count(*) FROM verdict") == [(1,)]
    assert is_sound(store)
    if "verdict" not in COMMANDS:
        fresh = Store(tmp_path / "fresh.db")
        fresh.scan(folder)
        assert listings(store) == listings(fresh)
        assert listings(store) != {name: seen[name] for name in listings(store)}


@pytest.mark.parametrize("writers", [4])
def test_decisions_are_not_starved_by_a_busy_scan(tmp_path: Path, writers: int) -> None:
    folder = repository(tmp_path / "docs", files=200)
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "first", files=3))
    with ExitStack() as until:
        scan = RunningScan(store.path, folder, until)
        assert scan.next() == "read"
        command = [sys.executable, "-c", DECIDE, str(store.path)]
        children = [started(command) for _ in range(writers)]
        scan.go_on()
        while scan.next():
            scan.go_on()
        ended_well(children)
    assert scan.child.returncode == 0
    assert rows(store, "SELECT count(*) FROM verdict") == [(writers,)]


@pytest.mark.parametrize("asked", ["families", "keep"])
def test_who_reads_sees_one_moment(asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scan ends between two questions of one listing."""
    store = Store(tmp_path / "store.db")
    folder = repository(tmp_path / "docs", files=24)
    store.scan(folder)
    before = getattr(store, asked)().to_pylist()
    repository(folder, files=24, seed=50)
    scanned: list[str] = []

    def question(statement: str) -> None:
        if "mean_exact FROM family" in statement and not scanned:
            scanned.append(statement)
            store.scan(folder)

    def traced(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(question)
        return connection

    monkeypatch.setattr("nearkin.query.store_view.connect", traced)
    assert getattr(store, asked)().to_pylist() == before
    assert scanned
    assert getattr(store, asked)().to_pylist() != before
