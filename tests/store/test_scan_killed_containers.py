"""A scan of archives and mail killed at any moment: the next one ends as if nothing had been, and no worker is left."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from cli.containers import mail, zipped
from cli.world import NEARKIN
from nearkin.api.store import Store
from oracle.prose import prose
from store.world import is_sound, listings, rows

SCAN = """
import os, sys
from pathlib import Path
from nearkin.api.store import Store
from nearkin.engine import container, documents
from nearkin.store import document_writer as writer

writer.TRANSACTION_FILES = documents.TOGETHER = 4  # many transactions to be killed between
container.HELD_MEMBERS = 12
left = int(sys.argv[3])


def tell(stage, *_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)


Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=2, progress=tell)
"""


def write(folder: Path, dice: random.Random) -> None:
    """Containers some of whose members are always the same, some never, some come and go; one is sometimes a text."""
    folder.mkdir(exist_ok=True)
    for name in ("a", "b", "c"):
        kept = {f"kept {i}.txt": prose(i, 300) for i in range(6)}
        changed = {f"changed {i}.txt": prose(dice.randrange(10**6), 300) for i in range(4)}
        other = {f"other {dice.random()}.txt": prose(i, 200) for i in range(4)}
        inner = zipped({**dict(list(kept.items())[:2]), "new.txt": prose(dice.randrange(10**6), 200)})
        (folder / f"{name}.zip").write_bytes(zipped({**kept, **changed, **other, "inner.zip": inner}))
        attached = {"report.txt": prose(dice.randrange(3), 300)} if dice.random() < 0.6 else {}
        (folder / f"{name}.eml").write_bytes(mail(prose(dice.randrange(5), 300).decode(), attached))
    (folder / "d.zip").write_bytes(b"text " + prose(4, 200) if dice.random() < 0.5 else zipped({"x.txt": prose(1, 99)}))


def shown(store: Store) -> dict[str, list[dict[str, Any]]]:
    """But for times: that a file was only touched is noted at once."""
    told = listings(store)
    for one in told["documents"] + told["failed"]:
        del one["modified"]
    return told


@pytest.mark.parametrize("seed", range(2))
def test_the_next_scan_ends_as_if_nothing_had_been(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    write(folder, dice)
    store.scan(folder)
    before = shown(store)
    for kills in range(2):
        write(folder, dice)
        command = [sys.executable, "-c", SCAN, str(store.path), str(folder), str(dice.randint(1, 16))]
        assert subprocess.run(command, check=False).returncode == -9
        assert shown(store) == before, kills
    store.scan(folder)
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(folder)
    assert listings(store) == listings(fresh)
    assert is_sound(store)
    unfinished = "SELECT count(*) FROM document WHERE seen NOT IN (SELECT id FROM run WHERE state = 'done')"
    assert rows(store, unfinished) == [(0,)]
    orphans = """SELECT count(*) FROM document r JOIN document t ON t.id = r.parent
                 WHERE r.gone IS NULL AND t.gone IS NOT NULL"""
    assert rows(store, orphans) == [(0,)]


@pytest.fixture
def cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, Path]:
    """A store whose last scan read an archive that had changed, and was interrupted before it had matched anything."""
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    (folder / "plain.txt").write_bytes(prose(9, 300))
    inner = zipped({"deep.txt": prose(5, 300)})
    for seed in (2, 3):
        (folder / "a.zip").write_bytes(zipped({"same.txt": prose(1, 300), "o.txt": prose(seed, 300), "in.zip": inner}))
        with monkeypatch.context() as until:
            if seed == 3:
                until.setattr("nearkin.matching.increment.match_changes", interrupted)
            with suppress(KeyboardInterrupt):
                store.scan(folder)
    return store, folder


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def parents(store: Store) -> list[Any]:
    query = """SELECT d.path, c.path, c.seen FROM present d JOIN document c ON c.id = d.parent ORDER BY d.path"""
    return rows(store, query)


def test_members_stay_with_the_container_of_the_last_finished_scan(cut_short: tuple[Store, Path]) -> None:
    store, _ = cut_short
    hung = [
        (b"in.zip", b"a.zip"),
        (b"in.zip!/deep.txt", b"a.zip!/in.zip"),
        (b"o.txt", b"a.zip"),
        (b"same.txt", b"a.zip"),
    ]
    expected = [(b"a.zip!/" + name, container, 1) for name, container in hung]
    assert parents(store) == expected
    store.compact()
    assert parents(store) == expected
    assert store.verify() == []


@pytest.mark.parametrize("gone", [True, False])
def test_the_scan_after_one_that_was_cut_short_leaves_a_sound_store(cut_short: tuple[Store, Path], gone: bool) -> None:
    store, folder = cut_short
    if gone:
        (folder / "a.zip").unlink()
    store.scan(folder)
    fresh = Store(folder.parent / "fresh.db")
    fresh.scan(folder)
    assert listings(store) == listings(fresh)
    assert store.verify() == []


@pytest.mark.parametrize("care", ["scan", "compact"])
def test_members_whose_container_is_not_there_are_given_one(cut_short: tuple[Store, Path], care: str) -> None:
    """As earlier nearkins left them."""
    store, folder = cut_short
    store.scan(folder)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE document SET parent = 999 WHERE parent IS NOT NULL")
    assert not is_sound(store)
    store.scan(folder) if care == "scan" else store.compact()
    assert store.verify() == []
    names = [(path, container) for path, container, _ in parents(store)]
    assert names == [(path, path.rpartition(b"!/")[0]) for path, _ in names]
    assert len(names) == 4
    (of_history,) = rows(
        store, "SELECT c.seen FROM document d JOIN document c ON c.id = d.parent WHERE d.gone = 2 OR d.gone = 3"
    )
    assert of_history == (1,)


def test_ctrl_c_ends_at_once_while_a_worker_hangs(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a plain text")
    (tmp_path / "docs" / "x.zip").write_bytes(b"\0DEED hang")
    code = f"""import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
sys.path.insert(0, {tests!r})
from nearkin.engine import workers
workers.FORMATS = "engine.fake_formats"
from nearkin.cli.main import run
run()"""
    command = [NEARKIN[0], "-c", code, "scan", str(tmp_path / "docs"), "--store", str(tmp_path / "kin.db")]
    process = subprocess.Popen([*command, "--timeout", "1000"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    children = Path(f"/proc/{process.pid}/task")
    worker = 0
    while not worker:  # however long a busy machine takes to start it
        assert process.poll() is None
        found = [pid for task in children.iterdir() for pid in (task / "children").read_text().split()]
        worker = int(found[0]) if found else 0
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Interrupted; what was read so far is kept" in said
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
