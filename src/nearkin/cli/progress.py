"""A bar on the terminal while something takes longer than a second. None into a pipe.

Whoever works says how far it is by storing a few numbers, some times a second; what they look like is made up when the
terminal is drawn, by a thread, and what draws is imported only once a second has passed.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from shutil import get_terminal_size
from threading import Lock, Thread, Timer
from typing import TYPE_CHECKING, TypeVar

from nearkin.cli import words
from nearkin.cli.words import count, size

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

STAGES = {
    "read": "reading",
    "match": "matching",
    "join": "matching",
    "group": "grouping",
    "keep": "comparing texts",
    "sign": "signing",
    "write": "writing",
    "sqlite": "checking pages",
    "references": "checking references",
    "rows": "checking rows",
    "texts": "checking",
}
SHARED = {"join", "keep", "sign", "write"}  # so much done, of so much
UNITS = {"match": "texts", "group": "matches", "texts": "texts"}
PATIENCE = 1.0  # seconds before anything is shown
TELLING = 2.0  # seconds after which the time left is told
BAR = 14  # columns
WIDE = 100  # columns; a line that fills a narrower terminal is wrapped by the ^C that ends it, and cannot be erased
DRAWN = 5  # times a second


def left(done: int, of: int, seconds: float) -> str:
    """The share that is done and, once it can be told, the time that the rest will take."""
    share = f"{100 * done // of} % done"
    if seconds < TELLING or not 0 < done < of:
        return share
    return f"{share}, about {words.seconds(seconds * (of - done) / done)} left"


@dataclass
class Reporter:
    """How far it is: told by whoever works, drawn meanwhile."""

    stage: str
    total: int | None = None  # files that a scan will read, once they are counted
    done: int = 0
    bytes: int = 0  # or of how many, where a share is told
    begun: float = field(default_factory=time.monotonic)
    started: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)
    _live: "Live | None" = None
    stopped: bool = False

    def __call__(self, stage: str, done: int, bytes_: int) -> None:
        if stage != self.stage:
            self.stage, self.begun = stage, time.monotonic()
        self.done, self.bytes = done, bytes_

    def show(self) -> None:
        """After the first second."""
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, markup=False, highlight=False)
        with self._lock:
            if not self.stopped:
                self._live = Live(
                    console=console,
                    get_renderable=self.drawn,
                    refresh_per_second=DRAWN,
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
                self._live.start()

    def stop(self) -> None:
        """Before anything else is printed; nothing is left of it."""
        with self._lock:
            live, self._live, self.stopped = self._live, None, True
        if live is not None:
            live.stop()

    @property
    def told(self) -> str:
        """What stands after the bar."""
        seconds = max(time.monotonic() - self.begun, 0.001)
        if self.stage in SHARED:
            return left(self.done, self.bytes, seconds) if self.bytes else ""
        if not self.done:
            return ""
        if self.stage != "read":
            told = count(self.done, UNITS.get(self.stage, "documents"))
            return f"{told}, {size(self.bytes)}" if self.bytes else told
        rate = f"{size(round(self.bytes / seconds))}/s"
        if get_terminal_size().columns >= WIDE:
            rate = f"{count(round(self.done / seconds))} files/s, {rate}"
        return f"{count(self.done, 'files')}, {size(self.bytes)}, {rate}"

    @property
    def share(self) -> tuple[int, int] | None:
        """So much done, of so much; None: that is not known."""
        whole = self.bytes if self.stage in SHARED else self.total if self.stage == "read" else None
        # What lies in archives was not counted: with it there may be more than there are files.
        return (self.done, whole) if whole and self.done <= whole else None

    def drawn(self) -> "RenderableType":
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        line = Table.grid(padding=(0, 1))
        share = self.share
        done, whole = share or (0, None)
        bar = ProgressBar(total=whole, completed=done, width=BAR, pulse=share is None)
        percent = f"{100 * done // whole} %" if whole and self.stage == "read" else ""
        told = ", ".join(filter(None, [percent, self.told]))
        line.add_column(no_wrap=True)
        line.add_column(width=BAR)
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_column(no_wrap=True)
        line.add_row(STAGES.get(self.stage, self.stage), bar, told, _clock(time.monotonic() - self.started))
        return line


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


@contextmanager
def progress(
    stage: str = "read", *, quiet: bool, counted: Callable[[], Iterable[object]] | None = None
) -> Iterator[Reporter | None]:
    """`stage`: what is being done until someone says otherwise, one of those above or a word of one's own. `counted`:
    gone through meanwhile to find out how many files will be read. Nothing else may be printed within."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    reporter = Reporter(stage)
    later = Timer(PATIENCE, _show, (reporter, counted))
    later.daemon = True
    later.start()
    try:
        yield reporter
    finally:
        later.cancel()
        reporter.stop()


def _show(reporter: Reporter, counted: Callable[[], Iterable[object]] | None) -> None:
    if counted is not None and not reporter.stopped:
        Thread(target=_count, args=(reporter, counted), daemon=True).start()
    reporter.show()


def _count(reporter: Reporter, counted: Callable[[], Iterable[object]]) -> None:
    """A walk takes 2 µs a file; where it fails, the scan will say so."""
    try:
        met = 0
        for met, _ in enumerate(counted(), 1):  # noqa: B007
            if reporter.stopped or reporter.stage != "read":
                return
    except Exception:
        return
    reporter.total = met


Listed = TypeVar("Listed")


def followed(found: Iterable[Listed], reporter: Reporter | None, stage: str, total: int) -> Iterator[Listed]:
    """While they are listed, one by one; where they are listed on the terminal themselves, until the first."""
    for number, one in enumerate(found, 1):
        if reporter is not None:
            if sys.stdout.isatty():
                reporter.stop()
            reporter(stage, number, max(total, number))
        yield one
