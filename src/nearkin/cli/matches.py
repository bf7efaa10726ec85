"""`identical`, `matches`: groups of identical documents, and scored pairs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import Share, chosen, common, emit, emit_listing, limited
from nearkin.cli.wording import in_sum, no_more_than, note
from nearkin.errors import UsageError
from nearkin.wording import count
from nearkin.wording import size as in_words

if TYPE_CHECKING:
    from nearkin.api.listing import Listing, ScopeListing
    from nearkin.cli.screen import Screen
    from nearkin.model import Match
    from nearkin.query.matches import Between


def note_unfinished(listing: "Listing[Any]", *, quiet: bool) -> None:
    """Note that a later scan is not in the listing."""
    if listing.is_unfinished:
        note("A later scan is running or was interrupted; its changes are missing until a scan finishes.", quiet=quiet)


def note_stale_templates(listing: "Listing[Any]", *, quiet: bool) -> None:
    """Note that templates have changed since the scores were made."""
    if listing.are_templates_stale:
        note("Templates have changed since the last scan; scan again to apply them.", quiet=quiet)


def show_templates(screen: "Screen", templates: int) -> None:
    """Say how many templates the scores leave out."""
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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with Store(store).listings.identical() as listing:
        listing.refuse_unscanned()
        with progress("listing", quiet=quiet):
            all_groups = listing.items
        groups = list(no_more_than(limit, all_groups, "largest", "groups", quiet=quiet))
    form = chosen(form)
    if form != "table":
        emit_listing(listing, groups, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen(listing.scoped)
    shown = [group for group in groups if not group.within_copies]
    for group in shown:
        screen.group_in_full(group)
    if left := len(groups) - len(shown):
        lie = "group lies" if left == 1 else "groups lie"
        screen.folded(f"{count(left)} more {lie} within containers that are copies; --format csv lists all.")
    if not groups:
        screen.line("No two documents are identical.")


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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    if new and not between:
        raise UsageError("--new goes with --between; use: nearkin matches --between MASTER CANDIDATE --new")
    with Store(store).listings.matches(
        min_resemblance=min_resemblance,
        min_containment=min_containment,
        min_shared_bytes=min_shared_bytes,
        all_copies=all_copies,
        between=between or None,
        parted=parted,
    ) as listing:
        note_unfinished(listing, quiet=quiet)
        with progress("matching", quiet=quiet):
            all_matches = listing.items
        shown = no_more_than(limit, all_matches, "strongest", "matches", quiet=quiet)
        note_stale_templates(listing, quiet=quiet)
        for gap in listing.gaps:
            note(gap, quiet=quiet)
        _note_floor(listing.limits, min_resemblance, min_containment, quiet=quiet)
        form = chosen(form)
        answer = listing.answer if between else None
        if new and answer:
            _list_new(listing, answer, form, limit, quiet=quiet)
        elif form == "table":
            _show_matches(listing, list(shown), answer)
        else:
            if answer:
                note(in_sum(answer), quiet=quiet)
            emit_listing(listing, shown, form)  # as they come: the store is read meanwhile


def _show_matches(listing: "Listing[Match]", matches: "list[Match]", answer: "Between | None") -> None:
    from nearkin.cli.screen import Screen

    screen = Screen(listing.scoped, listing.score)
    if matches:
        screen.matches(matches)
        show_templates(screen, listing.templates)
    else:
        screen.line("No two documents match.")
    if answer:
        screen.line()
        screen.folded(in_sum(answer))


def _note_floor(limits: dict[str, float], resemblance: float | None, containment: float | None, *, quiet: bool) -> None:
    """Note where more is asked for than the scan kept."""
    floor, part = limits["floor"], limits["containment"]
    if resemblance is not None and resemblance < floor:
        but = f" but parts ({part:g} or more of them in the other document)" if part <= 1.0 else ""
        lower = f"; to keep more, scan again with --floor {resemblance:g}" if resemblance > 0.0 else ""
        note(f"Below {floor:g} nothing was kept{but}{lower}.", quiet=quiet)
    elif containment is not None and containment < part:
        note(f"Below {part:g} only pairs that resemble each other by {floor:g} or more were kept.", quiet=quiet)


def _list_new(listing: "ScopeListing", answer: "Between", form: str, limit: int | None, *, quiet: bool) -> None:
    documents = list(no_more_than(limit, answer.unknown, "first", "documents", quiet=quiet))
    if form != "table":
        note(in_sum(answer), quiet=quiet)
        records = listing.new_records(documents)
        emit(records, form, columns=["path", "scope", "size"], paths=frozenset({"path"}))
        return
    from nearkin.cli.screen import Screen

    screen = Screen()
    if documents:
        rows = ([in_words(document.size), screen.name(document.location)] for document in documents)
        screen.columns(["size", "path"], rows, right=(0,))
        screen.line()
    screen.folded(in_sum(answer))
