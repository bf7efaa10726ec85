"""Joins by way of temporary files, cut short: a full disk, a limit on files, kill -9. Nothing is left, nothing lost."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.errors import EngineError
from store.world import edited_copies, is_sound, listings, rows

SCAN = """
import resource, sys, time
from pathlib import Path
from nearkin.api.store import Store
from nearkin.errors import NearkinError
from nearkin.matching import bounded_join as bounded
from nearkin.matching.matcher import Resources

bounded.POSTING_BYTES = 1 << 40
Resources.for_join = 1 << 18
bounded.AT_ONCE = 1  # many moments to be killed at
limit = int(sys.argv[3])


def tell(stage, done, _):
    if stage == "match" and limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if stage == "join":
        print(done, flush=True)
        time.sleep(0.001)


try:
    Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=2, progress=tell)
except NearkinError as error:
    sys.exit(f"{error.exit_code}: {error}")
print("done", flush=True)
"""


def started(store: Store, folder: Path, *, limit: int = 0) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", SCAN, str(store.path), str(folder), str(limit)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def names(store: Store) -> list[str]:
    return sorted(path.name for path in store.path.parent.iterdir())


def is_whole(store: Store, fresh: Store, folder: Path) -> bool:
    """The next scan ends as a first one does, and neither leaves anything beside the store."""
    assert is_sound(store)
    store.scan(folder)
    assert is_sound(store)
    assert store.verify() == []
    assert rows(store, "SELECT count(*) FROM run WHERE state = 'running'") == [(0,)]
    assert names(store) == names(fresh)
    return listings(store) == listings(fresh)


def killed_while_it_spills(tmp_path: Path, *, times: int, files: int) -> None:
    folder, fresh = edited_copies(tmp_path / "files", files=files), Store(tmp_path / "fresh" / "kin.db")
    fresh.path.parent.mkdir()
    fresh.scan(folder)
    dice = random.Random()
    cut = 0
    for number in range(times):
        store = Store(tmp_path / str(number) / "kin.db")
        store.path.parent.mkdir()
        with started(store, folder) as child:
            assert child.stdout is not None
            for _ in range(dice.randint(1, 300)):
                child.stdout.readline()
            time.sleep(dice.uniform(0, 0.005))
            child.send_signal(signal.SIGKILL)
            cut += not child.communicate()[0].endswith("done\n")
        assert set(names(store)) <= {"kin.db", "kin.db-wal", "kin.db-shm", "kin.db-lock", *names(fresh)}
        assert is_whole(store, fresh, folder)
    assert cut > 0, "every scan was done before it was killed"


def test_killed_while_it_spills(tmp_path: Path) -> None:
    killed_while_it_spills(tmp_path, times=2, files=60)


@pytest.mark.soak
def test_killed_thirty_times_while_it_spills(tmp_path: Path) -> None:
    killed_while_it_spills(tmp_path, times=30, files=500)


@pytest.mark.parametrize("limit", [1, 20_000])
def test_a_file_that_may_not_grow(tmp_path: Path, limit: int) -> None:
    folder, store = edited_copies(tmp_path / "files", files=60), Store(tmp_path / "tight" / "kin.db")
    store.path.parent.mkdir()
    with started(store, folder, limit=limit) as child:
        _, said = child.communicate()
    assert said == (
        f"5: Temporary files cannot be written in {store.path.parent}, the folder of the store: file too large.\n"
    )
    fresh = Store(tmp_path / "fresh" / "kin.db")
    fresh.path.parent.mkdir()
    fresh.scan(folder)
    assert is_whole(store, fresh, folder)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("left", [0, 40_000])
def test_a_disk_that_is_really_full(small_disk: Path, tmp_path: Path, left: int) -> None:
    """It fills up when everything is read and the join begins."""
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    folder, store = edited_copies(tmp_path / "files", files=60), Store(small_disk / "kin.db")
    filler = small_disk / "filler"

    def fill(stage: str, *_: int) -> None:
        if stage == "match":
            with suppress(OSError), open(filler, "wb", buffering=0) as file:
                free = os.statvfs(small_disk)
                file.write(bytes(max(0, free.f_bavail * free.f_bsize - left)))

    with pytest.raises(EngineError, match=f"There is no room left in {small_disk} for the temporary files"):
        store.scan(folder, progress=fill)
    filler.unlink()
    fresh = Store(tmp_path / "fresh" / "kin.db")
    fresh.path.parent.mkdir()
    fresh.scan(folder)
    assert is_whole(store, fresh, folder)
