"""Many families in columns say what they say one by one."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from group.test_family_rules import LIMITS, columns, repositories
from nearkin.group.families import Evidence, Families, complete_to_pivot, kind_of, measure_to_pivot
from nearkin.group.grouping import family_columns, family_row, held_columns, named, recall_to_pivot
from nearkin.group.identity import CurrentFamily, name_families
from nearkin.group.views import chain
from nearkin.matching.verify import Corpus
from nearkin.model import Kind
from nearkin.scheme.shingler import Shingler
from nearkin.store.contents import Contents
from nearkin.store.database import in_memory
from nearkin.store.families import family_rows, record_events, replace_families
from oracle.family import Match
from oracle.prose import prose

Repository = tuple[list[Match], list[int], list[int]]


def chains(repository: Repository) -> Families:
    matches, lengths, copies = repository
    return chain(Evidence.of(columns(matches), LIMITS), np.array(lengths, np.int64), np.array(copies, np.int64))


def contents(repository: Repository) -> Contents:
    """Ids are in another order than rows."""
    _, lengths, copies = repository
    digests = sorted(sha256(b"%d" % row).digest() for row in range(len(lengths)))
    return Contents(np.arange(len(lengths), 0, -1), digests, np.array(lengths, np.int64), np.array(copies, np.int64))


@settings(max_examples=100)
@given(repositories(), st.data())
def test_kinds(repository: Repository, data: st.DataObject) -> None:
    families = chains(repository)
    for name, family in zip(families.kinds, families.listed(), strict=True):
        assert name == kind_of(family).value == family.kind.value
    forms = data.draw(st.lists(st.booleans(), min_size=len(families), max_size=len(families)))
    families.forms[:] = forms
    assert [kind == Kind.SAME_FORM for kind in families.kinds] == forms


@settings(max_examples=60)
@given(repositories())
def test_what_is_stored_is_read_back(repository: Repository) -> None:
    families, held = chains(repository), contents(repository)
    connection = in_memory()
    connection.execute("PRAGMA foreign_keys = OFF")
    names = named(connection, families, held, 7, None)
    about = family_columns(families, names, held, LIMITS, 7)
    replace_families(connection, 1, about, families.sizes, held_columns(families, held))
    expected = [family_row(one, held, LIMITS) for one in families.listed()]
    stored = family_rows(connection, 1)
    for row, right in zip(stored, expected, strict=True):
        assert sorted(row.contents) == sorted(right.contents)
        for name in ("founder", "kind", "links", "weakest", "mean_resemblance", "threshold", "containment"):
            assert getattr(row, name) == getattr(right, name)
    types = "SELECT DISTINCT typeof(weakest_a), typeof(weakest_b), typeof(pivot) FROM family, family_content"
    assert {one for row in connection.execute(types) for one in row} <= {"integer", "null"}
    again = chains(repository)
    again.to_pivot[:] = np.nan
    recall_to_pivot(connection, 1, again, held)
    assert again.to_pivot.tobytes() == families.to_pivot.tobytes()
    connection.close()


@settings(max_examples=60)
@given(repositories())
def test_a_first_run_names_families_as_a_later_one_would(repository: Repository) -> None:
    families, held = chains(repository), contents(repository)
    documents = np.cumsum([0, *held.copies]).tolist()
    now = []
    for family in families.listed():
        rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
        holders = frozenset(one for row in rows for one in range(documents[row], documents[row + 1]))
        now.append(CurrentFamily(holders, [held.digests[row] for row in rows]))
    names, events = name_families([], now)
    connection = in_memory()
    connection.execute("PRAGMA foreign_keys = OFF")
    found = named(connection, families, held, 7, None)
    assert found.founders == [name.founder for name in names]
    assert found.since == 7
    record_events(connection, 7, found.events)
    stored = connection.execute("SELECT what, family, other, documents FROM family_event ORDER BY id").fetchall()
    assert stored == [tuple(event) for event in events]
    connection.close()


def test_what_no_match_says_is_measured_either_way() -> None:
    base = prose(1, 2000)
    texts: list[bytes | None] = [base[200 * i : 200 * i + 1400] for i in range(6)]
    texts[5] = None  # was not kept
    pairs = [Match(i, i + 1, 0.8, 0.9, 0.9, 1381, 1381) for i in range(5)]
    repository = (pairs, [1400] * 6, [1] * 6)
    lengths = np.array([1400] * 6, np.int64)

    def load(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] for row in rows]

    families = chains(repository)
    one_by_one = families.listed()
    corpus = Corpus(lengths, load, 1 << 20, threads=1)
    measure_to_pivot(families, corpus, Shingler(20))
    complete_to_pivot(one_by_one, corpus, Shingler(20))
    assert families.listed() == one_by_one
    (family,) = one_by_one
    assert family.pivot == 1
    assert sorted(family.to_pivot) == [0, 1, 2, 3, 4]
    assert 0.0 < (family.to_pivot[4] or 0.0) < 0.5
