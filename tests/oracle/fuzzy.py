"""Fuzzy-fingerprints step by step (Stein 2005 §3), in fractions."""

from collections.abc import Sequence
from fractions import Fraction

from oracle.terms import letter_counts

FEWEST = 50


def codes(
    text: str, classes: Sequence[str], reference: dict[str, Fraction], borders: Sequence[Sequence[Sequence[Fraction]]]
) -> list[int]:
    """One for each variant; `borders` by variant and class. None at all for texts of too few index terms."""
    letters = letter_counts(text)
    if letters.total() < FEWEST:
        return []
    counts = [sum(letters[letter] for letter in group) for group in classes]  # step 2
    expected = [sum(reference[letter] for letter in group) for group in classes]
    if not sum(counts):
        return []
    shares = [Fraction(count, sum(counts)) for count in counts]
    usual = [share / sum(expected) for share in expected]
    deviations = [(pf - ref) / ref for pf, ref in zip(shares, usual, strict=True)]  # step 3
    made = []
    for variant in borders:  # step 4
        places = [sum(d >= border for border in mine) for d, mine in zip(deviations, variant, strict=True)]
        intervals = len(variant[0]) + 1
        made.append(sum(place * intervals**i for i, place in enumerate(places)))  # formula 2
    return made
