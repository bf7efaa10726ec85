"""`documents`: what is in the store, what could not be read, and what the last scan found to have changed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import chosen, common, emit_listing, limited
from nearkin.cli.wording import no_more_than
from nearkin.errors import UsageError
from nearkin.wording import count
from nearkin.wording import size as in_words

if TYPE_CHECKING:
    from nearkin.api.store import Store
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
    from nearkin.api.store import Store

    if failed + without_text + changes > 1:
        raise UsageError("Use only one of --failed, --without-text and --changes.")
    if changes:
        _list_changes(Store(store), form, limit, quiet=quiet)
        return
    with Store(store).listings.documents(failed=failed, without_text=without_text) as listing:
        listing.refuse_unscanned()
        all_documents = listing.items
    shown = list(no_more_than(limit, all_documents, "first", "documents", quiet=quiet))
    form = chosen(form)
    if form != "table":
        emit_listing(listing, shown, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen(listing.scoped)
    if not shown:
        screen.folded(_none(store, failed=failed, without_text=without_text))
    elif failed:
        screen.failures(shown)
    else:
        screen.documents(shown)


def _none(store: Path, *, failed: bool, without_text: bool) -> str:
    from nearkin.api.care import count_wordless

    if failed:
        return "Nothing failed."
    if not without_text:
        return "There are no documents."
    wordless = count_wordless(store)
    if not wordless:
        return "All documents have text."
    be, have, hold = ("is", "has", "contains") if wordless == 1 else ("are", "have", "contain")
    without = f"that {be} empty, {have} no letters or digits, or only {hold} others (not listed)"
    return f"All documents have text, except {count(wordless)} {without}."


def _list_changes(store: "Store", form: str | None, limit: int | None, *, quiet: bool) -> None:
    with store.listings.changes() as listing:
        listing.refuse_unscanned()
        changes = list(no_more_than(limit, listing.items, "first", "changes", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_changes(Screen(listing.scoped), changes)
    else:
        emit_listing(listing, changes, form)


def _show_changes(screen: "Screen", changes: "list[Change]") -> None:
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
