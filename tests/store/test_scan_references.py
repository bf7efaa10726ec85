"""What a scan leaves in a store: keys that have their rows, and a sentence where the disk is full."""

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from hashlib import md5
from pathlib import Path

import pytest

from nearkin.errors import StoreError
from nearkin.pipeline import scan as bring_up_to_date
from nearkin.run import RunContext
from nearkin.settings import RunSettings, Settings, TextSettings
from nearkin.store.database import connect, explained
from nearkin.store.documents import identical_groups, present
from oracle.prose import prose
from store.world import edited_copies

SETTINGS = Settings(run=RunSettings(jobs=2, memory=1 << 30))


def scan(store: Path, folder: Path, settings: Settings = SETTINGS, *, only: Path | None = None) -> None:
    with explained(store), closing(connect(store, create=True, write=True)) as connection:
        bring_up_to_date(RunContext(connection, store, settings, "test", lambda *_: None), (only or folder,))


# Wang and Yu 2005: two blocks of 128 bytes with one MD5.
WANG = (
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89"
    "55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b"
    "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70"
)
YU = (
    "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f89"
    "55ad340609f4b30283e4888325f1415a085125e8f7cdc99fd91dbd7280373c5b"
    "d8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70"
)


@pytest.mark.parametrize("raw", [False, True])
def test_other_bytes_with_one_md5_are_other_documents(tmp_path: Path, raw: bool) -> None:
    wang, yu = bytes.fromhex(WANG), bytes.fromhex(YU)
    assert wang != yu
    assert md5(wang, usedforsecurity=False).digest() == md5(yu, usedforsecurity=False).digest()
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "wang").write_bytes(wang)
    (folder / "yu").write_bytes(yu)
    (folder / "copy of yu").write_bytes(yu)
    store = tmp_path / "store"
    scan(store, folder, replace(SETTINGS, text=TextSettings(raw=raw)))
    with closing(connect(store)) as connection:
        groups = [
            [location.name for location in group.documents]
            for group in identical_groups(connection)
            if group.tier == "bytes"
        ]
        assert groups == [["copy of yu", "yu"]]
        assert len({document.digest for document in present(connection)}) == 2


# Killed and filled up.

RESULTS = """
    SELECT 'document', hex(path), size, hex(d.digest), extractor, hex(c.digest), gone IS NULL, reason
        FROM document d LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
    UNION ALL SELECT 'signature', hex(c.digest), modulus, hex(features), hex(weights), NULL, NULL, NULL
        FROM signature JOIN content c ON c.id = content
    UNION ALL SELECT 'match', min(hex(x.digest), hex(y.digest)), max(hex(x.digest), hex(y.digest)),
            resemblance, min(a_in_b, b_in_a), max(a_in_b, b_in_a), shared_bytes, exact
        FROM match JOIN content x ON x.id = a JOIN content y ON y.id = b
    UNION ALL SELECT 'family', hex(founder), kind, links, hex(c.digest), role, pivot, to_pivot
        FROM family JOIN family_content ON family = family.id JOIN content c ON c.id = content
    UNION ALL SELECT 'text', hex(t.digest), extractor, hex(c.digest), characters, zstd IS NULL, NULL, NULL
        FROM text t JOIN content c ON c.id = t.content
"""


def results(store: Path) -> list[str]:
    with closing(connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return sorted(repr(row) for row in connection.execute(RESULTS))


def test_scans_leave_no_reference_without_its_row(tmp_path: Path) -> None:
    folder = edited_copies(tmp_path / "files", files=60)
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (folder / "empty").touch()
    (folder / "sub").mkdir()
    for i in range(20):
        (folder / f"sub/{i}.html").write_bytes(b"<p>" + prose(i % 4, 900 + i))
    store = tmp_path / "store"
    scan(store, folder)
    assert results(store)
    for path in [*folder.glob("*7.txt"), *folder.glob("sub/1*.html"), folder / "picture.png"]:
        path.unlink()
    (folder / "0003.txt").write_bytes(prose(77, 500))
    scan(store, folder, only=folder / "sub")
    assert results(store)
    scan(store, folder)
    assert results(store)
    for other in (
        replace(SETTINGS, scheme="tttd:mean=100"),
        replace(SETTINGS, scheme="exact:window=20", text=TextSettings(raw=True)),
        replace(SETTINGS, text=TextSettings(ignore=(), keep=False)),
    ):
        scan(store, folder, other)
        assert results(store)
    for path in folder.glob("*.txt"):
        path.unlink()
    scan(store, folder)
    assert results(store)
    with closing(connect(store)) as connection:
        assert len(present(connection)) == 10
        assert connection.execute("SELECT count(*) FROM scheme").fetchone() == (4,)
        assert connection.execute("SELECT count(*) FROM match").fetchone()[0] > 0


SCAN = """
import sys
from contextlib import closing
from pathlib import Path
from nearkin.engine import reader
from nearkin.pipeline import scan
from nearkin.run import RunContext
from nearkin.settings import RunSettings, Settings
from nearkin.store import document_writer as writer
from nearkin.store.database import connect

reader.BATCH_FILES = writer.TRANSACTION_FILES = 8  # many transactions to be killed between
store, folder = Path(sys.argv[1]), Path(sys.argv[2])
with closing(connect(store, create=True, write=True)) as connection:
    settings = Settings(run=RunSettings(jobs=2, memory=1 << 30))
    print("open", flush=True)
    scan(RunContext(connection, store, settings, "test", lambda *_: None), (folder,))
print("done", flush=True)
"""


def test_a_full_disk_is_said_in_a_sentence_and_survived(tmp_path: Path) -> None:
    folder = edited_copies(tmp_path / "files", files=120)
    scan(tmp_path / "whole", folder)
    store = tmp_path / "store"
    with closing(connect(store, create=True, write=True)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with (
            pytest.raises(StoreError, match=r"There is no room left for the store .* free some") as full,
            explained(store),
        ):
            bring_up_to_date(RunContext(connection, store, SETTINGS, "test", lambda *_: None), (folder,))
        assert full.value.exit_code == 4
    with closing(connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    scan(store, folder)
    assert results(store) == results(tmp_path / "whole")


LIMITED = """
import resource, sys
from pathlib import Path
from nearkin.errors import StoreError
from nearkin.store.database import explained
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
source = sys.stdin.read()
try:
    with explained(Path(sys.argv[1])):
        exec(source)
except StoreError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def test_a_file_that_may_not_grow_is_said_in_a_sentence_and_survived(tmp_path: Path) -> None:
    folder = edited_copies(tmp_path / "files", files=200)
    scan(tmp_path / "whole", folder)
    store = tmp_path / "store"
    child = subprocess.run(
        [sys.executable, "-c", LIMITED, str(store), str(folder)],
        input=SCAN,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == StoreError.exit_code, child.stderr
    assert str(store) in child.stdout
    assert child.stdout.rstrip().endswith(".")
    scan(store, folder)
    assert results(store) == results(tmp_path / "whole")
