"""The store as Python sees it: scan into it, ask it, decide about it, and look after it.

Every method delegates to the module of its topic, which is imported when it is called. Listings come as Arrow tables
here, and as objects or records from `Store.listings`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, Unpack

from nearkin.api.options import AnyPath, ScanOptions
from nearkin.errors import UsageError
from nearkin.model import Location, Summary
from nearkin.settings import TextSettings

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.api.check import DocumentChecker
    from nearkin.api.comparison import ComparedDocuments, Tracer
    from nearkin.api.listings import Listings
    from nearkin.api.session import Progress, Session
    from nearkin.api.texts import Text
    from nearkin.api.verdicts import Subject
    from nearkin.checkin import Added
    from nearkin.keep.apply import Done, Undone
    from nearkin.keep.plan import PlanRow
    from nearkin.query.lookup import NamedDocument
    from nearkin.query.verdicts import Consequence
    from nearkin.report.export import WrittenReport
    from nearkin.store.changes import Dropped
    from nearkin.store.forget import Forgotten
    from nearkin.store.inventory import Inventory
    from nearkin.store.maintenance import Compacted, Finding

Paths = AnyPath | Iterable[AnyPath]
Names = str | Iterable[str]
Ignore = Sequence[str]
IGNORED = TextSettings().ignore
EXACT = "exact:window=20"


@dataclass
class Store:
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
        """Leave out what is held open: another process opens its own."""
        return {"path": self.path}

    def __enter__(self) -> Self:
        from nearkin.api.session import Session

        self._session = Session(self.path)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def listings(self) -> "Listings":
        """The listings below as objects or records, one by one, instead of tables."""
        from nearkin.api.listings import Listings

        return Listings(self.path)

    def scan(
        self,
        paths: Paths,
        *,
        scope: str | None = None,
        progress: "Progress | None" = None,
        **options: Unpack[ScanOptions],
    ) -> Summary:
        """Read, sign, store, match and group. Wrong options or paths are refused before a store is made."""
        from nearkin.api.scans import scan

        return scan(self.path, paths, scope, progress, options)

    def documents(self, *, failed: bool = False, without_text: bool = False, changes: bool = False) -> "pa.Table":
        """What is in the store; or what failed, what has no text, what the last scan found to have changed."""
        if sum(map(bool, (failed, without_text, changes))) > 1:
            raise UsageError("Ask for one of failed, without_text and changes.")
        if changes:
            with self.listings.changes() as listing:
                return listing.table()
        with self.listings.documents(failed=failed, without_text=without_text) as documents:
            return documents.table()

    def identical(self) -> "pa.Table":
        """Groups of identical documents: of the same bytes, or of the same words in other bytes."""
        with self.listings.identical() as listing:
            return listing.table()

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
        """Scored pairs, at the scan's thresholds unless others are given. Shared bytes are a lower bound.

        Between two scopes, a master and a candidate: what of the candidate is in the master, identical documents too.
        Pairs that someone called not similar are left out, unless asked for as `parted`. Where the scan did not list
        all, the table's metadata have the reason under `nearkin.partial`.
        """
        with self.listings.matches(
            min_resemblance=min_resemblance,
            min_containment=min_containment,
            min_shared_bytes=min_shared_bytes,
            all_copies=all_copies,
            between=between,
            parted=parted,
        ) as listing:
            return listing.table()

    def new_documents(
        self, master: str, candidate: str, *, min_resemblance: float | None = None, min_containment: float | None = None
    ) -> "pa.Table":
        """Documents of one scope that are neither identical to one of another, nor near one, nor contained in one."""
        with self.listings.new_documents(
            master, candidate, min_resemblance=min_resemblance, min_containment=min_containment
        ) as listing:
            return listing.table()

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
        with self.listings.families(
            view=view, threshold=threshold, representative=representative, spread=spread, limit=limit
        ) as listing:
            return listing.table()

    def family_history(self) -> "pa.Table":
        """What became of families, latest first: founded, merged into another, split from one, ended."""
        with self.listings.family_history() as listing:
            return listing.table()

    def lineage(self, family: str, *, dates: bool = True, beyond: bool = True) -> "pa.Table":
        """The likely order of derivation in a family (by its id, or by a document's path), sources before what derives
        from them; without `dates` from the texts alone, without `beyond` of what reaches the threshold only."""
        with self.listings.lineage(family, dates=dates, beyond=beyond) as listing:
            return listing.table()

    def custodians(self, subject: str) -> "pa.Table":
        """Who holds copies or near-copies of a document (by its path or file), or documents of a family (by its id)."""
        with self.listings.custodians(subject) as listing:
            return listing.table()

    def folders(self, *, min_share: float = 0.5, min_documents: int = 2) -> "pa.Table":
        """Pairs of folder trees of which `min_share` of b lives in a: of the same bytes, or near by family."""
        with self.listings.folders(min_share=min_share, min_documents=min_documents) as listing:
            return listing.table()

    def signatures(self, scheme: str | None = None) -> "pa.Table":
        """The digest of every text's signature, under the last scan's scheme unless another is given."""
        with self.listings.signatures(scheme) as listing:
            return listing.table()

    def audit(
        self, *, action: str | None = None, since: str | date | None = None, limit: int | None = None
    ) -> "pa.Table":
        """Who did what, the latest first; `since` a date or a moment, of local time where it names no zone."""
        with self.listings.audit(action=action, since=since, limit=limit) as listing:
            return listing.table()

    def check(
        self,
        text: "Text",
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
        from nearkin.api.check import check

        return check(
            self.path,
            self._session,
            text,
            scheme=scheme,
            limit=limit,
            min_resemblance=min_resemblance,
            min_containment=min_containment,
            all_copies=all_copies,
            add=add,
            name=name,
            by=by,
        )

    def checking(
        self, scheme: str | None = None, *, min_resemblance: float | None = None, min_containment: float | None = None
    ) -> "AbstractContextManager[DocumentChecker]":
        """Check files and documents of the store, one after another, with what could not be compared."""
        from nearkin.api.check import checking

        return checking(self.path, scheme, min_resemblance, min_containment)

    def add(self, text: "Text", *, name: str | None, by: str | None = None) -> bool:
        """Store a text under a name, at once; the next check finds it. False: it was there already, just so."""
        from nearkin.api.check import add_text

        return add_text(self.path, text, name=name, by=by)

    def add_documents(
        self, documents: "Iterable[NamedDocument]", *, name: str | None = None, by: str | None = None
    ) -> "Iterator[tuple[NamedDocument, Added | None]]":
        """Store documents that were read by `checking`, one by one; `name` is for bytes that lie in no file. None: it
        is a document of the store already."""
        from nearkin.api.check import add_documents

        return add_documents(self.path, documents, name=name, by=by)

    def compare(
        self, a: str, b: str, scheme: str = EXACT, *, min_length: int = 20, raw: bool = False, ignore: Ignore = IGNORED
    ) -> "ComparedDocuments":
        """Two files, or documents of the store by their paths there, in full; `nearkin.compare` is for texts."""
        from nearkin.api.comparison import compare_documents

        return compare_documents(self.path, a, b, scheme, min_length=min_length, raw=raw, ignore=ignore)

    def trace(self, text: "Text", *, min_length: int = 100, quick: bool = False) -> "pa.Table":
        """Every document that holds a passage of a text of at least so many characters, those that hold most first.

        `share` is how much of the text a document holds, `share_of_all` how much all of them hold together. With
        `quick` only what shares a stored feature is read, which may miss short passages. Where texts were not kept, the
        table's metadata say how many may hold some, under `nearkin.partial`.
        """
        from nearkin.api.comparison import trace

        return trace(self.path, text, min_length=min_length, quick=quick)

    def tracing(self) -> "AbstractContextManager[Tracer]":
        """Trace files and documents of the store."""
        from nearkin.api.comparison import tracing

        return tracing(self.path)

    def verdicts(self) -> "pa.Table":
        """What people decided on pairs and families, and who did."""
        with self.listings.verdicts() as listing:
            return listing.table()

    def set_verdict(
        self,
        subject: "Subject",
        verdict: str,
        *,
        keep: str | None = None,
        by: str | None = None,
        note: str | None = None,
    ) -> "Consequence":
        """On two documents or on a family; `keep` names the document of it to keep. Families follow at once."""
        from nearkin.api.verdicts import set_verdict

        return set_verdict(self.path, subject, verdict, keep=keep, by=by, note=note)

    def clear_verdict(self, subject: "Subject | int", *, by: str | None = None) -> int:
        """Clear all verdicts on a pair or family, or one by its number; how many there were."""
        from nearkin.api.verdicts import clear_verdict

        return clear_verdict(self.path, subject, by=by)

    def templates(self) -> "pa.Table":
        """The templates whose text counts in no comparison."""
        with self.listings.templates() as listing:
            return listing.table()

    def suggest_templates(self, *, least: int = 5, limit: int | None = 20) -> "pa.Table":
        """Text that at least so many contents have which are otherwise unlike."""
        with self.listings.suggestions(least=least, limit=limit) as listing:
            return listing.table()

    def add_template(
        self,
        *,
        family: str | None = None,
        text: "Text | None" = None,
        file: str | None = None,
        suggestions: Sequence[int] | Literal["all"] = (),
        least: int = 5,
        limit: int | None = 20,
        tolerance: float | None = None,
        name: str | None = None,
        source: str = "text",
        by: str | None = None,
        note: str | None = None,
        progress: "Progress | None" = None,
    ) -> list[str]:
        """Leave out what a family has in common, a text, the text of a file or document, or what was suggested; the
        names of the templates made.

        Matches and families are made anew. Numbers of suggestions hold for the same `least` and `limit`.
        """
        from nearkin.api.templates import TemplateSource, add_template

        made_of = TemplateSource(family, text, file, suggestions, least, limit, tolerance, source)
        return add_template(self.path, made_of, name=name, by=by, note=note, progress=progress)

    def remove_template(self, name: str, *, by: str | None = None) -> None:
        """By name or number. Matches and families are made anew."""
        from nearkin.api.templates import remove_template

        remove_template(self.path, name, by=by)

    def keep(
        self, families: Names = (), *, prefer: Names = (), near: float | None = None, plan: AnyPath | None = None
    ) -> "pa.Table":
        """Which document of each family to keep and why, and how much of each other lies in it.

        `prefer`: newest, oldest, largest, complete, scope:NAME, folder:PATH. With `near` the plan lets documents
        that are contained to this share be quarantined. A `plan` is written as .csv or .json. Documents that are not
        where the last scan found them are left out.
        """
        from nearkin.api.keep import keep

        return keep(self.path, families, prefer=prefer, near=near, plan=plan)

    def propose(
        self,
        families: Names = (),
        *,
        prefer: Names = (),
        near: float | None = None,
        progress: "Progress | None" = None,
        absent: Callable[[Location], None] | None = None,
    ) -> "list[PlanRow]":
        """The rows of a plan. `progress` is told "keep", and how many documents of how many were looked at; `absent`
        is called with each document that is not where the last scan found it: it is left out."""
        from nearkin.api.keep import propose

        return propose(self.path, families, prefer=prefer, near=near, progress=progress, absent=absent)

    def apply_plan(
        self, plan: AnyPath, *, action: str, quarantine: AnyPath | None = None, by: str | None = None
    ) -> "list[Done]":
        """Carry out a plan: hardlink, symlink or quarantine. Every document is checked right before; every step is in
        the journal beside the plan; nothing is deleted."""
        from nearkin.api.keep import apply_plan

        return apply_plan(self.path, Path(plan), action=action, quarantine=quarantine, by=by)

    def undo_plan(self, journal: AnyPath, *, by: str | None = None) -> "list[Undone]":
        """Put back what a plan moved, by its journal."""
        from nearkin.api.keep import undo_plan

        return undo_plan(self.path, Path(journal), by=by)

    def info(self) -> "Inventory":
        """What is in the store, how much room each part takes, and what is stale."""
        from nearkin.api.care import info

        return info(self.path)

    def verify(self, *, quick: bool = False, progress: "Progress | None" = None) -> "list[Finding]":
        """What is wrong with it, if anything; `quick` does not make every kept text canonical again."""
        from nearkin.api.care import verify

        return verify(self.path, quick=quick, progress=progress)

    def compact(self, *, by: str | None = None) -> "Compacted":
        """Remove what is stale and can be made again, and write the file anew. Refused while a scan runs."""
        from nearkin.api.care import compact

        return compact(self.path, by=by)

    def forget(self, paths: Paths, *, by: str | None = None) -> "list[Forgotten]":
        """Purge documents with their texts, signatures and history; only their digests stay, in the audit."""
        from nearkin.api.care import forget

        return forget(self.path, paths, by=by)

    def drop_scope(self, name: str, *, by: str | None = None) -> "Dropped":
        """Count all documents of a scope as gone; matches and families follow. History and kept texts stay.

        Refused while a scan runs.
        """
        from nearkin.api.care import drop_scope

        return drop_scope(self.path, name, by=by)

    def report(self, path: str | PathLike[str], *, table: str | None = None, links: bool = False) -> "WrittenReport":
        """Write what the store holds to a file: .xlsx, .html, .csv, .jsonl, .parquet or .dat.

        `table` says which one a flat file holds: documents, matches (the default), families, identical or failed. With
        `links` names of files in .xlsx and .html lead to them. The file is there whole or not at all.
        """
        from nearkin.report.export import write_report

        return write_report(self.path, Path(path), table=table, links=links)
