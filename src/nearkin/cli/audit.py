"""`audit`: who did what to the store."""

import json
from pathlib import Path

import click

from nearkin.cli.options import common
from nearkin.cli.output import Record, chosen, emit
from nearkin.errors import UsageError


def moment(text: str) -> str:
    from nearkin.store import audit

    try:
        return audit.moment(text)
    except UsageError as error:
        raise click.BadParameter(error.sentence) from error


@click.command(epilog="Example: nearkin audit --action verdict --since 2026-01-01")
@common
@click.option("--action", metavar="NAME", help="Only these, as: scan, verdict, template, 'verdict set'.")
@click.option("--since", type=moment, metavar="DATE", help="Only what was done since then.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="No more than the latest so many.")
def audit(store: Path, form: str | None, quiet: bool, action: str | None, since: str | None, limit: int | None) -> None:
    """List who did what, when, and what was before and after; the latest first.

    Scans, verdicts, templates and whatever else changed the store on someone's word. Nothing in it is ever changed or
    deleted.
    """
    from dataclasses import asdict

    from nearkin.report.reading import is_scoped, opened
    from nearkin.store.audit import entries

    with opened(store) as connection:
        scoped = is_scoped(connection)
        records = [asdict(one) for one in entries(connection, action=action, since=since, limit=limit)]
    form = chosen(form)
    if form != "table":
        columns = ["id", "at", "by", "action", "subject", "before", "after"]
        emit(records, form, columns=columns, rows=_as_json)
        return
    from nearkin.cli.deeds import subject, told
    from nearkin.cli.screen import Screen, hard
    from nearkin.cli.words import safe

    screen = Screen()
    if not records:
        screen.line("Nothing has been noted." if action is None and since is None else "Nothing of that was noted.")
        return
    screen.columns(
        ["at", "by", "action", "about, below it what came of it"],
        (
            [
                one["at"][:19].replace("T", " "),
                safe(one["by"]),
                safe(one["action"]),
                "\n  ".join([*(hard(safe(line)) for line in subject(one, scoped=scoped)), safe(told(one))]).rstrip(),
            ]
            for one in records
        ),
        folding=True,
    )


def _as_json(record: Record) -> list[Record]:
    """What was before and after has no one shape: in a cell it is JSON."""
    states = {key: None if record[key] is None else json.dumps(record[key]) for key in ("before", "after")}
    return [{**record, **states}]
