"""The memory and cores that this process may use, and the version of nearkin.

In a container a process may use less than the machine has.
"""

import os
from pathlib import Path

LIMITS = Path("/sys/fs/cgroup")  # of control groups, version 2 and version 1


def version() -> str:
    """Return the version that the native core was compiled as: asking the installed package loads twenty modules."""
    from nearkin._native import VERSION  # settings import this module, and `--help` does without the native core

    return VERSION


def memory() -> int:
    """Return the bytes of memory that this process may use."""
    own = [_number(LIMITS / name) for name in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *(limit for limit in own if limit)])


def cores() -> int:
    """Count the cores that this process may run on, no more than its share of processor time allows."""
    allowed = len(os.sched_getaffinity(0))
    quota, _, period = _read(LIMITS / "cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal() and int(period):
        return max(1, min(allowed, -(-int(quota) // int(period))))
    return allowed


def _number(file: Path) -> int | None:
    text = _read(file)
    return int(text) if text.isdecimal() else None  # "max" is no limit


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
