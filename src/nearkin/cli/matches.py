"""`identical`, `matches`: what the last scan found, listed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import Share, chosen, common, emit, limited
from nearkin.cli.wording import no_more_than, note
from nearkin.errors import UsageError

if TYPE_CHECKING:
    from sqlite3 import Connection

    from nearkin.cli.screen import Screen
    from nearkin.query.matches import Between


def note_unfinished(unfinished: bool, *, quiet: bool) -> None:
    if unfinished:
        note("A later scan is running or was interrupted; its changes are missing until a scan finishes.", quiet=quiet)


def left_out(connection: "Connection", *, quiet: bool) -> int:
    """How many templates the listed scores are without."""
    from nearkin.query.templates import templates_changed
    from nearkin.store import runs

    if templates_changed(connection):
        note("Templates have changed since the last scan; scan again to apply them.", quiet=quiet)
    return runs.last(connection).templates


def show_left_out(screen: "Screen", templates: int) -> None:
    from nearkin.cli.wording import count

    if templates:
        screen.line((f"{count(templates, 'templates')} left out of all scores", "dim"))


@click.command(epilog="Example: nearkin identical --format csv > identical.csv")
@common
@limited("N largest groups")
def identical(store: Path, form: str | None, quiet: bool, limit: int | None) -> None:
    """List groups of identical documents.

    They have the same bytes, or the same words in other bytes (another format, encoding, case or punctuation).
    Overhead is the disk space of all copies but the largest. Members of archives and mails and further names of one
    file (hard links) take no space of their own, so they count 0 B. Groups that exist only because their containers
    are copies of one another come last; on the screen they are only counted.
    """
    from nearkin.cli.progress import progress
    from nearkin.query.records import copy_columns, copy_rows, identical_record
    from nearkin.query.store_view import is_scoped, opened
    from nearkin.store import runs
    from nearkin.store.documents import identical_groups

    with opened(store) as connection:
        runs.last(connection)
        scoped = is_scoped(connection)
        with progress("listing", quiet=quiet):
            all_groups = identical_groups(connection)
        groups = list(no_more_than(limit, all_groups, "largest", "groups", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        screen = Screen(scoped)
        shown = [group for group in groups if not group.within_copies]
        for group in shown:
            screen.group_in_full(group)
        if left := len(groups) - len(shown):
            from nearkin.cli.wording import count

            lie = "group lies" if left == 1 else "groups lie"
            screen.folded(f"{count(left)} more {lie} within containers that are copies; --format csv lists all.")
        if not groups:
            screen.line("No two documents are identical.")
        return

    emit(
        (identical_record(group, scoped=scoped) for group in groups),
        form,
        columns=copy_columns(scoped=scoped),
        rows=copy_rows,
        paths=frozenset({"group", "path"}),
    )


@click.command(epilog="Example: nearkin matches --min-resemblance 0.9")
@common
@click.option(
    "--min-resemblance",
    type=Share(),
    help="Minimum resemblance (shared text as a share of both together; scheme fuzzy: cosine).",
)
@click.option(
    "--min-containment", type=Share(), help="Minimum containment (share of one document that is in the other)."
)
@click.option(
    "--min-shared-bytes",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Ignore matches that share fewer than N bytes.",
)
@click.option("--all-copies", is_flag=True, help="Name every copy, not only the first of each text.")
@click.option(
    "--between",
    nargs=2,
    metavar="MASTER CANDIDATE",
    help="Show which documents of CANDIDATE are already in MASTER (names of scopes); identical ones too.",
)
@click.option("--new", is_flag=True, help="With --between: list the candidate's new documents instead of pairs.")
@click.option("--parted", is_flag=True, help="Include pairs with the verdict not-similar or template.")
@limited("N strongest matches (with --new: first N documents)")
def matches(
    store: Path,
    form: str | None,
    quiet: bool,
    min_resemblance: float | None,
    min_containment: float | None,
    min_shared_bytes: int,
    all_copies: bool,
    between: tuple[str, str] | None,
    new: bool,
    parted: bool,
    limit: int | None,
) -> None:
    """List scored pairs, strongest first.

    The thresholds are those of the scan unless you give others. Identical documents are listed by `nearkin identical`;
    here they are listed only with --between, where each document of the candidate is identical to one of the master,
    near one, contained in one, or new. A last line gives the totals.

    Shared bytes are a lower bound for exact matches and an estimate for others. With chunk schemes, shared bytes and
    scores count whole chunks only.
    """
    from nearkin.cli.progress import progress
    from nearkin.cli.wording import in_sum
    from nearkin.query.matches import each_match, list_between
    from nearkin.query.records import match_columns, match_record
    from nearkin.query.store_view import is_scoped, opened, score_name
    from nearkin.query.wording import missing_from_matches
    from nearkin.store import runs

    if new and not between:
        raise UsageError("--new goes with --between; use: nearkin matches --between MASTER CANDIDATE --new")
    with opened(store) as connection:
        note_unfinished(runs.unfinished(connection), quiet=quiet)
        scoped, score = is_scoped(connection), score_name(connection)
        asked_for: dict[str, Any] = {
            "min_resemblance": min_resemblance,
            "min_containment": min_containment,
            "min_shared_bytes": min_shared_bytes,
            "all_copies": all_copies,
            "parted": parted,
        }
        with progress("matching", quiet=quiet):
            answer = list_between(connection, *between, **asked_for) if between else None
            all_found = iter(answer.matches) if answer else each_match(connection, **asked_for)
        found = no_more_than(limit, all_found, "strongest", "matches", quiet=quiet)
        templates = left_out(connection, quiet=quiet)
        for sentence in missing_from_matches(connection, min_resemblance, min_containment):
            note(sentence, quiet=quiet)
        _note_floor(connection, min_resemblance, min_containment, quiet=quiet)
        form = chosen(form)
        if new and answer:
            _list_new(answer, form, limit, quiet=quiet)
        elif form == "table":
            from nearkin.cli.screen import Screen

            screen = Screen(scoped, score)
            if listed := list(found):
                screen.matches(listed)
                show_left_out(screen, templates)
            else:
                screen.line("No two documents match.")
            if answer:
                screen.line()
                screen.folded(in_sum(answer))
        else:
            if answer:
                note(in_sum(answer), quiet=quiet)
            emit(  # as they come: the store is read meanwhile
                (match_record(match, scoped=scoped, tiers=answer is not None) for match in found),
                form,
                columns=match_columns(scoped=scoped, tiers=answer is not None),
                paths=frozenset({"a", "b"}),
            )


def _note_floor(connection: "Connection", resemblance: float | None, containment: float | None, *, quiet: bool) -> None:
    """Where more is asked for than was kept."""
    from nearkin.store import runs

    limits = runs.last(connection).settings["match"]
    floor, part = limits["floor"], limits["containment"]
    if resemblance is not None and resemblance < floor:
        but = f" but parts ({part:g} or more of them in the other document)" if part <= 1.0 else ""
        lower = f"; to keep more, scan again with --floor {resemblance:g}" if resemblance > 0.0 else ""
        note(f"Below {floor:g} nothing was kept{but}{lower}.", quiet=quiet)
    elif containment is not None and containment < part:
        note(f"Below {part:g} only pairs that resemble each other by {floor:g} or more were kept.", quiet=quiet)


def _list_new(answer: "Between", form: str, limit: int | None, *, quiet: bool) -> None:
    from nearkin.cli.wording import in_sum
    from nearkin.query.records import new_record

    unknown = list(no_more_than(limit, answer.unknown, "first", "documents", quiet=quiet))
    if form != "table":
        note(in_sum(answer), quiet=quiet)
        records = (new_record(one) for one in unknown)
        emit(records, form, columns=["path", "scope", "size"], paths=frozenset({"path"}))
        return
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import size as in_words

    screen = Screen()
    if unknown:
        rows = ([in_words(one.size), screen.name(one.location)] for one in unknown)
        screen.columns(["size", "path"], rows, right=(0,))
        screen.line()
    screen.folded(in_sum(answer))
