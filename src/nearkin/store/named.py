"""What a person may mean by the name of a document: its path as listings show it, that with the scope before it, or its
file's path, which may lie in a container that is on disk; last the same with bytes that were spelled as \\xNN."""

import os
import re
import sqlite3
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from nearkin.store.scopes import NO_ROOT, Scope, all_scopes

Place = tuple[Scope, bytes]
SPELLED = re.compile(rb"\\x([89a-f][0-9a-f])")  # bytes that are not UTF-8, as on the screen and in tables of Arrow
UNWRITABLE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # halves of surrogate pairs that stand for no byte


def readings(scopes: list[Scope], name: str) -> Iterator[list[Place]]:
    """The places that a name may be of, one list for each way to read it."""
    if "\0" in name or UNWRITABLE.search(name):
        return
    plain = os.fsencode(name.removeprefix("./"))  # how names that begin with a dash are written
    yield [(scope, plain) for scope in scopes]
    first, colon, rest = name.removeprefix("./").partition(":")
    yield [(scope, os.fsencode(rest)) for scope in scopes if colon and first == scope.name]
    absolute = Path(os.path.abspath(name))  # noqa: PTH100  a link is meant by its own name
    yield [
        # Documents that were added are known by their absolute paths, without the slash.
        (scope, os.fsencode(absolute)[1:] if scope.root == NO_ROOT else os.fsencode(absolute.relative_to(scope.root)))
        for scope in scopes
        if scope.root == NO_ROOT or scope.root in absolute.parents
    ]


def rows_named(connection: sqlite3.Connection, query: str, name: str) -> list[tuple[Any, ...]]:
    """The rows of a query by scope and path, of the first reading that has some."""
    scopes = all_scopes(connection)
    for places in chain.from_iterable(readings(scopes, meant) for meant in spellings(name)):
        found = [row for scope, path in places for row in connection.execute(query, (scope.id, path))]
        if found:
            return found
    return []


def spellings(name: str) -> list[str]:
    """The name as it is, and where it holds some, with the bytes that were spelled: if nothing is called so."""
    if UNWRITABLE.search(name):
        return [name]
    meant = os.fsdecode(SPELLED.sub(lambda byte: bytes([int(byte[1], 16)]), os.fsencode(name)))
    return [name] if meant == name else [name, meant]
