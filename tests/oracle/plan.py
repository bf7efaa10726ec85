"""Broder 1997 §4.2 in integers: what a sample promises, summed term by term, and the sample size tried one by one."""

from fractions import Fraction
from math import ceil, comb, floor, log


def outside(n: int, p: Fraction, least: int, most: int) -> Fraction:
    up, down = p.numerator, p.denominator - p.numerator
    terms = (comb(n, k) * up**k * down ** (n - k) for k in range(n + 1) if k < least or k > most)
    return Fraction(sum(terms), p.denominator**n)


def inside(s: int, r: Fraction, error: Fraction) -> Fraction:
    """p(s, r, ε)."""
    return 1 - outside(s, r, ceil(s * (r - error)), floor(s * (r + error)))


def sample(error: Fraction, r: Fraction, confidence: Fraction) -> int:
    enough = ceil(log(2 / (1 - float(confidence))) / (2 * float(error) ** 2)) + 1
    will_not_do = [s for s in range(1, enough) if inside(s, r, error) < confidence]
    return max(will_not_do, default=0) + 1
