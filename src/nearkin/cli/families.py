"""`families`: who hangs together, in whichever view, and what became of families."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from nearkin.cli.matches import left_out, note_unfinished, show_left_out
from nearkin.cli.options import Share, chosen, common, emit, limited
from nearkin.cli.wording import no_more_than, note
from nearkin.errors import UsageError
from nearkin.settings import SPREAD

if TYPE_CHECKING:
    from nearkin.model import Family


@click.command(epilog="Example: nearkin families --threshold 0.9")
@common
@click.option(
    "--threshold",
    type=float,
    help="Resemblance that links two documents; nothing is read again.  [default: the scan's]",
)
@click.option(
    "--view",
    type=click.Choice(["chain", "pivot", "clique", "greedy"]),
    default="chain",
    show_default=True,
    help="How families are formed; see above.",
)
@click.option(
    "--spread",
    type=Share(),
    default=SPREAD,
    show_default=True,
    help="Point out chains whose least alike members resemble each other by less; 0: none.",
)
@click.option(
    "--representative",
    type=click.Choice(["first", "popular"]),
    default="first",
    show_default=True,
    help="What represents a greedy family: its first member, or the features most members have.",
)
@limited("N largest families, or with --history the N latest events")
@click.option("--history", is_flag=True, help="List what happened to families: founded, merged, split, ended.")
@click.pass_context
def families(
    ctx: click.Context,
    store: Path,
    form: str | None,
    quiet: bool,
    threshold: float | None,
    view: str,
    representative: str,
    spread: float,
    limit: int | None,
    history: bool,
) -> None:
    """List families of documents, largest first.

    Documents in a family are linked by resemblance; parts are attached to the document that contains them. The number
    beside each document is its resemblance to the pivot, the family's central document (scheme fuzzy: cosine). ~ marks
    an estimate.

    In the view chain, each document resembles at least one other member; in pivot, it resembles the pivot; in clique,
    it resembles every other member. The greedy view (Broder 1997, section 4.4) compares signatures, longest document
    first, with one representative of each family.

    A family keeps its id as long as its largest part still exists. --history lists, latest first, which families were
    founded, merged, split off or ended.
    """
    from nearkin.cli.progress import progress
    from nearkin.group.greedy import Representative
    from nearkin.model import View
    from nearkin.query.families import list_families, missing_from_families
    from nearkin.query.records import MEMBER_PATHS, family_record, member_columns, member_rows
    from nearkin.query.store_view import is_scoped, opened, score_name
    from nearkin.store import runs

    if history:
        _show_history(ctx, store, form, limit, quiet=quiet)
        return
    if view != View.GREEDY and ctx.get_parameter_source("representative") is ParameterSource.COMMANDLINE:
        raise UsageError("Only the greedy view has a --representative; add: --view greedy")
    if view != View.CHAIN and ctx.get_parameter_source("spread") is ParameterSource.COMMANDLINE:
        raise UsageError("Only the chain view has a --spread; drop it, or use: --view chain")
    # As in a scan: there may be hundreds of thousands, without cycles, and looking for some takes as long again.
    gc.disable()
    with opened(store) as connection:
        note_unfinished(runs.unfinished(connection), quiet=quiet)
        scoped, score = is_scoped(connection), score_name(connection)
        around = Representative(representative)
        with progress("group", quiet=quiet):
            all_found = list_families(
                connection,
                view=View(view),
                threshold=threshold,
                representative=around,
                spread=spread,
                limit=None if limit is None else limit + 1,  # one more tells whether there are more
            )
        templates = left_out(connection, quiet=quiet)
        partial = missing_from_families(connection, View(view), threshold)
    for sentence in partial:
        note(sentence, quiet=quiet)
    found = list(no_more_than(limit, all_found, "largest", "families", quiet=quiet))
    _note_doubts(found, spread, quiet=quiet)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        screen = Screen(scoped, score)
        for family in found:
            screen.family_in_full(family)
        if found:
            screen.count_families(found)
            show_left_out(screen, templates)
        else:
            screen.line("There are no families.")
        return

    emit(
        (family_record(family, scoped=scoped) for family in found),
        form,
        columns=member_columns(view, scoped=scoped),
        rows=member_rows,
        paths=MEMBER_PATHS,
    )


def _note_doubts(families: "list[Family]", spread: float, *, quiet: bool) -> None:
    """What a reader should not take for granted."""
    from nearkin.cli.wording import count

    far = sum(family.most_distant is not None for family in families)
    if far:
        note(
            f"{count(far, 'families')} {'has' if far == 1 else 'have'} members that resemble each other by less than"
            f" {spread:g}; --view pivot or --view clique keeps such documents apart.",
            quiet=quiet,
        )
    unsure = sum(not family.evaluated for family in families)
    if unsure:
        note(
            f"{count(unsure, 'families')} not evaluated: the scan did not list all pairs of their members.", quiet=quiet
        )


def _show_history(ctx: click.Context, store: Path, form: str | None, limit: int | None, *, quiet: bool) -> None:
    from nearkin.query.records import event_record
    from nearkin.query.store_view import is_scoped, opened
    from nearkin.store import runs
    from nearkin.store.families import history

    for option in ("threshold", "view", "representative", "spread"):
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--history cannot be combined with --{option}.")
    with opened(store) as connection:
        runs.last(connection)
        scoped = is_scoped(connection)
        past = list(no_more_than(limit, history(connection), "latest", "events", quiet=quiet))
    events = [event_record(event) for event in past]
    form = chosen(form)
    if form != "table":
        emit(
            iter(events),
            form,
            columns=["at", "run", "what", "family", "other", "documents", "path"],
            paths=frozenset({"path"}),
        )
        return
    from nearkin.cli.screen import Screen

    screen = Screen(scoped)
    if not events:
        screen.line("There have been no families yet.")
        return
    sides = {"merged": "into", "split": "from"}
    screen.columns(
        ["when", "run", "docs", "what", "family", "path"],
        (
            [
                event["at"][:16].replace("T", " "),
                f"{event['run']}",
                f"{event['documents']:,}",
                event["what"],
                event["family"] + (f" {sides[event['what']]} {event['other']}" if event["other"] else ""),
                "forgotten" if place is None else screen.name(place),
            ]
            for event, place in zip(events, (one.place for one in past), strict=True)
        ),
        right=(1, 2),
    )
