"""What a store can list: documents, matches, families and all else, each as a `Listing`.

`Store` has a method of the same name for each, which returns it as an Arrow table.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.api.listing import Listing, ScopeListing, SignatureListing, place_record
from nearkin.api.options import at_least_one, chosen, refuse_no_share, two_names
from nearkin.errors import UsageError
from nearkin.model import Change, Document, Family, IdenticalGroup, View
from nearkin.query.records import Record
from nearkin.query.store_view import is_scoped, opened
from nearkin.settings import SPREAD, checked

if TYPE_CHECKING:
    from nearkin.query.kinship import Custodian, FolderPair
    from nearkin.query.lineage import Descendant
    from nearkin.store.audit import AuditEntry
    from nearkin.store.documents import HeldDocument
    from nearkin.store.families import PastEvent
    from nearkin.store.verdicts import Verdict

LINEAGE_COLUMNS = ["depth", "date", "date_from", "new", "lost", "exact", "new_margin", "lost_margin", "same_words"]
TEMPLATE_COLUMNS = ["id", "name", "source", "tolerance", "documents", "shingles", "passages", "excerpt"]


@dataclass(frozen=True)
class Listings:
    """What a store can list. Each method opens a listing, to be used in `with`."""

    path: Path

    @contextmanager
    def documents(self, *, failed: bool = False, without_text: bool = False) -> Iterator[Listing[Document]]:
        """Documents; or files that failed, or documents that have no text."""
        from nearkin.query.arrow_tables import document_table
        from nearkin.query.records import document_columns, document_record
        from nearkin.store.documents import present

        if failed and without_text:
            raise UsageError("Ask for one of failed, without_text and changes.")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            yield Listing(
                connection,
                scoped,
                lambda: present(connection, failed=failed, without_text=without_text),
                lambda document, name: document_record(document, scoped=scoped, name=name),
                lambda records: document_table(records, scoped=scoped),
                document_columns(scoped=scoped),
                frozenset({"path", "parent"}),
                _document_rows,
            )

    @contextmanager
    def changes(self) -> Iterator[Listing[Change]]:
        """Documents that the last scan found new, changed, moved or gone."""
        from nearkin.query.arrow_tables import document_table
        from nearkin.query.records import change_columns, change_record
        from nearkin.store.changes import list_changes

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            yield Listing(
                connection,
                scoped,
                lambda: list_changes(connection),
                lambda change, name: change_record(change, scoped=scoped, name=name),
                lambda records: document_table(records, scoped=scoped, changes=True),
                change_columns(scoped=scoped),
                frozenset({"path", "moved_from"}),
            )

    @contextmanager
    def identical(self) -> Iterator[Listing[IdenticalGroup]]:
        """Groups of identical documents, the largest first."""
        from nearkin.query.arrow_tables import identical_table
        from nearkin.query.records import copy_columns, copy_rows, identical_record
        from nearkin.store.documents import identical_groups

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            yield Listing(
                connection,
                scoped,
                lambda: identical_groups(connection),
                lambda group, name: identical_record(group, scoped=scoped, name=name),
                lambda records: identical_table(records, scoped=scoped),
                copy_columns(scoped=scoped),
                frozenset({"group", "path"}),
                copy_rows,
            )

    @contextmanager
    def matches(
        self,
        *,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        min_shared_bytes: int = 0,
        all_copies: bool = False,
        between: tuple[str, str] | None = None,
        parted: bool = False,
    ) -> Iterator[ScopeListing]:
        """Scored pairs, strongest first; `Store.matches` says what the arguments mean."""
        from nearkin.query.arrow_tables import match_table
        from nearkin.query.matches import each_match, list_between, missing_from_matches
        from nearkin.query.records import match_columns, match_record

        refuse_no_share(min_resemblance=min_resemblance, min_containment=min_containment)
        if checked("min_shared_bytes", min_shared_bytes, int) < 0:
            raise UsageError(f"min_shared_bytes must be 0 or more, not {min_shared_bytes}.")
        scopes = None if between is None else two_names(between, "between names two scopes, a master and a candidate")
        asked: dict[str, Any] = {
            "min_resemblance": min_resemblance,
            "min_containment": min_containment,
            "min_shared_bytes": min_shared_bytes,
            "all_copies": all_copies,
            "parted": parted,
        }
        with opened(self.path) as connection:
            scoped, tiers = is_scoped(connection), scopes is not None
            listing = ScopeListing(
                connection,
                scoped,
                lambda: listing.answer.matches if tiers else each_match(connection, **asked),
                lambda match, name: match_record(match, scoped=scoped, name=name, tiers=tiers),
                lambda records: match_table(records, scoped=scoped, tiers=tiers),
                match_columns(scoped=scoped, tiers=tiers),
                frozenset({"a", "b"}),
                find_gaps=lambda: missing_from_matches(connection, min_resemblance, min_containment),
                compare=None if scopes is None else lambda: list_between(connection, *scopes, **asked),
            )
            yield listing

    @contextmanager
    def new_documents(
        self, master: str, candidate: str, *, min_resemblance: float | None = None, min_containment: float | None = None
    ) -> "Iterator[Listing[HeldDocument]]":
        """Documents of the candidate that are neither identical to one of the master, nor near one, nor in one."""
        from nearkin.query.arrow_tables import new_table
        from nearkin.query.matches import list_between
        from nearkin.query.records import new_record

        limits: dict[str, Any] = {"min_resemblance": min_resemblance, "min_containment": min_containment}
        refuse_no_share(**limits)
        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: list_between(connection, master, candidate, **limits).unknown,
                lambda document, name: new_record(document, name=name),
                new_table,
                ["path", "scope", "size"],
            )

    @contextmanager
    def families(
        self,
        *,
        view: str = "chain",
        threshold: float | None = None,
        representative: str = "first",
        spread: float | None = None,
        limit: int | None = None,
    ) -> Iterator[Listing[Family]]:
        """Families, the largest first; `Store.families` says what the arguments mean."""
        from nearkin.group.views import Representative
        from nearkin.query.arrow_tables import family_table
        from nearkin.query.families import list_families, missing_from_families
        from nearkin.query.records import MEMBER_PATHS, family_record, member_columns, member_rows

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
            yield Listing(
                connection,
                scoped,
                lambda: list_families(
                    connection,
                    view=how,
                    threshold=threshold,
                    representative=around,
                    spread=SPREAD if spread is None else spread,
                    limit=limit,
                ),
                lambda family, name: family_record(family, scoped=scoped, name=name),
                lambda records: family_table(records, scoped=scoped, view=how),
                member_columns(view, scoped=scoped),
                MEMBER_PATHS,
                member_rows,
                lambda: missing_from_families(connection, how, threshold),
            )

    @contextmanager
    def family_history(self) -> "Iterator[Listing[PastEvent]]":
        """What became of families, latest first: founded, merged into another, split from one, ended."""
        from nearkin.query.arrow_tables import event_table
        from nearkin.query.records import event_record
        from nearkin.store.families import history

        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: history(connection),
                lambda event, name: event_record(event, name=name),
                event_table,
                ["at", "run", "what", "family", "other", "documents", "path"],
            )

    @contextmanager
    def lineage(self, family: str, *, dates: bool = True, beyond: bool = True) -> "Iterator[Listing[Descendant]]":
        """The likely order of derivation; `Store.lineage` says what the arguments mean."""
        from nearkin.api.kinship import lineage_table
        from nearkin.query.lineage import lineage_record, trace_lineage

        checked("family", family, str)
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            scopes = ["scope", "source_scope"] if scoped else []
            yield Listing(
                connection,
                scoped,
                lambda: trace_lineage(connection, family, dates=dates, beyond=beyond),
                lambda descendant, name: lineage_record(descendant, scoped=scoped, name=name),
                lambda records: lineage_table(records, scoped=scoped),
                ["path", "source", *scopes, *LINEAGE_COLUMNS, "copies", "nearer", "beyond"],
                frozenset({"path", "source", "nearer"}),
            )

    @contextmanager
    def custodians(self, subject: str) -> "Iterator[Listing[Custodian]]":
        """Who holds copies or near-copies of a document, or documents of a family."""
        from nearkin.api.kinship import custodian_table, holding_rows
        from nearkin.query.kinship import custodian_record, list_custodians

        checked("subject", subject, str)
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            document = ["path", *(["scope"] if scoped else []), "tier", "resemblance", "exact"]
            yield Listing(
                connection,
                scoped,
                lambda: list_custodians(connection, subject),
                lambda custodian, name: custodian_record(custodian, scoped=scoped, name=name),
                lambda records: custodian_table(records, scoped=scoped),
                ["custodian", "known_by", "count", "bytes", *document],
                to_rows=holding_rows,
            )

    @contextmanager
    def folders(self, *, min_share: float = 0.5, min_documents: int = 2) -> "Iterator[Listing[FolderPair]]":
        """Pairs of folder trees of which `min_share` of b lives in a, those that share most first."""
        from nearkin.api.kinship import folder_columns, folder_table
        from nearkin.query.kinship import folder_record, list_folders

        refuse_no_share(min_share=checked("min_share", min_share, float))
        at_least_one("min_documents", checked("min_documents", min_documents, int))
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            yield Listing(
                connection,
                scoped,
                lambda: list_folders(connection, least=min_documents, share=min_share),
                lambda pair, name: folder_record(pair, scoped=scoped, name=name),
                lambda records: folder_table(records, scoped=scoped),
                folder_columns(scoped=scoped),
                frozenset({"a", "b"}),
            )

    @contextmanager
    def signatures(self, scheme: str | None = None) -> Iterator[SignatureListing]:
        """The signature of every distinct text, under the last scan's scheme unless another is given."""
        from nearkin.api.schemes import digest_record, signature_table
        from nearkin.query.signatures import stored_signatures

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            how, signatures = stored_signatures(connection, scheme)
            yield SignatureListing(
                connection,
                scoped,
                lambda: signatures,
                lambda item, name: {**place_record(item[0], scoped=scoped, name=name), **digest_record(item[1])},
                lambda records: signature_table(records, scoped=scoped),
                ["digest", "features", "weight", "path", *(["scope"] if scoped else [])],
                scheme=how,
            )

    @contextmanager
    def verdicts(self) -> "Iterator[Listing[Verdict]]":
        """What people decided on pairs and families, latest first."""
        from nearkin.query.arrow_tables import verdict_table
        from nearkin.query.verdicts import verdict_record
        from nearkin.store.verdicts import all_verdicts

        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: all_verdicts(connection),
                lambda verdict, name: verdict_record(connection, verdict, name=name),
                verdict_table,
                ["id", "about", "verdict", "family", "path", "keep", "by", "note", "at"],
                frozenset({"path", "keep"}),
                lambda record: [{**record, "path": path} for path in record["paths"] or [None]],
            )

    @contextmanager
    def templates(self) -> Iterator[Listing[Record]]:
        """The templates whose text counts in no comparison."""
        from nearkin.query.arrow_tables import template_table
        from nearkin.query.templates import template_records

        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: template_records(connection),
                lambda record, _name: record,
                template_table,
                [*TEMPLATE_COLUMNS, "by", "note", "at"],
                frozenset(),
            )

    @contextmanager
    def suggestions(self, *, least: int = 5, limit: int | None = 20) -> Iterator[Listing[Record]]:
        """Text that at least so many contents have which are otherwise unlike: it may be a template."""
        from nearkin.query.arrow_tables import suggestion_table
        from nearkin.query.templates import list_suggestions

        at_least_one("least", checked("least", least, int))
        at_least_one("limit", limit)
        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: [suggestion.record() for suggestion in list_suggestions(connection, least=least, limit=limit)],
                lambda record, _name: record,
                suggestion_table,
                ["suggestion", "documents", "shingles", "families_changed", "families", "passages", "excerpt"],
                frozenset(),
                lambda record: [{**record, "families": " ".join(record["families"])}],
            )

    @contextmanager
    def audit(
        self, *, action: str | None = None, since: str | date | None = None, limit: int | None = None
    ) -> "Iterator[Listing[AuditEntry]]":
        """Who did what, the latest first."""
        from nearkin.query.arrow_tables import audit_table
        from nearkin.store.audit import entries

        at_least_one("limit", limit)
        checked("action", action, str | None)
        begin = None if since is None else audit_moment(since)
        with opened(self.path) as connection:
            yield Listing(
                connection,
                is_scoped(connection),
                lambda: list(entries(connection, action=action, since=begin, limit=limit)),
                lambda entry, _name: asdict(entry),
                lambda records: audit_table([row for record in records for row in _audit_rows(record)]),
                ["id", "at", "by", "action", "subject", "before", "after"],
                frozenset(),
                _audit_rows,
            )


def media_names() -> dict[str, str]:
    """Short names of the media types that nearkin reads, such as docx: Word's own has 71 letters."""
    from nearkin.formats.registry import FORMATS

    return {known.media: known.name for known in FORMATS}


def audit_moment(since: str | date) -> str:
    """A date or a moment as the audit notes them; without a zone it is local time."""
    from nearkin.store.audit import moment

    return moment(since)


def _document_rows(record: Record) -> list[Record]:
    """One row: properties have no one shape, so that in a cell they are JSON."""
    return [{**record, "properties": json.dumps(record["properties"]) if record["properties"] else None}]


def _audit_rows(record: Record) -> list[Record]:
    """One row: what was before and after has no one shape, so that in a cell it is JSON."""
    states = {key: None if record[key] is None else json.dumps(record[key]) for key in ("before", "after")}
    return [{**record, **states}]
