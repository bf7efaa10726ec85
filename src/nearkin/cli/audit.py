"""`audit`: who did what to the store."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import chosen, common, emit_listing
from nearkin.cli.wording import hard
from nearkin.errors import UsageError
from nearkin.wording import count, safe
from nearkin.wording import size as in_words

if TYPE_CHECKING:
    from nearkin.store.audit import AuditEntry


def moment(text: str) -> str:
    """A date or a moment, as --since takes it."""
    from nearkin.api.listings import audit_moment

    try:
        return audit_moment(text)
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
    from nearkin.api.store import Store

    with Store(store).listings.audit(action=action, since=since, limit=limit) as listing:
        entries = list(listing.items)
    form = chosen(form)
    if form != "table":
        emit_listing(listing, entries, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen()
    if not entries:
        screen.line("The audit is empty." if action is None and since is None else "The audit has no such entries.")
        return
    screen.columns(
        ["at", "by", "action", "subject and result"],
        (
            [
                entry.at[:19].replace("T", " "),
                safe(entry.by),
                safe(entry.action),
                "\n  ".join(
                    [*(hard(safe(line)) for line in _subject(entry, scoped=listing.scoped)), safe(_result(entry))]
                ).rstrip(),
            ]
            for entry in entries
        ),
        folding=True,
    )


CHANGES = ("new", "changed", "moved", "gone")
DIGITS = 12  # of a digest


def _subject(entry: "AuditEntry", *, scoped: bool) -> list[str]:
    """What an entry is about. What was added is noted by its path; where paths alone are ambiguous, its scope goes
    before it. Of a pair each document has a line."""
    scope = (entry.after or {}).get("scope") if entry.action == "check --add" else None
    name = f"{scope}:{entry.subject}" if scoped and scope else str(entry.subject)
    if not entry.action.startswith("verdict") or not name.startswith("pair "):
        return [name]
    first, *rest = name.split(" and ")
    return [first, *(f"and {document}" for document in rest)]


def _result(entry: "AuditEntry") -> str:
    """What was done, in a few words, from what the audit noted before and after."""
    before, after = (state if isinstance(state, dict) else {} for state in (entry.before, entry.after))
    match entry.action:
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
    totals = [count(after[name], name) for name in ("documents", "families") if name in after]
    return "; ".join(filter(None, [", ".join(totals), ", ".join(changes)]))


def _note(about: dict[str, Any]) -> str:
    return f", “{about['note']}”" if about.get("note") else ""
