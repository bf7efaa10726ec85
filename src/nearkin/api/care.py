"""Care of a store: what is in it, whether it is sound, what it can forget; and its reports."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path

from nearkin.api.options import AnyPath, signer
from nearkin.api.session import Progress, heed_verdicts, match_again, no_progress, run_context, writing
from nearkin.errors import UsageError
from nearkin.model import Location
from nearkin.query.store_view import is_scoped, opened, without_own_text
from nearkin.store import runs
from nearkin.store.changes import Dropped, drop
from nearkin.store.forget import Forgotten, find_places
from nearkin.store.forget import forget as purge
from nearkin.store.inventory import Inventory, take_inventory
from nearkin.store.maintenance import Compacted, Finding, findings
from nearkin.store.maintenance import compact as shrink
from nearkin.store.scopes import all_scopes, find_scope
from nearkin.store.segments import folder_of


def info(store: Path) -> Inventory:
    """What is in a store, how much room each part takes, and what is stale."""
    with opened(store) as connection:
        return take_inventory(connection, store)


def verify(store: Path, *, quick: bool, progress: Progress | None) -> list[Finding]:
    """What is wrong with a store, if anything; `quick` does not make every kept text canonical again."""
    from nearkin.matching.segment_builder import damaged_segments  # here: nothing else needs the index

    with opened(store) as connection:
        problems = list(findings(connection, store, quick=quick, progress=progress or no_progress))
        remedy = "is damaged; remove it, and the next check makes it again"
        segments = damaged_segments(connection, store)
        return [
            *problems,
            *(Finding("segments", f"The segment {folder_of(store) / segment} {remedy}.") for segment in segments),
        ]


def compact(store: Path, *, by: str | None) -> Compacted:
    """Remove what is stale and can be made again, and write the file anew."""
    by = signer(by)
    with writing(store) as connection:
        compacted = shrink(connection, store, by=by)
        heed_verdicts(store, connection)
    return compacted


def forget(store: Path, paths: AnyPath | Iterable[AnyPath], *, by: str | None) -> list[Forgotten]:
    """Purge documents with their texts, signatures and history; only their digests stay, in the audit."""
    by = signer(by)
    with writing(store) as connection:
        forgotten = purge(connection, store, _names(paths), by=by)
        match_again(store, connection)
    return forgotten


def forgettable(store: Path, paths: AnyPath | Iterable[AnyPath]) -> list[Location]:
    """The documents that `forget` would purge; an error where one is not in the store."""
    with opened(store) as connection:
        return [location for _, location, _ in find_places(connection, _names(paths))]


def drop_scope(store: Path, name: str, *, by: str | None) -> Dropped:
    """Count all documents of a scope as gone; matches and families follow. History and kept texts stay."""
    from nearkin.pipeline import rematch  # here: nothing else needs a run
    from nearkin.run import is_current

    by = signer(by)
    with writing(store) as connection:
        scope = find_scope(connection, name)
        context = run_context(store, connection)
        if not is_current(context, runs.last(connection).scheme):
            raise UsageError("Signatures of this store are of an older nearkin; scan a folder of it first.")
        documents = 0

        def change() -> None:
            nonlocal documents
            documents = drop(connection, scope, run=runs.coming(connection), by=by)

        rematch(context, change)
    return Dropped(scope.name, os.fspath(scope.root), documents, scope.root.is_dir() and scope.root.is_absolute())


@dataclass(frozen=True)
class LostScope:
    """A scope whose folder no longer exists, while its documents still count."""

    name: str
    root: str  # the folder; bytes that are not UTF-8 are written \\xNN
    documents: int


@dataclass(frozen=True)
class ScopeRoots:
    """Where the scopes of a store lie."""

    lost: list[LostScope]
    present: dict[str, Path]  # by name, those whose folder exists


def scope_roots(store: Path) -> ScopeRoots:
    """Which scopes of a store still have their folder, and which have lost it."""
    with opened(store) as connection:
        lost = [LostScope(*scope) for scope in runs.lost_scopes(connection)]
        return ScopeRoots(lost, {scope.name: scope.root for scope in all_scopes(connection) if not scope.is_missing})


def has_several_scopes(store: Path) -> bool:
    """Whether documents are of several scopes, so that paths alone are ambiguous."""
    with opened(store) as connection:
        return is_scoped(connection)


def count_wordless(store: Path) -> int:
    """How many documents are empty, have neither letters nor digits, or only contain others: they have no text of their
    own, and are no documents without text either."""
    with opened(store) as connection:
        return without_own_text(connection)


def _names(paths: AnyPath | Iterable[AnyPath]) -> Sequence[str]:
    return [fspath(paths)] if isinstance(paths, str | os.PathLike) else [fspath(path) for path in paths]
