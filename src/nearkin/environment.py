"""What this process may have of the machine: in a container that is less than what the machine has."""

import os
from pathlib import Path

LIMITS = Path("/sys/fs/cgroup")  # of control groups, version 2 and version 1


def memory() -> int:
    """In bytes."""
    own = [_number(LIMITS / name) for name in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *(limit for limit in own if limit)])


def cores() -> int:
    """Those that it may run on, and no more than it is given the time of."""
    allowed = len(os.sched_getaffinity(0))
    quota, _, period = _read(LIMITS / "cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal() and int(period):
        return max(1, min(allowed, -(-int(quota) // int(period))))
    return allowed


def _number(file: Path) -> int | None:
    said = _read(file)
    return int(said) if said.isdecimal() else None  # "max" is none


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
