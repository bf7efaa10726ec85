"""What a person should know beside a scan's result: what else has changed, and what no longer is where it was."""

import os
import shlex
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from nearkin.cli.words import count, safe
from nearkin.read.table import BrokenTableError, table_columns, table_kind
from nearkin.settings import in_units

FEW_COLUMNS = 8


def lost(connection: Connection, option: str) -> list[str]:
    """Of scopes whose folder is missing: without a word their documents would pass for copies of moved ones."""
    from nearkin.store.last_scan import lost_scopes

    return [
        f"scope {safe(name)}: its folder {safe(root)} is not there any more; its {count(documents, 'documents')}"
        f" still {'counts' if documents == 1 else 'count'};"
        f" if it moved: nearkin scan NEWPLACE --scope {shlex.quote(safe(name))}{option};"
        f" if it is gone: nearkin store drop {shlex.quote(safe(name))}{option}"
        for name, root, documents in lost_scopes(connection)
    ]


def failed_in_words(connection: Connection, starts: tuple[Path, ...] | None = None) -> str:
    """How much of the store, or of these folders, could not be read; empty where all could. A folder may be in it."""
    from nearkin.store.last_scan import failed_by_reason

    reasons = failed_by_reason(connection, starts)
    if not reasons:
        return ""
    told = ", ".join(f"{count(number)} {reason}" for reason, number in reasons.items())
    return f"{count(sum(reasons.values()), 'files or folders')} could not be read: {told}"


def notes(connection: Connection, starts: tuple[Path, ...], option: str) -> list[str]:
    """After a scan of these; the option names the store in what to type."""
    from nearkin.store.last_scan import is_any_below, keeps_texts, last_scan

    found = []
    scan = last_scan(connection)
    if scan is not None:
        found += [f"scope {safe(name)} is now at {safe(root)}" for name, root in scan.moved]
        if not is_any_below(connection, starts):
            found.append("no files were found; which are looked for is said by --include, --exclude and --hidden")
        if scan.settings.table.text_column is None:
            found += _tables(connection, scan.run, starts)
        if scan.before is not None and (told := _filters(scan.before.walk, scan.settings.walk)):
            found.append(f"the last scan had {told}; documents that this leaves out or takes in count as gone or new")
        if not scan.settings.text.keep and keeps_texts(connection):
            purge = f"to purge one: nearkin store forget PATH{option}"
            found.append(f"texts that earlier scans kept stay in the store; {purge}")
    return found + lost(connection, option)


def _tables(connection: Connection, run: int, starts: tuple[Path, ...]) -> list[str]:
    """Where rows may have been meant: tables that were named, and those that have no text as a whole."""
    from nearkin.store.rows_left import rows_gone, tables_without_text

    named = [start for start in starts if start.is_file() and table_kind(os.fsencode(start)) is not None]
    told = []
    if gone := rows_gone(connection, run):
        told.append(f"{count(gone, 'rows')} of tables count as gone: this scan had no --text-column")
    if len(named) == 1:
        told.append(f"{safe(named[0].name)} was read as a whole; to read it by row: --text-column {_columns(named[0])}")
    elif number := len(named) or tables_without_text(connection, starts):
        were = "was" if number == 1 else "were"
        told.append(f"{count(number, 'tables')} {were} read as a whole; to read them by row: --text-column NAME")
    return told


def _columns(table: Path) -> str:
    """Those there are, as far as they are known."""
    kind = table_kind(os.fsencode(table))
    try:
        names = table_columns(os.fsencode(table), kind) if kind is not None else []
    except BrokenTableError:
        names = []
    more = ", …" if len(names) > FEW_COLUMNS else ""
    return f"NAME, which may be {', '.join(map(safe, names[:FEW_COLUMNS]))}{more}" if names else "NAME"


def _filters(before: Any, now: Any) -> str:
    """Of the last scan, those that differ."""
    told = []
    for name in ("include", "exclude"):
        if set(getattr(before, name)) != set(getattr(now, name)):
            globs = getattr(before, name)
            told += [f"--{name} {shlex.quote(safe(glob))}" for glob in globs] or [f"no --{name}"]
    if before.hidden != now.hidden:
        told.append("--hidden" if before.hidden else "no --hidden")
    if before.max_size != now.max_size:
        told.append(f"--max-size {in_units(before.max_size)}")
    return " ".join(told) if all(one.startswith("--") for one in told) else ", ".join(told)
