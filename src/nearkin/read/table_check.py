"""Before a scan of tables begins: are there any, and have they the columns that were named?"""

import os
from collections.abc import Iterator
from pathlib import Path

from nearkin.errors import UsageError
from nearkin.read.table import NAMES, BrokenTableError, Columns, TableKind, refuse_unsuitable, table_kind
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import WalkSettings


def check_tables(starts: tuple[Path, ...], settings: WalkSettings, columns: Columns) -> None:
    """A table that was named must have them. Of those in folders one must, which is looked for no further than needed;
    any other is found out, and fails alone, when it is read."""
    complaint: UsageError | None = None
    found = False
    for start in starts:
        for path, kind in _tables_of(start, settings):
            found = True
            try:
                refuse_unsuitable(path, kind, columns)
            except BrokenTableError:
                continue
            except UsageError as error:
                if not start.is_dir():
                    raise
                complaint = complaint or error
                continue
            if start.is_dir():
                return
    if complaint is not None:
        raise complaint
    if not found:
        where = " or ".join(map(str, starts))
        raise UsageError(f"There is no table in {where} to read a column of; tables are {NAMES}.")


def _tables_of(start: Path, settings: WalkSettings) -> Iterator[tuple[bytes, TableKind]]:
    root = start if start.is_dir() else start.parent
    for path in walk(root, (start,), settings):
        if not isinstance(path, Unreadable) and (kind := table_kind(path)) is not None:
            yield os.fsencode(root) + b"/" + path, kind
