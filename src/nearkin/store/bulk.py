"""Connections that are fed: SQLite reads whole columns as a table of its own, nearkin_rows.

Python's module binds every value of every row by itself, and holds everyone's lock meanwhile. The library under it can
do better (native/kernels/feed.hpp); where a build of Python hides it, rows are bound as ever (decision 030).

Whole columns of what a query finds.

Python makes an object of every value of every row. A connection that is fed hands a column over as its bytes
(native/kernels/gathered.hpp). Others string numbers together as one text, which is read at once: of 500,000 contents
that takes 0.6 s, where a row each takes 3.8 s.

Rows into a table, many a statement.

Fed to SQLite by columns where it can be fed (feeding.py). Else bound, 64 rows a statement: one at a time takes half as
long again, as each hands the GIL back and forth. Python's sqlite3 asks of every value that is no int, float, str or
bytearray whether someone has registered a way to adapt it: 0.8 µs for bytes and 0.5 µs for None, where a bytearray
takes 0.2 µs. So bytes are bound as bytearrays, and columns that are empty in a whole block are written as NULL in the
statement.

Where one of several rows may fail, SQLite keeps a copy of every page that the statement changes, to undo it alone:
a quarter of what writing 53,596 pages took. Whoever inserts here undoes his whole transaction, so nothing is kept.
"""

import _sqlite3
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count, islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native

_library = _native.FedSqlite(getattr(_sqlite3, "__file__", None))
_opening = Lock()


def open_connection(database: Any, **options: Any) -> sqlite3.Connection:
    """As sqlite3.connect does. The table is offered for this moment only: others in this process open theirs, too."""
    with _opening:
        _library.offer()
        try:
            connection: sqlite3.Connection = sqlite3.connect(database, **options)
        finally:
            _library.withdraw()
    return connection


def is_fed(connection: sqlite3.Connection) -> bool:
    """Not where the library is hidden, or takes no extensions, or where someone else has opened this."""
    try:
        connection.execute("SELECT 1 FROM nearkin_rows(0)")
    except sqlite3.OperationalError:
        return False
    return True


Numbers = NDArray[np.int64]


def columns(connection: sqlite3.Connection, names: Sequence[str], of: str, *given: object) -> list[Numbers]:
    """Whole numbers, of a query that is told from its FROM on. What is NULL is left out."""
    fed = is_fed(connection)
    gathered = "nearkin_gathered" if fed else "group_concat"
    (row,) = connection.execute(f"SELECT {', '.join(f'{gathered}({name})' for name in names)} {of}", given)
    return [np.frombuffer(one, "<i8") if fed else np.fromstring(one or "", np.int64, sep=",") for one in row]


def digests(connection: sqlite3.Connection, name: str, of: str) -> NDArray[np.void]:
    """The same of digests, of 32 bytes each."""
    if is_fed(connection):
        with suppress(sqlite3.DataError):  # of over 31 million: SQLite takes no larger blob
            ((found,),) = connection.execute(f"SELECT nearkin_gathered({name}) {of}")
            return np.frombuffer(found, "V32")
    rows = connection.execute(f"SELECT {name} {of}")
    return np.frombuffer(b"".join(digest for (digest,) in rows if digest is not None), "V32")


def numbered_digests(
    connection: sqlite3.Connection, number: str, name: str, of: str
) -> tuple[Numbers, NDArray[np.void]]:
    """Both at once, in the same order, where neither is ever NULL."""
    if is_fed(connection):
        with suppress(sqlite3.DataError):
            ((ids, found),) = connection.execute(f"SELECT nearkin_gathered({number}), nearkin_gathered({name}) {of}")
            return np.frombuffer(ids, "<i8"), np.frombuffer(found, "V32")
    rows = connection.execute(f"SELECT {number}, {name} {of}").fetchall()
    return np.array([row[0] for row in rows], np.int64), np.frombuffer(b"".join(row[1] for row in rows), "V32")


BOUND = 64  # rows a statement
FED = 4096
OWN = (list, np.ndarray, _native.Column)  # columns in which each row has a value of its own


def insert_rows(
    connection: sqlite3.Connection, into: str, rows: Iterable[Sequence[Any]], *, known: str = "FAIL"
) -> None:
    """`into` is `table (columns)`; `known` what is done with a row whose key is there already: IGNORE, REPLACE. In a
    transaction that the caller undoes where this fails."""
    rest = iter(rows)
    while block := list(islice(rest, FED)):
        _insert(connection, f"INSERT OR {known} INTO {into}", [*map(list, zip(*block, strict=True))])


def insert_columns(connection: sqlite3.Connection, table: str, columns: Mapping[str, Any]) -> None:
    """The same of whole columns, each a list, an array of numbers or, where SQLite is fed, one of the core's own;
    whatever else is given is the same in every row. NaN is stored as NULL."""
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
    if is_fed(connection):
        feed = _native.Feed([np.ascontiguousarray(one) if isinstance(one, np.ndarray) else one for one in own])
        connection.execute(f"{into} SELECT {','.join(chosen)} FROM nearkin_rows(?1)", (feed.number, *alike))
        return
    lists = [_listed(one) for one in own]
    for start in range(0, len(lists[0]), BOUND):
        some = [_bound(one[start : start + BOUND]) for one in lists]
        states = iter(some)
        pattern = "".join(("?" if next(states) else "0") if isinstance(one, OWN) else "=" for one in columns)
        filled = [one for one in some if one]
        rows = min(BOUND, len(lists[0]) - start)
        given: list[Any] = [None] * (rows * len(filled))
        for at, column in enumerate(filled):
            given[at :: len(filled)] = column
        connection.execute(f"{into} VALUES {_marks(pattern, rows)}", [*alike, *given])


@lru_cache
def _marks(pattern: str, rows: int) -> str:
    """Marks for so many rows. A pattern has a sign for each value: `?` is one of its own, `=` one that all rows share,
    which come first, and `0` none."""
    own = count(1 + pattern.count("="))
    found = []
    for _ in range(rows):
        number = {"?": own, "=": count(1)}
        found.append(f"({','.join(f'?{next(number[sign])}' if sign in number else 'NULL' for sign in pattern)})")
    return ",".join(found)


def _bound(column: Sequence[Any]) -> Sequence[Any]:
    """As SQLite is given it fastest; empty where there is nothing in it."""
    if type(column[0]) is bytes:
        return [bytearray(value) if type(value) is bytes else value for value in column]
    if column[0] is None and not any(value is not None for value in column):
        return ()
    return column


def _listed(column: Any) -> list[Any]:
    """Of a truth value Python's sqlite3 first asks how it would like to be stored."""
    if isinstance(column, list):
        return column
    numbers: list[Any] = (column.astype(np.uint8) if column.dtype == np.bool_ else column).tolist()
    return numbers


def last_id(connection: sqlite3.Connection, table: str) -> int:
    """The largest that was ever given, though its row may have been forgotten: others may remember it."""
    (largest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    forgotten = connection.execute("SELECT last FROM counter WHERE name = ?", (table,)).fetchone()
    return max(int(largest), forgotten[0] if forgotten else 0)


def remember_ids(connection: sqlite3.Connection) -> None:
    """Before rows are forgotten."""
    for table in ("content", "text"):
        connection.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (table, last_id(connection, table)))
