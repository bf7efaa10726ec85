"""Full disks, files that may not be written, stores that vanish or are damaged: a sentence, and nothing is lost."""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cli.world import NEARKIN, Called
from nearkin.api.store import Store
from nearkin.errors import InputError, StoreError
from nearkin.store.database import PAGE, connect
from oracle.prose import prose
from store.world import MARK, is_sound, listings, repository

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that others may enter, unlike pytest's."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        yield place
        for path in (place, *place.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


# Root may write everything, so it becomes someone else; what is imported only when it is needed must be there before.
# It takes commands as they come, a line each.
PLAIN = """
import json, os, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from cli.world import Called

if os.getuid() == 0:
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "docs").mkdir()
        for name in "ab":
            (Path(made) / "docs" / name).write_text(" ".join(map(str, range(400))))
        for command in (["scan", f"{made}/docs"], ["families"], ["matches"]):
            Called(*command, "--store", f"{made}/store.db", "--format", "jsonl")
        Called("families", "--store", f"{made}/none.db")
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for line in sys.stdin:
    done = Called(*json.loads(line))
    print(json.dumps([done.code, done.out, done.err]), flush=True)
"""


class PlainUser:
    """Whoever started it, it is not root."""

    def __init__(self, child: "subprocess.Popen[str]") -> None:
        self.child = child

    def __call__(self, *arguments: object) -> "subprocess.CompletedProcess[str]":
        assert self.child.stdin
        assert self.child.stdout
        given = [*map(str, arguments), "--format", "jsonl"]
        self.child.stdin.write(json.dumps(given) + "\n")
        self.child.stdin.flush()
        code, out, err = json.loads(self.child.stdout.readline())
        return subprocess.CompletedProcess(given, code, out, err)


@pytest.fixture
def as_a_plain_user() -> Iterator[PlainUser]:
    with subprocess.Popen(
        [sys.executable, "-c", PLAIN, str(Path(__file__).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        yield PlainUser(child)


def owned(*paths: Path) -> None:
    if os.getuid() == 0:
        for path in paths:
            os.chown(path, NOBODY, NOBODY)


def one_sentence(done: "subprocess.CompletedProcess[str]", *words: str) -> None:
    assert done.returncode == StoreError.exit_code, done.stderr
    assert done.stderr.startswith("nearkin: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


def test_a_store_that_may_not_be_written(place: Path, as_a_plain_user: PlainUser) -> None:
    folder = repository(place / "docs")
    store = Store(place / "store.db")
    store.scan(folder)
    before = store.path.read_bytes()
    store.path.chmod(0o444)
    one_sentence(as_a_plain_user("scan", folder, "--store", store.path), str(store.path), "cannot be")
    place.chmod(0o555)
    one_sentence(as_a_plain_user("scan", folder, "--store", store.path), str(store.path), "cannot be")
    one_sentence(as_a_plain_user("families", "--store", store.path), "it and its folder must be writable")
    one_sentence(as_a_plain_user("scan", folder, "--store", place / "new.db"), str(place / "new.db"))
    place.chmod(0o755)
    assert store.path.read_bytes() == before
    assert is_sound(store)
    store.path.chmod(0o600)
    owned(place, store.path, *place.glob("store.db.*"))
    assert as_a_plain_user("scan", folder, "--store", store.path).stderr == ""


def test_a_store_of_another_person(place: Path, as_a_plain_user: PlainUser) -> None:
    """Files are mode 0600."""
    if os.getuid() != 0:
        pytest.skip("only root can make one")
    store = Store(place / "store.db")
    store.scan(repository(place / "docs"))
    one_sentence(as_a_plain_user("families", "--store", store.path), str(store.path))


def test_a_read_only_file_in_a_folder_of_ones_own_can_be_read(place: Path, as_a_plain_user: PlainUser) -> None:
    store = Store(place / "store.db")
    store.scan(repository(place / "docs"))
    store.path.chmod(0o444)
    owned(place, store.path, *place.glob("store.db.*"))
    read = as_a_plain_user("matches", "--store", store.path)
    assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout


SCAN = """
import sys
from nearkin.api.store import Store
from nearkin.cli.main import main
from nearkin.engine import reader
from nearkin.store import document_writer as writer

reader.BATCH_FILES = writer.TRANSACTION_FILES = 2
whole = Store.scan


def scan(self, *given, progress, **more):
    def tell(stage, *_):
        print(stage, flush=True)
        sys.stdin.readline()

    return whole(self, *given, progress=tell, **more)


Store.scan = scan
sys.exit(main(sys.argv[1:]))
"""


def remove(path: Path) -> None:
    """Though the index is being made in it at the same moment."""
    while path.exists():
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize("moment", ["read", "match", "group"])
@pytest.mark.parametrize("whole_folder", [True, False])
def test_a_store_that_vanishes_under_a_scan(tmp_path: Path, moment: str, whole_folder: bool) -> None:
    folder = repository(tmp_path / "docs")
    (tmp_path / "place").mkdir()
    store = Store(tmp_path / "place" / "store.db")
    command = [sys.executable, "-c", SCAN, "scan", str(folder), "--store", str(store.path), "-q", "--format", "json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        while child.stdout.readline().rstrip() != moment:
            child.stdin.write("\n")
            child.stdin.flush()
        for path in [store.path.parent] if whole_folder else [*store.path.parent.iterdir()]:
            remove(path)
        out, complaint = child.communicate("\n" * 50)
    one_sentence(
        subprocess.CompletedProcess(command, child.returncode, out, complaint), "has vanished", str(store.path)
    )
    store.path.parent.mkdir(exist_ok=True)
    store.scan(folder)
    whole = Store(tmp_path / "whole.db")
    whole.scan(folder)
    assert listings(store) == listings(whole)


def test_reading_on_a_full_disk_says_what_helps(small_disk: Path, tmp_path: Path) -> None:
    store = Store(small_disk / "store.db")
    store.scan(repository(tmp_path / "docs"))
    filler = small_disk / "filler"
    with suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    command = [*NEARKIN, "families", "--store", str(store.path)]
    one_sentence(subprocess.run(command, capture_output=True, text=True, check=False), "Free some room")
    filler.unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    folder = repository(tmp_path / "docs")
    store = Store(small_disk / "store.db")
    store.scan(folder)
    before = listings(store)
    for i in range(200):
        (folder / f"more {i}.txt").write_bytes(prose(100 + i, 9000))
    done = subprocess.run(
        [*NEARKIN, "scan", str(folder), "--store", str(store.path), "-q"], capture_output=True, text=True, check=False
    )
    one_sentence(done, "There is no room left for the store")
    assert listings(store) == before
    assert is_sound(store)
    with pytest.raises(StoreError, match="no room left"):
        store.scan(folder)
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    store.scan(folder)
    whole = Store(tmp_path / "whole.db")
    whole.scan(folder)
    assert listings(store) == listings(whole)


def test_a_disk_too_full_to_write_the_store_anew(small_disk: Path, tmp_path: Path) -> None:
    store = Store(small_disk / "store.db")
    store.scan(repository(tmp_path / "docs"))
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(b"x" * max(0, free.f_bavail * free.f_bsize - 520_000))
    with pytest.raises(StoreError, match="nearkin store compact"):
        store.forget("tiny.txt")
    assert b"tiny.txt" not in [row["path"] for row in store.documents().to_pylist()]
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    store.compact()
    assert MARK not in store.path.read_bytes()


@pytest.mark.parametrize("left", [0, 4096])
@pytest.mark.parametrize("ending", ["xlsx", "html", "csv", "jsonl", "parquet", "dat"])
def test_a_report_for_which_there_is_no_room(small_disk: Path, tmp_path: Path, ending: str, left: int) -> None:
    """Also nothing that a library says when it is given up, and no half of a file."""
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "docs"))
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(bytes(free.f_bavail * free.f_bsize - left))
    done = Called("report", small_disk / f"all.{ending}", "--store", store.path)
    gc.collect()
    written = (f"all.{ending}", f"all.{ending}.about.json")
    assert done.err in [f"nearkin: Cannot write {small_disk / one}: no space left on device.\n" for one in written]
    assert done.code == InputError.exit_code
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


# Damaged.


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_store_without_its_end(tmp_path: Path, share: float) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "docs"))
    whole = store.path.read_bytes()
    cut = whole[: int(len(whole) * share)]
    store.path.write_bytes(cut)
    for ask in (store.families, store.matches, store.info, lambda: store.scan(tmp_path / "docs")):
        with pytest.raises(StoreError, match="is damaged") as refused:
            ask()
        assert refused.value.exit_code == 4
    assert store.path.read_bytes() == cut


def test_pages_that_are_still_in_the_log_alone_are_not_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "docs"))
    with closing(connect(store.path, write=True)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE large AS SELECT randomblob(500000) AS b")
        assert store.families().num_rows > 0
        connection.execute("DROP TABLE large")


def test_pages_of_nonsense(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "docs"))
    data = bytearray(store.path.read_bytes())
    for at in range(PAGE, len(data), PAGE):
        data[at : at + 200] = os.urandom(200)
    store.path.write_bytes(data)
    for ask in (store.families, store.documents, lambda: store.scan(tmp_path / "docs")):
        with pytest.raises(StoreError, match=r"damaged|failed"):
            ask()
    done = subprocess.run(
        [*NEARKIN, "store", "check", "--store", str(store.path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_store_without_its_tables(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(repository(tmp_path / "docs"))
    with closing(connect(store.path, write=True)) as connection:
        connection.execute("DROP TABLE family_content")
    with pytest.raises(StoreError, match="is damaged or not a nearkin store"):
        store.families()
