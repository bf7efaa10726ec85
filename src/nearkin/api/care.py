"""Care of a store, as Python sees it: what is in it, whether it is sound, what it may forget, who did what.

Scopes of a store, as Python sees them: one whose folder is gone can be dropped.

Reports of a store, as Python writes them.
"""

import json
import os
from collections.abc import Callable, Iterable
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.api.options import at_least_one, signer
from nearkin.api.session import Written
from nearkin.errors import UsageError
from nearkin.settings import checked

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.report.export import WrittenReport
    from nearkin.store.changes import Dropped
    from nearkin.store.forget import Forgotten
    from nearkin.store.inventory import Inventory
    from nearkin.store.maintenance import Compacted, Finding


class Care(Written):
    def info(self) -> "Inventory":
        """What is in the store, how much room each part takes, and what is stale."""
        from nearkin.query.store_view import opened
        from nearkin.store.inventory import take_inventory

        with opened(self.path) as connection:
            return take_inventory(connection, self.path)

    def verify(
        self, *, quick: bool = False, progress: Callable[[str, int, int], None] | None = None
    ) -> "list[Finding]":
        """What is wrong with it, if anything; `quick` does not make every kept text canonical again."""
        from nearkin.matching.segment_builder import damaged_segments
        from nearkin.query.store_view import opened
        from nearkin.store.maintenance import Finding, findings
        from nearkin.store.segments import folder_of

        with opened(self.path) as connection:
            found = list(findings(connection, self.path, quick=quick, progress=progress or _nothing))
            said = "is damaged; remove it, and the next check makes it again"
            spoilt = damaged_segments(connection, self.path)
            return [
                *found,
                *(Finding("segments", f"The segment {folder_of(self.path) / one} {said}.") for one in spoilt),
            ]

    def compact(self, *, by: str | None = None) -> "Compacted":
        """Remove what is stale and can be made again, and write the file anew. Refused while a scan runs."""
        from nearkin.store.maintenance import compact

        by = signer(by)
        with self._writing() as connection:
            done = compact(connection, self.path, by=by)
            self._heed_verdicts(connection)
        return done

    def forget(
        self, paths: str | PathLike[str] | Iterable[str | PathLike[str]], *, by: str | None = None
    ) -> "list[Forgotten]":
        """Purge documents with their texts, signatures and history; only their digests stay, in the audit."""
        from nearkin.store.forget import forget

        by = signer(by)
        names = [paths] if isinstance(paths, str | PathLike) else list(paths)
        with self._writing() as connection:
            forgotten = forget(connection, self.path, [fspath(name) for name in names], by=by)
            self._match_again(connection)
        return forgotten

    def audit(
        self, *, action: str | None = None, since: str | date | None = None, limit: int | None = None
    ) -> "pa.Table":
        """Who did what, the latest first; `since` a date or a moment, of local time where it names no zone."""
        from dataclasses import asdict

        from nearkin.query.arrow_tables import audit_table
        from nearkin.query.store_view import opened
        from nearkin.store.audit import entries, moment

        at_least_one("limit", limit)
        checked("action", action, str | None)
        begin = None if since is None else moment(since)
        with opened(self.path) as connection:
            found = [asdict(one) for one in entries(connection, action=action, since=begin, limit=limit)]
        for one in found:
            one |= {key: None if one[key] is None else json.dumps(one[key]) for key in ("before", "after")}
        return audit_table(found)


def _nothing(_stage: str, _documents: int, _bytes: int) -> None:
    pass


class Scopes(Written):
    def drop_scope(self, name: str, *, by: str | None = None) -> "Dropped":
        """All documents of a scope are gone, matches and families follow. History and kept texts stay.

        Refused while a scan runs.
        """
        from nearkin.pipeline import rematch
        from nearkin.run import is_current
        from nearkin.store import runs
        from nearkin.store.changes import Dropped, drop
        from nearkin.store.scopes import find_scope

        by = signer(by)
        with self._writing() as connection:
            scope = find_scope(connection, name)
            context = self._run_context(connection)
            if not is_current(context, runs.last(connection).scheme):
                raise UsageError("Signatures of this store are of an older nearkin; scan a folder of it first.")
            documents = 0

            def change() -> None:
                nonlocal documents
                documents = drop(connection, scope, run=runs.coming(connection), by=by)

            rematch(context, change)
        return Dropped(scope.name, os.fspath(scope.root), documents, scope.root.is_dir() and scope.root.is_absolute())


class Reports:
    path: Path

    def report(self, path: str | PathLike[str], *, table: str | None = None, links: bool = False) -> "WrittenReport":
        """Write what the store holds to a file: .xlsx, .html, .csv, .jsonl, .parquet or .dat.

        `table` says which one a flat file holds: documents, matches (unless told otherwise), families, identical or
        failed. With `links` names of files in .xlsx and .html lead to them. The file is there whole or not at all.
        """
        from nearkin.report.export import write_report

        return write_report(self.path, Path(path), table=table, links=links)
