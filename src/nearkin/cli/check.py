"""`check`: what in the store is like a file; with --add the file is stored as well."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import NAME_OR_DASH, Share, chosen, common, emit
from nearkin.cli.wording import complain, name_of, note, note_unopened, shortened, without_text
from nearkin.cli.wording import name as location_name
from nearkin.errors import InputError, UsageError
from nearkin.wording import count, safe

if TYPE_CHECKING:
    from nearkin.api.check import DocumentChecker
    from nearkin.api.store import Store
    from nearkin.cli.screen import Screen
    from nearkin.model import Similar
    from nearkin.query.check import RangeQuery
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
    from nearkin.api.check import range_query
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    if sql and form is not None:
        raise UsageError("--sql prints only the query; drop --format.")
    own = range_query(table, column)
    for option, value in {"table": table, "column": column}.items():
        if value is not None and not sql:
            raise UsageError(f"--{option} goes with --sql; use: nearkin check FILE --sql --{option} …")
    _refuse_wrong_adding(files, add=add, sql=sql, name=name, by=by, scheme=scheme)
    form = chosen(form)
    with Store(store).checking(scheme, min_resemblance=min_resemblance, min_containment=min_containment) as checker:
        queries = _read_all(files, checker)
        if sql:
            _print_sql(checker, queries, own, quiet=quiet)
            return _code(files, queries, similar=False)
        unsigned, stale = checker.unsigned, checker.stale
        _note_not_compared(checker.scheme, unsigned, stale, quiet=quiet)
        for query in queries:
            if not query.size:
                note(f"{name_of(query)} is empty, so nothing resembles it.", quiet=quiet)
            elif not checker.has_words(query):
                note(f"{without_text(query)}; only its bytes were looked up.", quiet=quiet)
            note_unopened(query, quiet=quiet)
        with progress("comparing", quiet=quiet):
            answers = [(query, checker.check(query, limit=limit, all_copies=all_copies)) for query in queries]
    if add:
        _add_all(Store(store), queries, name, by, quiet=quiet)
    several = len(files) > 1
    if form == "table":
        from nearkin.cli.screen import Screen

        for query, similar in answers:
            _show(query, similar, Screen(checker.scoped, checker.score), named=several)
    else:
        emit(
            (
                {**({"query": query.name} if several else {}), **checker.record(document)}
                for query, similar in answers
                for document in similar
            ),
            form,
            columns=[*(["query"] if several else []), *checker.columns],
            paths=frozenset({"query", "path"}),
        )
    like = exit_code and any(similar for _, similar in answers)
    in_doubt = unsigned or stale or any(query.holds or query.problem for query in queries)
    return InputError.exit_code if exit_code and in_doubt and not like else _code(files, queries, similar=like)


def _code(files: tuple[str, ...], queries: "list[NamedDocument]", *, similar: bool) -> int:
    """A file that could not be read is no all-clear, whatever the others are like; nor is what nobody looked into."""
    return InputError.exit_code if len(queries) < len(files) else int(similar)


def _read_all(files: tuple[str, ...], checker: "DocumentChecker") -> "list[NamedDocument]":
    """Those that can be read; one that cannot keeps no answer from the others."""
    queries = []
    for file in files:
        try:
            data = sys.stdin.buffer.read() if file == "-" else None
            queries.append(checker.read(file) if data is None else checker.read_bytes(file, data))
        except InputError as error:
            if len(files) == 1:
                raise
            complain(error.sentence)
    return queries


def _note_not_compared(scheme: str, unsigned: int, stale: int, *, quiet: bool) -> None:
    if unsigned:
        were = "was" if unsigned == 1 else "were"
        unseen = f"{count(unsigned, 'texts')} {were} not compared, having no signature by {scheme}"
        note(f"{unseen}; scan again with --scheme {scheme}", quiet=quiet)
    if stale:
        were = "was" if stale == 1 else "were"
        note(f"{count(stale, 'documents')} {were} read by an older nearkin and not compared; scan again.", quiet=quiet)


def _print_sql(checker: "DocumentChecker", queries: "list[NamedDocument]", own: "RangeQuery", *, quiet: bool) -> None:
    for query in queries:
        statement = checker.sql(query, own)
        if statement is not None:
            click.echo(statement)
        else:
            note(f"{name_of(query)} has no similarity index.", quiet=quiet)


def _show(query: "NamedDocument", similar: "list[Similar]", screen: "Screen", *, named: bool) -> None:
    if named:
        about = count(len(similar), "documents")
        screen.heading(shortened(safe(query.name), screen.width - len(about) - 2), about)
    if similar:
        screen.similar(similar)
    elif not named and query.size:
        screen.line(
            "Nothing in the store resembles it as a whole." if query.holds else "Nothing in the store resembles it."
        )


def _refuse_wrong_adding(
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


def _add_all(store: "Store", queries: "list[NamedDocument]", name: str | None, by: str | None, *, quiet: bool) -> None:
    """Store the files, and say of each what became of it."""
    for query, added in store.add_documents(queries, name=name, by=by):
        if added is None:
            note(f"{safe(query.name)} is already a document of the store; nothing was added.", quiet=quiet)
            continue
        where = location_name(added.location, scoped=True)
        result = f"added as {where}" if added.new else f"is already in the store, unchanged, as {where}"
        if added.replaced:
            result = f"replaced {where}, which had other bytes"
        if added.members:
            result += f", with {count(added.members, 'documents')} in it"
        note(f"{name_of(query)} {result}.", quiet=quiet)
