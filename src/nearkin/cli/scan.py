"""`scan`: the main job, and the page a person sees when it is done."""

import gc
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import common, size_of, text_options
from nearkin.cli.output import chosen, emit_one
from nearkin.errors import NearkinError
from nearkin.settings import DEFAULT_SCHEME

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.model import Family, IdenticalGroup, Match, Summary
    from nearkin.report.families import Overview

TOP = 10
TOP_FAILED = 5


class InterruptedScanError(NearkinError):
    exit_code = 130


@click.command(epilog="Example: nearkin scan documents/ --threshold 0.8 --exclude '*.log'")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@common
@click.option("--scheme", default=DEFAULT_SCHEME, show_default=True, metavar="SPEC", help="See: nearkin schemes.")
@click.option(
    "--threshold", type=float, default=0.7, show_default=True, help="Resemblance (fuzzy: cosine) that makes a family."
)
@click.option("--containment", type=float, help="Share of a part in its container.  [default: 0.9]")
@click.option(
    "--floor",
    type=float,
    help="Keep the strongest matches down to this.  [default: 0.5, or the threshold where that is lower]",
)
@click.option("--min-shared-bytes", type=int, default=0, metavar="N", help="Leave out matches not known to share N.")
@text_options
@click.option("--include", multiple=True, metavar="GLOB", help="Only these files, as '*.txt'. May be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Not these files or folders. May be repeated.")
@click.option("--hidden", is_flag=True, help="Also files and folders whose name begins with a dot.")
@click.option("--full", is_flag=True, help="Read everything, also files that look unchanged.")
@click.option(
    "--max-size",
    type=size_of,
    metavar="SIZE",
    default="256M",
    show_default=True,
    help="Leave larger files unread.",
)
@click.option("--jobs", type=int, metavar="N", help="Threads to use.  [default: all processors]")
@click.option("--memory", type=size_of, metavar="SIZE", help="Memory to use, as 2G.  [default: a quarter]")
@click.option(
    "--no-text", is_flag=True, help="Keep no texts: matches stay estimates, and no other scheme can sign them later."
)
@click.option("--scope", metavar="NAME", help="What to call this tree.  [default: its folder's name]")
def scan(
    paths: tuple[Path, ...],
    store: Path,
    form: str | None,
    quiet: bool,
    scope: str | None,
    no_text: bool,
    **options: Any,
) -> None:
    """Read documents, find copies, versions and parts among them, and group them.

    What is found is kept in the store, beside the report on the screen. Scanning again brings the store up to
    date.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    # A scan makes millions of rows and no cycles; the collector would look through them in vain.
    gc.disable()
    started = time.monotonic()
    try:
        with progress(quiet=quiet) as report:
            summary = Store(store).scan(paths, scope=scope, progress=report, keep_text=not no_text, **options)
    except KeyboardInterrupt:
        kept = f"what was read so far is kept in {store}" if store.exists() else "nothing was read yet"
        raise InterruptedScanError(f"interrupted; {kept}") from None
    form = chosen(form)
    if form == "table":
        if not quiet:
            _show(store, paths, summary, time.monotonic() - started)
    else:
        emit_one(asdict(summary), form)


def _show(store: Path, paths: tuple[Path, ...], summary: "Summary", seconds: float) -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.words import count
    from nearkin.report.families import overview
    from nearkin.report.matches import list_matches
    from nearkin.report.reading import is_scoped, opened, score_name, total_bytes, without_text
    from nearkin.store import runs
    from nearkin.store.contents import count_stale
    from nearkin.store.documents import present
    from nearkin.store.identical import identical_groups, overhead_of_copies

    with opened(store) as connection:
        screen = Screen(is_scoped(connection), score_name(connection))
        total, failed = total_bytes(connection), present(connection, failed=True)
        templates = runs.last(connection).templates
        textless, stale = without_text(connection), count_stale(connection)
        groups, spare = identical_groups(connection, TOP), overhead_of_copies(connection)
        families, matches = overview(connection, TOP), list_matches(connection, limit=TOP)
    _show_counts(screen, paths, summary, total, seconds)
    _show_changes(screen, summary)
    if textless:
        screen.note(f"{count(textless, 'documents')} without text that can be read, compared by their bytes only")
    if stale:
        screen.note(
            f"{count(stale, 'documents')} of other folders read by an older nearkin and left out; scan these too"
        )
    if templates:
        screen.note(f"{count(templates, 'templates')} left out of all scores")
    option = "" if store == Path("nearkin.db") else f" --store {shlex.quote(str(store))}"
    _show_identical(screen, groups, summary.identical, spare, option)
    _show_families(screen, families, option)
    _show_matches(screen, matches, summary.matches, option)
    if failed:
        screen.heading("Not read", f"{len(failed):,}")
        screen.failures(failed[:TOP_FAILED])
        _more(screen, len(failed) - TOP_FAILED, f"nearkin documents --failed{option}")
    _show_next(screen, store, groups, families.largest, matches, option)


def _show_counts(screen: "Screen", paths: tuple[Path, ...], summary: "Summary", total: int, seconds: float) -> None:
    from nearkin.cli.words import count, safe, shortened
    from nearkin.cli.words import seconds as in_words
    from nearkin.cli.words import size as size_in_words

    where = ", ".join(safe(str(path)) for path in paths)
    screen.line(("nearkin", "bold"), f" scanned {shortened(where, screen.width - 30)} in {in_words(seconds)}")
    screen.line()
    facts = [
        (count(summary.documents), "document" if summary.documents == 1 else "documents"),
        (size_in_words(total), "in them"),
        (count(summary.contents), "distinct content" if summary.contents == 1 else "distinct contents"),
        (count(summary.failed), "not read"),
    ]
    pieces: list[str | tuple[str, str]] = ["  "]
    for number, what in facts:
        pieces += [(number, "bold cyan"), f" {what}", "   "]
    screen.line(*pieces[:-1])
    if summary.resigned:
        again = "was stale and signed again" if summary.resigned == 1 else "were stale and signed again"
        screen.note(
            f"{count(summary.resigned, 'contents')} (of another scheme, normaliser, extractor or format) {again}"
        )


def _show_changes(screen: "Screen", summary: "Summary") -> None:
    """Since the last scan; the first one has nothing to compare with."""
    from nearkin.cli.words import count

    if summary.new == summary.documents + summary.failed:
        return
    changes = [(summary.new, "new"), (summary.changed, "changed"), (summary.moved, "moved"), (summary.gone, "gone")]
    told = ", ".join(f"{count(number)} {what}" for number, what in changes if number)
    screen.note(f"since the last scan: {told}" if told else "nothing has changed since the last scan")


def _more(screen: "Screen", number: int, command: str) -> None:
    screen.note(f"… {number:,} more; all: {command}" if number > 0 else f"all: {command}")


def _show_identical(screen: "Screen", groups: "list[IdenticalGroup]", total: int, spare: int, option: str) -> None:
    from nearkin.cli.words import count
    from nearkin.cli.words import size as size_in_words

    if not groups:
        screen.heading("Identical", "no two documents")
        return
    screen.heading("Identical", f"{count(total, 'groups')}; copies of the same bytes cost {size_in_words(spare)}")
    screen.identical(groups)
    _more(screen, total - TOP, f"nearkin identical{option}")


def _show_families(screen: "Screen", families: "Overview", option: str) -> None:
    from nearkin.cli.words import count

    if not families.families:
        screen.heading("Families", "none: no two documents are alike")
        return
    about = f"{count(families.families)} with {count(families.documents, 'documents')}"
    # Those of identical documents only are counted apart (Broder 1997 §1).
    copies = families.of_copies
    screen.heading("Families", about + (f", {count(copies)} of them of copies only" if copies else ""))
    screen.families(families.largest)
    _more(screen, families.families - TOP, f"nearkin families{option}")


def _show_matches(screen: "Screen", matches: "list[Match]", total: int, option: str) -> None:
    from nearkin.cli.words import count

    if not matches:
        return
    screen.heading("Matches", f"{count(total)}; strongest first, copies named once")
    screen.matches(matches)
    _more(screen, total - TOP, f"nearkin matches{option}")


def _show_next(
    screen: "Screen",
    store: Path,
    groups: "list[IdenticalGroup]",
    families: "list[Family]",
    matches: "list[Match]",
    option: str,
) -> None:
    from nearkin.cli.words import safe
    from nearkin.cli.words import size as size_in_words

    screen.line()
    screen.line(("Store", "bold"), f"  {safe(str(store))} ({size_in_words(store.stat().st_size)})")
    commands = []
    plain = (match for match in matches if match.a.name.isprintable() and match.b.name.isprintable())
    if match := next(plain, None):
        sides = [shlex.quote(screen.name(side)) for side in (match.a, match.b)]
        sides = [f"./{side}" if side.startswith("-") else side for side in sides]
        commands.append(_folded(["nearkin compare", *sides, *([option.strip()] if option else [])], screen.width - 6))
    if families:
        commands.append(f"nearkin families --threshold 0.9{option}")
    if groups:
        commands.append(f"nearkin identical --format csv{option} > identical.csv")
    if not commands:
        commands.append(f"nearkin documents{option}")
    for at, command in enumerate(commands):
        screen.line(("Next " if at == 0 else "     ", "bold"), f"  {command}")


def _folded(words: list[str], width: int) -> str:
    line = " ".join(words)
    return line if len(line) <= width else " \\\n         ".join(words)
