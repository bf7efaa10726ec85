"""A command run as its own process: seconds on the clock and of CPU, and the most memory and disk held."""

import os
import resource
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.1  # seconds
_EASE = 20  # times as long as a look took, the command is left alone: of 10 GB each takes a tenth of a second


class FailedError(Exception):
    """The command exited with an error; the message is its last line."""


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu: float  # user and system, children included: unlike the clock, hardly moved by what else runs
    peak: int  # bytes; 0 where memory was not watched
    output: str
    disk: int = 0  # bytes, the most in the folder that was watched; files removed while open count


def measure(command: list[str], *, watch: bool, folder: Path | None = None) -> Measured:
    """Watching memory walks page tables, which may slow the command: times of unwatched runs are cleaner. Bytecode is
    kept also where the environment forbids it: what is installed has it, and nearkin is run from its sources."""
    before = _cpu()
    started = time.perf_counter()
    peak = disk = 0
    pause = _POLL
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        while True:
            try:
                output, errors = process.communicate(timeout=pause if watch else None)
                break
            except subprocess.TimeoutExpired:
                looked = time.perf_counter()
                tree = _tree(process.pid)
                peak = max(peak, sum(_proportional(pid) for pid in tree))
                if folder is not None:
                    disk = max(disk, held(folder) + sum(_removed(pid, folder) for pid in tree))
                pause = max(_POLL, _EASE * (time.perf_counter() - looked))
        seconds = time.perf_counter() - started
    if process.returncode:
        raise FailedError((errors.strip().splitlines() or ["no message"])[-1])
    return Measured(seconds, _cpu() - before, peak, output, disk)


def held(folder: Path) -> int:
    """Bytes on disk of all files below it."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += 512 * (Path(place) / name).lstat().st_blocks
    return size


def cores() -> int:
    return len(os.sched_getaffinity(0))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(below for child in children for below in _tree(child))]


def _proportional(pid: int) -> int:
    """Pages shared by several processes count once in all: forked workers share most of theirs."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _removed(pid: int, folder: Path) -> int:
    """Bytes on disk of files that have no name any more, but are open."""
    inodes: dict[int, int] = {}
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = str(link.readlink())
                if target.startswith(f"{folder}/") and target.endswith(" (deleted)"):
                    status = link.stat()
                    inodes[status.st_ino] = 512 * status.st_blocks
    return sum(inodes.values())
