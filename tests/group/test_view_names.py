"""Names in a view are those that identity.py would give, counted document by document."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.group.families import ContentFamily
from nearkin.group.identity import CurrentFamily, FormerFamily, Seen, Stored, name_families, names_in_view


def groups(label: list[int]) -> list[list[int]]:
    return [[row for row, one in enumerate(label) if one == name] for name in sorted(set(label) - {-1})]


@settings(max_examples=200)
@given(st.data())
def test_the_same_names_as_from_run_to_run(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 14))
    labels = st.lists(st.integers(-1, 4), min_size=count, max_size=count)
    old, new = groups(data.draw(labels)), groups(data.draw(labels))
    copies = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    digests = [bytes([row]) * 32 for row in range(count)]
    documents = [frozenset((row, copy) for copy in range(copies[row])) for row in range(count)]
    number = {place: at for at, place in enumerate(sorted(place for some in documents for place in some))}

    def held(rows: list[int]) -> frozenset[int]:
        return frozenset(number[place] for row in rows for place in documents[row])

    since = [data.draw(st.integers(1, 2)) for _ in old]
    # Founders may be gone, or be members of other families by now.
    some = st.integers(0, max(count - 1, 0)).map(lambda row: digests[row]) if count else st.just(b"")
    founders = data.draw(st.lists(some, min_size=len(old), max_size=len(old), unique=True)) if len(old) <= count else []
    before = [FormerFamily(founder, age, held(rows)) for founder, age, rows in zip(founders, since, old, strict=True)]
    pivots = [data.draw(st.sampled_from(rows)) for rows in new]
    now = [
        CurrentFamily(held(rows), [digests[row] for row in (pivot, *(one for one in rows if one != pivot))])
        for pivot, rows in zip(pivots, new, strict=True)
    ]
    expected, _ = name_families(before, now)

    age = sorted(range(len(old)), key=lambda at: (since[at], founders[at]))
    of = np.full(count, -1, np.int64)
    for place, at in enumerate(age):
        of[old[at]] = place
    stored = Stored(of, [founders[at] for at in age])
    families = [ContentFamily(rows, pivot=pivot) for pivot, rows in zip(pivots, new, strict=True)]
    seen = Seen.among(families, count)
    found = names_in_view(families, seen, np.array(copies, np.int64), stored, digests)
    assert found == [name.founder for name in expected]
    # Whoever asks for some of them gets the same names.
    assert names_in_view(families[1::2], seen, np.array(copies, np.int64), stored, digests) == found[1::2]
