"""A kill, a full disk and another scan at moments that chance seldom meets: the log is brought into the store, the
first segment is made, named or made afterwards, the run ends, the store is closed."""

import signal
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from cli.world import NEARKIN
from nearkin.api.store import Store
from nearkin.errors import StoreError
from nearkin.store import database
from nearkin.store.database import connect
from nearkin.store.segments import folder_of
from oracle.prose import prose
from store.test_bounded_join_interrupted import is_whole
from store.world import edited_copies, is_sound, listings, rows

LOG = "nearkin.store.database._bring_in"
CLOSE = "nearkin.pipeline.scan"
ALWAYS = [
    LOG,
    "nearkin.group.grouping.Grouping.store",
    "nearkin.pipeline.end",
    "nearkin.matching.segment_builder.SegmentAhead.name",
    "nearkin.matching.segment_builder.remove_unnamed",
    "nearkin.pipeline.update_index",
]
OF_A_NEW_STORE = [
    "nearkin.matching.segment_builder.Builder.first",
    "nearkin.matching.segment_builder.Builder._merged",
    "nearkin.matching.segment_builder.replace_segments",
]
MOMENTS = [(one, False) for one in (*ALWAYS, *OF_A_NEW_STORE)] + [(one, True) for one in ALWAYS]
KILLS = [(*one, when) for one in MOMENTS for when in ("before", "after")] + [
    (LOG, known, "amid") for known in (False, True)
]
FULL = [(*one, "before") for one in MOMENTS] + [(CLOSE, known, "after") for known in (False, True)]
QUICK = (
    "_bring_in-False-amid",
    "name-False-before",
    "replace_segments-False-after",
    "_merged-False-before",
    "scan-False",
)


def chosen(moments: list[tuple[Any, ...]]) -> list[Any]:
    """Those that have found something are tried always, the others in the long run."""
    made = [(one, "-".join(map(str, one)).rpartition(".")[2]) for one in moments]
    return [pytest.param(*one, id=name, marks=() if name.startswith(QUICK) else pytest.mark.soak) for one, name in made]


SCAN = """
import os, resource, signal, sys
from pathlib import Path
from pkgutil import resolve_name
from nearkin.api.store import Store
from nearkin.store import database as log

store, folder, moment, when = Path(sys.argv[1]), *sys.argv[2:]
log.LEAST = 1
holder, _, name = moment.rpartition(".")
holder = resolve_name(holder)
whole = getattr(holder, name)


def die(*given, **more):
    if when == "after":
        whole(*given, **more)
    os.kill(os.getpid(), signal.SIGKILL)


def amid(_):
    # No other thread writes meanwhile: what is over the limit is a page of the store.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    limit = store.stat().st_size * 3 // 4
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    whole(store)


if when == "amid":
    from nearkin import pipeline

    pipeline.brought_in = amid
else:
    setattr(holder, name, die)
Store(store).scan(folder, jobs=2)
"""


def changed(folder: Path) -> None:
    """After this a scan has something to do, and not everything."""
    for path in sorted(folder.iterdir())[:10]:
        path.write_bytes(path.read_bytes() + prose(int(path.stem) + 5000, 900))


def place(path: Path) -> Store:
    path.mkdir()
    return Store(path / "kin.db")


def known_before(store: Store, folder: Path) -> object:
    """What a store tells of a folder that has changed since."""
    store.scan(folder)
    found = listings(store)
    changed(folder)
    return found


def orphans(store: Store) -> set[str]:
    """Files beside the segments that the store does not name."""
    there = {path.name for path in folder_of(store.path).iterdir()} if folder_of(store.path).exists() else set()
    return there - {"lock"} - {name for (name,) in rows(store, "SELECT name FROM segment")}


def seen(store: Store) -> dict[str, Any] | None:
    """None: no scan has finished."""
    try:
        return listings(store)
    except StoreError as error:
        if "No scan of this store has finished yet" in str(error):
            return None
        raise


@pytest.mark.parametrize(("moment", "known", "when"), chosen(KILLS))
def test_killed(tmp_path: Path, moment: str, known: bool, when: str) -> None:
    folder, store, fresh = edited_copies(tmp_path / "docs", files=40), place(tmp_path / "a"), place(tmp_path / "b")
    before = known_before(store, folder) if known else None
    fresh.scan(folder)
    command = [sys.executable, "-c", SCAN, str(store.path), str(folder), moment, when]
    ended = subprocess.run(command, check=False, capture_output=True)
    assert ended.stderr == b""
    assert ended.returncode == (-signal.SIGXFSZ if when == "amid" else -signal.SIGKILL)
    assert is_sound(store)
    assert seen(store) in (before, listings(fresh))
    assert is_whole(store, fresh, folder)
    assert orphans(store) == set()


def fill(disk: Path) -> None:
    with suppress(OSError), open(disk / "filler", "ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.mark.parametrize(("moment", "known", "when"), chosen(FULL))
def test_a_full_disk(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, known: bool, when: str
) -> None:
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    folder, store, fresh = (
        edited_copies(tmp_path / "docs", files=40),
        Store(small_disk / "kin.db"),
        place(tmp_path / "b"),
    )
    before = known_before(store, folder) if known else None
    fresh.scan(folder)
    monkeypatch.setattr(database, "LEAST", 1)
    monkeypatch.setattr(
        "nearkin.matching.segment_builder.RUN", 1
    )  # a few contents in a file of their own, to be merged
    monkeypatch.setattr("nearkin.store.segments.LOOK_UP", 4)
    with monkeypatch.context() as patched:
        holder, _, name = moment.rpartition(".")
        whole = getattr(resolve_name(holder), name)

        def filling(*given: Any, **more: Any) -> Any:
            if when == "before":
                fill(small_disk)
                return whole(*given, **more)
            result = whole(*given, **more)
            fill(small_disk)
            return result

        patched.setattr(moment, filling)
        try:
            store.scan(folder)
            said = ""
        except StoreError as error:
            said = str(error)
    assert not said or said.startswith(f"There is no room left for the store {store.path}")
    (small_disk / "filler").unlink()
    assert is_sound(store)
    assert orphans(store) == set()
    assert seen(store) == (before if said else listings(fresh))
    assert is_whole(store, fresh, folder)
    assert orphans(store) == set()


def test_others_while_the_log_is_brought_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second scan is told so; who asks or decides something, and closes the store, holds up nobody."""
    folder, store, fresh = edited_copies(tmp_path / "docs", files=40), place(tmp_path / "a"), place(tmp_path / "b")
    store.scan(folder)
    before = listings(store)
    changed(folder)
    told: list[Any] = []

    def called(*arguments: object) -> tuple[int, str]:
        command = [*NEARKIN, *map(str, arguments), "--store", str(store.path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def meanwhile(path: Path) -> None:
        with closing(connect(path)) as connection:
            bring = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone
            told.append(called("scan", folder, "-q"))
            told.append(bring())
            told.append(called("verdict", "set", "0020.txt", "0021.txt", "not-similar", "--by", "Ada"))
            told.append(listings(store) == before)
        whole(path)

    whole = database._bring_in
    with monkeypatch.context() as patched:
        patched.setattr(database, "LEAST", 1)
        patched.setattr(database, "_bring_in", meanwhile)
        store.scan(folder)
    (busy, said), moved, decided, same = told
    assert (busy, said.startswith("nearkin: Another scan is writing to")) == (StoreError.exit_code, True)
    assert moved[1] > 0
    assert decided == (0, "")
    assert same
    fresh.scan(folder)
    fresh.set_verdict(("0020.txt", "0021.txt"), "not-similar")
    assert is_whole(store, fresh, folder)


def two_scans(tmp_path: Path, *, times: int, files: int) -> None:
    """Of one store, at once, each with a log to bring in: one is told to wait, or comes after the other."""
    folder, store = edited_copies(tmp_path / "docs", files=files), place(tmp_path / "a")
    code = (
        "import sys\nfrom nearkin.store import database as log\nlog.LEAST = 1\nfrom nearkin.cli.main import run\nrun()"
    )
    command = [sys.executable, "-c", code, "scan", str(folder), "--store", str(store.path), "-q", "--format", "json"]
    for number in range(times):
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        said = [child.communicate()[1] for child in both]
        ended = sorted(child.returncode for child in both)
        assert ended[0] == 0
        assert [len(one) > 0 for one in said] == [child.returncode > 0 for child in both]
        assert all(b"Another scan is writing to" in one for one in said if one)
        fresh = place(tmp_path / f"fresh {number}")
        fresh.scan(folder)
        assert listings(store) == listings(fresh)
        assert is_whole(store, fresh, folder)
        changed(folder)


def test_two_scans_of_one_store_at_once(tmp_path: Path) -> None:
    two_scans(tmp_path, times=1, files=40)


@pytest.mark.soak
def test_many_scans_of_one_store_at_once(tmp_path: Path) -> None:
    two_scans(tmp_path, times=20, files=400)
