"""`custodians`: who holds copies or near-copies."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.notes import note
from nearkin.cli.options import common, store_option
from nearkin.cli.output import Record, chosen, emit

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.query.kinship import Custodian


@click.command(epilog="Example: nearkin custodians manual-1.txt")
@click.argument("subject", metavar="FILE|FAMILY")
@common
def custodians(subject: str, store: Path, form: str | None, quiet: bool) -> None:
    """List who holds copies or near-copies of a document, or members of a family.

    FILE is a document of the store, named by its path there or on disk; FAMILY is an id, or its first digits.
    `scan --custodian RULE` sets the custodians; otherwise the owner of the file, or of the archive or mail it is in,
    counts. Near-copies are those that reach the scan's thresholds.
    """
    from nearkin.cli.progress import progress
    from nearkin.query.kinship import custodian_record, list_custodians
    from nearkin.query.store_view import is_scoped, opened

    with progress("comparing", quiet=quiet), opened(store) as connection:
        scoped = is_scoped(connection)
        found = list_custodians(connection, subject)
    if not any(one.known_by == "custodian" for one in found):
        command = f"nearkin scan … --custodian RULE{store_option(store)}"
        note(f"No custodians are known, only owners of files; to set them: {command}", quiet=quiet)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_custodians(Screen(scoped), found)
        return

    def one_row_a_document(record: Record) -> Iterator[Record]:
        for document in record["documents"]:
            yield {**record, **document}

    emit(
        (custodian_record(one, scoped=scoped) for one in found),
        form,
        columns=[
            "custodian",
            "known_by",
            "count",
            "bytes",
            "path",
            *(["scope"] if scoped else []),
            "tier",
            "resemblance",
            "exact",
        ],
        rows=one_row_a_document,
        paths=frozenset({"path"}),
    )


def _show_custodians(screen: "Screen", found: "list[Custodian]") -> None:
    from nearkin.cli.apart import apart
    from nearkin.cli.wording import count, safe, size
    from nearkin.query.wording import marked

    for one in found:
        by = " (owner of the files)" if one.known_by == "owner" else ""
        who = "unknown" if one.name is None else safe(one.name)
        screen.line((who, "bold"), f"{by}  {count(len(one.holdings), 'documents')}, {size(one.bytes)}")
        names = apart([screen.name(held.location) for held in one.holdings], screen.width - 14)
        for held, name in zip(one.holdings, names, strict=True):
            how = f"near {marked(held.resemblance, held.exact)}" if held.tier == "near" else held.tier
            screen.line((f"  {how:<10}  ", "dim"), name)
