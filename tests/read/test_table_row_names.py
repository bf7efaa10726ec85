"""Names of rows against the obvious way: a set of all names given."""

from hypothesis import given
from hypothesis import strategies as st

from nearkin.read.table import Rows
from nearkin.read.table_reader import RowNames

IDS = st.one_of(st.none(), st.sampled_from(["a", "b", "#1", "#2", "#3##", "ä"]), st.text(min_size=1, max_size=3))


def obvious(ids: list[str | None]) -> list[bytes]:
    names: list[bytes] = []
    for number, one in enumerate(ids, 1):
        name = None if one is None else one.encode("utf-8", "backslashreplace")
        if name is None or name in names:
            name = b"#%d" % number
            while name in names:
                name += b"#"
        names.append(name)
    return names


@given(st.lists(IDS, max_size=40), st.integers(1, 7))
def test_names_are_unique_and_by_the_rule(ids: list[str | None], at_once: int) -> None:
    names = RowNames(by_id=True)
    found: list[bytes] = []
    for start in range(0, len(ids), at_once):
        part = ids[start : start + at_once]
        rows = Rows(list(range(start + 1, start + 1 + len(part))), part, [b""] * len(part))
        found += names.of(rows)
    assert found == obvious(ids)
    assert len(set(found)) == len(found)


def test_without_ids_rows_are_named_by_number() -> None:
    rows = Rows([1, 2, 40], [None] * 3, [b""] * 3)
    assert RowNames(by_id=False).of(rows) == [b"#1", b"#2", b"#40"]
