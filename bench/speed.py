"""Speeds as shares of memory bandwidth: each kernel is timed in turn with a copy, so that noise hits both."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.table import figure

_LEAST = 0.02  # seconds a measurement lasts
_SHORT = 0.001  # the same where many are taken in turn


@dataclass(frozen=True)
class Speed:
    per_second: float  # units of work, bytes unless said otherwise; the best of the rounds
    share: float  # of the bytes a second one core copies; the median of the rounds


class Clock:
    def __init__(self, *, copied: int = 64 << 20, rounds: int = 7) -> None:
        self.rounds = rounds
        self._source = np.ones(copied, np.uint8)
        self._target = np.zeros(copied, np.uint8)
        self.copies: list[float] = []

    def copy(self) -> float:
        """Bytes a second of one memcpy of a buffer far larger than the caches."""
        started = time.perf_counter()
        np.copyto(self._target, self._source)
        speed = self._source.nbytes / (time.perf_counter() - started)
        self.copies.append(speed)
        return speed

    def measure(self, work: Callable[[], object], size: float, *, rounds: int | None = None) -> Speed:
        repeats = max(1, round(_LEAST / max(_seconds(work, 1), 1e-9)))
        speeds, shares = [], []
        for _ in range(rounds or self.rounds):
            copied = self.copy()
            speeds.append(size * repeats / _seconds(work, repeats))
            shares.append(speeds[-1] / copied)
        return Speed(max(speeds), statistics.median(shares))

    def in_turn(self, works: dict[str, Callable[[], object]], size: float) -> dict[str, list[float]]:
        """Units of work a second, one measurement of each work in every round: noise hits all alike."""
        repeats = {name: max(1, round(_SHORT / max(_seconds(work, 1), 1e-9))) for name, work in works.items()}
        speeds: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(self.rounds * round(_LEAST / _SHORT)):
            for name, work in works.items():
                speeds[name].append(size * repeats[name] / _seconds(work, repeats[name]))
        return speeds

    def __str__(self) -> str:
        return f"{figure(max(self.copies) / 1e6)} MB/s"


def _seconds(work: Callable[[], object], repeats: int) -> float:
    started = time.perf_counter()
    for _ in range(repeats):
        work()
    return time.perf_counter() - started
