"""`documents`: what is in the store, what could not be read, and what the last scan found to have changed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import chosen, common, emit, limited
from nearkin.cli.wording import no_more_than
from nearkin.errors import UsageError

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.model import Change


@click.command(epilog="Example: nearkin documents --changes")
@common
@click.option("--failed", is_flag=True, help="List what could not be read, and why.")
@click.option(
    "--without-text", is_flag=True, help="List documents without readable text, which are compared by bytes only."
)
@click.option(
    "--changes", is_flag=True, help="List what the last scan found new, changed, moved (and from where) or gone."
)
@limited("first N")
def documents(
    store: Path, form: str | None, quiet: bool, failed: bool, without_text: bool, changes: bool, limit: int | None
) -> None:
    """List what is in the store."""
    from nearkin.query.records import document_columns, document_record
    from nearkin.query.store_view import is_scoped, opened, without_own_text
    from nearkin.store import runs
    from nearkin.store.documents import present

    if failed + without_text + changes > 1:
        raise UsageError("Use only one of --failed, --without-text and --changes.")
    if changes:
        _list_changes(store, form, limit, quiet=quiet)
        return
    with opened(store) as connection:
        runs.last(connection)  # where no scan has finished, that there are no documents would be no answer
        scoped = is_scoped(connection)
        there = present(connection, failed=failed, without_text=without_text)
        other = without_own_text(connection) if without_text else 0
    found = list(no_more_than(limit, there, "first", "documents", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        screen = Screen(scoped)
        if not found:
            nothing = {"Nothing failed.": failed, _all_have_text(other): without_text}
            screen.folded(next((words for words, asked in nothing.items() if asked), "There are no documents."))
        elif failed:
            screen.failures(found)
        else:
            screen.documents(found)
        return
    emit(
        (document_record(document, scoped=scoped) for document in found),
        form,
        columns=document_columns(scoped=scoped),
        rows=lambda record: [
            {**record, "properties": json.dumps(record["properties"]) if record["properties"] else None}
        ],
        paths=frozenset({"path", "parent"}),
    )


def _all_have_text(other: int) -> str:
    from nearkin.cli.wording import count

    if not other:
        return "All documents have text."
    be, have, hold = ("is", "has", "contains") if other == 1 else ("are", "have", "contain")
    without = f"that {be} empty, {have} no letters or digits, or only {hold} others (not listed)"
    return f"All documents have text, except {count(other)} {without}."


def _list_changes(store: Path, form: str | None, limit: int | None, *, quiet: bool) -> None:
    from nearkin.query.records import change_columns, change_record
    from nearkin.query.store_view import is_scoped, opened
    from nearkin.store import runs
    from nearkin.store.changes import list_changes

    with opened(store) as connection:
        runs.last(connection)
        scoped = is_scoped(connection)
        found = list(no_more_than(limit, list_changes(connection), "first", "changes", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_changes(Screen(scoped), found)
        return
    emit(
        (change_record(change, scoped=scoped) for change in found),
        form,
        columns=change_columns(scoped=scoped),
        paths=frozenset({"path", "moved_from"}),
    )


def _show_changes(screen: "Screen", changes: "list[Change]") -> None:
    from nearkin.cli.wording import size as in_words

    if not changes:
        screen.line("The last scan found no changes.")
        return
    screen.columns(
        ["change", "size", "path"],
        (
            [
                change.what,
                in_words(change.document.size),
                screen.name(change.document.location)
                + (f"\n  from {screen.name(change.moved_from)}" if change.moved_from else ""),
            ]
            for change in changes
        ),
        right=(1,),
    )
