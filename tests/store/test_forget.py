"""Forgetting: no byte of a forgotten text is left, and everything else is as if the document had never been there."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from nearkin._native import Segment
from nearkin.api.store import Store
from nearkin.errors import BusyError, InputError, UsageError
from nearkin.matching.feature_index import FeatureIndex
from nearkin.matching.segment_builder import Builder, build_segments, open_segment
from nearkin.scheme import parse_scheme
from nearkin.settings import DEFAULT_SCHEME
from nearkin.store.audit import entries
from nearkin.store.compression import pack_all
from nearkin.store.database import connect, one_scan
from nearkin.store.segments import LOCK, SegmentFile, drop_segments, folder_of, segment_files
from oracle.prose import prose
from store.world import FILES, MARK, is_sound, listings, rows

pytestmark = pytest.mark.usefixtures("either_insert")


def everything(store: Store) -> bytes:
    """All bytes of the store and of what stands beside it."""
    beside = folder_of(store.path)
    files = [*store.path.parent.glob(f"{store.path.name}*"), *(beside.iterdir() if beside.is_dir() else [])]
    return b"".join(file.read_bytes() for file in files if file.is_file())


def blobs(store: Store, name: str) -> list[bytes]:
    """How the text and the signatures of a document are stored."""
    found = rows(
        store,
        """SELECT t.zstd, s.features FROM document d JOIN text t ON t.id = d.text
           JOIN signature s ON s.content = t.content WHERE d.path = ?""",
        name.encode(),
    )
    return [blob for row in found for blob in row]


def test_no_byte_of_the_text_is_left(store: Store, folder: Path) -> None:
    assert MARK in everything(store)
    secret = blobs(store, "private.txt")
    assert len(secret) == 2
    (folder / "private.txt").write_bytes(b"now it says " + FILES["private.txt"])  # a second version
    store.scan(folder)
    secret += blobs(store, "private.txt")
    (forgotten,) = store.forget("private.txt")
    assert (forgotten.versions, forgotten.texts, forgotten.kept_for) == (2, 2, ())
    store.forget(["private-2.txt", "tiny.txt"])
    left = everything(store)
    assert MARK not in left
    for blob in secret:
        assert len(blob) > 100
        assert blob[20:90] not in left
    assert is_sound(store)
    assert store.verify() == []


def test_nor_what_a_careless_sqlite_left_of_it_in_a_gap(store: Store) -> None:
    """Many are built to leave deleted rows where they were; nearkin scanned with such a one before."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as careless:
        careless.execute("PRAGMA journal_mode = DELETE")
        careless.execute("PRAGMA secure_delete = OFF")
        careless.execute("CREATE TABLE draft (text BLOB)")
        careless.execute("BEGIN")  # a thousand transactions took 16 s on a busy disk
        careless.executemany("INSERT INTO draft VALUES (?)", [(MARK,)] * 1000)
        careless.execute("COMMIT")
        careless.execute("DROP TABLE draft")
    assert everything(store).count(MARK) > 1
    store.forget("tiny.txt")
    assert MARK not in everything(store)


def test_the_rest_is_as_if_it_had_never_been(store: Store, folder: Path, tmp_path: Path) -> None:
    store.forget(["manual-2.txt", "single.txt", "picture.png"])
    for name in ("manual-2.txt", "single.txt", "picture.png"):
        (folder / name).unlink()
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(folder)
    assert listings(store) == listings(fresh)
    before = listings(store)
    assert store.scan(folder).gone == 0
    assert listings(store) == before


@pytest.mark.parametrize("gone", [["manual.txt", "copy.txt"], ["manual-2.txt"], ["private.txt"]])
def test_families_can_be_read_before_they_are_grouped_again(
    store: Store, gone: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By others meanwhile, or for long where it was killed, had no room, or a scan had begun."""
    monkeypatch.setattr("nearkin.api.care.match_again", lambda *_: None)
    before = {one["path"] for family in store.families().to_pylist() for one in family["documents"]}
    store.forget(gone)
    families = store.families().to_pylist()
    for family in families:
        assert [one["pivot"] for one in family["documents"]].count(True) >= 1
        assert len(family["documents"]) > 1
    left = {one["path"] for family in families for one in family["documents"]}
    assert left == before - {*gone} - ({"private-2.txt"} if gone == ["private.txt"] else set())
    for ending in ("html", "xlsx", "dat"):
        store.report(tmp_path / f"all.{ending}")
    assert store.verify() == []


def test_its_digest_is_in_the_audit(store: Store) -> None:
    digest = rows(
        store, "SELECT hex(digest) FROM document WHERE path = 'private.txt' OR path = x'707269766174652e747874'"
    )
    (forgotten,) = store.forget("private.txt", by="Ada")
    with closing(connect(store.path)) as connection:
        (entry,) = entries(connection, action="forget")
    assert (entry.by, entry.subject) == ("Ada", "docs:private.txt")
    assert entry.before["digests"] == list(forgotten.digests) == [digest[0][0].lower()]
    assert MARK.decode() not in json.dumps(entry.before)


def test_what_another_document_holds_stays(store: Store, folder: Path) -> None:
    (folder / "page.html").write_bytes(b"<p>" + FILES["manual.txt"])
    store.scan(folder)
    (forgotten,) = store.forget("copy.txt")
    assert forgotten.texts == 0
    assert [other.name for other in forgotten.kept_for] == ["manual.txt", "page.html"]
    assert forgotten.on_disk
    assert store.verify() == []
    # The same words in other bytes: its own text goes, the content stays.
    (forgotten,) = store.forget("manual.txt")
    assert forgotten.texts == 1
    assert [other.name for other in forgotten.kept_for] == ["page.html"]
    assert store.check(FILES["manual.txt"])["path"].to_pylist()[0] == "page.html"
    assert store.verify() == []


def test_documents_that_are_gone_or_moved(store: Store, folder: Path) -> None:
    (folder / "private.txt").unlink()
    (folder / "tiny.txt").rename(folder / "moved.txt")
    store.scan(folder)
    (gone,) = store.forget("private.txt")
    assert (gone.texts, gone.on_disk) == (1, False)
    assert MARK in everything(store)
    (moved,) = store.forget(folder / "moved.txt")  # by its file's name; where it was before goes too
    assert (moved.versions, moved.texts) == (2, 1)
    assert MARK not in everything(store)
    assert rows(store, "SELECT count(*) FROM document WHERE path IN (?, ?)", b"tiny.txt", b"moved.txt") == [(0,)]


def test_what_an_unfinished_scan_left_of_it_goes_too(store: Store, folder: Path, tmp_path: Path) -> None:
    (folder / "private.txt").write_bytes(MARK + b" " + prose(77, 3000))

    def break_off(stage: str, *_: int) -> None:
        if stage == "match":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.scan(folder, progress=break_off)
    store.forget("private.txt")
    left = everything(store)
    (packed,) = pack_all([MARK + b" " + prose(77, 3000)])
    assert packed[20:90] not in left


def test_no_segment_knows_it_any_more(store: Store) -> None:
    def files() -> set[str]:
        return {file.name for file in folder_of(store.path).iterdir()} - {LOCK}

    def holders() -> int:
        """Of its features, in all segments."""
        with closing(connect(store.path)) as connection:
            index = FeatureIndex(connection, store.path, parse_scheme(DEFAULT_SCHEME), 1)
            return len(index.lists(np.frombuffer(features, "<u8"))[1])

    ((features,),) = rows(
        store,
        """SELECT s.features FROM signature s JOIN text t ON t.content = s.content JOIN document d ON d.text = t.id
           WHERE d.path = CAST('single.txt' AS BLOB)""",
    )
    before = files()
    assert holders() == len(features) // 8
    store.forget("single.txt")
    assert files()
    assert not before & files()
    assert holders() == 0


def test_nor_one_that_is_being_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check or the end of a scan writes segments without holding up anyone else."""
    merged = Builder._merged
    query = "SELECT t.content FROM document d JOIN text t ON t.id = d.text WHERE d.path = ?"
    ((secret,),) = rows(store, query, b"private.txt")
    forgetting = Thread(target=store.forget, args=["private.txt"])

    def forgotten_meanwhile(builder: Builder, parts: list[Segment]) -> SegmentFile:
        monkeypatch.undo()
        forgetting.start()
        forgetting.join(0.5)  # it waits, as long as this one writes
        return merged(builder, parts)

    with closing(connect(store.path, write=True)) as connection:
        drop_segments(connection, [1])
        monkeypatch.setattr(Builder, "_merged", forgotten_meanwhile)
        build_segments(connection, store.path, parse_scheme(DEFAULT_SCHEME), 1)
        forgetting.join()
        named = segment_files(connection, 1)
    assert named
    assert all(secret not in open_segment(store.path, one).contents.tolist() for one in named)


def test_codes_go_with_their_signatures(tmp_path: Path, folder: Path) -> None:
    store = Store(tmp_path / "codes.db")
    store.scan(folder, scheme="si:method=3,stream=soundex,variation=B,k=8")
    before = rows(store, "SELECT count(*) FROM code")[0][0]
    store.forget("single.txt")
    assert rows(store, "SELECT count(*) FROM code") == [(before - 1,)]
    assert is_sound(store)


def test_names_that_are_wrong_or_may_be_several(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No document at nowhere\.txt"):
        store.forget(["single.txt", "nowhere.txt"])
    other = tmp_path / "other"
    other.mkdir()
    (other / "single.txt").write_bytes(b"another single one")
    store.scan(other)
    with pytest.raises(UsageError, match=r"name one: docs:single\.txt or other:single\.txt"):
        store.forget("single.txt")
    (forgotten,) = store.forget("other:single.txt")
    assert forgotten.location.scope == "other"
    assert "single.txt" in [document["path"] for document in store.documents().to_pylist()]


def test_not_while_a_scan_runs(store: Store) -> None:
    before = listings(store)
    with one_scan(store.path), pytest.raises(BusyError):
        store.forget("single.txt")
    assert listings(store) == before


def test_verdicts_hang_on_digests_and_stay(store: Store) -> None:
    with closing(connect(store.path, write=True)) as connection:
        connection.execute(
            "INSERT INTO verdict (id, about, verdict, by, at) VALUES (1, 'pair', 'not-similar', 'Ada', 'now')"
        )
        connection.execute("INSERT INTO verdict_bytes SELECT 1, digest FROM document WHERE path = ?", (b"private.txt",))
    store.forget("private.txt")
    assert rows(store, "SELECT count(*) FROM verdict_bytes") == [(1,)]
    assert is_sound(store)
