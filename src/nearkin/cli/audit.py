"""`audit`: who did what to the store.

What was done, in a few words, from what the audit noted before and after.
"""

import json
from pathlib import Path
from typing import Any

import click

from nearkin.cli.options import Record, chosen, common, emit
from nearkin.cli.wording import count
from nearkin.cli.wording import size as in_words
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


CHANGES = ("new", "changed", "moved", "gone")
DIGITS = 12  # of a digest


def subject(record: Record, *, scoped: bool) -> list[str]:
    """What is added is noted by its path; where paths alone are ambiguous, its scope goes before it. Of a pair each
    document has a line."""
    scope = (record["after"] or {}).get("scope") if record["action"] == "check --add" else None
    name = f"{scope}:{record['subject']}" if scoped and scope else str(record["subject"])
    if not record["action"].startswith("verdict") or not name.startswith("pair "):
        return [name]
    first, *rest = name.split(" and ")
    return [first, *(f"and {one}" for one in rest)]


def told(record: Record) -> str:
    before, after = (record[side] if isinstance(record[side], dict) else {} for side in ("before", "after"))
    match record["action"]:
        case "scan":
            return _scan(after)
        case "verdict set":
            instead = f", instead of {before['verdict']}" if before else ""
            return f"{after.get('verdict')}{instead}{_note(after)}"
        case "verdict clear":
            return f"no longer {before.get('verdict')}{_note(before)}"
        case "template add" | "template remove":
            about = after or before
            return f"from a {about.get('source')}{_note(about)}"
        case "check --add":
            return f"{after.get('digest', '')[:DIGITS]}, {in_words(after.get('size', 0))}"
        case "forget":
            digests = " ".join(digest[:DIGITS] for digest in before.get("digests", []))
            return f"{count(before.get('versions', 0), 'versions')}: {digests}"
        case "drop":
            return f"{count(before.get('documents', 0), 'documents')} of {before.get('root')}"
        case "scope moved":
            return f"from {before.get('root')} to {after.get('root')}"
        case "keep --apply" | "keep --undo":
            return ", ".join(f"{number:,} {what}" for what, number in after.get("documents", {}).items())
        case "compact":
            return ", ".join(count(number, what) for what, number in after.items() if number) or "nothing was stale"
    return ""


def _scan(after: dict[str, Any]) -> str:
    changes = [f"{count(after[name])} {name}" for name in CHANGES if after.get(name)]
    found = [count(after[name], name) for name in ("documents", "families") if name in after]
    return "; ".join(filter(None, [", ".join(found), ", ".join(changes)]))


def _note(about: dict[str, Any]) -> str:
    return f", “{about['note']}”" if about.get("note") else ""
