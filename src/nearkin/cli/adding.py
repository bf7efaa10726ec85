"""`check --add`: what was asked about is stored as well."""

from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.cli.notes import name_of, note
from nearkin.errors import UsageError

if TYPE_CHECKING:
    from nearkin.query.lookup import Found


def refuse_wrong_adding(
    files: tuple[str, ...], *, add: bool, sql: bool, name: str | None, by: str | None, scheme: str | None
) -> None:
    if not add:
        for option, value in {"name": name, "by": by}.items():
            if value is not None:
                raise UsageError(f"--{option} goes with --add; use: nearkin check FILE --add --{option} …")
        return
    if sql:
        raise UsageError("--sql only prints a query; drop --add.")
    if scheme is not None:
        raise UsageError("Documents are added with the last scan's scheme; drop --scheme.")
    if "-" in files and not name:
        raise UsageError("Standard input needs a name to be stored under; use: nearkin check - --add --name NAME")
    if name is not None and files != ("-",):
        raise UsageError("--name is only for standard input; files keep their own names.")


def add_all(queries: "list[Found]", store: Path, name: str | None, by: str | None, *, quiet: bool) -> None:
    """Says of each what became of it."""
    from nearkin.checkin import Desk
    from nearkin.cli.wording import count, safe
    from nearkin.cli.wording import name as location_name
    from nearkin.environment import version
    from nearkin.store.audit import login_name
    from nearkin.store.database import connect

    connection = connect(store, write=True)
    try:
        desk = Desk(connection, store, version(), by or login_name())
        for query in queries:
            if query.data is not None:
                added = desk.add_bytes(name or "", query.data)
            elif query.file is not None:
                added = desk.add_file(query.file)
            else:
                note(f"{safe(query.name)} is already a document of the store; nothing was added.", quiet=quiet)
                continue
            where = location_name(added.location, scoped=True)
            told = f"added as {where}" if added.new else f"is already in the store, unchanged, as {where}"
            if added.replaced:
                told = f"replaced {where}, which had other bytes"
            if added.members:
                told += f", with {count(added.members, 'documents')} in it"
            note(f"{name_of(query)} {told}.", quiet=quiet)
    finally:
        connection.close()
