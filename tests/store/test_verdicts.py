"""Verdicts hang on bytes: which contents they concern, what takes the place of what."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from cli.world import Called, edited, prose
from nearkin.api.store import Store
from nearkin.model import Location
from nearkin.store import runs
from nearkin.store.audit import entries, record
from nearkin.store.database import connect, transaction
from nearkin.store.verdicts import Ruling, VerdictIndex, add_verdict, all_verdicts, remove_verdict
from store.world import rows

pytestmark = pytest.mark.usefixtures("either_insert")

FAMILY = b"f" * 32


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Four contents; the first also as a page and as a copy."""
    docs = tmp_path / "docs"
    docs.mkdir()
    texts = {"a": prose(1), "b": edited(prose(1), 9), "c": edited(prose(1), 90), "d": prose(2)}
    for name, text in texts.items():
        (docs / f"{name}.txt").write_text(text)
    (docs / "copy.txt").write_text(texts["a"])
    (docs / "page.html").write_text(f"<p>{texts['a']}</p>")
    assert Called("scan", docs, "--store", tmp_path / "store.db").code == 0
    with closing(connect(tmp_path / "store.db", write=True)) as connection:
        yield connection


def digest(connection: sqlite3.Connection, name: str) -> bytes:
    return bytes(connection.execute("SELECT digest FROM present WHERE path = ?", (name.encode(),)).fetchone()[0])


def content(connection: sqlite3.Connection, name: str) -> int:
    query = "SELECT t.content FROM present d JOIN text t ON t.id = d.text WHERE d.path = ?"
    return int(connection.execute(query, (name.encode(),)).fetchone()[0])


def say(connection: sqlite3.Connection, ruling: str, *names: str, family: bytes | None = None, **more: object) -> None:
    with transaction(connection):
        digests = [digest(connection, name) for name in names]
        add_verdict(connection, Ruling(ruling), digests, by="ann", family=family, **more)  # type: ignore[arg-type]


def of(connection: sqlite3.Connection, a: str, b: str) -> str | None:
    return VerdictIndex(connection).of_pair(content(connection, a), content(connection, b))


def test_a_pair_of_contents_is_decided_by_any_document_of_each(connection: sqlite3.Connection) -> None:
    say(connection, "not-similar", "page.html", "b.txt")
    assert of(connection, "a.txt", "b.txt") == of(connection, "b.txt", "copy.txt") == "not-similar"
    assert of(connection, "a.txt", "c.txt") is None


def test_of_a_family_any_two(connection: sqlite3.Connection) -> None:
    say(connection, "template", "a.txt", "b.txt", "c.txt", family=FAMILY)
    assert of(connection, "b.txt", "c.txt") == "template"
    assert of(connection, "b.txt", "d.txt") is None


def test_a_later_one_takes_the_place_and_the_audit_keeps_both(connection: sqlite3.Connection) -> None:
    say(connection, "same", "a.txt", "b.txt")
    say(connection, "not-similar", "b.txt", "a.txt", note="on second thoughts")
    assert [(one.ruling, one.note) for one in all_verdicts(connection)] == [("not-similar", "on second thoughts")]
    later, earlier = entries(connection, action="verdict")
    assert (earlier.before, earlier.after["verdict"]) == (None, "same")
    assert (later.before["verdict"], later.after["verdict"]) == ("same", "not-similar")
    with transaction(connection):
        remove_verdict(connection, all_verdicts(connection)[0], by="bob")
    assert connection.execute("SELECT count(*) FROM verdict_bytes").fetchone() == (0,)
    assert (entries(connection)[0].by, entries(connection)[0].action) == ("bob", "verdict clear")


def test_what_to_keep_is_said_apart(connection: sqlite3.Connection) -> None:
    for ruling in ("same", "version"):
        say(connection, ruling, "a.txt", "b.txt", family=FAMILY)
    for keep in ("a.txt", "b.txt"):
        bytes_ = digest(connection, keep)
        say(connection, "keep", "a.txt", "b.txt", family=FAMILY, keep=bytes_, keep_at=Location("docs", keep.encode()))
    assert [one.ruling for one in all_verdicts(connection)] == ["keep", "version"]
    said, place = VerdictIndex(connection).of_family([content(connection, "a.txt"), content(connection, "b.txt")])
    assert said == "version"
    assert place is not None
    assert place.path == b"b.txt"


def test_a_family_verdict_is_of_the_family_with_more_than_half_of_its_bytes(connection: sqlite3.Connection) -> None:
    say(connection, "same", "a.txt", "b.txt", "c.txt", family=FAMILY)
    a, b, d = (content(connection, f"{name}.txt") for name in "abd")
    decided = VerdictIndex(connection)
    assert decided.of_family([a, b, d])[0] == "same"
    assert decided.of_family([a, d])[0] is None
    say(connection, "version", "a.txt", "b.txt", "c.txt", "d.txt", family=b"g")
    assert VerdictIndex(connection).of_family([a, d])[0] is None, "half of them could be of two families"


def test_what_is_said_of_a_pair_goes_before_what_is_said_of_its_family(connection: sqlite3.Connection) -> None:
    say(connection, "same", "a.txt", "b.txt")
    say(connection, "not-similar", "a.txt", "b.txt", "c.txt", family=FAMILY)
    assert of(connection, "a.txt", "b.txt") == "same"
    assert of(connection, "a.txt", "c.txt") == "not-similar"


def test_which_to_keep_of_a_pair_takes_nothing_back(connection: sqlite3.Connection) -> None:
    say(connection, "not-similar", "a.txt", "b.txt", "c.txt", family=FAMILY)
    for other in ("b.txt", "d.txt"):
        kept = digest(connection, "a.txt")
        say(connection, "keep", "a.txt", other, keep=kept, keep_at=Location("docs", b"a.txt"))
    assert of(connection, "a.txt", "b.txt") == "not-similar"
    assert of(connection, "a.txt", "d.txt") == "keep"
    ids = np.array([content(connection, f"{name}.txt") for name in "abd"], np.int64)
    apart = VerdictIndex(connection).apart(np.array([0, 0], np.uint32), np.array([1, 2], np.uint32), ids)
    assert apart.tolist() == [True, False]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_rows_apart_are_the_pairs_apart(connection: sqlite3.Connection, order: tuple[int, int]) -> None:
    verdicts = [("not-similar", ("a.txt", "b.txt", "c.txt"), FAMILY), ("version", ("c.txt", "b.txt", "d.txt"), b"g")]
    for at in order:
        ruling, names, family = verdicts[at]
        say(connection, ruling, *names, family=family)
    say(connection, "same", "a.txt", "c.txt")
    say(connection, "template", "a.txt", "d.txt")
    ids = np.array([content(connection, f"{name}.txt") for name in "dacb"], np.int64)
    rows = [(i, j) for i in range(4) for j in range(4) if i != j]
    a, b = (np.array(side, np.uint32) for side in zip(*rows, strict=True))
    decided = VerdictIndex(connection)
    found = decided.apart(a, b, ids).tolist()
    for (i, j), apart in zip(rows, found, strict=True):
        said = decided.of_pair(int(ids[i]), int(ids[j]))
        assert apart == (said is not None and said.parts), (i, j)


def test_documents_that_are_gone_concern_nothing(connection: sqlite3.Connection) -> None:
    say(connection, "not-similar", "a.txt", "b.txt")
    b = content(connection, "b.txt")
    connection.execute("UPDATE document SET gone = seen WHERE path = ?", (b"b.txt",))
    decided = VerdictIndex(connection)
    assert decided.of_pair(content(connection, "a.txt"), b) is None
    assert decided.of_family([b]) == (None, None)


@pytest.mark.parametrize("noted", [True, False])
def test_one_given_while_a_scan_ran_is_heeded_whatever_the_clock_says(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, noted: bool
) -> None:
    """Runs of earlier nearkins did not note which entries of the audit they knew: there the clock must do."""
    private = {"private.txt", "private-2.txt"}
    families = [{one["path"] for one in family["documents"]} for family in store.families().to_pylist()]
    assert private in families
    named = "SELECT digest FROM present WHERE CAST(path AS TEXT) LIKE 'private%'"
    digests = [one for (one,) in rows(store, named)]
    assert len(digests) == 2
    with closing(connect(store.path, write=True)) as connection:
        if noted:
            monkeypatch.setattr("nearkin.store.audit.now", lambda: "2001-01-01T00:00:00.000+00:00")
        else:
            connection.execute("UPDATE run SET counts = json_remove(counts, '$.audit')")
        with transaction(connection):
            add_verdict(connection, Ruling.NOT_SIMILAR, digests, by="ann")
    store.scan(folder)
    left = [{one["path"] for one in family["documents"]} for family in store.families().to_pylist()]
    assert left == [one for one in families if one != private]


def test_nor_is_what_was_forgotten_carried_on_from(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(connect(store.path, write=True)) as connection:
        last = runs.last(connection)
        assert not runs.is_noted_after(connection, last, "forget")
        monkeypatch.setattr("nearkin.store.audit.now", lambda: "2001-01-01T00:00:00.000+00:00")
        record(connection, by="ann", action="forget", subject="x")
        assert runs.is_noted_after(connection, last, "forget")
        assert not runs.is_noted_after(connection, last, "verdict")
