"""Whatever writes to a store is killed, or finds the disk full, at any statement it makes: it was done or it was not,
and can be done again."""

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from nearkin.api.store import Store
from nearkin.errors import StoreError, UsageError
from nearkin.store.segments import folder_of
from oracle.prose import prose
from store.world import FILES, is_sound, listings, repository, rows

pytestmark = pytest.mark.usefixtures("either_insert")

FORM = prose(1, 1200)
DEEDS: dict[str, Callable[[Store, Path], object]] = {
    "scan": lambda store, folder: store.scan(folder),
    "scheme": lambda store, folder: store.scan(folder, **OPTIONS["scheme"]),
    "template": lambda store, _: store.add_template(text=FORM, name="form"),
    "verdict": lambda store, _: store.set_verdict(("private.txt", "private-2.txt"), "not-similar"),
    "add": lambda store, _: store.add(prose(40, 2000), name="late.txt"),
    "forget": lambda store, _: store.forget("private.txt"),
    "compact": lambda store, _: store.compact(),
}
OPTIONS: dict[str, dict[str, Any]] = {"scheme": {"scheme": "mod:window=20,n=10"}}
STEPS = {"forget": ("documents", "failed", "identical"), "verdict": ("documents", "failed", "identical", "families")}
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from nearkin.api.store import Store
from store.test_killed_at_any_statement import DEEDS, counting

left = int(sys.argv[5])


def count(_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


with counting(count):
    DEEDS[sys.argv[4]](Store(Path(sys.argv[2])), Path(sys.argv[3]))
"""


@contextmanager
def counting(tell: Callable[[str], None]) -> Iterator[None]:
    """Tells of every statement of connections made meanwhile."""
    whole = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = whole(*given, **more)
        connection.set_trace_callback(tell)
        return connection

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite3, "connect", connect)
        yield


def shown(store: Store) -> dict[str, Any]:
    """But for times, which are each store's own."""
    told = listings(store)
    for one in told["documents"] + told["failed"]:
        del one["modified"]
    return told


def prepared(place: Path, folder: Path, deed: str) -> Store:
    """With something to do for a scan, and something to remove for who compacts."""
    store = Store(place / "kin.db")
    if not folder.exists():
        repository(folder)
    (folder / "manual-3.txt").write_bytes(prose(1, 700) + b" and there " + prose(1, 3000)[700:])
    (folder / "new.txt").unlink(missing_ok=True)
    (folder / "private.txt").write_bytes(FILES["private.txt"])
    store.scan(folder)
    if deed == "forget":
        (folder / "private.txt").unlink()  # or the next scan would find it again
    if deed in ("scan", "compact"):
        (folder / "manual-3.txt").write_bytes(prose(1, 2900) + b" and elsewhere")
        (folder / "new.txt").write_bytes(prose(2, 1500))
    if deed == "compact":
        store.scan(folder)
    return store


def judge(store: Store, folder: Path, deed: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """What is decided is shown at once, and families follow; of what was forgotten they are what is left."""
    assert is_sound(store)
    now = shown(store)
    if deed in STEPS:
        assert all(now[name] in (before[name], after[name]) for name in STEPS[deed])
    else:
        assert now in (before, after)
    assert all(any(one["pivot"] for one in family["documents"]) for family in now["families"])
    if deed != "forget" or now["documents"] == before["documents"]:
        with suppress(UsageError):  # there is such a template already
            DEEDS[deed](store, folder)
    store.scan(folder, **OPTIONS.get(deed, {}))
    assert shown(store) == after
    assert is_sound(store)
    assert store.verify() == []
    there = {path.name for path in folder_of(store.path).iterdir()} - {"lock"}
    assert there == {name for (name,) in rows(store, "SELECT name FROM segment")}


def done(tmp_path: Path, deed: str) -> tuple[dict[str, Any], dict[str, Any], int]:
    """What is seen before and after, and how many statements lie between."""
    (tmp_path / "whole").mkdir()
    store = prepared(tmp_path / "whole", tmp_path / "docs", deed)
    before = shown(store)
    said: list[str] = []
    with counting(said.append):
        DEEDS[deed](store, tmp_path / "docs")
    store.scan(tmp_path / "docs", **OPTIONS.get(deed, {}))
    return before, shown(store), len(said)


def killed(tmp_path: Path, deed: str, *, times: int) -> None:
    before, after, statements = done(tmp_path, deed)
    for number in range(times):
        (tmp_path / str(number)).mkdir()
        store = prepared(tmp_path / str(number), tmp_path / "docs", deed)
        at = random.SystemRandom().randint(1, statements)
        command = [sys.executable, "-c", KILLED, str(Path(__file__).parents[1]), str(store.path)]
        ended = subprocess.run([*command, str(tmp_path / "docs"), deed, str(at)], check=False).returncode
        assert ended in (-signal.SIGKILL, 0), at
        judge(store, tmp_path / "docs", deed, before, after)


def full(tmp_path: Path, small_disk: Path, deed: str, *, times: int) -> None:
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    before, after, statements = done(tmp_path, deed)
    dice = random.SystemRandom()
    for number in range(times):
        (small_disk / str(number)).mkdir()
        store = prepared(small_disk / str(number), tmp_path / "docs", deed)
        left = [dice.randint(1, statements)]

        def fill(_: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                with suppress(OSError), open(small_disk / "filler", "wb", buffering=0) as file:
                    while True:
                        file.write(bytes(4096))

        said = ""
        with counting(fill):
            try:
                DEEDS[deed](store, tmp_path / "docs")
            except StoreError as error:
                said = str(error)
        assert not said or "room" in said, said
        (small_disk / "filler").unlink(missing_ok=True)
        judge(store, tmp_path / "docs", deed, before, after)


@pytest.mark.parametrize("deed", ["scan", "forget"])
def test_killed(tmp_path: Path, deed: str) -> None:
    killed(tmp_path, deed, times=1)


@pytest.mark.soak
@pytest.mark.parametrize("deed", DEEDS)
def test_killed_often(tmp_path: Path, deed: str) -> None:
    killed(tmp_path, deed, times=20)


@pytest.mark.parametrize("deed", DEEDS)
def test_a_full_disk(tmp_path: Path, small_disk: Path, deed: str) -> None:
    full(tmp_path, small_disk, deed, times=2)


@pytest.mark.soak
@pytest.mark.parametrize("deed", DEEDS)
def test_a_full_disk_often(tmp_path: Path, small_disk: Path, deed: str) -> None:
    full(tmp_path, small_disk, deed, times=40)
