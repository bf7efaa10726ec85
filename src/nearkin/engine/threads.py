"""Work on threads with results in the order of the work, some way ahead: memory is bounded by what is in flight.

The recipe by which the native core makes texts canonical and signs them is here too, apart from the readers of files:
`match` reads none, and their modules take longer to import than 10,000 texts to sign.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from nearkin import _native
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon

AHEAD = 4  # besides one for each thread
IDLE = 1.0  # seconds to wait before `idle` is called

Work = TypeVar("Work")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Work], Result],
    items: Iterable[Work],
    *,
    jobs: int,
    ahead: int = AHEAD,
    room: int | None = None,
    weight: Callable[[Work], int] = lambda _: 0,
    size: Callable[[Result], int] = lambda _: 0,
    on_error: Callable[[], None] = lambda: None,
    idle: Callable[[], None] = lambda: None,
) -> Generator[Result, None, None]:
    """Yield the results of work on items, in their order.

    If the items break off with an error, the results before it come first. No more work is begun while items and
    results of more than `room` wait. `on_error` frees threads that wait for something, when this is cut short; `idle`
    is called where the next result is long in coming."""
    rest = iter(items)
    pending: deque[tuple[Future[tuple[Result, int]], int]] = deque()
    broken: Exception | None = None
    waiting = _Waiting()

    def run(item: Work) -> tuple[Result, int]:
        result = work(item)
        large = size(result)
        waiting.add(large)
        return result, large

    pool = ThreadPoolExecutor(jobs, thread_name_prefix="nearkin")
    try:
        while True:
            try:
                while (
                    broken is None
                    and len(pending) < jobs + ahead
                    and (room is None or waiting.total < room)
                    and (item := list(islice(rest, 1)))
                ):
                    large = weight(item[0])
                    waiting.add(large)
                    pending.append((pool.submit(run, item[0]), large))
            except Exception as error:
                broken = error
            if not pending:
                break
            future, large = pending.popleft()
            try:
                result, more = awaited(future, idle)
            except BaseException:
                on_error()
                raise
            waiting.add(-large - more)
            yield result
        if broken is not None:
            raise broken
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def awaited(future: Future[Result], idle: Callable[[], None]) -> Result:
    """Wait for a result; `idle` is called once if it is long in coming."""
    try:
        future.exception(IDLE)
    except TimeoutError:
        idle()
    return future.result()


class _Waiting:
    """The size of all results that were not taken yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.total = 0

    def add(self, size: int) -> None:
        with self._lock:
            self.total += size


def recipe(scheme: Scheme, canon: Canon, *, max_size: int) -> _native.Recipe:
    return _native.Recipe(
        scheme=scheme.native(), raw=canon.raw, ignore=canon.mask, lines=canon.lines, max_size=max_size
    )
