"""`tttd`: chunks cut by content (Forman 2005 §2.2 and §2.3, after Eshghi and Tang).

The paper's 460, 2,800, 540 and 270 make chunks of about 1,000 bytes; other means scale all four.
"""

from dataclasses import dataclass, field, replace

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.chunk import (
    LEAST_MEAN,
    MOST_CHUNK,
    MOST_DIVISOR,
    MOST_MEAN,
    MOST_WINDOW,
    WINDOW,
    Features,
    residue_of,
    shown_residue,
)
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec


@dataclass(frozen=True)
class Tttd:
    """Whole chunks in common, in bytes: a lower bound of the text in common."""

    window: int
    min: int
    max: int
    divisor: int
    backup: int
    residue: int  # of the divisor; the backup's is the same, modulo the backup
    features: Features = field(default_factory=Features)

    shingler = None
    keys = ("mean", "window", "min", "max", "divisor", "backup", "residue", *Features.keys)
    measure = "bytes"
    sampled = False
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

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
            residue=residue_of(spec, divisor),
            features=Features.parse(spec),
        )
        if scheme.min > scheme.max:
            raise UsageError(f"min={scheme.min} of scheme tttd must not exceed max={scheme.max}.")
        if scheme.divisor % scheme.backup:
            raise UsageError(f"divisor={scheme.divisor} of scheme tttd must be a multiple of backup={scheme.backup}.")
        return scheme

    @classmethod
    def of_mean(cls, mean: int) -> "Tttd":
        backup = max(1, round(0.27 * mean))
        divisor = 2 * backup
        return cls(WINDOW, max(1, round(0.46 * mean)), round(2.8 * mean), divisor, backup, divisor - 1)

    @property
    def spec(self) -> str:
        more = {**shown_residue(self.residue, self.divisor), **self.features.shown}
        mean = round(self.max / 2.8)
        if mean >= LEAST_MEAN:
            derived = self.of_mean(mean)
            if replace(derived, residue=self.residue, features=self.features) == self:
                return format_spec("tttd", mean=mean, **more)
        return format_spec(
            "tttd",
            window=self.window,
            min=self.min,
            max=self.max,
            divisor=self.divisor,
            backup=self.backup,
            **more,
        )

    def native(self) -> _native.Scheme:
        return _native.tttd(
            window=self.window,
            min=self.min,
            max=self.max,
            divisor=self.divisor,
            backup=self.backup,
            residue=self.residue,
            seed=self.features.seed,
            bits=self.features.bits,
        )
