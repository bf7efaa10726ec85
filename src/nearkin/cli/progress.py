"""A moving line on the terminal while a scan, or what else takes long, works. None into a pipe."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nearkin.cli import words
from nearkin.cli.words import count, size

STAGES = {"read": "reading", "match": "matching", "group": "grouping"}
STAGES |= {
    "sqlite": "checking pages",
    "references": "checking references",
    "rows": "checking rows",
    "texts": "checking",
}
SHARES = {"join": "matching", "keep": "comparing texts"}  # told as so much done, of so much
TELLING = 2.0  # seconds after which the time left is told
UNITS = {"group": "matches", "texts": "texts"}


def left(done: int, of: int, seconds: float) -> str:
    """The share that is done and, once it can be told, the time that the rest will take."""
    share = f", {100 * done // of} % done"
    if seconds < TELLING or not 0 < done < of:
        return share
    return f"{share}, about {words.seconds(seconds * (of - done) / done)} left"


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, markup=False, highlight=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        started: dict[str, float] = {}

        def report(stage: str, documents: int, bytes_: int) -> None:
            if stage in SHARES:
                begun = started.setdefault(stage, time.monotonic())
                share = left(documents, bytes_, time.monotonic() - begun)
                bar.update(task, description=f"{SHARES[stage]}{share}")
                return
            what = STAGES[stage] + (f" {count(documents, UNITS.get(stage, 'documents'))}" if documents else "")
            elapsed = bar.tasks[0].elapsed or 0.0
            if bytes_ and elapsed > 0.2:
                what += f", {size(bytes_)}, {size(int(bytes_ / elapsed))}/s"
            bar.update(task, description=what)

        yield report
