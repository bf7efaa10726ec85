"""Names of families outlive what happens to their documents."""

import random
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cli.world import FILES, write
from nearkin.api.store import Store
from nearkin.group.identity import CurrentFamily, FamilyEvent, FormerFamily, What, name_families

A, B, C = b"a" * 32, b"b" * 32, b"c" * 32


def known(founder: bytes, *documents: int, since: int = 1) -> FormerFamily:
    return FormerFamily(founder, since, frozenset(documents))


def found(*documents: int, digests: tuple[bytes, ...] = ()) -> CurrentFamily:
    return CurrentFamily(frozenset(documents), digests or (sha256(bytes(sorted(documents))).digest(),))


def names(before: list[FormerFamily], now: list[CurrentFamily]) -> tuple[list[bytes], list[FamilyEvent]]:
    given_names, events = name_families(before, now)
    return [name.founder for name in given_names], events


def test_a_new_family_is_named_by_its_pivot() -> None:
    assert names([], [found(1, 2, digests=(A, B))]) == ([A], [FamilyEvent(What.FOUNDED, A, None, 2)])


def test_whoever_joins_or_leaves_the_name_stays() -> None:
    assert names([known(A, 1, 2, 3)], [found(2, 3, 4, 5, 6, 7, digests=(B, C))]) == ([A], [])
    assert names([known(A, 1, 2, 3)], [found(3, 4)]) == ([A], [])


def test_the_family_that_brings_most_gives_its_name_to_all() -> None:
    given_names, events = names([known(A, 1, 2), known(B, 3, 4, 5)], [found(1, 2, 3, 4, 5)])
    assert given_names == [B]
    assert events == [FamilyEvent(What.MERGED, A, B, 5)]


def test_of_two_that_bring_as_much_the_older_then_the_first_by_name() -> None:
    assert names([known(A, 1, 2, since=3), known(B, 3, 4, since=2)], [found(1, 2, 3, 4)])[0] == [B]
    assert names([known(B, 1, 2), known(A, 3, 4)], [found(1, 2, 3, 4)])[0] == [A]


def test_the_largest_part_of_a_split_keeps_the_name() -> None:
    given_names, events = names([known(A, 1, 2, 3, 4, 5)], [found(1, 2, digests=(A, B)), found(3, 4, 5)])
    assert given_names == [B, A]  # A is taken, although it is the other part's pivot now
    assert events == [FamilyEvent(What.SPLIT, B, A, 2)]


def test_a_family_without_documents_has_ended_and_may_come_back_around_its_founder() -> None:
    assert names([known(A, 1, 2)], []) == ([], [FamilyEvent(What.ENDED, A, None, 0)])
    assert names([], [found(3, 4, digests=(A, B))])[0] == [A]
    # Not while another family has the name.
    (first, second), _ = names([known(A, 5, 6)], [found(3, 4, digests=(A,)), found(5, 6, digests=(B, C))])
    assert second == A
    assert first not in (A, B, C)


@given(st.integers(0, 1 << 32))
def test_names_are_unique_and_do_not_depend_on_order(seed: int) -> None:
    dice = random.Random(seed)

    def parted() -> list[list[int]]:
        parts: dict[int, list[int]] = {}
        for document in range(dice.randrange(1, 25)):
            parts.setdefault(dice.randrange(6), []).append(document)
        return list(parts.values())

    before = [known(sha256(b"%d" % i).digest(), *part, since=dice.randrange(3)) for i, part in enumerate(parted())]
    now = [found(*part, digests=tuple(sha256(b"%d" % dice.randrange(8)).digest() for _ in part)) for part in parted()]
    given_names, events = names(before, now)
    assert len(set(given_names)) == len(given_names)
    living = {one.founder for one in before} & set(given_names)
    for one in before:
        told = [event.what for event in events if event.family == one.founder]
        assert told == [] if one.founder in living else told in (["merged"], ["ended"])
    order = list(range(len(now)))
    dice.shuffle(order)
    shuffled = [now[i] for i in order]
    if len({family.digests[0] for family in now}) == len(now):
        assert names(list(reversed(before)), shuffled) == ([given_names[i] for i in order], events)


def test_the_first_run_names_and_counts_as_any_other(tmp_path: Path) -> None:
    """It takes a shorter way, with no families before it."""
    store = Store(tmp_path / "kin.db")
    store.scan(write(tmp_path / "docs", FILES))
    with closing(sqlite3.connect(store.path)) as connection:
        rows = connection.execute(
            """SELECT f.founder, f.since, e.what, e.other, e.documents,
                      (SELECT digest FROM content c JOIN family_content p ON p.content = c.id
                       WHERE p.family = f.id AND p.pivot),
                      (SELECT count(*) FROM document d JOIN text t ON t.id = d.text JOIN family_content m
                       ON m.content = t.content WHERE m.family = f.id)
               FROM family f LEFT JOIN family_event e ON e.family = f.founder ORDER BY e.id"""
        ).fetchall()
    assert len(rows) > 3
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    for founder, since, what, other, documents, pivot, held in rows:
        assert (founder, since, what, other, documents) == (pivot, 1, "founded", None, held)
