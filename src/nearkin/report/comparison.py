"""One pair in full: every measure, and the relation in words.

identical               the same bytes
same words              equal canonical text
similar                 resemblance 0.7 or more, as joins a family
A contains B            0.9 or more of B is in A; B contains A likewise
similar                 resemblance 0.5 or more, the weakest match a scan keeps
unrelated               anything else
"""

from dataclasses import dataclass, replace

import numpy as np

from nearkin.matching.verify import verify
from nearkin.report.lookup import Found
from nearkin.scheme import Estimate, Scheme, parse_scheme, sign
from nearkin.settings import MatchSettings
from nearkin.text.canon import Canon

SHINGLES = "exact:window=20"
ONE = Estimate(1.0, exact=True)
NONE = Estimate(0.0, exact=True)


@dataclass(frozen=True)
class Comparison:
    tier: str | None  # bytes, words; None where they are not identical
    relation: str
    resemblance: Estimate | None
    a_in_b: Estimate | None
    b_in_a: Estimate | None
    similar: Estimate | None  # what is shared, of the smaller
    shared_bytes: int  # at the least
    shingles: "Comparison | None" = None  # beside chunks, what exact 20-byte shingles say


def compare(a: Found, b: Found, scheme: Scheme, canon: Canon) -> Comparison:
    first, second = (None if side.text is None else canon.apply(side.text) for side in (a, b))
    if a.digest == b.digest:
        return Comparison("bytes", "identical", ONE, ONE, ONE, ONE, len(first or b"") or a.size)
    if first is None or second is None:
        return Comparison(None, "unrelated", None, None, None, None, 0)
    if first == second:
        tier, relation = ("words", "same words") if first else (None, "unrelated")
        return Comparison(tier, relation, ONE, ONE, ONE, ONE, len(first))
    if not first or not second:
        return Comparison(None, "unrelated", NONE, NONE, NONE, NONE, 0)
    measured = _measured(first, second, scheme)
    if scheme.measure == "bytes":
        return replace(measured, shingles=_measured(first, second, parse_scheme(SHINGLES)))
    return measured


def _measured(first: bytes, second: bytes, scheme: Scheme) -> Comparison:
    one, other = sign(first, scheme), sign(second, scheme)
    resemblance, a_in_b, b_in_a = one.resemblance(other), one.containment(other), other.containment(one)
    if scheme.measure == "bytes":
        shared = round(a_in_b.value * int(one.weights.sum())) if a_in_b else 0
    else:
        shared = _shared_bytes(first, second, scheme.window)
    # What is shared of the smaller is the larger share: Forman 2005 Figure 5's "% similar".
    similar = max((one for one in (a_in_b, b_in_a) if one), key=lambda one: one.value, default=None)
    return Comparison(None, _relation(resemblance, a_in_b, b_in_a), resemblance, a_in_b, b_in_a, similar, shared)


def _shared_bytes(a: bytes, b: bytes, window: int) -> int:
    texts = [a, b]
    found, _ = verify(
        np.array([0], np.uint32),
        np.array([1], np.uint32),
        np.array([len(a), len(b)], np.int64),
        lambda rows: [texts[row] for row in rows],
        window=window,
        resemblance=0.0,
        containment=0.0,
        memory=len(a) + len(b),
        threads=1,
    )
    return int(found.shared_bytes[0])


def _relation(resemblance: Estimate | None, a_in_b: Estimate | None, b_in_a: Estimate | None) -> str:
    limits = MatchSettings()
    alike, in_b, in_a = (0.0 if one is None else one.value for one in (resemblance, a_in_b, b_in_a))
    if alike >= limits.threshold:
        return "similar"
    if max(in_a, in_b) >= limits.containment:
        return "A contains B" if in_a > in_b else "B contains A"
    return "similar" if alike >= limits.floor else "unrelated"
