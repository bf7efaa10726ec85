"""The store as Python sees it: scan into it, and ask it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from nearkin.api.choice import chosen, refuse_no_share
from nearkin.api.scan_options import ScanOptions, settings_of
from nearkin.api.templates import Templates
from nearkin.api.text import Text, extracted_from
from nearkin.api.verdicts import Verdicts
from nearkin.errors import UsageError
from nearkin.model import Summary, View

if TYPE_CHECKING:
    import pyarrow as pa

AnyPath = str | PathLike[str]


@dataclass(frozen=True)
class Store(Verdicts, Templates):
    """What nearkin knows of a repository, in one file. Nothing is held open between calls."""

    path: Path

    @classmethod
    def open(cls, path: AnyPath, *, create: bool = True) -> Self:
        """The file is made by the first scan, if `create` allows; one that is no store is refused at once."""
        from nearkin.store.database import connect

        store = cls(Path(path))
        if store.path.exists() or not create:
            connect(store.path).close()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def scan(
        self,
        paths: AnyPath | Iterable[AnyPath],
        *,
        scope: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Unpack[ScanOptions],
    ) -> Summary:
        """Read, sign, store, match and group. Wrong options or paths are refused before a store is made."""
        from nearkin.pipeline import Scan
        from nearkin.read.walk import check_starts
        from nearkin.store.database import connect, explained

        settings = settings_of(options)
        starts = check_starts(
            tuple(map(Path, [paths] if isinstance(paths, str | PathLike) else [fspath(path) for path in paths]))
        )
        connection = connect(self.path, create=True, write=True)
        try:
            with explained(self.path):
                scan = Scan(connection, self.path, settings, _version(), progress or _nothing)
                return scan.run(starts, scope_name=scope)
        finally:
            connection.close()

    def documents(self, *, failed: bool = False) -> "pa.Table":
        from nearkin.report.fields import backslashed, document_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import document_table
        from nearkin.store.documents import present

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = present(connection, failed=failed)
        records = [document_record(document, scoped=scoped, name=backslashed) for document in found]
        return document_table(records, scoped=scoped)

    def identical(self) -> "pa.Table":
        from nearkin.report.fields import backslashed, identical_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import identical_table
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
        parted: bool = False,
    ) -> "pa.Table":
        """Scored pairs, at the scan's thresholds unless told otherwise. Shared bytes are a lower bound.

        Pairs that someone called not similar are left out, unless asked for as `parted`.
        """
        from nearkin.report.fields import backslashed, match_record
        from nearkin.report.matches import list_matches
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import match_table

        refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
        if min_shared_bytes < 0:
            raise UsageError(f"min_shared_bytes must not be negative, not {min_shared_bytes}.")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_matches(
                connection,
                min_resemblance=min_resemblance,
                min_containment=min_containment,
                min_shared_bytes=min_shared_bytes,
                all_copies=all_copies,
                parted=parted,
            )
        records = [match_record(one, scoped=scoped, name=backslashed) for one in found]
        return match_table(records, scoped=scoped)

    def check(
        self,
        text: Text,
        *,
        scheme: str | None = None,
        limit: int | None = None,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        all_copies: bool = False,
    ) -> "pa.Table":
        """What in the store is the same as, resembles, contains or lies in a text, the most like first."""
        from hashlib import sha256

        from nearkin.report.check import Checker
        from nearkin.report.fields import backslashed, similar_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import similar_table

        if limit is not None and limit < 1:
            raise UsageError(f"A limit must be 1 or more, not {limit}.")
        refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
        with opened(self.path) as connection:
            limits = {"min_resemblance": min_resemblance, "min_containment": min_containment}
            checker = Checker.of(connection, scheme, **limits)
            scoped = is_scoped(connection)
            extracted = extracted_from(text, checker.canon.raw)
            data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            found = checker.check(sha256(data).digest(), extracted, limit=limit, all_copies=all_copies)
        return similar_table([similar_record(one, scoped=scoped, name=backslashed) for one in found], scoped=scoped)

    def families(
        self, *, view: str = "chain", threshold: float | None = None, representative: str = "first"
    ) -> "pa.Table":
        """Families at the scan's threshold unless another is given.

        The greedy view is made from signatures, around a `representative`: the first member of a family, or its most
        popular features.
        """
        from nearkin.group.greedy import Representative
        from nearkin.report.families import list_families
        from nearkin.report.fields import backslashed, family_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import family_table

        how = chosen(View, view, "view")
        around = chosen(Representative, representative, "representative")
        if around is not Representative.FIRST and how is not View.GREEDY:
            raise UsageError("Only the greedy view has a representative; use: Store.families(view='greedy', …).")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_families(connection, view=how, threshold=threshold, representative=around)
        records = [family_record(family, scoped=scoped, name=backslashed) for family in found]
        return family_table(records, scoped=scoped, estimates=how is View.GREEDY)

    def audit(self, *, action: str | None = None, since: str | None = None, limit: int | None = None) -> "pa.Table":
        """Who did what, the latest first."""
        from dataclasses import asdict

        from nearkin.report.reading import opened
        from nearkin.report.tables import audit_table
        from nearkin.store.audit import entries

        with opened(self.path) as connection:
            found = [asdict(one) for one in entries(connection, action=action, since=since, limit=limit)]
        for one in found:
            one |= {key: None if one[key] is None else json.dumps(one[key]) for key in ("before", "after")}
        return audit_table(found)


def _version() -> str:
    from importlib.metadata import version

    return version("nearkin")


def _nothing(_stage: str, _documents: int, _bytes: int) -> None:
    pass
