"""A command run as its own process: seconds on the clock and of CPU, and the most memory held."""

import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.1


class FailedError(Exception):
    """The command exited with an error; the message is its last line."""


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu: float  # user and system, children included: unlike the clock, hardly moved by what else runs
    peak: int  # bytes; 0 where memory was not watched
    output: str


def measure(command: list[str], *, watch: bool) -> Measured:
    """Watching memory walks page tables, which may slow the command: times of unwatched runs are cleaner."""
    before = _cpu()
    started = time.perf_counter()
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while True:
            try:
                output, errors = process.communicate(timeout=_POLL if watch else None)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, sum(_proportional(pid) for pid in _tree(process.pid)))
        seconds = time.perf_counter() - started
    if process.returncode:
        raise FailedError((errors.strip().splitlines() or ["no message"])[-1])
    return Measured(seconds, _cpu() - before, peak, output)


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
