"""`tttd`: chunks cut by content (Forman 2005 §2.2 and §2.3, after Eshghi and Tang).

The paper's 460, 2,800, 540 and 270 make chunks of about 1,000 bytes; other means scale all four.
"""

from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.estimator import Estimator
from nearkin.scheme.spec import Spec, format_spec


@dataclass(frozen=True)
class Tttd:
    """Whole chunks in common, in bytes: a lower bound of the text in common."""

    window: int
    min: int
    max: int
    divisor: int
    backup: int

    shingler = None
    keys = ("mean", "window", "min", "max", "divisor", "backup")
    measure = "bytes"
    sampled = False
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Tttd":
        spec.only(*cls.keys)
        derived = cls.of_mean(spec.number("mean", 100, least=10, most=1 << 20))
        backup = spec.number("backup", derived.backup)
        scheme = cls(
            window=spec.number("window", derived.window, most=4096),
            min=spec.number("min", derived.min),
            max=spec.number("max", derived.max, most=1 << 30),
            divisor=spec.number("divisor", 2 * backup),
            backup=backup,
        )
        if scheme.min > scheme.max:
            raise UsageError(f"min={scheme.min} of scheme tttd must not exceed max={scheme.max}.")
        if scheme.divisor % scheme.backup:
            raise UsageError(f"divisor={scheme.divisor} of scheme tttd must be a multiple of backup={scheme.backup}.")
        return scheme

    @classmethod
    def of_mean(cls, mean: int) -> "Tttd":
        backup = max(1, round(0.27 * mean))
        return cls(48, max(1, round(0.46 * mean)), round(2.8 * mean), 2 * backup, backup)

    @property
    def spec(self) -> str:
        mean = round(self.max / 2.8)
        if mean >= 10 and self.of_mean(mean) == self:
            return format_spec("tttd", mean=mean)
        return format_spec(
            "tttd", window=self.window, min=self.min, max=self.max, divisor=self.divisor, backup=self.backup
        )

    def native(self) -> _native.Scheme:
        return _native.tttd(window=self.window, min=self.min, max=self.max, divisor=self.divisor, backup=self.backup)
