"""One pair in full: every measure, and the relation in words.

identical               the same bytes
same words              equal canonical text
similar                 resemblance 0.7 or more, as joins a family
A contains B            0.9 or more of B is in A; B contains A likewise
similar                 resemblance 0.5 or more, the weakest match a scan keeps
unrelated               anything else
"""

from dataclasses import dataclass

import numpy as np

from nearkin.matching.columns import MatchColumns
from nearkin.matching.verify import verify
from nearkin.report.lookup import Found
from nearkin.scheme import Estimate, Scheme, sign
from nearkin.scheme.collision import Collision, collision_of
from nearkin.scheme.shingler import Shingler
from nearkin.settings import MatchSettings
from nearkin.text.canon import Canon

ONE = Estimate(1.0, exact=True)
NONE = Estimate(0.0, exact=True)


@dataclass(frozen=True)
class Comparison:
    tier: str | None  # bytes, words; None where they are not identical
    relation: str
    resemblance: Estimate | None
    a_in_b: Estimate | None
    b_in_a: Estimate | None
    shared_bytes: int
    collision: Collision | None = None  # what fingerprints may have got wrong; None where none were compared


def compare(a: Found, b: Found, scheme: Scheme, canon: Canon) -> Comparison:
    first, second = (None if side.text is None else canon.apply(side.text) for side in (a, b))
    if a.digest == b.digest:
        return Comparison("bytes", "identical", ONE, ONE, ONE, len(first or b"") or a.size)
    if first is None or second is None:
        return Comparison(None, "unrelated", None, None, None, 0)
    if first == second:
        return Comparison("words" if first else None, "same words" if first else "unrelated", ONE, ONE, ONE, len(first))
    if not first or not second:
        return Comparison(None, "unrelated", NONE, NONE, NONE, 0)
    one, other = sign(first, scheme), sign(second, scheme)
    resemblance = one.resemblance(other)
    a_in_b, b_in_a = (one.containment(other), other.containment(one)) if scheme.contains else (None, None)
    relation = _relation(resemblance, a_in_b, b_in_a)
    if scheme.shingler is None:
        shared = round(a_in_b.value * int(one.weights.sum())) if a_in_b else 0
        return Comparison(None, relation, resemblance, a_in_b, b_in_a, shared)
    exact = _measured(first, second, scheme.shingler)
    shared = int(exact.shared_bytes[0])
    united = round(float(exact.size_a[0] + exact.size_b[0]) / (1.0 + float(exact.resemblance[0])))
    collision = collision_of(scheme.shingler, united)
    return Comparison(None, relation, resemblance, a_in_b, b_in_a, shared, collision)


def _measured(a: bytes, b: bytes, shingler: Shingler) -> MatchColumns:
    texts = [a, b]
    found, _ = verify(
        np.array([0], np.uint32),
        np.array([1], np.uint32),
        np.array([len(a), len(b)], np.int64),
        lambda rows: [texts[row] for row in rows],
        shingler=shingler,
        resemblance=0.0,
        containment=0.0,
        memory=len(a) + len(b),
        threads=1,
    )
    return found


def _relation(resemblance: Estimate | None, a_in_b: Estimate | None, b_in_a: Estimate | None) -> str:
    limits = MatchSettings()
    alike, in_b, in_a = (0.0 if one is None else one.value for one in (resemblance, a_in_b, b_in_a))
    if alike >= limits.threshold:
        return "similar"
    if max(in_a, in_b) >= limits.containment:
        return "A contains B" if in_a > in_b else "B contains A"
    return "similar" if alike >= limits.floor else "unrelated"
