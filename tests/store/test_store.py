"""The store file: refused, made, written, killed, filled up; what it holds afterwards is right."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

from nearkin import _native
from nearkin.errors import StoreError
from nearkin.model import Readings
from nearkin.pipeline import Scan
from nearkin.scheme import parse_scheme
from nearkin.settings import RunSettings, Settings, TextSettings
from nearkin.store import runs
from nearkin.store.database import connect, explained, one_scan, see, transaction
from nearkin.store.documents import present
from nearkin.store.identical import identical_groups
from nearkin.store.known import Known
from nearkin.store.schema import APPLICATION_ID, SCHEMA_VERSION
from nearkin.store.writer import Writer
from oracle.prose import prose
from store.world import edited_copies

SETTINGS = Settings(run=RunSettings(jobs=2, memory=1 << 30))


def scan(store: Path, folder: Path, settings: Settings = SETTINGS, *, only: Path | None = None) -> None:
    with explained(store), closing(connect(store, create=True, write=True)) as connection:
        Scan(connection, store, settings, "test", lambda *_: None).run((only or folder,), scope_name=None)


def refused(path: Path, *, create: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        connect(path, create=create).close()
    assert caught.value.exit_code == 4
    sentence = str(caught.value)
    assert str(path) in sentence or str(path.parent) in sentence
    return sentence


# Opened or refused.


def test_a_missing_store_is_made_only_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "store"
    assert refused(path, create=False).startswith("There is no store at")
    assert not path.exists()
    with closing(connect(path, create=True)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    with closing(connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM document").fetchone() == (0,)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "no" / "store").startswith("There is no folder")


def test_a_folder_instead_of_a_store(tmp_path: Path) -> None:
    assert "is not a file" in refused(tmp_path)


@pytest.mark.parametrize("content", [b"a text file, not a database at all\n" * 40, os.urandom(5000), b"x"])
def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for create in (False, True):
        assert "not a nearkin store" in refused(path, create=create)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmark (url TEXT)")
        other.commit()
    before = path.read_bytes()
    assert "not a nearkin store" in refused(path)
    assert path.read_bytes() == before


def test_a_store_of_a_newer_nearkin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with closing(connect(path, create=True)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    sentence = refused(path)
    assert "newer nearkin" in sentence
    assert "upgrade nearkin" in sentence


def test_an_empty_file_becomes_a_store_only_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch()
    assert "not a nearkin store" in refused(path, create=False)
    connect(path, create=True).close()
    connect(path).close()


class Killed(BaseException):
    pass


def test_a_store_killed_while_it_was_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, left = sqlite3.connect, 0

    class Mortal(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return super().execute(*given)

    for statements in range(60):
        path = tmp_path / f"store {statements}"
        left = statements
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", partial(whole, factory=Mortal))
            try:
                connect(path, create=True, write=True).close()
            except Killed:
                pass
            else:
                assert statements > 20
                return
        connect(path, create=True).close()
    pytest.fail("never made")


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "store"
    before = os.umask(0)
    try:
        with closing(connect(path, create=True, write=True)) as connection, one_scan(path):
            connection.execute("INSERT INTO canon (spec) VALUES ('x')")
            made = list(tmp_path.iterdir())
            assert {file.name for file in made} >= {"store", "store-wal", "store.lock"}
            for file in made:
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    finally:
        os.umask(before)


def test_nobody_else_may_read_what_was_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch(0o644)
    path.chmod(0o644)
    connect(path, create=True).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_set_up_for_many_readers_and_checked_references(tmp_path: Path) -> None:
    path = tmp_path / "store"
    connect(path, create=True).close()
    for write in (False, True):
        with closing(connect(path, write=write)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    with closing(connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        connection.execute("INSERT INTO scheme (spec, canon, format) VALUES ('exact', 99, 1)")


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_making_a_store_waits_for_another_who_makes_it(tmp_path: Path, lock: str) -> None:
    path = tmp_path / "store"
    path.touch(0o600)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute(lock)
        done = threading.Timer(0.2, other.execute, ["COMMIT"])
        done.start()
        try:
            connect(path, create=True, write=True).close()
        finally:
            done.join()


MAKE = """
import sys
from pathlib import Path
from nearkin.store.database import connect

print("ready", flush=True)
for line in sys.stdin:
    connect(Path(line.rstrip()), create=True, write=True).close()
    print("made", flush=True)
"""


def test_several_make_one_store_at_once(tmp_path: Path) -> None:
    with ExitStack() as open_ones:
        children = [
            open_ones.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", MAKE],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(6)
        ]
        pipes = [(child.stdin, child.stdout, child.stderr) for child in children]
        for _, told, _ in pipes:
            assert told is not None
            assert told.readline() == "ready\n"
        for number in range(40):
            store = tmp_path / f"store {number}"
            for asked, _, _ in pipes:
                assert asked is not None
                asked.write(f"{store}\n")
                asked.flush()
            for _, told, complained in pipes:
                assert told is not None
                assert complained is not None
                assert told.readline() == "made\n" or complained.read() == ""
            with closing(connect(store)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_second_scan_is_told_so_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    started = time.monotonic()
    with one_scan(path), pytest.raises(StoreError, match="Another scan is writing"), one_scan(path):
        pass
    assert time.monotonic() - started < 5
    with one_scan(path):
        pass


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "store", create=True, write=True)) as connection:
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.executemany("INSERT INTO canon (spec) VALUES (?)", [("half",), ("half",)])
        assert connection.execute("SELECT count(*) FROM canon").fetchone() == (0,)
        with transaction(connection):
            connection.execute("INSERT INTO canon (spec) VALUES ('whole')")
        assert connection.execute("SELECT count(*) FROM canon").fetchone() == (1,)


# Written.


class Desk:
    """A store with a writer for each new run."""

    def __init__(self, path: Path) -> None:
        self.connection = connect(path, create=True, write=True)
        self.onlooker = connect(path)
        self.canon = runs.canon_id(self.connection, "raw")
        self.scheme = runs.scheme_id(self.connection, "exact:window=20", self.canon, 1)
        self.connection.execute("INSERT INTO scope (id, name, root) VALUES (1, 'desk', x'2f')")

    def writer(self, *, keep_text: bool = True) -> Writer:
        """Of a new run; the one before has finished."""
        self.connection.execute("UPDATE run SET state = 'done'")
        run = runs.begin(self.connection, version="test", settings="{}")
        see(self.connection, run)
        known = Known(self.canon, raw=True, keep=keep_text)
        known.load(self.connection, 1, self.scheme)
        return Writer(self.connection, 1, run, self.canon, self.scheme, keep_text, known)

    def store(self, readings: Readings, *, keep_text: bool = True) -> None:
        writer = self.writer(keep_text=keep_text)
        writer.add(readings)
        writer.flush()

    def count(self, table: str) -> int:
        """As others see it: what is not committed yet does not count."""
        return int(self.onlooker.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def reading(path: str, text: bytes, *, words: bytes | None = None, extractor: str = "text/1") -> Readings:
    canonical = text if words is None else words
    features, _, modulus = _native.sign(parse_scheme("exact:window=20").native(), canonical)
    return Readings(
        paths=[path.encode()],
        sizes=[len(text)],
        mtimes=[1],
        inodes=[2],
        owners=[0],
        media=["text/plain"],
        encodings=["utf-8"],
        digests=[sha256(text).digest()],
        reasons=[None],
        details=[None],
        extractors=[extractor],
        readers=[None],
        properties=[None],
        md5=[None],
        sha1=[None],
        texts=[text],
        packed=[None],
        characters=[len(text)],
        canonical=[canonical],
        contents=[sha256(canonical).digest()],
        lengths=[len(canonical)],
        moduli=[modulus],
        features=[features.tobytes()],
        weights=[None],
    )


def batch(*readings: Readings) -> Readings:
    first, *rest = readings
    for more in rest:
        first.extend(more)
    return first


@pytest.fixture
def desk(tmp_path: Path) -> "Desk":
    return Desk(tmp_path / "store")


def test_the_same_text_is_stored_once(desk: Desk) -> None:
    def counts() -> tuple[int, ...]:
        return tuple(desk.count(table) for table in ("document", "text", "content", "signature"))

    writer = desk.writer()
    writer.add(batch(reading("a", b"one"), reading("b", b"one"), reading("c", b"two")))
    writer.flush()
    assert counts() == (3, 2, 2, 2)
    writer.add(batch(reading("d", b"one"), reading("e", b"three", words=b"two"), reading("f", b"two")))
    writer.flush()
    assert counts() == (6, 3, 2, 2)


def test_the_same_bytes_taken_in_another_way_are_another_text(desk: Desk) -> None:
    writer = desk.writer()
    page = b"<p>one</p>"
    writer.add(reading("a.html", page, words=b"one", extractor="html/1"))
    writer.add(reading("b.txt", page, words=b"p one p"))
    writer.add(batch(reading("c.html", page, words=b"one", extractor="html/1"), reading("d", page, extractor="raw")))
    writer.flush()
    assert (desk.count("document"), desk.count("text"), desk.count("content")) == (4, 3, 3)
    shown = desk.connection.execute(
        """SELECT path, extractor, c.digest
           FROM document d JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content"""
    )
    assert sorted(shown) == [
        (b"a.html", "html/1", sha256(b"one").digest()),
        (b"b.txt", "text/1", sha256(b"p one p").digest()),
        (b"c.html", "html/1", sha256(b"one").digest()),
        (b"d", "raw", sha256(page).digest()),
    ]


@pytest.mark.parametrize("files", [1, 2, 3, 7, 100])
def test_however_many_a_transaction_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    monkeypatch.setattr("nearkin.store.writer.TRANSACTION_FILES", files)
    desk = Desk(tmp_path / "store")
    writer = desk.writer()
    for number in range(10):
        writer.add(
            batch(reading(f"{number}", b"%d" % (number // 2)), reading(f"{number} again", b"%d" % (number // 2)))
        )
        assert desk.count("document") <= 2 * (number + 1)
        assert desk.count("document") > 2 * (number + 1) - files, "no more than that may be lost"
    writer.finish((b"",))
    assert (desk.count("document"), desk.count("text"), desk.count("signature")) == (20, 5, 5)


def test_large_files_are_not_held_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nearkin.store.writer.TRANSACTION_BYTES", 1000)
    writer = desk.writer()
    writer.add(reading("a", b"x" * 999))
    assert desk.count("document") == 0
    writer.add(reading("b", b"y"))
    assert desk.count("document") == 2


def test_what_was_written_whole_stays_when_reading_breaks_off(desk: Desk) -> None:
    def broken_off() -> None:
        with desk.writer() as writer:
            writer.add(reading("a", b"one"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert (desk.count("document"), desk.count("signature")) == (1, 1)
    assert not desk.connection.in_transaction


def test_a_batch_that_cannot_be_written_leaves_nothing_half(desk: Desk) -> None:
    broken = reading("b", b"two")
    broken.paths = [None]  # type: ignore[list-item]
    with pytest.raises(sqlite3.IntegrityError), desk.writer() as writer:
        writer.add(broken)
    assert (desk.count("document"), desk.count("content"), desk.count("signature")) == (0, 0, 0)
    desk.store(reading("b", b"two"))
    assert desk.count("document") == 1


def test_a_changed_document_is_the_same_document(desk: Desk) -> None:
    desk.store(reading("a", b"old"))
    desk.store(replace(reading("a", b"new!"), encodings=["utf-16-le"]))
    (document,) = present(desk.connection)
    assert document.digest == sha256(b"new!").hexdigest()
    assert (document.size, document.encoding) == (4, "utf-16-le")
    assert desk.count("document") == 2  # what it was before is not forgotten


def test_a_document_that_failed_and_then_did_not(desk: Desk) -> None:
    desk.store(Readings.failed(b"a", "permission denied"))
    assert present(desk.connection) == []
    (failed,) = present(desk.connection, failed=True)
    assert (failed.reason, failed.detail, failed.digest) == ("unreadable", "permission denied", "")
    desk.store(reading("a", b"now"))
    assert present(desk.connection, failed=True) == []
    assert len(present(desk.connection)) == 1


def paths(desk: Desk) -> list[str]:
    return [document.location.name for document in present(desk.connection)]


def test_documents_that_were_not_met_again_are_gone_and_may_come_back(desk: Desk) -> None:
    writer = desk.writer()
    writer.add(batch(reading("a", b"1"), reading("b", b"2")))
    writer.finish((b"",))
    writer = desk.writer()
    writer.known.met.add(b"b")
    writer.add(reading("b", b"2"))
    writer.finish((b"",))
    assert paths(desk) == ["b"]
    assert desk.count("document") == 2
    writer = desk.writer()
    writer.known.met |= {b"a", b"b"}
    writer.add(batch(reading("a", b"1"), reading("b", b"2")))
    writer.finish((b"",))
    assert paths(desk) == ["a", "b"]


def test_a_file_scanned_alone_may_be_gone(desk: Desk) -> None:
    writer = desk.writer()
    writer.add(batch(reading("sub", b"1"), reading("subway", b"2")))
    writer.finish((b"",))
    desk.writer().finish((b"sub",))
    assert paths(desk) == ["subway"]


def test_only_what_lies_below_the_scanned_tree_can_be_gone(desk: Desk) -> None:
    writer = desk.writer()
    writer.add(batch(*(reading(path, b"1") for path in ("sub/a", "sub/deep/b", "subway/c", "other"))))
    writer.finish((b"",))
    desk.writer().finish((b"sub",))
    assert paths(desk) == ["other", "subway/c"]


def text_of(desk: Desk) -> bytes | None:
    (blob,) = desk.connection.execute("SELECT zstd FROM text").fetchone()
    return None if blob is None else zstandard.ZstdDecompressor().decompress(blob)


def test_texts_are_kept_only_where_asked_and_filled_in_later(desk: Desk) -> None:
    desk.store(batch(reading("a", b"secret"), reading("b", b"secret")), keep_text=False)
    assert text_of(desk) is None
    desk.store(reading("b", b"secret"), keep_text=True)
    assert text_of(desk) == b"secret"
    desk.store(reading("a", b"secret"), keep_text=False)
    assert text_of(desk) == b"secret"
    assert desk.count("text") == 1


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
from nearkin.engine import local
from nearkin.pipeline import Scan
from nearkin.settings import RunSettings, Settings
from nearkin.store import writer
from nearkin.store.database import connect

local.BATCH_FILES = writer.TRANSACTION_FILES = 8  # many transactions to be killed between
store, folder = Path(sys.argv[1]), Path(sys.argv[2])
with closing(connect(store, create=True, write=True)) as connection:
    settings = Settings(run=RunSettings(jobs=2, memory=1 << 30))
    print("open", flush=True)
    Scan(connection, store, settings, "test", lambda *_: None).run((folder,), scope_name=None)
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
            Scan(connection, store, SETTINGS, "test", lambda *_: None).run((folder,), scope_name=None)
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
