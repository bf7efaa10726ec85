"""A bar on the terminal while something takes longer than a second; none into a pipe.

The code that works stores a few numbers, some times a second. A thread turns them into words when it draws the
terminal, and what draws is imported only once a second has passed.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from shutil import get_terminal_size
from threading import Lock, Timer
from typing import TYPE_CHECKING, TypeVar

from nearkin.cli import wording
from nearkin.wording import count, size

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
SHARED = {"join", "keep", "sign", "write"}  # stages that say how much is done, of how much
UNITS = {"match": "texts", "group": "matches", "texts": "texts"}
PATIENCE = 1.0  # seconds before anything is shown
COUNTING = 5.0  # seconds before files are counted, which takes Python's lock from the threads that read
ESTIMATING = 2.0  # seconds after which the time left is shown
BAR = 14  # columns
WIDE = 100  # columns; a line that fills a narrower terminal is wrapped by the ^C that ends it, and cannot be erased
DRAWN = 5  # times a second


def left(done: int, of: int, seconds: float) -> str:
    """The share that is done and, once it can be estimated, the time that the rest will take."""
    share = f"{100 * done // of} % done"
    if seconds < ESTIMATING or not 0 < done < of:
        return share
    return f"{share}, about {wording.seconds(seconds * (of - done) / done)} left"


@dataclass
class Reporter:
    """How far the work is: set by the code that works, drawn meanwhile."""

    stage: str
    total: int | None = None  # files that a scan will read, once they are counted
    far: tuple[int, int] = (0, 0)  # how much is done, and its bytes; or of how much, where a share is shown
    begun: float = field(default_factory=time.monotonic)
    started: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)
    _live: "Live | None" = None
    stopped: bool = False

    def __call__(self, stage: str, done: int, bytes_: int) -> None:
        self.far = (done, bytes_)
        if stage != self.stage:
            self.stage, self.begun = stage, time.monotonic()

    def show(self) -> None:
        """Begin to draw, after the first second."""
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
        """Erase the bar, before anything else is printed."""
        with self._lock:
            live, self._live, self.stopped = self._live, None, True
        if live is not None:
            live.stop()

    @property
    def figures(self) -> str:
        """What stands after the bar."""
        seconds = max(time.monotonic() - self.begun, 0.001)
        done, bytes_ = self.far
        if self.stage in SHARED:
            return left(done, bytes_, seconds) if bytes_ else ""
        if not done:
            return ""
        if self.stage != "read":
            number = count(done, UNITS.get(self.stage, "documents"))
            return f"{number}, {size(bytes_)}" if bytes_ else number
        rate = f"{size(round(bytes_ / seconds))}/s"
        if get_terminal_size().columns >= WIDE:
            rate = f"{count(round(done / seconds))} files/s, {rate}"
        return f"{count(done, 'files')}, {size(bytes_)}, {rate}"

    @property
    def share(self) -> tuple[int, int] | None:
        """How much is done, of how much; None: that is not known."""
        done, bytes_ = self.far
        whole = bytes_ if self.stage in SHARED else self.total if self.stage == "read" else None
        # Members of archives were not counted: with them there may be more than there are files.
        return (done, whole) if whole and done <= whole else None

    def drawn(self) -> "RenderableType":
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        line = Table.grid(padding=(0, 1))
        share = self.share
        done, whole = share or (0, None)
        bar = ProgressBar(total=whole, completed=done, width=BAR, pulse=share is None)
        percent = f"{100 * done // whole} %" if whole and self.stage == "read" else ""
        figures = ", ".join(filter(None, [percent, self.figures]))
        line.add_column(no_wrap=True)
        line.add_column(width=BAR)
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_column(no_wrap=True)
        line.add_row(STAGES.get(self.stage, self.stage), bar, figures, _clock(time.monotonic() - self.started))
        return line


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


@contextmanager
def progress(
    stage: str = "read", *, quiet: bool, counted: Callable[[], Iterable[object]] | None = None
) -> Iterator[Reporter | None]:
    """Show progress while the block runs; nothing else may be printed within. `stage` is what is done at first, one of
    those above or another word. `counted` is iterated meanwhile to count the files that will be read."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    reporter = Reporter(stage)
    timers = [Timer(PATIENCE, reporter.show)]
    if counted is not None:
        timers.append(Timer(COUNTING, _count, (reporter, counted)))
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield reporter
    finally:
        for timer in timers:
            timer.cancel()
        reporter.stop()


def _count(reporter: Reporter, counted: Callable[[], Iterable[object]]) -> None:
    """Count files. Where this walk fails, the scan will say so."""
    try:
        met = 0
        for met, _ in enumerate(counted(), 1):  # noqa: B007
            if reporter.stopped or reporter.stage != "read":
                return
    except Exception:
        return
    reporter.total = met


Listed = TypeVar("Listed")


def followed(items: Iterable[Listed], reporter: Reporter | None, stage: str, total: int) -> Iterator[Listed]:
    """Report progress while items are listed, one by one; where the terminal lists them itself, until the first."""
    for number, item in enumerate(items, 1):
        if reporter is not None:
            if sys.stdout.isatty():
                reporter.stop()
            reporter(stage, number, max(total, number))
        yield item
