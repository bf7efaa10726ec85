"""Scopes of a store, as Python sees them: one whose folder is gone can be dropped."""

import os
from typing import TYPE_CHECKING

from nearkin.api.options import signer
from nearkin.api.writing import Written
from nearkin.errors import UsageError

if TYPE_CHECKING:
    from nearkin.store.changes import Dropped


class Scopes(Written):
    def drop_scope(self, name: str, *, by: str | None = None) -> "Dropped":
        """All documents of a scope are gone, matches and families follow. History and kept texts stay.

        Refused while a scan runs.
        """
        from nearkin.store import runs
        from nearkin.store.changes import Dropped, drop
        from nearkin.store.scopes import find_scope

        by = signer(by)
        with self._writing() as connection:
            scope = find_scope(connection, name)
            scan = self._scan(connection)
            if not scan.is_current(runs.last(connection).scheme):
                raise UsageError("Signatures of this store are of an older nearkin; scan a folder of it first.")
            documents = 0

            def change() -> None:
                nonlocal documents
                documents = drop(connection, scope, run=runs.coming(connection), by=by)

            scan.again(change)
        return Dropped(scope.name, os.fspath(scope.root), documents, scope.root.is_dir() and scope.root.is_absolute())
