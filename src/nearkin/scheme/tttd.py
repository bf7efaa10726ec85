"""`tttd`: chunks cut by content, with two thresholds and two divisors (Forman 2005 §2.2 and §2.3, after Eshghi, Tang).

The paper's 460, 2,800, 540 and 270 make chunks of about 1,000 bytes; other means scale all four.
"""

from dataclasses import dataclass, replace

from nearkin.errors import UsageError
from nearkin.scheme.chunk import (
    LEAST_MEAN,
    MOST_CHUNK,
    MOST_DIVISOR,
    MOST_MEAN,
    MOST_WINDOW,
    WINDOW,
    ChunkScheme,
    parse_shared,
)
from nearkin.scheme.spec import Spec, format_spec


@dataclass(frozen=True, kw_only=True)
class Tttd(ChunkScheme):
    """Chunks no shorter than `min` and no longer than `max`. At `max` the latest backup boundary is taken. The backup's
    residue is the divisor's, modulo the backup."""

    min: int
    max: int
    backup: int

    keys = ("mean", "window", "min", "max", "divisor", "backup", "residue", *ChunkScheme.shared_keys)

    @classmethod
    def parse(cls, spec: Spec) -> "Tttd":
        spec.only(*cls.keys)
        derived = cls.of_mean(spec.number("mean", 100, least=LEAST_MEAN, most=MOST_MEAN))
        backup = spec.number("backup", derived.backup, most=MOST_DIVISOR)
        divisor = spec.number("divisor", 2 * backup, most=MOST_DIVISOR)
        scheme = cls(
            window=spec.number("window", derived.window, most=MOST_WINDOW),
            min=spec.number("min", derived.min),
            max=spec.number("max", derived.max, most=MOST_CHUNK),
            divisor=divisor,
            backup=backup,
            **parse_shared(spec, divisor),
        )
        if scheme.min > scheme.max:
            raise UsageError(f"min={scheme.min} of scheme tttd must not exceed max={scheme.max}.")
        if scheme.divisor % scheme.backup:
            raise UsageError(f"divisor={scheme.divisor} of scheme tttd must be a multiple of backup={scheme.backup}.")
        return scheme

    @classmethod
    def of_mean(cls, mean: int) -> "Tttd":
        """The thresholds and divisors of the paper, scaled to a mean."""
        backup = max(1, round(0.27 * mean))
        return cls(
            window=WINDOW,
            min=max(1, round(0.46 * mean)),
            max=round(2.8 * mean),
            divisor=2 * backup,
            backup=backup,
            residue=2 * backup - 1,
        )

    @property
    def spec(self) -> str:
        mean = round(self.max / 2.8)
        if mean >= LEAST_MEAN:
            derived = self.of_mean(mean)
            if replace(derived, residue=self.residue, bits=self.bits, seed=self.seed) == self:
                return format_spec("tttd", mean=mean, **self._shared_values)
        return format_spec("tttd", window=self.window, **self.thresholds, **self._shared_values)

    @property
    def thresholds(self) -> dict[str, int]:
        return {"min": self.min, "max": self.max, "divisor": self.divisor, "backup": self.backup}
