"""`scan`: the main job, and the page a person sees when it is done.

What `scan --plan` shows: every number with its interval, or that it was counted.
"""

import gc
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import FILE, NAME, chosen, common, emit_one, size_of, text_options
from nearkin.errors import NearkinError, UsageError
from nearkin.settings import DEFAULT_SCHEME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nearkin.forecast.estimate import Forecast, Projection


class InterruptedScanError(NearkinError):
    exit_code = 130


def _starts(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> tuple[Path, ...]:
    from nearkin.api.options import paths_of

    return paths_of(given)


@click.command(epilog="Example: nearkin scan documents/ --threshold 0.8 --exclude '*.log'")
@click.argument("paths", nargs=-1, required=True, type=NAME, callback=_starts, metavar="PATH...")
@common
@click.option("--scheme", default=DEFAULT_SCHEME, show_default=True, metavar="SPEC", help="See: nearkin schemes.")
@click.option(
    "--threshold",
    type=float,
    default=0.7,
    show_default=True,
    help="Resemblance that links two documents into a family (scheme fuzzy: cosine).",
)
@click.option("--containment", type=float, help="Share of a part that must be in its container.  [default: 0.9]")
@click.option(
    "--floor",
    type=float,
    help="Also keep the strongest of the weaker matches, down to this.  [default: 0.5, or the threshold if lower]",
)
@click.option(
    "--min-shared-bytes", type=int, default=0, metavar="N", help="Ignore matches that share fewer than N bytes."
)
@click.option(
    "--hot",
    type=float,
    default=1000,
    show_default=True,
    metavar="N",
    help="When more than N documents (or this share of them) are nearly the same, compare each with a few"
    " representatives only.",
)
@text_options
@click.option("--include", multiple=True, metavar="GLOB", help="Read only these files, e.g. '*.txt'. May be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Skip these files or folders. May be repeated.")
@click.option("--hidden", is_flag=True, help="Also read files and folders whose names begin with a dot.")
@click.option("--full", is_flag=True, help="Read everything again, even files that look unchanged.")
@click.option(
    "--max-size",
    type=size_of,
    metavar="SIZE",
    default="256M",
    show_default=True,
    help="Do not read larger files.",
)
@click.option("--jobs", type=int, metavar="N", help="Number of threads.  [default: one per processor]")
@click.option(
    "--memory", type=size_of, metavar="SIZE", help="Memory limit, e.g. 2G.  [default: a quarter of this machine's]"
)
@click.option(
    "--no-text",
    is_flag=True,
    help="Do not store texts: matches remain estimates, and no other scheme can be used later.",
)
@click.option(
    "--text-column", metavar="NAME", help="Read .parquet, .jsonl and .csv row by row; this column has the texts."
)
@click.option("--id-column", metavar="NAME", help="Column that names the rows of tables.  [default: row number]")
@click.option("--html", is_flag=True, help="Treat table texts as HTML even if they do not look like it.")
@click.option(
    "--timeout", type=float, metavar="SECONDS", help="Time limit per PDF, archive or office file.  [default: 30]"
)
@click.option("--document-memory", type=size_of, metavar="SIZE", help="Memory limit for each of these.  [default: 1G]")
@click.option(
    "--custodian", metavar="RULE", help="How custodians are found: owner, mail, path:N, path:FOLDER, or a CSV file."
)
@click.option(
    "--legacy-digests", is_flag=True, help="Also compute MD5 and SHA-1, for comparison with other tools' lists."
)
@click.option("--strict", is_flag=True, help="Exit with 3 if any file could not be read; all others are still stored.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="Also write a report: .xlsx .html .csv .jsonl .parquet .dat. May be repeated.",
)
@click.option("--plan", is_flag=True, help="Only estimate time, memory, disk and matches, from a sample.")
@click.option("--scope", metavar="NAME", help="Name for this folder tree.  [default: the folder's name]")
def scan(
    paths: tuple[Path, ...],
    store: Path,
    form: str | None,
    quiet: bool,
    scope: str | None,
    no_text: bool,
    plan: bool,
    strict: bool,
    reports: tuple[Path, ...],
    **options: Any,
) -> None:
    """Read documents, find copies, versions and parts among them, and group them.

    Results are kept in the store, and the screen shows a summary. Scan again to bring the store up to date.
    """
    if reports:
        from nearkin.cli.report import refuse_all

        if plan:
            raise UsageError("--plan writes nothing; drop --report.")
        refuse_all(reports)
    if plan:
        show_plan(paths, form, {**options, "keep_text": not no_text}, quiet=quiet)
        return
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress
    from nearkin.cli.scan_summary import refuse_failed, refuse_nothing_read, show, show_in_short, tell_notes

    # A scan makes millions of rows and no cycles; the collector would look through them in vain.
    gc.disable()
    started = time.monotonic()
    try:
        with progress(quiet=quiet, counted=_to_be_read(store, paths, options)) as report:
            summary = Store(store).scan(paths, scope=scope, progress=report, keep_text=not no_text, **options)
    except KeyboardInterrupt:
        kept = f"what was read so far is kept in {store}" if _is_any_kept(store) else "nothing new had been stored yet"
        raise InterruptedScanError(f"Interrupted; {kept}.") from None
    form = chosen(form)
    if form != "table":
        emit_one(asdict(summary), form)
        if not quiet:
            tell_notes(store, paths, summary)
    elif quiet:
        show_in_short(summary)
    else:
        show(store, paths, summary, time.monotonic() - started)
    if reports:
        from nearkin.cli.report import write_all

        write_all(store, reports, quiet=quiet)
    if strict:
        refuse_failed(store, paths)
    if summary.failed:
        refuse_nothing_read(store, paths)


def _to_be_read(
    store: Path, paths: tuple[Path, ...], options: dict[str, Any]
) -> "Callable[[], Iterable[object]] | None":
    """The files that a scan will meet, to be gone through once more where it reads all of them."""
    if store.exists() and not options["full"]:
        return None

    def files() -> "Iterable[object]":
        from nearkin.api.options import settings_of
        from nearkin.read.walk import check_starts, root_of, walk
        from nearkin.store.database import own_files

        starts = check_starts(paths)
        return walk(root_of(starts), starts, settings_of(options).walk, leave_out=own_files(store))

    return files


def _is_any_kept(store: Path) -> bool:
    """Whether an unfinished scan has left documents, with which the next one goes on."""
    from nearkin.query.store_view import opened
    from nearkin.store.inventory import UNFINISHED

    try:
        with opened(store) as connection:
            return connection.execute(f"SELECT 1 {UNFINISHED} LIMIT 1").fetchone() is not None
    except NearkinError:
        return False


NUMBERS = ("documents", "bytes", "seconds", "memory", "disk", "matches", "hot_features")


def show_plan(paths: tuple[Path, ...], form: str | None, options: dict[str, Any], *, quiet: bool) -> None:
    from nearkin.api.kinship import plan_scan
    from nearkin.cli.progress import progress
    from nearkin.cli.wording import refuse_unreadable

    refuse_unreadable(*paths)
    with progress("sampling", quiet=quiet):
        found = plan_scan(paths, **options)
    form = chosen(form)
    if form == "table":
        _show(paths, found)
    else:
        emit_one(_flat(found) if form == "csv" else _record(found), form)


def _record(found: "Forecast") -> dict[str, Any]:
    numbers = {name: _number(name, getattr(found, name)) for name in NUMBERS}
    choices = [{"option": one.option, "value": one.value, "why": one.why} for one in found.choices]
    return {"estimate": True, "sampled": found.sampled, **numbers, "hot_over": found.hot_over, "choices": choices}


def _flat(found: "Forecast") -> dict[str, Any]:
    flat: dict[str, Any] = {"sampled": found.sampled}
    for name in NUMBERS:
        number = _number(name, getattr(found, name))
        flat |= {name: number["value"], f"{name}_low": number["low"], f"{name}_high": number["high"]}
    return flat | {f"choice {one.option}": one.value for one in found.choices}


def _number(name: str, one: "Projection") -> dict[str, Any]:
    """Whole numbers, but for seconds."""
    digits = 2 if name == "seconds" else None
    return {
        "value": round(one.value, digits),
        "low": round(one.low, digits),
        "high": round(one.high, digits),
        "exact": one.exact,
    }


def _show(paths: tuple[Path, ...], found: "Forecast") -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count, safe, shortened
    from nearkin.cli.wording import seconds as in_words
    from nearkin.cli.wording import size as size_in_words

    screen = Screen()
    where = shortened(", ".join(safe(str(path)) for path in paths), screen.width - 30)
    screen.line(("nearkin", "bold"), f" would scan {where}")
    screen.heading("Estimates", f"from a sample of {count(found.sampled, 'documents')}; nothing was written")

    def told(one: "Projection", words: "Callable[[float], str]") -> str:
        if one.exact:
            return f"{words(one.value)}  counted"
        return f"about {words(one.value)}  ({words(one.low)} to {words(one.high)})"

    def whole(value: float) -> str:
        return count(round(value))

    def size(value: float) -> str:
        return size_in_words(round(value))

    screen.facts(
        [
            ("documents", told(found.documents, whole)),
            ("to read", told(found.bytes, size)),
            ("time", told(found.seconds, in_words)),
            ("memory", told(found.memory, size)),
            ("disk", told(found.disk, size)),
            ("matches", told(found.matches, whole)),
            ("hot", f"{told(found.hot_features, whole)}, features shared by more than {count(found.hot_over)} texts"),
        ]
    )
    screen.heading("Settings it would choose")
    screen.facts([(one.option, f"{one.value}  {one.why}") for one in found.choices])
