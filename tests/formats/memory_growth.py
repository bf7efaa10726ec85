"""How large a process and those it has started become, looked at some times a second."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

PAGE = os.sysconf("SC_PAGE_SIZE")


class Grown:
    """`peak`: bytes in memory, of all processes together, while this was open."""

    def __init__(self) -> None:
        self.start = self.peak = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self.start = self.peak = resident(os.getpid())
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watcher.join()

    @property
    def more(self) -> int:
        return self.peak - self.start

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self.peak = max(self.peak, resident(os.getpid()))


def children(process: int) -> list[int]:
    """Of every thread: a worker is started by one."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def start_of(process: int) -> bytes:
    """What the system gave the program when it started: of two programs it is never the same."""
    with suppress(OSError):
        return Path(f"/proc/{process}/auxv").read_bytes()
    return b""


def resident(process: int) -> int:
    """Of a process and all below it. One that is not its own program yet still shows the memory of its parent, which
    would count twice: 700 MB under load, where 20 had grown."""
    size, start = 0, start_of(process)
    with suppress(OSError):
        size = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    return size + sum(resident(child) for child in children(process) if start_of(child) != start)
