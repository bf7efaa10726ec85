"""Bulk insert: SQLite reads whole columns as a table of its own, nearkin_rows, and hands whole columns back.

Python's sqlite3 binds every value of every row by itself, and holds the GIL meanwhile; it makes an object of every
value that a query finds. The library under it can do better through a virtual table
(native/kernels/sqlite/columns.hpp, decision 030): without it a first scan of 20,000 pages takes 13 % more processor
time (2.20 s instead of 1.94 s, medians of ten pairs in turn). Where a build of Python hides the library, rows are
bound, 64 a statement: one at a time takes half as long again, as each hands the GIL back and forth. `selftest` and
`store info` say which of the two is at work.

Python's sqlite3 asks of every value that is no int, float, str or bytearray whether someone has registered a way to
adapt it: 0.8 µs for bytes and 0.5 µs for None, where a bytearray takes 0.2 µs. So bytes are bound as bytearrays, and
columns that are empty in a whole block are written as NULL in the statement.

Where one of several rows may fail, SQLite keeps a copy of every page that the statement changes, to undo it alone: a
quarter of what writing 53,596 pages took. Callers undo their whole transaction, so nothing is kept (OR FAIL).
"""

import _sqlite3
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from itertools import count, islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native

LIBRARY = _native.FedSqlite(getattr(_sqlite3, "__file__", None))
_opening = Lock()

Numbers = NDArray[np.int64]


def open_connection(database: Any, **options: Any) -> sqlite3.Connection:
    """Open a connection as sqlite3.connect does, with bulk insert. The table is registered for this moment only: other
    code in this process opens its own connections."""
    with _opening:
        LIBRARY.offer()
        try:
            connection: sqlite3.Connection = sqlite3.connect(database, **options)
        finally:
            LIBRARY.withdraw()
    return connection


def has_bulk_insert(connection: sqlite3.Connection) -> bool:
    """Whether SQLite reads columns on this connection: not where the library is hidden or takes no extensions, and not
    if the connection was opened elsewhere."""
    try:
        connection.execute("SELECT 1 FROM nearkin_rows(0)")
    except sqlite3.OperationalError:
        return False
    return True


def is_bulk_insert_active() -> bool:
    """Whether connections that nearkin opens in this process have it."""
    with closing(open_connection(":memory:")) as connection:
        return has_bulk_insert(connection)


def columns(connection: sqlite3.Connection, names: Sequence[str], of: str, *given: object) -> list[Numbers]:
    """Columns of whole numbers; `of` is the query from its FROM on. NULL is left out.

    Without bulk insert SQLite strings the numbers together as one text, which is read at once: of 500,000 contents
    that takes 0.6 s, where a row each takes 3.8 s."""
    bulk = has_bulk_insert(connection)
    gathered = "nearkin_gathered" if bulk else "group_concat"
    (row,) = connection.execute(f"SELECT {', '.join(f'{gathered}({name})' for name in names)} {of}", given)
    if bulk:
        return [np.frombuffer(column, "<i8") for column in row]
    return [np.fromstring(column or "", np.int64, sep=",") for column in row]


def digests(connection: sqlite3.Connection, name: str, of: str) -> NDArray[np.void]:
    """A column of digests, of 32 bytes each."""
    if has_bulk_insert(connection):
        with suppress(sqlite3.DataError):  # of over 31 million: SQLite takes no larger blob
            ((column,),) = connection.execute(f"SELECT nearkin_gathered({name}) {of}")
            return np.frombuffer(column, "V32")
    rows = connection.execute(f"SELECT {name} {of}")
    return np.frombuffer(b"".join(digest for (digest,) in rows if digest is not None), "V32")


def numbered_digests(
    connection: sqlite3.Connection, number: str, name: str, of: str
) -> tuple[Numbers, NDArray[np.void]]:
    """A column of numbers and one of digests, in the same order, where neither is ever NULL."""
    if has_bulk_insert(connection):
        with suppress(sqlite3.DataError):
            ((ids, column),) = connection.execute(f"SELECT nearkin_gathered({number}), nearkin_gathered({name}) {of}")
            return np.frombuffer(ids, "<i8"), np.frombuffer(column, "V32")
    rows = connection.execute(f"SELECT {number}, {name} {of}").fetchall()
    return np.array([row[0] for row in rows], np.int64), np.frombuffer(b"".join(row[1] for row in rows), "V32")


BOUND_ROWS = 64  # a statement
BULK_ROWS = 4096
OWN = (list, np.ndarray, _native.Column)  # columns in which each row has a value of its own


def insert_rows(
    connection: sqlite3.Connection, into: str, rows: Iterable[Sequence[Any]], *, known: str = "FAIL"
) -> None:
    """Insert rows `into` `table (columns)`, in a transaction that the caller undoes if this fails. `known` says what is
    done with a row whose key is there already: IGNORE, REPLACE."""
    rest = iter(rows)
    while block := list(islice(rest, BULK_ROWS)):
        _insert(connection, f"INSERT OR {known} INTO {into}", [*map(list, zip(*block, strict=True))])


def insert_columns(connection: sqlite3.Connection, table: str, columns: Mapping[str, Any]) -> None:
    """Insert whole columns, each a list, an array of numbers or, with bulk insert, one of the core's own; any other
    value is the same in every row. NaN is stored as NULL."""
    _insert(connection, f"INSERT OR FAIL INTO {table} ({', '.join(columns)})", [*columns.values()])


def _insert(connection: sqlite3.Connection, into: str, columns: list[Any]) -> None:
    own: list[Any] = []
    alike: list[Any] = []
    chosen: list[str] = []
    for column in columns:
        if isinstance(column, OWN):
            chosen.append(f"c{len(own)}")
            own.append(column)
        else:
            alike.append(column)
            chosen.append(f"?{len(alike) + 1}")
    if has_bulk_insert(connection):
        feed = _native.Feed([np.ascontiguousarray(each) if isinstance(each, np.ndarray) else each for each in own])
        connection.execute(f"{into} SELECT {','.join(chosen)} FROM nearkin_rows(?1)", (feed.number, *alike))
        return
    lists = [_as_list(column) for column in own]
    for start in range(0, len(lists[0]), BOUND_ROWS):
        blocks = [_bound(values[start : start + BOUND_ROWS]) for values in lists]
        states = iter(blocks)
        pattern = "".join(("?" if next(states) else "0") if isinstance(column, OWN) else "=" for column in columns)
        filled = [block for block in blocks if block]
        rows = min(BOUND_ROWS, len(lists[0]) - start)
        given: list[Any] = [None] * (rows * len(filled))
        for at, column in enumerate(filled):
            given[at :: len(filled)] = column
        connection.execute(f"{into} VALUES {_marks(pattern, rows)}", [*alike, *given])


@lru_cache
def _marks(pattern: str, rows: int) -> str:
    """Placeholders for so many rows. A pattern has a sign for each value: `?` is one of its own, `=` one that all rows
    share, which come first, and `0` is NULL."""
    own = count(1 + pattern.count("="))
    marks = []
    for _ in range(rows):
        number = {"?": own, "=": count(1)}
        marks.append(f"({','.join(f'?{next(number[sign])}' if sign in number else 'NULL' for sign in pattern)})")
    return ",".join(marks)


def _bound(column: Sequence[Any]) -> Sequence[Any]:
    """The values as sqlite3 binds them fastest; empty if all are NULL."""
    if type(column[0]) is bytes:
        return [bytearray(value) if type(value) is bytes else value for value in column]
    if column[0] is None and not any(value is not None for value in column):
        return ()
    return column


def _as_list(column: Any) -> list[Any]:
    """Truth values become numbers: sqlite3 would look for an adapter of each."""
    if isinstance(column, list):
        return column
    numbers: list[Any] = (column.astype(np.uint8) if column.dtype == np.bool_ else column).tolist()
    return numbers


def last_id(connection: sqlite3.Connection, table: str) -> int:
    """The largest id that was ever given, even if its row was forgotten: segments and other readers may remember it."""
    (largest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    forgotten = connection.execute("SELECT last FROM counter WHERE name = ?", (table,)).fetchone()
    return max(int(largest), forgotten[0] if forgotten else 0)


def remember_ids(connection: sqlite3.Connection) -> None:
    """Note the largest ids, before rows are forgotten."""
    for table in ("content", "text"):
        connection.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (table, last_id(connection, table)))
