"""The store as Python sees it: scan into it, and ask it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from nearkin.api.care import Care, Reports, Scopes
from nearkin.api.kinship import Kinship, Tracing
from nearkin.api.options import (
    ScanOptions,
    at_least_one,
    chosen,
    paths_of,
    refuse_no_share,
    settings_of,
    signer,
    two_names,
)
from nearkin.api.templates import Templates
from nearkin.api.texts import Text, data_of, extracted_from, extraction_of
from nearkin.api.verdicts import Verdicts
from nearkin.errors import UsageError
from nearkin.model import Summary, View
from nearkin.settings import SPREAD, checked

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.api.session import Session
    from nearkin.settings import Settings

AnyPath = str | PathLike[str]


@dataclass
class Store(Verdicts, Templates, Scopes, Tracing, Reports, Kinship, Care):
    """What nearkin knows of a repository, in one file.

    Nothing is held open between calls, but for checks inside `with`, which are then quick.
    """

    path: Path
    _session: "Session | None" = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.path.is_symlink():  # what stands beside a store stands beside the file itself
            self.path = self.path.resolve()

    @classmethod
    def open(cls, path: AnyPath, *, create: bool = True) -> Self:
        """The file is made by the first scan, if `create` allows; one that is no store is refused at once, and so is a
        place without a folder."""
        from nearkin.store.database import connect, refuse_no_folder

        store = cls(Path(path))
        if store.path.exists() or not create:
            connect(store.path).close()
        else:
            refuse_no_folder(store.path)
        return store

    def __getstate__(self) -> dict[str, Path]:
        """Without what is held open: another process opens its own."""
        return {"path": self.path}

    def __enter__(self) -> Self:
        from nearkin.api.session import Session

        self._session = Session(self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def scan(
        self,
        paths: AnyPath | Iterable[AnyPath],
        *,
        scope: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Unpack[ScanOptions],
    ) -> Summary:
        """Read, sign, store, match and group. Wrong options or paths are refused before a store is made."""
        from nearkin.environment import version
        from nearkin.pipeline import scan
        from nearkin.read.walk import check_starts
        from nearkin.run import RunContext
        from nearkin.store.custodians import rule_of
        from nearkin.store.database import connect, explained

        settings = settings_of(options)
        starts = check_starts(paths_of(paths))
        _refuse_other_tables(starts, settings)
        if settings.walk.custodian is not None:
            rule_of(settings.walk.custodian)
        connection = connect(self.path, create=True, write=True, logged=False)
        try:
            with explained(self.path):
                context = RunContext(connection, self.path, settings, version(), progress or _nothing)
                return scan(context, starts, scope_name=scope)
        finally:
            connection.close()

    def documents(self, *, failed: bool = False, without_text: bool = False, changes: bool = False) -> "pa.Table":
        """What is in the store; or what failed, what has no text, what the last scan found to have changed."""
        from nearkin.query.arrow_tables import document_table
        from nearkin.query.records import backslashed, change_record, document_record
        from nearkin.query.store_view import is_scoped, opened
        from nearkin.store.changes import list_changes
        from nearkin.store.documents import present

        if sum(map(bool, (failed, without_text, changes))) > 1:
            raise UsageError("Ask for one of failed, without_text and changes.")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            if changes:
                listed = list_changes(connection)
                records = [change_record(change, scoped=scoped, name=backslashed) for change in listed]
                return document_table(records, scoped=scoped, changes=True)
            found = present(connection, failed=failed, without_text=without_text)
        records = [document_record(document, scoped=scoped, name=backslashed) for document in found]
        return document_table(records, scoped=scoped)

    def identical(self) -> "pa.Table":
        """Groups of identical documents: of the same bytes, or of the same words in other bytes."""
        from nearkin.query.arrow_tables import identical_table
        from nearkin.query.records import backslashed, identical_record
        from nearkin.query.store_view import is_scoped, opened
        from nearkin.store.documents import identical_groups

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = identical_groups(connection)
        records = [identical_record(group, scoped=scoped, name=backslashed) for group in found]
        return identical_table(records, scoped=scoped)

    def matches(
        self,
        *,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        min_shared_bytes: int = 0,
        all_copies: bool = False,
        between: tuple[str, str] | None = None,
        parted: bool = False,
    ) -> "pa.Table":
        """Scored pairs, at the scan's thresholds unless told otherwise. Shared bytes are a lower bound.

        Between two scopes, a master and a candidate: what of the candidate is in the master, identical documents too.
        Pairs that someone called not similar are left out, unless asked for as `parted`. Where the scan did not list
        all, the table's metadata have the reason under `nearkin.partial`.
        """
        from nearkin.query.arrow_tables import marked_partial, match_table
        from nearkin.query.matches import list_between, list_matches
        from nearkin.query.records import backslashed, match_record
        from nearkin.query.store_view import is_scoped, opened
        from nearkin.query.wording import missing_from_matches

        refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
        if checked("min_shared_bytes", min_shared_bytes, int) < 0:
            raise UsageError(f"min_shared_bytes must be 0 or more, not {min_shared_bytes}.")
        scopes = None if between is None else two_names(between, "between names two scopes, a master and a candidate")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            asked: dict[str, Any] = {
                "min_resemblance": min_resemblance,
                "min_containment": min_containment,
                "min_shared_bytes": min_shared_bytes,
                "all_copies": all_copies,
                "parted": parted,
            }
            if scopes is not None:
                found = list_between(connection, *scopes, **asked).matches
            else:
                found = list_matches(connection, **asked)
            partial = missing_from_matches(connection, min_resemblance, min_containment)
        tiers = between is not None
        records = [match_record(one, scoped=scoped, name=backslashed, tiers=tiers) for one in found]
        return marked_partial(match_table(records, scoped=scoped, tiers=tiers), partial)

    def new_documents(
        self, master: str, candidate: str, *, min_resemblance: float | None = None, min_containment: float | None = None
    ) -> "pa.Table":
        """Documents of one scope that are neither identical to one of another, nor near one, nor contained in one."""
        from nearkin.query.arrow_tables import new_table
        from nearkin.query.matches import list_between
        from nearkin.query.records import backslashed, new_record
        from nearkin.query.store_view import opened

        limits: dict[str, Any] = {"min_resemblance": min_resemblance, "min_containment": min_containment}
        refuse_no_share(**limits)
        with opened(self.path) as connection:
            unknown = list_between(connection, master, candidate, **limits).unknown
        return new_table([new_record(one, name=backslashed) for one in unknown])

    def check(
        self,
        text: Text,
        *,
        scheme: str | None = None,
        limit: int | None = None,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        all_copies: bool = False,
        add: bool = False,
        name: str | None = None,
        by: str | None = None,
    ) -> "pa.Table":
        """What in the store is the same as, resembles, contains or lies in a text, the most like first.

        With `add` the text is stored too, under its `name`; what was there before answers.
        """
        from hashlib import sha256

        from nearkin.query.arrow_tables import similar_table
        from nearkin.query.records import backslashed, similar_record
        from nearkin.query.store_view import is_scoped
        from nearkin.store.database import explained

        at_least_one("limit", limit)
        refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
        checked("scheme", scheme, str | None)
        if add:
            _refuse_to_add(name, scheme)
            by = signer(by)
        data = data_of(text)
        with self._asked() as session, explained(self.path):
            checker = session.checker(scheme, min_resemblance, min_containment)
            scoped = is_scoped(session.connection)
            extracted = extracted_from(text, checker.canon.raw)
            found = checker.check(sha256(data).digest(), extracted, limit=limit, all_copies=all_copies)
        if add:
            self.add(text, name=name, by=by)
        return similar_table([similar_record(one, scoped=scoped, name=backslashed) for one in found], scoped=scoped)

    def add(self, text: Text, *, name: str | None, by: str | None = None) -> bool:
        """Store a text under a name, at once; the next check finds it. False: it was there already, just so."""
        from nearkin.checkin import CheckIn
        from nearkin.environment import version
        from nearkin.store.database import connect

        _refuse_to_add(name, None)
        by = signer(by)
        connection = connect(self.path, write=True)
        try:
            check_in = CheckIn(connection, self.path, version(), by)
            data = data_of(text)
            return check_in.add_text(name or "", data, lambda raw: extraction_of(text, raw)).new
        finally:
            connection.close()

    @contextmanager
    def _asked(self) -> "Iterator[Session]":
        from nearkin.api.session import Session

        if self._session is not None:
            yield self._session
            return
        session = Session(self.path)
        try:
            yield session
        finally:
            session.close()

    def families(
        self,
        *,
        view: str = "chain",
        threshold: float | None = None,
        representative: str = "first",
        spread: float | None = None,
        limit: int | None = None,
    ) -> "pa.Table":
        """Families at the scan's threshold unless another is given; in the view chain, pivot, clique or greedy.

        Chains name their `most_distant` members where these resemble each other by less than `spread`, 0.5 unless
        given; 0 measures none. `limit`: only so many, the largest. Where the scan's matches do not tell all, the
        table's metadata have the reason under `nearkin.partial`.

        The greedy view is made from signatures, around a `representative`: the first member of a family, or its most
        popular features.
        """
        from nearkin.group.greedy import Representative
        from nearkin.query.arrow_tables import family_table, marked_partial
        from nearkin.query.families import list_families
        from nearkin.query.records import backslashed, family_record
        from nearkin.query.store_view import is_scoped, opened
        from nearkin.query.wording import missing_from_families

        how = chosen(View, view, "view")
        around = chosen(Representative, representative, "representative")
        if around is not Representative.FIRST and how is not View.GREEDY:
            raise UsageError("Only the greedy view has a representative; use: Store.families(view='greedy', …).")
        if spread is not None and how is not View.CHAIN:
            raise UsageError("Only the chain view has a spread; leave it out.")
        refuse_no_share(spread=spread)
        checked("threshold", threshold, float | None)
        at_least_one("limit", limit)
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_families(
                connection,
                view=how,
                threshold=threshold,
                representative=around,
                spread=SPREAD if spread is None else spread,
                limit=limit,
            )
            partial = missing_from_families(connection, how, threshold)
        records = [family_record(family, scoped=scoped, name=backslashed) for family in found]
        return marked_partial(family_table(records, scoped=scoped, view=how), partial)

    def family_history(self) -> "pa.Table":
        """What became of families, latest first: founded, merged into another, split from one, ended."""
        from nearkin.query.arrow_tables import event_table
        from nearkin.query.records import backslashed, event_record
        from nearkin.query.store_view import opened
        from nearkin.store.families import history

        with opened(self.path) as connection:
            return event_table([event_record(event, name=backslashed) for event in history(connection)])


def _refuse_to_add(name: str | None, scheme: str | None) -> None:
    if not checked("name", name, str | None):
        raise UsageError("A text that is added needs a name; give it one as: name='notes/draft.txt'.")
    if scheme is not None:
        raise UsageError("A text is added under the last scan's scheme; leave out scheme.")


def _nothing(_stage: str, _documents: int, _bytes: int) -> None:
    pass


def _refuse_other_tables(starts: tuple[Path, ...], settings: "Settings") -> None:
    """Where a column was named: tables without it, before a store is made."""
    if settings.table.text_column is not None:
        from nearkin.read.table import columns_of
        from nearkin.read.table_reader import check_tables

        columns = columns_of(settings.table)
        assert columns is not None
        check_tables(starts, settings.walk, columns)
