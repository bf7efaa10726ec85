"""One pair in full: every measure, and the relation in words.

identical               the same bytes
same words              equal canonical text
similar                 resemblance (under fuzzy: cosine) 0.7 or more, as joins a family
A contains B            0.9 or more of B is in A; B contains A likewise
similar                 resemblance (cosine) 0.5 or more, the weakest match a scan keeps
unrelated               anything else
no text                 one of them has none that nearkin can read, and their bytes differ
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.columns import MatchColumns
from nearkin.matching.cosine import cosine_of
from nearkin.matching.template import passages_in, shingles_of
from nearkin.matching.verify import verify
from nearkin.report.lookup import Found
from nearkin.report.reading import opened
from nearkin.scheme import Estimate, Estimator, Scheme, parse_scheme, sign
from nearkin.scheme.collision import Collision, collision_of
from nearkin.scheme.shingler import ALL_BITS, Shingler
from nearkin.settings import MatchSettings
from nearkin.store.templates import all_templates
from nearkin.text.canon import Canon

SHINGLES = "exact:window=20"
ONE = Estimate(1.0, exact=True)
NONE = Estimate(0.0, exact=True)


@dataclass(frozen=True)
class Comparison:
    """Under a scheme whose measure is the cosine that decides the relation, and the shares are of exact shingles."""

    tier: str | None  # bytes, words; None where they are not identical
    relation: str
    resemblance: Estimate | None
    a_in_b: Estimate | None
    b_in_a: Estimate | None
    similar: Estimate | None  # what is shared, of the smaller
    shared_bytes: int  # at the least
    cosine: Estimate | None  # of the term vectors (Stein 2005 §3), whatever the scheme
    collision: Collision | None = None  # what fingerprints may have got wrong; None where none were compared
    shingles: "Comparison | None" = None  # beside chunks, what exact 20-byte shingles say


def compare(a: Found, b: Found, scheme: Scheme, canon: Canon) -> Comparison:
    first, second = (None if side.text is None else canon.apply(side.text) for side in (a, b))
    if a.digest == b.digest:
        return Comparison("bytes", "identical", ONE, ONE, ONE, ONE, len(first or b"") or a.size, ONE)
    if first is None or second is None:
        return Comparison(None, "no text", None, None, None, None, 0, None)
    if first == second:
        tier, relation = ("words", "same words") if first else (None, "unrelated")
        return Comparison(tier, relation, ONE, ONE, ONE, ONE, len(first), ONE)
    if not first or not second:
        # A share of an empty text, and so of the smaller, is 0 / 0.
        return Comparison(None, "unrelated", NONE, NONE if first else None, NONE if second else None, None, 0, NONE)
    angle = cosine_of(first, second)
    cosine = None if angle is None else Estimate(angle, exact=True)
    if scheme.measure == "cosine":
        return replace(_compared(first, second, parse_scheme(SHINGLES), cosine), relation=_relation(cosine, None, None))
    if scheme.estimator is Estimator.RANGE:  # the numbers say only where to look
        return _compared(first, second, parse_scheme(SHINGLES), cosine)
    compared = _compared(first, second, scheme, cosine)
    if scheme.measure == "bytes":
        return replace(compared, shingles=_compared(first, second, parse_scheme(SHINGLES), None))
    return compared


def _compared(first: bytes, second: bytes, scheme: Scheme, cosine: Estimate | None) -> Comparison:
    one, other = sign(first, scheme), sign(second, scheme)
    resemblance = one.resemblance(other)
    if scheme.shingler is None:
        a_in_b, b_in_a = one.containment(other), other.containment(one)
        shared = round(a_in_b.value * int(one.weights.sum())) if a_in_b else 0
        relation = _relation(resemblance, a_in_b, b_in_a)
        return Comparison(None, relation, resemblance, a_in_b, b_in_a, _larger(a_in_b, b_in_a), shared, cosine)
    exact = _measured(first, second, scheme.shingler)
    if scheme.contains:
        a_in_b, b_in_a = one.containment(other), other.containment(one)
    else:  # the texts are at hand, so what the signatures cannot tell is measured
        a_in_b, b_in_a = (Estimate(float(share[0]), exact=True) for share in (exact.a_in_b, exact.b_in_a))
    similar, relation = _larger(a_in_b, b_in_a), _relation(resemblance, a_in_b, b_in_a)
    shared = int(exact.shared_bytes[0])
    united = round(float(exact.size_a[0] + exact.size_b[0]) / (1.0 + float(exact.resemblance[0])))
    collision = collision_of(scheme.shingler, united)
    return Comparison(None, relation, resemblance, a_in_b, b_in_a, similar, shared, cosine, collision)


@dataclass(frozen=True)
class Payload:
    """What two documents have in common besides the templates of a store."""

    templates: int
    resemblance: float


def payload_of(a: Found, b: Found, scheme: Scheme, canon: Canon, store: Path) -> Payload | None:
    """None where the store has no templates, or either has no text."""
    if a.text is None or b.text is None or not store.exists():
        return None
    shingler = replace(scheme.shingler or Shingler(20), bits=ALL_BITS, seed=0)
    with opened(store) as connection:
        templates = all_templates(connection)
        if not templates:
            return None
        ignored = shingles_of([passage for one in templates for passage in passages_in(one, canon)], shingler)
    found = _measured(canon.apply(a.text), canon.apply(b.text), shingler, ignored)
    return Payload(len(templates), float(found.resemblance[0]))


def _larger(*shares: Estimate | None) -> Estimate | None:
    """What is shared of the smaller is the larger share: Forman 2005 Figure 5's "% similar"."""
    return max((share for share in shares if share), key=lambda share: share.value, default=None)


def _measured(a: bytes, b: bytes, shingler: Shingler, ignored: NDArray[np.uint64] | None = None) -> MatchColumns:
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
        ignored=ignored,
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
