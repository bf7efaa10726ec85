"""What to keep of a store's families, as Python sees it: proposed, written down, done and undone."""

import os
from collections import Counter
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.api.options import chosen, names_of, refuse_no_share, signer
from nearkin.api.session import Written
from nearkin.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    import pyarrow as pa

    from nearkin.keep.apply import Done, Undone
    from nearkin.keep.plan import PlanRow
    from nearkin.model import Location

AnyPath = str | PathLike[str]


class Keeping(Written):
    def keep(
        self,
        families: str | Iterable[str] = (),
        *,
        prefer: str | Iterable[str] = (),
        near: float | None = None,
        plan: AnyPath | None = None,
    ) -> "pa.Table":
        """Which document of each family to keep and why, and how much of each other lies in it.

        `prefer`: newest, oldest, largest, complete, scope:NAME, folder:PATH. With `near` the plan lets documents
        that are contained to this share be quarantined. A `plan` is written as .csv or .json. Documents that are not
        where the last scan found them are left out.
        """
        from nearkin.query.arrow_tables import keep_table

        rows = self.propose(families, prefer=prefer, near=near)
        if plan is not None:
            from nearkin.keep.plan import write_plan

            write_plan(rows, Path(plan))
        return keep_table(rows)

    def propose(
        self,
        families: str | Iterable[str] = (),
        *,
        prefer: str | Iterable[str] = (),
        near: float | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        absent: "Callable[[Location], None] | None" = None,
    ) -> "list[PlanRow]":
        """The rows of a plan. `progress` is told "keep", and how many documents of how many were looked at; `absent`
        is told of each document that is not where the last scan found it: it is left out."""
        from nearkin.keep.proposal import propose
        from nearkin.query.store_view import opened

        refuse_no_share(near=near)
        rules, only = names_of("prefer", prefer), names_of("families", families)
        with opened(self.path) as connection:
            told, missed = progress or (lambda *_: None), absent or (lambda _: None)
            return list(propose(connection, prefer=rules, families=only, near=near, progress=told, absent=missed))

    def apply_plan(
        self, plan: AnyPath, *, action: str, quarantine: AnyPath | None = None, by: str | None = None
    ) -> "list[Done]":
        """Carry out a plan: hardlink, symlink or quarantine. Every document is checked right before; every step is in
        the journal beside the plan; nothing is deleted."""
        from nearkin.keep.apply import Action, apply_plan, journal_of, quarantine_of
        from nearkin.keep.journal import Journal
        from nearkin.keep.plan import read_plan

        how, by = chosen(Action, action, "action"), signer(by)
        plan = Path(plan)
        rows = read_plan(plan)
        with self._writing() as connection:
            _refuse_foreign(connection, rows)
            away = Path(quarantine) if quarantine is not None else quarantine_of(plan)
            with Journal(journal_of(plan), create=True) as journal:
                done = list(apply_plan(rows, how, journal, away))
            self._note(connection, "keep --apply", plan, Counter(one.outcome for one in done), by)
        return done

    def undo_plan(self, journal: AnyPath, *, by: str | None = None) -> "list[Undone]":
        """Put back what a plan moved, by its journal."""
        from nearkin.keep.apply import undo
        from nearkin.keep.journal import Journal

        by = signer(by)
        with self._writing() as connection:
            with Journal(Path(journal), create=False) as held:
                undone = list(undo(held))
            self._note(connection, "keep --undo", Path(journal), Counter(one.outcome for one in undone), by)
        return undone

    def _note(self, connection: "sqlite3.Connection", action: str, file: Path, counts: "Counter[str]", by: str) -> None:
        from nearkin.store.audit import record

        with self._turn(connection):
            subject = os.fspath(file.absolute()).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            after = {"documents": dict(sorted(counts.items()))}
            record(connection, by=by, action=action, subject=subject, after=after)


def _refuse_foreign(connection: "sqlite3.Connection", rows: "list[PlanRow]") -> None:
    """A plan is about the scopes of this store, and nothing outside of them."""
    from nearkin.store.scopes import all_scopes

    roots = {os.fspath(scope.root) for scope in all_scopes(connection)}
    for row in rows:
        for root in (row.root, row.kept_root):
            if root not in roots and row.action != "none":
                raise UsageError(f"The plan is of another store: {root or 'no folder'} is the root of no scope here.")
