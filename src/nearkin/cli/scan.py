"""`scan`: the main job; and `scan --plan`, which shows every number with its interval, or that it was counted."""

import gc
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import FILE, NAME, chosen, common, emit_one, size_of, text_options
from nearkin.cli.wording import seconds, shortened
from nearkin.errors import NearkinError, UsageError
from nearkin.settings import DEFAULT_SCHEME
from nearkin.wording import count, safe
from nearkin.wording import size as size_in_words

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
        from nearkin.api.scans import refuse_reports

        if plan:
            raise UsageError("--plan writes nothing; drop --report.")
        refuse_reports(reports)
    if plan:
        show_plan(paths, form, {**options, "keep_text": not no_text}, quiet=quiet)
        return
    from nearkin.api.scans import has_unfinished_documents
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress
    from nearkin.cli.scan_summary import note_all, refuse_failed, refuse_nothing_read, show, show_in_short

    # A scan makes millions of rows and no cycles; the collector would look through them in vain.
    gc.disable()
    started = time.monotonic()
    try:
        with progress(quiet=quiet, counted=_to_be_read(store, paths, options)) as report:
            summary = Store(store).scan(paths, scope=scope, progress=report, keep_text=not no_text, **options)
    except KeyboardInterrupt:
        is_kept = has_unfinished_documents(store)
        kept = f"what was read so far is kept in {store}" if is_kept else "nothing new had been stored yet"
        raise InterruptedScanError(f"Interrupted; {kept}.") from None
    form = chosen(form)
    if form != "table":
        emit_one(asdict(summary), form)
        if not quiet:
            note_all(store, paths, summary)
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
    """The files that a scan will meet, to be counted where it reads all of them."""
    if store.exists() and not options["full"]:
        return None

    def files() -> "Iterable[object]":
        from nearkin.api.scans import files_to_scan

        return files_to_scan(store, paths, options)

    return files


NUMBERS = ("documents", "bytes", "seconds", "memory", "disk", "matches", "hot_features")


def show_plan(paths: tuple[Path, ...], form: str | None, options: dict[str, Any], *, quiet: bool) -> None:
    """Print what a scan would take and find, from a sample."""
    from nearkin.api.scans import plan_scan, refuse_unreadable
    from nearkin.cli.progress import progress

    refuse_unreadable(*paths)
    with progress("sampling", quiet=quiet):
        forecast = plan_scan(paths, **options)
    form = chosen(form)
    if form == "table":
        _show(paths, forecast)
    else:
        emit_one(_flat(forecast) if form == "csv" else _record(forecast), form)


def _record(forecast: "Forecast") -> dict[str, Any]:
    numbers = {name: _number(name, getattr(forecast, name)) for name in NUMBERS}
    choices = [{"option": choice.option, "value": choice.value, "why": choice.why} for choice in forecast.choices]
    return {"estimate": True, "sampled": forecast.sampled, **numbers, "hot_over": forecast.hot_over, "choices": choices}


def _flat(forecast: "Forecast") -> dict[str, Any]:
    flat: dict[str, Any] = {"sampled": forecast.sampled}
    for name in NUMBERS:
        number = _number(name, getattr(forecast, name))
        flat |= {name: number["value"], f"{name}_low": number["low"], f"{name}_high": number["high"]}
    return flat | {f"choice {choice.option}": choice.value for choice in forecast.choices}


def _number(name: str, estimate: "Projection") -> dict[str, Any]:
    """An estimate with its interval: whole numbers, but for seconds."""
    digits = 2 if name == "seconds" else None
    return {
        "value": round(estimate.value, digits),
        "low": round(estimate.low, digits),
        "high": round(estimate.high, digits),
        "exact": estimate.exact,
    }


def _show(paths: tuple[Path, ...], forecast: "Forecast") -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    where = shortened(", ".join(safe(str(path)) for path in paths), screen.width - 30)
    screen.line(("nearkin", "bold"), f" would scan {where}")
    screen.heading("Estimates", f"from a sample of {count(forecast.sampled, 'documents')}; nothing was written")

    def in_words(estimate: "Projection", words: "Callable[[float], str]") -> str:
        if estimate.exact:
            return f"{words(estimate.value)}  counted"
        return f"about {words(estimate.value)}  ({words(estimate.low)} to {words(estimate.high)})"

    def whole(value: float) -> str:
        return count(round(value))

    def size(value: float) -> str:
        return size_in_words(round(value))

    hot = f"{in_words(forecast.hot_features, whole)}, features shared by more than {count(forecast.hot_over)} texts"
    screen.facts(
        [
            ("documents", in_words(forecast.documents, whole)),
            ("to read", in_words(forecast.bytes, size)),
            ("time", in_words(forecast.seconds, seconds)),
            ("memory", in_words(forecast.memory, size)),
            ("disk", in_words(forecast.disk, size)),
            ("matches", in_words(forecast.matches, whole)),
            ("hot", hot),
        ]
    )
    screen.heading("Settings it would choose")
    screen.facts([(choice.option, f"{choice.value}  {choice.why}") for choice in forecast.choices])
