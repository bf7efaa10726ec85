"""A moving line on the terminal while a scan works. None into a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nearkin.cli.words import count, size

STAGES = {"read": "reading", "match": "matching", "group": "grouping"}
STAGES |= {
    "sqlite": "checking pages",
    "references": "checking references",
    "rows": "checking rows",
    "texts": "checking",
}
UNITS = {"group": "matches", "texts": "texts"}


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

        def report(stage: str, documents: int, bytes_: int) -> None:
            what = STAGES[stage] + (f" {count(documents, UNITS.get(stage, 'documents'))}" if documents else "")
            elapsed = bar.tasks[0].elapsed or 0.0
            if bytes_ and elapsed > 0.2:
                what += f", {size(bytes_)}, {size(int(bytes_ / elapsed))}/s"
            bar.update(task, description=what)

        yield report
