"""`check`: what in the store is like a file.

`check --add`: what was asked about is stored as well.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import NAME_OR_DASH, Share, chosen, common, emit
from nearkin.cli.wording import complain, name_of, note, tell_unopened, without_text
from nearkin.errors import InputError, UsageError

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.model import Similar
    from nearkin.query.check import Checker, RangeQuery
    from nearkin.query.lookup import NamedDocument


@click.command(epilog="Example: nearkin check draft.txt --exit-code && echo new")
@click.argument("files", nargs=-1, required=True, type=NAME_OR_DASH, metavar="FILE...")
@common
@click.option("--scheme", metavar="SPEC", help="See: nearkin schemes.  [default: the last scan's]")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="List at most N documents for each file.")
@click.option("--min-resemblance", type=Share(), help="Minimum resemblance (shared text as a share of both together).")
@click.option(
    "--min-containment", type=Share(), help="Minimum containment (share of one document that is in the other)."
)
@click.option("--all-copies", is_flag=True, help="Name every copy of a near document, not only the first.")
@click.option(
    "--exit-code", is_flag=True, help="Exit with 1 if something similar exists, with 3 if that cannot be told for sure."
)
@click.option("--add", is_flag=True, help="Also store the files, so that the next check finds them.")
@click.option("--name", metavar="NAME", help="With --add: the name to store standard input under.")
@click.option("--by", metavar="NAME", help="With --add: who stores it, for the audit.  [default: your login name]")
@click.option(
    "--sql",
    is_flag=True,
    help="With scheme si: print an SQL query for your own database instead of searching the store.",
)
@click.option("--table", metavar="NAME", help="With --sql: your table.  [default: documents]")
@click.option(
    "--column", metavar="NAME", help="With --sql: its column with similarity indices.  [default: similarity_index]"
)
def check(
    files: tuple[str, ...],
    store: Path,
    form: str | None,
    quiet: bool,
    scheme: str | None,
    limit: int | None,
    min_resemblance: float | None,
    min_containment: float | None,
    all_copies: bool,
    exit_code: bool,
    add: bool,
    name: str | None,
    by: str | None,
    sql: bool,
    table: str | None,
    column: str | None,
) -> int:
    """List stored documents that equal a file, resemble it, contain it or are part of it (- for standard input).

    The most alike come first: same bytes, same words, then near ones by resemblance. The thresholds are those of the
    last scan unless you give others.
    """
    from nearkin.cli.progress import progress
    from nearkin.cli.wording import count
    from nearkin.query.check import Checker, RangeQuery
    from nearkin.query.records import similar_record
    from nearkin.query.store_view import connected, is_scoped
    from nearkin.scheme import likeness
    from nearkin.store.contents import count_stale

    if sql and form is not None:
        raise UsageError("--sql prints only the query; drop --format.")
    names = {"table": table, "column": column}
    own = RangeQuery(**{option: name for option, name in names.items() if name is not None})
    if not sql and (unused := next((option for option, name in names.items() if name is not None), None)):
        raise UsageError(f"--{unused} goes with --sql; use: nearkin check FILE --sql --{unused} …")
    refuse_wrong_adding(files, add=add, sql=sql, name=name, by=by, scheme=scheme)
    form = chosen(form)
    with connected(store) as connection:
        checker = Checker.of(
            connection, store, scheme, min_resemblance=min_resemblance, min_containment=min_containment
        )
        scoped, score = is_scoped(connection), likeness(checker.scheme)
        queries = _read_all(files, store, raw=checker.canon.raw)
        if sql:
            _print_sql(checker, queries, own, quiet=quiet)
            return _code(files, queries, similar=False)
        if left := checker.unsigned:
            spec = checker.scheme.spec
            were = "was" if left == 1 else "were"
            unseen = f"{count(left, 'texts')} {were} not compared, having no signature by {spec}"
            note(f"{unseen}; scan again with --scheme {spec}", quiet=quiet)
        if stale := count_stale(connection):
            were = "was" if stale == 1 else "were"
            note(
                f"{count(stale, 'documents')} {were} read by an older nearkin and not compared; scan again.",
                quiet=quiet,
            )
        for query in queries:
            if not query.size:
                note(f"{name_of(query)} is empty, so nothing resembles it.", quiet=quiet)
            elif not checker.canon.apply(query.text or b""):
                note(f"{without_text(query)}; only its bytes were looked up.", quiet=quiet)
            tell_unopened(query, quiet=quiet)
        with progress("comparing", quiet=quiet):
            found = [
                (query, checker.check(query.digest, query.text, limit=limit, all_copies=all_copies))
                for query in queries
            ]
    if add:
        add_all(queries, store, name, by, quiet=quiet)
    if form == "table":
        from nearkin.cli.screen import Screen

        for query, similar in found:
            _show(query, similar, Screen(scoped, score), named=len(files) > 1)
    else:
        emit(
            (
                {**({"query": query.name} if len(files) > 1 else {}), **similar_record(one, scoped=scoped)}
                for query, similar in found
                for one in similar
            ),
            form,
            columns=_columns(several=len(files) > 1, scoped=scoped),
            paths=frozenset({"query", "path"}),
        )
    like = exit_code and any(similar for _, similar in found)
    in_doubt = left or stale or any(query.holds or query.problem for query in queries)
    return InputError.exit_code if exit_code and in_doubt and not like else _code(files, queries, similar=like)


def _code(files: tuple[str, ...], queries: "list[NamedDocument]", *, similar: bool) -> int:
    """A file that could not be read is no all-clear, whatever the others are like; nor is what nobody looked into."""
    return InputError.exit_code if len(queries) < len(files) else int(similar)


def _columns(*, several: bool, scoped: bool) -> list[str]:
    shares = ["resemblance", "query_in_doc", "doc_in_query", "exact", "low", "high", "template"]
    return [*(["query"] if several else []), "path", *(["scope"] if scoped else []), "tier", *shares]


def _read_all(files: tuple[str, ...], store: Path, *, raw: bool) -> "list[NamedDocument]":
    """Those that can be read; one that cannot keeps no answer from the others."""
    found = []
    for file in files:
        try:
            found.append(_read(file, store, raw=raw))
        except InputError as error:
            if len(files) == 1:
                raise
            complain(error.sentence)
    return found


def _read(name: str, store: Path, *, raw: bool) -> "NamedDocument":
    from nearkin.query.lookup import find_document, from_bytes

    return from_bytes("-", sys.stdin.buffer.read(), raw=raw) if name == "-" else find_document(name, store, raw=raw)


def _print_sql(checker: "Checker", queries: "list[NamedDocument]", own: "RangeQuery", *, quiet: bool) -> None:
    for query in queries:
        statement = checker.sql(query.text, own)
        if statement is not None:
            click.echo(statement)
        else:
            note(f"{name_of(query)} has no similarity index.", quiet=quiet)


def _show(query: "NamedDocument", similar: "list[Similar]", screen: "Screen", *, named: bool) -> None:
    from nearkin.cli.wording import count, safe, shortened

    if named:
        about = count(len(similar), "documents")
        screen.heading(shortened(safe(query.name), screen.width - len(about) - 2), about)
    if similar:
        screen.similar(similar)
    elif not named and query.size:
        screen.line(
            "Nothing in the store resembles it as a whole." if query.holds else "Nothing in the store resembles it."
        )


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


def add_all(queries: "list[NamedDocument]", store: Path, name: str | None, by: str | None, *, quiet: bool) -> None:
    """Says of each what became of it."""
    from nearkin.checkin import CheckIn
    from nearkin.cli.wording import count, safe
    from nearkin.cli.wording import name as location_name
    from nearkin.environment import version
    from nearkin.store.audit import login_name
    from nearkin.store.database import connect

    connection = connect(store, write=True)
    try:
        check_in = CheckIn(connection, store, version(), by or login_name())
        for query in queries:
            if query.data is not None:
                added = check_in.add_bytes(name or "", query.data)
            elif query.file is not None:
                added = check_in.add_file(query.file)
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
