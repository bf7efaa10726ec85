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
@click.option(
    "--action", metavar="NAME", help="Show only these actions, e.g. scan, verdict, template or 'verdict set'."
)
@click.option("--since", type=moment, metavar="DATE", help="Show only what was done since then.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Show only the latest N.")
def audit(store: Path, form: str | None, quiet: bool, action: str | None, since: str | None, limit: int | None) -> None:
    """List who changed what and when, with the state before and after; latest first.

    It records scans, verdicts, templates and every other change that someone made to the store. Entries are never
    changed or deleted.
    """
    from dataclasses import asdict

    from nearkin.query.store_view import is_scoped, opened
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
    from nearkin.cli.wording import safe

    screen = Screen()
    if not records:
        screen.line("The audit is empty." if action is None and since is None else "The audit has no such entries.")
        return
    screen.columns(
        ["at", "by", "action", "subject and result"],
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
