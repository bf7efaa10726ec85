"""Documents, texts and contents, written batch by batch: once each, whole or not at all."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from nearkin import _native
from nearkin.scheme import parse_scheme
from nearkin.store import runs
from nearkin.store.batch import DocumentBatch
from nearkin.store.database import MOST_PAGES, connect, see
from nearkin.store.document_writer import Writer
from nearkin.store.documents import present
from nearkin.store.freshness import FileVersions, ReadRules
from nearkin.store.text_writer import CACHED

pytestmark = pytest.mark.usefixtures("either_insert")


class Desk:
    """A store with a writer for each new run."""

    def __init__(self, path: Path) -> None:
        self.connection = connect(path, create=True, write=True)
        self.onlooker = connect(path)
        self.canon = runs.canon_id(self.connection, "raw")
        self.scheme = runs.scheme_id(self.connection, "exact:window=20", self.canon, 1)
        self.connection.execute("INSERT INTO scope (id, name, root) VALUES (1, 'desk', x'2f')")

    def writer(self, *, keep_text: bool = True, room: int = MOST_PAGES) -> Writer:
        """Of a new run; the one before has finished."""
        self.connection.execute("UPDATE run SET state = 'done'")
        run = runs.begin(self.connection, version="test", settings="{}")
        see(self.connection, run)
        rules = ReadRules(self.canon, raw=True, keep=keep_text)
        files = FileVersions.load(self.connection, 1, self.scheme, rules)
        return Writer(self.connection, 1, run, self.canon, self.scheme, keep_text, files, room=room)

    def store(self, readings: DocumentBatch, *, keep_text: bool = True) -> None:
        writer = self.writer(keep_text=keep_text)
        writer.add(readings)
        writer.flush()

    def close(self) -> None:
        self.connection.close()
        self.onlooker.close()

    def count(self, table: str) -> int:
        """As others see it: what is not committed yet does not count."""
        return int(self.onlooker.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def reading(path: str, text: bytes, *, words: bytes | None = None, extractor: str = "text/1") -> DocumentBatch:
    canonical = text if words is None else words
    features, _, modulus = _native.sign(parse_scheme("exact:window=20").native(), canonical)
    return DocumentBatch.of_lists(
        paths=[path.encode()],
        sizes=[len(text)],
        mtimes=[1],
        ctimes=[3],
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
        contents=[sha256(canonical).digest()],
        lengths=[len(canonical)],
        moduli=[modulus],
        features=[features.tobytes()],
        weights=[None],
    )


def batch(*readings: DocumentBatch) -> DocumentBatch:
    first, *rest = readings
    for more in rest:
        first.extend(more)
    return first


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with closing(Desk(tmp_path / "store")) as desk:
        yield desk


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
def test_however_many_a_transaction_holds(desk: Desk, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    monkeypatch.setattr("nearkin.store.document_writer.TRANSACTION_FILES", files)
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
    monkeypatch.setattr("nearkin.store.document_writer.TRANSACTION_BYTES", 1000)
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
    changed = reading("a", b"new!")
    changed.encodings = ["utf-16-le"]
    desk.store(changed)
    (document,) = present(desk.connection)
    assert document.digest == sha256(b"new!").hexdigest()
    assert (document.size, document.encoding) == (4, "utf-16-le")
    assert desk.count("document") == 2  # what it was before is not forgotten


def test_a_document_that_failed_and_then_did_not(desk: Desk) -> None:
    desk.store(DocumentBatch.failed(b"a", "permission denied"))
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
    writer.files.met.add(b"b")
    writer.add(reading("b", b"2"))
    writer.finish((b"",))
    assert paths(desk) == ["b"]
    assert desk.count("document") == 2
    writer = desk.writer()
    writer.files.met |= {b"a", b"b"}
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


@pytest.mark.parametrize("remembered", [0, 1, 1_000])
def test_however_much_is_remembered_each_text_is_stored_once(desk: Desk, remembered: int) -> None:
    writer = desk.writer(room=2 * CACHED * remembered)
    for turn in range(3):  # the second and third bring one new text each
        texts = [b"one", b"two", b"two", b"of turn %d" % turn]
        writer.add(batch(*(reading(f"{turn}/{at}.txt", text) for at, text in enumerate(texts))))
    writer.flush()
    assert [desk.count(table) for table in ("document", "text", "content", "signature")] == [12, 5, 5, 5]


def test_what_another_adds_between_two_transactions_is_not_stored_again(desk: Desk) -> None:
    writer = desk.writer()
    writer.add(reading("a.txt", b"one"))
    writer.flush()
    desk.store(reading("b.txt", b"two"))
    writer.add(batch(reading("c.txt", b"two"), reading("d.txt", b"one"), reading("e.txt", b"three")))
    writer.flush()
    assert [desk.count(table) for table in ("document", "text", "content", "signature")] == [5, 3, 3, 3]


def test_nothing_is_remembered_of_a_batch_that_was_taken_back(desk: Desk) -> None:
    writer = desk.writer()
    broken = batch(reading("a.txt", b"one"), reading("b.txt", b"two"))
    broken.paths[1] = None  # type: ignore[call-overload]
    with pytest.raises(sqlite3.IntegrityError):
        writer.add(broken)
    writer.add(reading("a.txt", b"one"))
    writer.flush()
    assert [desk.count(table) for table in ("document", "text", "content", "signature")] == [1, 1, 1, 1]
