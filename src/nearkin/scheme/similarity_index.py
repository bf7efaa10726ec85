"""`si`: the Similarity Index, one number a document (Roth 2011 §3). The kernel similarity_index makes it.

Table 2's tracking numbers name method and stream together: 1 to 14 characters, 21 to 34 words, 41 to 54 Soundex; a
variation may follow, as the paper writes it (43B). Documents are alike whose numbers lie within 30 % (§4.2).
"""

import re
from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

STREAMS = ("char", "word", "soundex")  # Table 2's offsets are 0, 20 and 40
VARIATIONS = ("A", "B", "C", "D")
METHODS = 14
WINNOWED = (5, 6)
RANDOM = (11, 12)
FREQUENT = 13
SUPER_SHINGLE = 14
MOST_K = 4096

SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class SimilarityIndex:
    """One number, near that of a similar document; the texts decide."""

    method: int
    stream: str
    variation: str
    k: int  # 0 where there are no k-grams
    w: int  # 0 where nothing is winnowed
    seed: int

    keys = ("method", "stream", "variation", "k", "w", "seed", "tracking")
    shingler = Shingler(20)  # documents within the range are verified by these
    window = 20
    measure = "shingles"
    sampled = False
    estimator = Estimator.RANGE
    limit = 1
    contains = False

    @classmethod
    def parse(cls, spec: Spec) -> "SimilarityIndex":
        spec.only(*cls.keys)
        spec = _untracked(spec)
        method = spec.number("method", 3, most=METHODS)
        stream = spec.choice("stream", "soundex", STREAMS)
        if method == FREQUENT and stream == "char":
            raise UsageError("Method 13 of scheme si counts words, so it needs stream=word or stream=soundex.")
        _refuse(spec, "k", method != FREQUENT, "method 13 makes no k-grams")
        _refuse(spec, "w", method in WINNOWED, "only methods 5 and 6 winnow")
        _refuse(spec, "seed", method in RANDOM, "only methods 11 and 12 draw at random")
        return cls(
            method,
            stream,
            spec.choice("variation", "B", VARIATIONS),
            0 if method == FREQUENT else spec.number("k", 40, least=1 + (method == SUPER_SHINGLE), most=MOST_K),
            spec.number("w", 100, most=MOST_K) if method in WINNOWED else 0,
            spec.number("seed", 0, least=0) if method in RANDOM else 0,
        )

    @property
    def spec(self) -> str:
        used = {key: value for key in ("k", "w", "seed") if (value := getattr(self, key))}
        return format_spec("si", method=self.method, stream=self.stream, variation=self.variation, **used)

    def native(self) -> _native.Scheme:
        return _native.similarity_index(
            method=self.method,
            stream=self.stream,
            stop_words=self.variation in "AC",
            vowels_or_duplicates=self.variation in "AB",
            k=self.k or 1,
            window=self.w or 1,
            seed=self.seed,
        )


def range_of(number: int) -> tuple[int, int]:
    """The lowest and highest number within 30 % of this one: strictly, and the number itself in any case."""
    reach = -(-3 * abs(number) // 10) - 1 if number else 0
    return max(number - reach, SMALLEST), min(number + reach, LARGEST)


def _untracked(spec: Spec) -> Spec:
    """The spec with method, stream and variation in place of a tracking number."""
    tracking = spec.values.get("tracking")
    if tracking is None:
        return spec
    parts = re.fullmatch(r"([0-9]{1,2})([A-D]?)", tracking)
    offset, method = divmod(int(parts[1]), 20) if parts else (0, 0)
    if parts is None or not 1 <= method <= METHODS or offset >= len(STREAMS):
        raise UsageError(f"tracking={tracking} of scheme si is none of Table 2: 1 to 14, 21 to 34, 41 to 54, as 43B.")
    named = {"method": str(method), "stream": STREAMS[offset], **({"variation": parts[2]} if parts[2] else {})}
    rest = {key: value for key, value in spec.values.items() if key != "tracking"}
    if both := next((key for key in named if key in rest), None):
        raise UsageError(f"Scheme si takes either tracking={tracking} or {both}, not both.")
    return Spec(spec.name, {**named, **rest})


def _refuse(spec: Spec, key: str, used: bool, reason: str) -> None:
    if key in spec.values and not used:
        raise UsageError(f"{key} of scheme si has no use here: {reason}.")
