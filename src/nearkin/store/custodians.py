"""Whose copy a document is: named by a rule, for all documents of the trees that a scan goes through.

    owner         who owns the file
    mail          who sent the mail, by address; attachments are as their mail
    path:2        the second folder of its path below the scope's root
    path:users    the folder that follows one called `users`
    people.csv    a map: lines of path,custodian; the longest path that is the document's, or is above it, decides

What lies in a container is whose the container is. Without a rule a document keeps the custodian it had.
"""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nearkin.errors import InputError, UsageError
from nearkin.read.table import MEMBER
from nearkin.read.walk import explain
from nearkin.store.freshness import lies_below


class Held(NamedTuple):
    """What a rule looks at."""

    path: bytes
    owner: str | None
    properties: str | None


Rule = Callable[[Held], str | None]


def rule_of(text: str) -> Rule:
    """UsageError or InputError where there is no such rule, or its map cannot be read."""
    kind, _, which = text.partition(":")
    if text == "owner":
        return lambda held: held.owner
    if text == "mail":
        return _sender
    if kind == "path" and which:
        return _folder_after(os.fsencode(which)) if not which.isdecimal() else _folder(int(which))
    return _mapped(_read_map(text))


def name_custodians(
    connection: sqlite3.Connection, run: int, scope: int, below: tuple[bytes, ...], rule: str | None
) -> None:
    """In the transaction that ends a run: everyone sees it from then on."""
    if rule is None:
        connection.execute(
            """UPDATE document SET custodian = (SELECT b.custodian FROM document b WHERE b.id = document.before)
               WHERE before IS NOT NULL AND seen = ? AND custodian IS NULL""",
            (run,),
        )
        return
    decide = rule_of(rule)
    named: dict[int, str | None] = {}
    changed: list[tuple[str | None, int]] = []
    # A container comes before what lies in it: its path is the beginning of theirs.
    for number, parent, path, owner, properties, custodian in connection.execute(
        """SELECT id, parent, path, owner, properties, custodian FROM present WHERE scope = ? ORDER BY path""",
        (scope,),
    ):
        if not lies_below(path, below):
            continue
        own = decide(Held(path, owner, properties))
        named[number] = own if own is not None or parent is None else named.get(parent)
        if named[number] != custodian:
            changed.append((named[number], number))
    connection.executemany("UPDATE document SET custodian = ? WHERE id = ?", changed)


def _sender(held: Held) -> str | None:
    from email.utils import parseaddr  # with sockets and much else that no other rule needs

    properties = json.loads(held.properties) if held.properties else {}
    return parseaddr(str(properties.get("from", "")))[1].lower() or None


def _folders(path: bytes) -> list[bytes]:
    return path.partition(MEMBER)[0].split(b"/")[:-1]


def _folder(number: int) -> Rule:
    if number < 1:
        raise UsageError("--custodian path:N counts folders from 1.")

    def decide(held: Held) -> str | None:
        folders = _folders(held.path)
        return _shown(folders[number - 1]) if len(folders) >= number else None

    return decide


def _folder_after(name: bytes) -> Rule:
    def decide(held: Held) -> str | None:
        folders = _folders(held.path)
        at = folders.index(name) + 1 if name in folders else len(folders)
        return _shown(folders[at]) if at < len(folders) else None

    return decide


def _mapped(custodians: dict[bytes, str]) -> Rule:
    def decide(held: Held) -> str | None:
        path = held.path.partition(MEMBER)[0]
        while path and path not in custodians:
            path = path.rpartition(b"/")[0]
        return custodians.get(path)

    return decide


def _read_map(text: str) -> dict[bytes, str]:
    import csv

    if not text or (not Path(text).exists() and not text.endswith(".csv")):
        raise UsageError(f"{text!r} names no custodians; known are: owner, mail, path:N, path:FOLDER or a CSV file.")
    try:
        with open(text, newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
            rows = [row for row in csv.reader(file) if row]
    except OSError as error:
        raise InputError(f"Cannot read {text}: {explain(error)}.") from error
    if bad := next((at for at, row in enumerate(rows, 1) if len(row) != 2), None):
        raise InputError(f"{text} is no map of custodians: its line {bad} is not: path,custodian")
    return {os.fsencode(path.strip("/")): custodian for path, custodian in rows if custodian}


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
