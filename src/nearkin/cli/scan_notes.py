"""What a person should know beside a scan's result: what else has changed, and what no longer is where it was."""

import os
import shlex
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from nearkin.cli.wording import count, safe
from nearkin.read.table import BrokenTableError, table_columns, table_kind
from nearkin.settings import WalkSettings, in_units

FEW_COLUMNS = 8
WHY = {"unreadable": "permission or disk error"}  # reasons that need more words


def lost(connection: Connection, option: str, *, left_out: bool = False) -> list[str]:
    """Of scopes whose folder is missing: without a word their documents would pass for copies of moved ones, unless
    they are left out."""
    from nearkin.store.runs import lost_scopes

    def so(documents: int) -> str:
        if left_out:
            return "so keep leaves its documents out"
        return f"but its {count(documents, 'documents')} still {'counts' if documents == 1 else 'count'}"

    return [
        f"Scope {safe(name)}: its folder {safe(root)} no longer exists, {so(documents)};"
        f" if it moved: nearkin scan NEWPLACE --scope {shlex.quote(safe(name))}{option};"
        f" if it is gone: nearkin store drop {shlex.quote(safe(name))}{option}"
        for name, root, documents in lost_scopes(connection)
    ]


def failed_in_words(connection: Connection, starts: tuple[Path, ...] | None = None) -> str:
    """How much of the store, or of these folders, could not be read; empty where all could. A folder may be in it."""
    from nearkin.store.runs import failed_by_reason

    reasons = failed_by_reason(connection, starts)
    if not reasons:
        return ""
    named = {reason: WHY.get(reason, reason) for reason in reasons}
    told = ", ".join(f"{count(number)} {named[reason]}" for reason, number in reasons.items())
    why = next(iter(named.values())) if len(reasons) == 1 else told
    return f"{count(sum(reasons.values()), 'files or folders')} could not be read ({why})"


def notes(connection: Connection, starts: tuple[Path, ...], option: str) -> list[str]:
    """After a scan of these; the option names the store in what to type."""
    from nearkin.store.runs import is_any_below, keeps_texts, last_scan, out_of_reach

    found = []
    scan = last_scan(connection)
    if scan is not None:
        found += [f"Scope {safe(name)} is now at {safe(root)}." for name, root in scan.moved]
        if not is_any_below(connection, starts):
            found.append("No files found. Check --include, --exclude and --hidden.")
        found += [
            f"{safe(glob)} matched nothing; patterns are relative to the scanned folder."
            for glob in _idle(connection, scan.settings.walk, starts)
        ]
        if closed := out_of_reach(connection, starts):
            are, stay = ("is", "stays as it was") if closed == 1 else ("are", "stay as they were")
            found.append(f"{count(closed, 'documents')} {are} in folders that could not be read, and {stay}.")
        if scan.settings.table.text_column is None:
            found += _tables(connection, scan.run, starts)
        if scan.before is not None and (told := _filters(scan.before.walk, scan.settings.walk)):
            found.append(f"The last scan used {told}; files this scan skips count as gone, files it adds as new.")
        if not scan.settings.text.keep and keeps_texts(connection):
            purge = f"to remove one: nearkin store forget PATH{option}"
            found.append(f"Texts kept by earlier scans stay in the store; {purge}")
    return found + lost(connection, option)


def _idle(connection: Connection, settings: WalkSettings, starts: tuple[Path, ...]) -> tuple[str, ...]:
    """Filters that made no difference, such as a path from elsewhere. To know them the folders are listed again."""
    if not settings.include and not settings.exclude:
        return ()
    from nearkin.read.globs import Choice
    from nearkin.read.walk import walk
    from nearkin.store.runs import in_scope
    from nearkin.store.scopes import all_scopes

    choice = Choice(settings)
    for scope in all_scopes(connection):
        below = [scope.root / os.fsdecode(path) for path in in_scope(scope, starts)]
        for _ in walk(scope.root, tuple(below), settings, choice=choice) if below else ():
            pass
    return choice.idle


def _tables(connection: Connection, run: int, starts: tuple[Path, ...]) -> list[str]:
    """Where rows may have been meant: tables that were named, and those that have no text as a whole."""
    from nearkin.store.documents import rows_gone, tables_without_text

    named = [start for start in starts if start.is_file() and table_kind(os.fsencode(start)) is not None]
    told = []
    if gone := rows_gone(connection, run):
        told.append(f"{count(gone, 'rows')} of tables count as gone: this scan had no --text-column.")
    if len(named) == 1:
        told.append(
            f"{safe(named[0].name)} was read as one document; to read it row by row: --text-column {_columns(named[0])}"
        )
    elif number := len(named) or tables_without_text(connection, starts):
        were = "was" if number == 1 else "were"
        told.append(
            f"{count(number, 'tables')} {were} read as one document each; to read them row by row: --text-column NAME"
        )
    return told


def _columns(table: Path) -> str:
    """Those there are, as far as they are known."""
    kind = table_kind(os.fsencode(table))
    try:
        names = table_columns(os.fsencode(table), kind) if kind is not None else []
    except BrokenTableError:
        names = []
    more = ", …" if len(names) > FEW_COLUMNS else ""
    return f"NAME (one of: {', '.join(map(safe, names[:FEW_COLUMNS]))}{more})" if names else "NAME"


def _filters(before: Any, now: Any) -> str:
    """Of the last scan, those that differ."""
    used, unused = [], []
    for name in ("include", "exclude"):
        if set(getattr(before, name)) != set(getattr(now, name)):
            globs = [f"--{name} {shlex.quote(safe(glob))}" for glob in getattr(before, name)]
            used += globs
            unused += [] if globs else [f"no --{name}"]
    if before.hidden != now.hidden:
        (used if before.hidden else unused).append("--hidden" if before.hidden else "no --hidden")
    if before.max_size != now.max_size:
        used.append(f"--max-size {in_units(before.max_size)}")
    return " and ".join(filter(None, [" ".join(used), *unused]))
