"""Work spread over threads, results in the order of the work, read some way ahead: memory is bounded by what is in
flight."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

AHEAD = 4  # besides one for each thread

Work = TypeVar("Work")
Result = TypeVar("Result")


def in_order(work: Callable[[Work], Result], items: Iterable[Work], *, jobs: int) -> Iterator[Result]:
    """Where the items break off with an error, what came before is given out first."""
    rest = iter(items)
    pending: deque[Future[Result]] = deque()
    broken: Exception | None = None
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="nearkin")
    try:
        while True:
            try:
                while broken is None and len(pending) < jobs + AHEAD and (item := list(islice(rest, 1))):
                    pending.append(pool.submit(work, item[0]))
            except Exception as error:
                broken = error
            if not pending:
                break
            yield pending.popleft().result()
        if broken is not None:
            raise broken
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
