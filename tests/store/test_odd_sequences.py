"""Orders of events that nobody plans: what is carried on must still be what a scan from nothing finds."""

import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.world import NEARKIN, Called
from nearkin.api.store import Store
from nearkin.checkin import CheckIn
from nearkin.errors import InputError
from nearkin.store.database import connect, one_scan
from nearkin.text.kind import extract
from oracle.prose import prose
from store.world import is_sound, listings, rows

pytestmark = pytest.mark.usefixtures("either_insert")

OTHER = "mod:window=20,n=10"


@contextmanager
def desk_of(store: Store) -> Iterator[CheckIn]:
    with closing(connect(store.path, write=True)) as connection:
        yield CheckIn(connection, store.path, "test", "ann")


def ids(store: Store) -> dict[str, Any]:
    return {family["id"]: [one["path"] for one in family["documents"]] for family in store.families().to_pylist()}


def test_back_to_a_scheme_whose_results_were_compacted_away(store: Store, folder: Path) -> None:
    before = listings(store)
    assert before["matches"]
    store.scan(folder, scheme=OTHER)
    store.compact()
    store.scan(folder)
    assert listings(store) == before


def test_another_scheme_and_back_keeps_the_ids(store: Store, folder: Path) -> None:
    before = ids(store)
    store.scan(folder, scheme="fuzzy")
    store.scan(folder)
    assert ids(store) == before


def test_checked_in_and_edited_twice_is_the_same_family(store: Store, folder: Path) -> None:
    before = ids(store).keys()
    for round_ in range(2):
        for name in ("manual.txt", "manual-2.txt", "manual-3.txt", "copy.txt"):
            file = folder / name
            file.write_bytes(file.read_bytes() + b" once more %d" % round_)
            with desk_of(store) as desk:
                desk.add_file(file)
    store.scan(folder)
    assert ids(store).keys() == before


def test_a_document_checked_in_while_a_scan_takes_another_scheme(store: Store, folder: Path) -> None:
    text = prose(40, 3000)
    scanned: list[bool] = []

    def extracted(raw: bool) -> Any:
        if not scanned:
            scanned.append(True)
            store.scan(folder, scheme=OTHER)
        return extract(text, raw=raw)

    with desk_of(store) as desk:
        desk.add_text("late.txt", text, extracted)
    assert [one["path"] for one in store.check(text).to_pylist()] == ["late.txt"]
    store.scan(folder, scheme=OTHER)
    assert is_sound(store)
    assert store.verify() == []


def test_a_verdict_spoken_while_the_store_is_held_is_heeded_by_the_next_who_holds_it(store: Store) -> None:
    with one_scan(store.path):
        store.set_verdict(("private.txt", "private-2.txt"), "not-similar")
    assert any({"private.txt", "private-2.txt"} <= {*paths} for paths in ids(store).values())
    store.compact()
    assert not any({"private.txt", "private-2.txt"} <= {*paths} for paths in ids(store).values())


def test_a_verdict_taken_back_gives_the_family_its_id_back(store: Store) -> None:
    before = ids(store)
    store.set_verdict(("private.txt", "private-2.txt"), "not-similar")
    assert ids(store) != before
    store.clear_verdict(("private.txt", "private-2.txt"))
    assert ids(store) == before


def test_forgetting_fills_up_what_it_took_away(tmp_path: Path) -> None:
    """Lists of weak matches that were full have room again, and features may be rare again."""
    folder = tmp_path / "weak"
    folder.mkdir()
    common = prose(5, 1500)
    for i in range(45):
        (folder / f"{i:02}.txt").write_bytes(common + b" " + prose(100 + i, 560))
    store = Store(tmp_path / "weak.db")
    store.scan(folder)
    store.forget([f"{i:02}.txt" for i in range(4)])
    for i in range(4):
        (folder / f"{i:02}.txt").unlink()
    store.scan(folder)
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(folder)
    weak = store.matches(min_resemblance=0.5).to_pylist()
    assert weak
    assert weak == fresh.matches(min_resemblance=0.5).to_pylist()


def test_a_regroup_does_not_pass_an_older_nearkins_matches_off_as_its_own(store: Store, folder: Path) -> None:
    before = listings(store)
    connection = connect(store.path, write=True)
    connection.execute("UPDATE run SET version = '0.0.1'")
    connection.execute("DELETE FROM match")
    connection.close()
    store.set_verdict(("tiny.txt", "single.txt"), "not-similar")
    store.scan(folder)
    assert listings(store)["matches"] == before["matches"]


def test_an_id_that_was_forgotten_is_not_given_again(store: Store) -> None:
    one, two = prose(41, 2000), prose(42, 2000)
    with Store.open(store.path) as session:
        Store(store.path).add(one, name="one.txt")
        assert session.check(one).num_rows == 1
        store.forget("one.txt")
        Store(store.path).add(two, name="two.txt")
        assert [row["path"] for row in session.check(two).to_pylist()] == ["two.txt"]
        assert session.check(one).num_rows == 0


def test_a_file_added_from_elsewhere_is_forgotten_by_its_path(store: Store, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_bytes(prose(43, 2000))
    with desk_of(store) as desk:
        desk.add_file(elsewhere)
    (forgotten,) = store.forget(elsewhere)
    assert forgotten.texts == 1
    assert store.check(prose(43, 2000)).num_rows == 0


def test_a_link_to_a_store_is_that_store(store: Store, folder: Path) -> None:
    link = folder / "link.db"
    link.symlink_to(store.path)
    before = len(store.documents())
    for _ in range(2):
        assert Called("scan", folder, "--store", link).code == 0
    assert len(store.documents()) == before
    assert not list(folder.glob("link.db.*"))
    with one_scan(store.path):
        assert Called("scan", folder, "--store", link).code == 4


def test_many_copies_moved_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    (folder / "old").mkdir(parents=True)
    for i in range(300):
        (folder / "old" / f"{i}.txt").write_bytes(prose(7, 400))
    store = Store(tmp_path / "copies.db")
    store.scan(folder)
    (folder / "old").rename(folder / "new")
    summary = store.scan(folder)
    assert (summary.new, summary.moved, summary.gone) == (0, 300, 0)
    pairs = rows(store, "SELECT d.path, b.path FROM present d JOIN document b ON b.id = d.before")
    assert all(new.rpartition(b"/")[2] == old.rpartition(b"/")[2] for new, old in pairs)


def test_damaged_segments_are_found_and_lost_ones_are_made_again(store: Store) -> None:
    folder = store.path.with_name(store.path.name + ".segments")
    (segment,) = (file for file in folder.iterdir() if file.name != "lock")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    segment.write_bytes(data)
    (finding,) = store.verify()
    assert "is damaged; remove it" in finding.sentence
    segment.unlink()
    assert store.verify() == []
    assert store.check(prose(1, 3000)).num_rows > 0


def test_distances_measured_without_a_template_are_not_taken_for_those_with_it(tmp_path: Path) -> None:
    """Ends of a long chain are no match of its pivot: how far they are is measured, and remembered."""
    folder = tmp_path / "chain"
    folder.mkdir()
    sentences = [prose(700 + i, 120) for i in range(24)]
    for i in range(12):
        (folder / f"{i:02}.txt").write_bytes(b" ".join(sentences[i : i + 12]))
    store = Store(tmp_path / "chain.db")
    store.scan(folder)
    before = store.families().to_pylist()
    assert any(one["to_pivot"] < 0.5 for family in before for one in family["documents"])
    store.add_template(text=prose(99, 400).decode(), name="elsewhere")
    with closing(connect(store.path, write=True)) as connection:
        connection.execute("UPDATE family_content SET to_pivot = 0.123 WHERE NOT pivot")
    store.remove_template("elsewhere")
    assert store.families().to_pylist() == before


def test_the_store_by_another_name_is_not_read(store: Store, folder: Path) -> None:
    """As in a folder copied with links. Whoever reads and closes it gives up SQLite's locks: the next who closes the
    store takes the log away under the scan, and a third writes another."""
    (folder / "backup.db").hardlink_to(store.path)
    (folder / "new.txt").write_bytes(prose(44, 900))
    log = store.path.with_name("store.db-wal")
    there: list[bool] = []

    def tell(stage: str, *_: int) -> None:
        if stage == "match":
            there.append(log.exists())
            subprocess.run([*NEARKIN, "store", "info", "--store", str(store.path)], check=True, capture_output=True)
            there.append(log.exists())

    before = len(store.documents())
    assert store.scan(folder, progress=tell).new == 1
    assert there == [True, True]
    assert len(store.documents()) == before + 1
    with desk_of(store) as desk, pytest.raises(InputError, match=r"backup.db belongs to the store itself"):
        desk.add_file(folder / "backup.db")
