"""How often index terms begin with each letter: what a fuzzy-fingerprint's deviations are measured against.

Stein 2005 §3 step 3 takes the British National Corpus. Another reference is learnt from texts; it stands in the spec
in hundredths of a per cent, so that a stored signature says all of how it was made.
"""

from collections.abc import Iterable
from string import ascii_lowercase

import numpy as np

from nearkin import _native
from nearkin.errors import UsageError

# Per cent of the index terms (all words but stop words and words of one letter) of the 100 million words.
BNC = (
    "6.77/4.41/8.70/4.58/4.70/4.69/3.45/3.11/3.27/0.79/1.05/4.53/5.98/3.17/2.94/7.38/0.41/5.11/11.07/5.78/1.64/1.01/"
    "4.44/0.01/0.93/0.06"
)


def parse_reference(text: str) -> tuple[int, ...]:
    """26 shares in hundredths of a per cent."""
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
    """Every text's own shares, averaged, so that a few long texts do not decide; letters never met get the least."""
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
