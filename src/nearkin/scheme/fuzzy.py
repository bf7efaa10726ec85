"""`fuzzy`: fuzzy-fingerprints (Stein 2005 §3). Texts that agree in one code are candidates; their cosine decides.

A code tells, for each prefix class, in which interval its deviation from the reference lies. The reference is how often
index terms begin with each letter: in the British National Corpus (Stein 2005 §3 step 3), or learnt from texts. A
learnt one stands in the spec in hundredths of a per cent, so that a stored signature says how it was made.

Figure 1's borders are lost; ours are calibrated (docs/decisions/010-fuzzy.md): every variant looks closely at its own
share of the classes and coarsely at the others. With the same borders for every class, as good a recall needs
collision sets three times as large.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

# Per cent of the index terms (all words but stop words and words of one letter) of the 100 million words.
BNC = (
    "6.77/4.41/8.70/4.58/4.70/4.69/3.45/3.11/3.27/0.79/1.05/4.53/5.98/3.17/2.94/7.38/0.41/5.11/11.07/5.78/1.64/1.01/"
    "4.44/0.01/0.93/0.06"
)


def parse_reference(text: str) -> tuple[int, ...]:
    """Read 26 shares; they are returned in hundredths of a per cent."""
    try:
        shares = tuple(_hundredths(share) for share in text.split("/"))
    except ValueError:
        shares = ()
    if len(shares) != len(ascii_lowercase) or not 9_900 <= sum(shares) <= 10_100:
        raise UsageError(
            "reference of scheme fuzzy must be bnc, or 26 per cents as 6.77/4.41/… that add up to 100;"
            " nearkin schemes --learn PATH makes them."
        )
    return shares


def format_reference(shares: tuple[int, ...]) -> str:
    return "/".join(f"{share // 100}.{share % 100:02}" for share in shares)


def learn_reference(canonical: Iterable[bytes]) -> tuple[int, ...]:
    """Average every text's own shares, so that a few long texts do not decide; letters never met get the least."""
    shares = [counts / counts.sum() for counts in map(_native.letter_counts, canonical) if counts.sum()]
    if not shares:
        raise UsageError("There are no words in Latin letters to learn a reference from.")
    return tuple(np.maximum(1, np.rint(10_000 * np.mean(shares, axis=0))).astype(int).tolist())


def _hundredths(share: str) -> int:
    whole, _, part = share.partition(".")
    if not (whole.isascii() and whole.isdigit() and (part == "" or (part.isascii() and part.isdigit()))):
        raise ValueError(share)
    if len(whole) > 3 or len(part) > 2:
        raise ValueError(share)
    return 100 * int(whole) + int(part.ljust(2, "0"))


# `classes=N` takes the first N: the 18 letters of Stein's Table 1 from the most frequent to the least, then the eight
# left out there, likewise.
LETTERS = "scpamtrefdlbginhok" + "wuvyjqzx"

# A variant's borders, deviations in thousandths: where the intervals of the classes it looks closely at begin, and the
# one border it has for all others.
Variant = tuple[tuple[int, ...], int]

NEVER = 1 << 40  # beyond every deviation
BORDERS: dict[tuple[int, int], tuple[Variant, ...]] = {  # by intervals and variants
    (2, 1): (((3000,), NEVER),),
    (2, 2): (((500,), 4000), ((500,), 2500)),
    (2, 3): (((500,), 1250), ((200,), 1750), ((100,), 2000)),
    (2, 4): (((0,), 1000), ((300,), 1500), ((500,), 1000), ((400,), 700)),
    (3, 1): (((3000, NEVER), NEVER),),
    (3, 2): (((500, NEVER), 4000), ((500, NEVER), 2500)),
    (3, 3): (((700, NEVER), 1250), ((500, 3000), 1500), ((700, 2000), 1000)),
    (3, 4): (((200, 3000), 700), ((0, 400), 1750), ((500, 2500), 1250), ((-500, 300), 1500)),
}


@dataclass(frozen=True)
class Fuzzy:
    """One code a variant. It tells nothing about parts and containers."""

    classes: tuple[str, ...]  # the letters of each, both in alphabetical order
    intervals: int
    variants: int
    reference: tuple[int, ...]  # hundredths of a per cent, by letter

    keys = ("classes", "intervals", "variants", "reference")
    window = 0
    shingler = None
    measure = "cosine"
    sampled = False
    estimator = Estimator.COLLISION
    limit = 0
    contains = False

    @classmethod
    def parse(cls, spec: Spec) -> "Fuzzy":
        spec.only(*cls.keys)
        reference = spec.values.get("reference", "bnc")
        scheme = cls(
            _classes(spec),
            spec.number("intervals", 3, least=2, most=3),
            spec.number("variants", 3, most=4),
            parse_reference(BNC if reference == "bnc" else reference),
        )
        for letters, share in zip(scheme.classes, scheme.shares, strict=True):
            if not share:
                raise UsageError(f"The reference of scheme fuzzy has no share for class {letters}; leave it out.")
        return scheme

    @property
    def spec(self) -> str:
        classes = len(self.classes) if self.classes == _first(len(self.classes)) else "/".join(self.classes)
        known = self.reference == parse_reference(BNC)
        reference = {} if known else {"reference": format_reference(self.reference)}
        return format_spec("fuzzy", classes=classes, intervals=self.intervals, variants=self.variants, **reference)

    @property
    def shares(self) -> list[int]:
        """The reference of each class."""
        return [sum(self.reference[ord(letter) - ord("a")] for letter in letters) for letters in self.classes]

    @property
    def variant_of(self) -> list[int]:
        """Which variant looks closely at each class: classes are dealt out from the most frequent to the least."""
        shares = self.shares
        order = sorted(range(len(shares)), key=lambda at: (-shares[at], at))
        dealt = {at: place % self.variants for place, at in enumerate(order)}
        return [dealt[at] for at in range(len(shares))]

    def learnt(self, canonical: Iterable[bytes]) -> "Fuzzy":
        """The same scheme with a reference learnt from canonical texts."""
        return replace(self, reference=learn_reference(canonical))

    @property
    def borders(self) -> list[list[tuple[int, ...]]]:
        """The borders of every variant, for every class."""
        borders = []
        for variant, (near, far) in enumerate(BORDERS[self.intervals, self.variants]):
            coarse = (far, NEVER)[: self.intervals - 1]
            borders.append([near if close == variant else coarse for close in self.variant_of])
        return borders

    def native(self) -> _native.Scheme:
        return _native.fuzzy(
            classes=[next((at for at, c in enumerate(self.classes) if letter in c), -1) for letter in ascii_lowercase],
            reference=self.shares,
            borders=self.borders,
        )


def _first(count: int) -> tuple[str, ...]:
    return tuple(sorted(LETTERS[:count]))


def _classes(spec: Spec) -> tuple[str, ...]:
    value = spec.values.get("classes", "18")
    if value.isascii() and value.isdigit():
        return _first(spec.number("classes", 18, least=2, most=len(LETTERS)))
    groups = tuple(sorted("".join(sorted(group.replace(" ", ""))) for group in value.split("/")))
    letters = "".join(groups)
    if not all(groups) or len(groups) < 2 or len(set(letters)) < len(letters) or set(letters) - set(ascii_lowercase):
        raise UsageError(
            f"classes={value} of scheme fuzzy must be a number from 2 to 26, or two or more groups of letters"
            " as a/b/xyz, each letter once."
        )
    return groups
