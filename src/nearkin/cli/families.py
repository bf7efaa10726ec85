"""`families`: documents that hang together, in every view, and what became of families."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from nearkin.cli.matches import note_stale_templates, note_unfinished, show_templates
from nearkin.cli.options import Share, chosen, common, emit_listing, limited
from nearkin.cli.wording import no_more_than, note
from nearkin.errors import UsageError
from nearkin.model import View
from nearkin.settings import SPREAD
from nearkin.wording import count

if TYPE_CHECKING:
    from nearkin.api.store import Store
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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    if history:
        _show_history(ctx, Store(store), form, limit, quiet=quiet)
        return
    if view != View.GREEDY and ctx.get_parameter_source("representative") is ParameterSource.COMMANDLINE:
        raise UsageError("Only the greedy view has a --representative; add: --view greedy")
    if view != View.CHAIN and ctx.get_parameter_source("spread") is ParameterSource.COMMANDLINE:
        raise UsageError("Only the chain view has a --spread; drop it, or use: --view chain")
    # As in a scan: there may be hundreds of thousands, without cycles, and looking for some takes as long again.
    gc.disable()
    with Store(store).listings.families(
        view=view,
        threshold=threshold,
        representative=representative if view == View.GREEDY else "first",
        spread=spread if view == View.CHAIN else None,
        limit=None if limit is None else limit + 1,  # one more shows whether there are more
    ) as listing:
        note_unfinished(listing, quiet=quiet)
        score = listing.score
        with progress("group", quiet=quiet):
            all_families = listing.items
        note_stale_templates(listing, quiet=quiet)
        templates, gaps = listing.templates, listing.gaps
    for gap in gaps:
        note(gap, quiet=quiet)
    shown = list(no_more_than(limit, all_families, "largest", "families", quiet=quiet))
    _note_doubts(shown, spread, quiet=quiet)
    form = chosen(form)
    if form != "table":
        emit_listing(listing, shown, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen(listing.scoped, score)
    for family in shown:
        screen.family_in_full(family)
    if shown:
        screen.count_families(shown)
        show_templates(screen, templates)
    else:
        screen.line("There are no families.")


def _note_doubts(families: "list[Family]", spread: float, *, quiet: bool) -> None:
    """Note what a reader should not take for granted."""
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


def _show_history(ctx: click.Context, store: "Store", form: str | None, limit: int | None, *, quiet: bool) -> None:
    for option in ("threshold", "view", "representative", "spread"):
        if ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--history cannot be combined with --{option}.")
    with store.listings.family_history() as listing:
        listing.refuse_unscanned()
        events = list(no_more_than(limit, listing.items, "latest", "events", quiet=quiet))
    form = chosen(form)
    if form != "table":
        emit_listing(listing, events, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen(listing.scoped)
    if not events:
        screen.line("There have been no families yet.")
        return
    sides = {"merged": "into", "split": "from"}
    screen.columns(
        ["when", "run", "docs", "what", "family", "path"],
        (
            [
                record["at"][:16].replace("T", " "),
                f"{record['run']}",
                f"{record['documents']:,}",
                record["what"],
                record["family"] + (f" {sides[record['what']]} {record['other']}" if record["other"] else ""),
                "forgotten" if event.place is None else screen.name(event.place),
            ]
            for event, record in zip(events, listing.records(events), strict=True)
        ),
        right=(1, 2),
    )
