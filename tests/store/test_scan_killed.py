"""Scans killed at any moment: the next one ends as if nothing had been, and reads nothing that was stored already."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.store.database import connect
from oracle.prose import prose
from store.world import edited_copies, is_sound, listings, rows

BATCH = 8
SCAN = f"""
import sys
import time
from pathlib import Path
from nearkin.api.store import Store
from nearkin.engine import reader
from nearkin.store import document_writer as writer

reader.BATCH_FILES = writer.TRANSACTION_FILES = {BATCH}  # many transactions to be killed between


def tell(stage, *_):
    print(stage, flush=True)
    time.sleep(0.002)


Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=2, progress=tell)
print("done", flush=True)
"""


def change(folder: Path, dice: random.Random) -> set[bytes]:
    """Some files change, some move, some go, some come, one is copied; the places that must be read."""
    files = sorted(folder.iterdir())
    dice.shuffle(files)
    some = len(files) // 10
    touched = set()
    for path in files[:some]:
        path.write_bytes(path.read_bytes() + prose(dice.randrange(10**6), 100))
        touched.add(path)
    for path in files[some : 2 * some]:
        touched.add(path.rename(folder / f"moved {dice.random()}.txt"))
    for path in files[2 * some : 3 * some]:
        path.unlink()
    for path in files[3 * some : 4 * some]:
        new = folder / f"new {dice.random()}.txt"
        new.write_bytes(path.read_bytes()[: dice.choice([2000, 5000])])
        touched.add(new)
    return {os.fsencode(path.name) for path in touched}


def killed_scan(store: Store, folder: Path, dice: random.Random, *, batches: int) -> bool:
    """Whether the scan was still at it when it was killed, a moment after it had told so often what it does."""
    with subprocess.Popen(
        [sys.executable, "-c", SCAN, str(store.path), str(folder)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        for _ in range(dice.randint(0, batches + 2)):
            child.stdout.readline()
        time.sleep(dice.uniform(0, 0.03))
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.wait()
    return not rest.endswith("done\n")


def made(store: Store) -> bool:
    return store.path.exists() and store.path.stat().st_size > 0


def kept(store: Store) -> set[bytes]:
    """Places that scans which did not finish have stored."""
    if not made(store):
        return set()
    return {path for (path,) in rows(store, "SELECT path FROM document WHERE seen NOT IN (SELECT id FROM finished)")}


def reads(store: Store, folder: Path) -> int:
    """How many files a scan had to read."""
    done = [0]
    store.scan(folder, jobs=2, progress=lambda stage, number, _: done.append(number) if stage == "read" else None)
    return done[-1]


def last_run(store: Store) -> int:
    return int(rows(store, "SELECT max(id) FROM run WHERE state = 'done'")[0][0])


def is_as_if_never_killed(store: Store, fresh: Store) -> bool:
    with closing(connect(store.path)) as connection:
        states = [state for (state,) in connection.execute("SELECT state FROM run ORDER BY id")]
    assert states[-1] == "done"
    assert "running" not in states
    assert is_sound(store)
    assert kept(store) == set()
    assert store.verify() == []
    return listings(store) == listings(fresh)


def kill_and_finish(tmp_path: Path, *, times: int, files: int) -> None:
    """Scans of a new store."""
    folder = edited_copies(tmp_path / "files", files=files)
    whole = Store(tmp_path / "whole")
    whole.scan(folder)
    dice = random.Random()
    cut = saved = 0
    for number in range(times):
        store = Store(tmp_path / f"store {number}")
        for _ in range(2):
            cut += killed_scan(store, folder, dice, batches=files // BATCH)
        stored = kept(store)
        finished = made(store) and rows(store, "SELECT 1 FROM run WHERE state = 'done'")
        expected = 0 if finished else files - len(stored)
        saved += len(stored)
        assert reads(store, folder) == expected, "what was stored is not read again"
        assert is_as_if_never_killed(store, whole)
    assert cut > 0, "every scan was done before it was killed"
    assert times < 10 or saved > 0


def kill_rescans(tmp_path: Path, *, times: int, files: int) -> None:
    """Scans of a store that knows an earlier state of the folder; it goes on changing between them."""
    folder = edited_copies(tmp_path / "files", files=files)
    store = Store(tmp_path / "store")
    store.scan(folder)
    dice = random.Random()
    cut = 0
    for number in range(times):
        seen, before = listings(store), last_run(store)
        changed = change(folder, dice)
        for _ in range(2):
            cut += killed_scan(store, folder, dice, batches=len(changed) // BATCH)
            if last_run(store) == before:
                assert listings(store) == seen, "nobody sees what an unfinished scan did"
        finished = last_run(store) != before
        stored = kept(store)
        assert reads(store, folder) == (0 if finished else len(changed - stored))
        fresh = Store(tmp_path / f"fresh {number}")
        fresh.scan(folder)
        assert is_as_if_never_killed(store, fresh)
    assert cut > 0, "every scan was done before it was killed"


def test_new_stores_killed_twice(tmp_path: Path) -> None:
    kill_and_finish(tmp_path, times=2, files=120)


def test_rescans_killed_twice(tmp_path: Path) -> None:
    kill_rescans(tmp_path, times=2, files=120)


@pytest.mark.soak
def test_new_stores_killed_thirty_times(tmp_path: Path) -> None:
    kill_and_finish(tmp_path, times=30, files=500)


@pytest.mark.soak
def test_rescans_killed_thirty_times(tmp_path: Path) -> None:
    kill_rescans(tmp_path, times=30, files=500)
