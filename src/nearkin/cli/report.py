"""`report`: what the store holds, as a file for people or programs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import FILE, chosen, common, emit_one
from nearkin.cli.wording import note
from nearkin.wording import count, safe, size

if TYPE_CHECKING:
    from nearkin.report.export import WrittenReport

TABLES = ("documents", "matches", "families", "identical", "failed")


@click.command(epilog="Example: nearkin report families.csv --table families")
@click.argument("file", type=FILE)
@common
@click.option(
    "--table", type=click.Choice(TABLES), help="Table to write to .csv, .jsonl or .parquet.  [default: matches]"
)
@click.option("--links", is_flag=True, help="In .xlsx and .html: link file names to the files.")
def report(file: Path, store: Path, form: str | None, quiet: bool, table: str | None, links: bool) -> None:
    """Write a report of the last scan; the ending of FILE decides its type.

    .xlsx: a workbook with a summary, identical files, families, matches and failed documents. .html: the same as one
    page that needs no network. .csv, .jsonl, .parquet: one table for programs. .dat: a Concordance load file. The
    report begins with the settings of the scan; for .csv, .jsonl and .dat they are in FILE.about.json.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("write", quiet=quiet):
        written = Store(store).report(file, table=table, links=links)
    form = chosen(form)
    if form != "table":
        size = written.path.stat().st_size
        emit_one(
            {"report": str(file), "table": written.table, "rows": written.rows, "bytes": size},
            form,
            paths=frozenset({"report"}),
        )
    elif not quiet:
        from nearkin.cli.screen import Screen

        Screen().line(in_words(written))


def write_all(store: Path, files: tuple[Path, ...], *, quiet: bool) -> None:
    """Write reports after a scan."""
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    for file in files:
        with progress("write", quiet=quiet):
            written = Store(store).report(file)
        note(in_words(written), quiet=quiet)


def in_words(written: "WrittenReport") -> str:
    """One line: which report was written, and what is in it."""
    name, room = safe(str(written.path)), size(written.path.stat().st_size)
    if written.table is not None:
        return f"Wrote {name}: {written.rows:,} rows of {written.table} ({room})"
    if written.path.suffix.lower() == ".dat":
        return f"Wrote {name}: {count(written.rows, 'documents')} ({room})"
    totals = written.totals
    listed = (
        count(totals.identical, "identical sets"),
        count(totals.families, "families"),
        count(totals.matches, "matches"),
        f"{totals.failed:,} failed",
    )
    return f"Wrote {name}: {', '.join(listed)} ({room})"
