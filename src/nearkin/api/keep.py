"""What to keep of a store's families: proposed, written down, done and undone."""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.api.options import AnyPath, chosen, names_of, refuse_no_share, signer
from nearkin.api.session import Progress, no_progress, write_turn, writing
from nearkin.errors import UsageError
from nearkin.keep.apply import Action, Done, Undone, journal_of, quarantine_of, undo
from nearkin.keep.apply import apply_plan as carry_out
from nearkin.keep.journal import Journal
from nearkin.keep.plan import COLUMNS, PlanRow, read_plan, write_plan
from nearkin.keep.proposal import ATTACHED
from nearkin.keep.proposal import propose as choose
from nearkin.model import Location
from nearkin.query.arrow_tables import keep_table
from nearkin.query.store_view import opened
from nearkin.store.audit import record
from nearkin.store.scopes import all_scopes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["apply_plan", "journal_of", "keep", "lacks_members", "propose", "quarantine_of", "row_record", "undo_plan"]
__all__ += ["PLAN_COLUMNS", "PLAN_PATHS", "write_plan"]

PLAN_COLUMNS = COLUMNS
PLAN_PATHS = frozenset({"path", "root", "kept_path", "kept_root"})  # those of them that name files


def keep(
    store: Path,
    families: str | Iterable[str],
    *,
    prefer: str | Iterable[str],
    near: float | None,
    plan: AnyPath | None,
) -> "pa.Table":
    """Which document of each family to keep; a `plan` is written as .csv or .json."""
    rows = propose(store, families, prefer=prefer, near=near)
    if plan is not None:
        write_plan(rows, Path(plan))
    return keep_table(rows)


def propose(
    store: Path,
    families: str | Iterable[str] = (),
    *,
    prefer: str | Iterable[str] = (),
    near: float | None = None,
    progress: Progress | None = None,
    absent: Callable[[Location], None] | None = None,
) -> list[PlanRow]:
    """The rows of a plan; `absent` is called with each document that is not where the last scan found it."""
    refuse_no_share(near=near)
    rules, only = names_of("prefer", prefer), names_of("families", families)
    with opened(store) as connection:
        report, miss = progress or no_progress, absent or (lambda _: None)
        return list(choose(connection, prefer=rules, families=only, near=near, progress=report, absent=miss))


def apply_plan(store: Path, plan: Path, *, action: str, quarantine: AnyPath | None, by: str | None) -> list[Done]:
    """Carry out a plan. Every document is checked right before; every step is in the journal beside the plan."""
    how, by = chosen(Action, action, "action"), signer(by)
    rows = read_plan(plan)
    with writing(store) as connection:
        _refuse_foreign(connection, rows)
        away = Path(quarantine) if quarantine is not None else quarantine_of(plan)
        with Journal(journal_of(plan), create=True) as journal:
            done = list(carry_out(rows, how, journal, away))
        _note(store, connection, "keep --apply", plan, Counter(step.outcome for step in done), by)
    return done


def undo_plan(store: Path, journal: Path, *, by: str | None) -> list[Undone]:
    """Put back what a plan moved, by its journal."""
    by = signer(by)
    with writing(store) as connection:
        with Journal(journal, create=False) as held:
            undone = list(undo(held))
        _note(store, connection, "keep --undo", journal, Counter(step.outcome for step in undone), by)
    return undone


def row_record(row: PlanRow) -> dict[str, Any]:
    """A row of a plan with the fields of JSON."""
    return row.record


def lacks_members(row: PlanRow) -> bool:
    """Whether a document is left alone because it has attachments or members that the kept one lacks."""
    return row.why == ATTACHED


def _note(
    store: Path, connection: sqlite3.Connection, action: str, file: Path, counts: "Counter[str]", by: str
) -> None:
    with write_turn(store, connection):
        subject = os.fspath(file.absolute()).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        after = {"documents": dict(sorted(counts.items()))}
        record(connection, by=by, action=action, subject=subject, after=after)


def _refuse_foreign(connection: sqlite3.Connection, rows: list[PlanRow]) -> None:
    """A plan is about the scopes of this store, and nothing outside of them."""
    roots = {os.fspath(scope.root) for scope in all_scopes(connection)}
    for row in rows:
        for root in (row.root, row.kept_root):
            if root not in roots and row.action != "none":
                raise UsageError(f"The plan is of another store: {root or 'no folder'} is the root of no scope here.")
