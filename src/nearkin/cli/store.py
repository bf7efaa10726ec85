"""`store info`, `check`, `compact`, `drop`, `forget`: care of the store."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import NAME, chosen, common, emit, emit_one, store_option
from nearkin.cli.wording import fold, note
from nearkin.errors import StoreError
from nearkin.wording import count, safe
from nearkin.wording import size as in_words

if TYPE_CHECKING:
    from nearkin.store.inventory import Inventory, ScopeCount


@click.group(epilog="Example: nearkin store info --store nearkin.db")
def store() -> None:
    """Look after the store: see what is in it, check it, remove what is no longer needed."""


@store.command(epilog="Example: nearkin store info --format json")
@common
def info(store: Path, form: str | None, quiet: bool) -> None:
    """Show what is in the store, how much space each part takes, and what is stale.

    Stale data is no longer used by any command: signatures of other schemes or settings than the last scan's, and
    leftovers of documents that are gone.
    """
    from nearkin.api.care import scope_roots
    from nearkin.api.store import Store
    from nearkin.cli.scan_summary import lost_scopes

    inventory = Store.open(store, create=False).info()
    form = chosen(form)
    notes = lost_scopes(scope_roots(store).lost, store_option(store))
    if form != "table":
        for sentence in notes:
            note(sentence, quiet=quiet)
    if form == "table":
        _show(inventory, [] if quiet else notes)
    elif form == "csv":
        parts = (
            {"part": part.name, "bytes": part.bytes, "share": _share(part.bytes, inventory)} for part in inventory.parts
        )
        emit(parts, form, columns=["part", "bytes", "share"])
    else:
        record = asdict(inventory)
        record["parts"] = [{**part, "share": _share(part["bytes"], inventory)} for part in record["parts"]]
        emit_one(record, form)


def _share(size: int, inventory: "Inventory") -> float:
    return round(size / inventory.bytes, 4)


def _show(inventory: "Inventory", notes: list[str]) -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    gone = f", {count(inventory.gone)} gone" if inventory.gone else ""
    failed = f", {count(inventory.failed)} not read" if inventory.failed else ""
    unfinished = f", {count(inventory.unfinished)} not finished" if inventory.unfinished else ""
    pending = [("unfinished", _pending(inventory))] if inventory.pending or inventory.running else []
    screen.facts(
        [
            ("store", f"{safe(inventory.store)}, {in_words(inventory.bytes)}"),
            ("schema", f"version {inventory.schema}"),
            (
                "last scan",
                f"by nearkin {inventory.version}, {inventory.scheme}" if inventory.version else "none finished",
            ),
            ("documents", f"{count(inventory.documents)}{gone}{failed}; {count(inventory.versions, 'versions')}"),
            *pending,
            (
                "contents",
                f"{count(inventory.contents, 'distinct texts')} in these documents, not counting empty ones",
            ),
            ("scans", f"{count(inventory.runs)} finished{unfinished}"),
            ("bulk insert", "active" if inventory.bulk_insert else "not active: this Python hides its SQLite"),
            *((f"scope {safe(scope.name)}", _about(scope)) for scope in inventory.scopes),
        ]
    )
    for sentence in notes:
        screen.note(sentence)
    screen.heading("Parts")
    parts = sorted(inventory.parts, key=lambda part: -part.bytes)
    screen.columns(
        ["size", "share", "part"],
        ([in_words(part.bytes), f"{_share(part.bytes, inventory):.1%}", part.name] for part in parts if part.bytes),
        right=(0, 1),
    )
    if inventory.stale:
        screen.heading("Stale")
        screen.columns(
            ["count", "size", "what it is, and what removes it"],
            (
                [count(stale.count), in_words(stale.bytes) if stale.bytes else "–", f"{stale.what}\n  {stale.remedy}"]
                for stale in inventory.stale
            ),
            right=(0, 1),
            folding=True,
        )


def _pending(inventory: "Inventory") -> str:
    read = count(inventory.pending, "documents")
    if inventory.running:
        return f"{read} read so far by a scan that is running"
    return f"{read} read by an interrupted scan; the next scan continues from there"


def _about(scope: "ScopeCount") -> str:
    where = f" below {safe(scope.root)}" if scope.root else ", in no scanned folder"
    return f"{count(scope.documents, 'documents')}{where}{', which no longer exists' if scope.missing else ''}"


@store.command(epilog="Example: nearkin store check --quick")
@common
@click.option("--quick", is_flag=True, help="Skip comparing every stored text with its digest.")
def check(store: Path, form: str | None, quiet: bool, quick: bool) -> None:
    """Check that the store is undamaged.

    Checks SQLite's pages and references, the consistency of nearkin's own records, the completeness of the index files,
    and that every stored text is unchanged. Exit code 4 if anything is wrong.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("sqlite", quiet=quiet) as report:
        findings = Store.open(store, create=False).verify(quick=quick, progress=report)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        for finding in findings:
            first, *more = fold(safe(finding.sentence), Screen().width - 12)
            Screen().line((f"{finding.what:<10}", "bold red"), f"  {first}")
            for line in more:
                Screen().line(f"{'':<12}{line}")
        if not findings and not quiet:
            Screen().line("The store is undamaged.")
    else:
        emit((asdict(finding) for finding in findings), form, columns=["what", "sentence"])
    if findings:
        raise StoreError(
            f"The store {store} is damaged: {count(len(findings), 'findings')}, see above; scan into another --store."
        )


@store.command(epilog="Example: nearkin store compact")
@common
@click.option("--by", metavar="NAME", help="Who does this, for the audit.  [default: your login name]")
def compact(store: Path, form: str | None, quiet: bool, by: str | None) -> None:
    """Remove stale data that can be made again, and free its space.

    Decisions, history and stored texts stay. Signatures of other schemes or settings than the last scan's are removed
    if their texts are stored, with their results, and so are leftovers of interrupted scans. Not possible while a scan
    runs.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("compacting", quiet=quiet):
        done = Store.open(store, create=False).compact(by=by)
    form = chosen(form)
    if form != "table":
        emit_one(asdict(done), form)
        return
    from nearkin.cli.screen import Screen

    removed = [
        count(number, what)
        for number, what in (
            (done.signatures, "signatures"),
            (done.matches, "matches"),
            (done.families, "families"),
            (done.documents, "documents of unfinished scans"),
        )
        if number
    ]
    if not quiet:
        Screen().line(f"{in_words(done.before)} before, {in_words(done.after)} after.")
        if removed:
            Screen().note(f"Removed: {', '.join(removed)}.")


@store.command(epilog="Example: nearkin store drop office")
@click.argument("scope", metavar="SCOPE")
@common
@click.option("--by", metavar="NAME", help="Who does this, for the audit.  [default: your login name]")
def drop(scope: str, store: Path, form: str | None, quiet: bool, by: str | None) -> None:
    """Remove a whole scope: its documents count as gone, and matches and families are updated.

    Use it for folders that no longer exist. History and stored texts stay (to erase them, use forget), and a new scan
    of the folder brings its documents back. Not possible while a scan runs.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("matching", quiet=quiet):
        dropped = Store(store).drop_scope(scope, by=by)
    if dropped.on_disk:
        note(f"The folder {dropped.root} still exists; a scan of it stores its documents again.", quiet=quiet)
    form = chosen(form)
    if form != "table":
        emit_one({"scope": dropped.scope, "documents": dropped.documents}, form)
    elif not quiet:
        from nearkin.cli.screen import Screen

        Screen().line(f"Dropped: scope {safe(dropped.scope)}, {count(dropped.documents, 'documents')}.")


@store.command(epilog="Example: nearkin store forget letters/private.txt --yes")
@click.argument("paths", nargs=-1, required=True, type=NAME, metavar="PATH...")
@common
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--by", metavar="NAME", help="Who does this, for the audit.  [default: your login name]")
def forget(paths: tuple[str, ...], store: Path, form: str | None, quiet: bool, yes: bool, by: str | None) -> None:
    """Erase documents from the store for good, with their texts, signatures and history; also documents that are gone.

    Only their digests stay, in the audit. Text that another document also contains stays with that document. Verdicts
    stay, because they refer to digests. The files themselves are not touched. Not possible while a scan runs.
    """
    from nearkin.api.care import forgettable
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    locations = forgettable(store, paths)
    if not yes:
        what = safe(locations[0].name) if len(locations) == 1 else count(len(locations), "documents")
        if not click.confirm(f"Forget {what} for good? This cannot be undone", err=True):
            note("Nothing was forgotten.", quiet=quiet)
            return
    with progress("forgetting", quiet=quiet):
        forgotten = Store(store).forget(paths, by=by)
    for document in forgotten:
        name = safe(document.location.name)
        if document.kept_for:
            holders = ", ".join(safe(holder.name) for holder in document.kept_for[:3])
            more = " …" if len(document.kept_for) > 3 else ""
            note(f"The text of {name} is also in {holders}{more}; to erase it, forget these too.", quiet=quiet)
        if document.on_disk:
            note(f"The file {name} still exists; the next scan stores it again unless you --exclude it.", quiet=quiet)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        for document in forgotten:
            if not quiet:
                Screen().line(f"Forgotten: {safe(document.location.name)}, {count(document.versions, 'versions')}.")
        return
    records = (
        {
            "path": document.location.name,
            "scope": document.location.scope,
            "versions": document.versions,
            "digests": list(document.digests),
            "texts": document.texts,
            "kept_for": [holder.name for holder in document.kept_for],
        }
        for document in forgotten
    )
    columns = ["path", "scope", "versions", "digests", "texts", "kept_for"]
    emit(records, form, columns=columns, paths=frozenset({"path"}))
