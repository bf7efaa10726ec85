"""One pair in full: every measure, the common passages, and the relation in words (report/relation.py)."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.passages import LEAST, MOST_EDITS, Passage, Spans, covered, placed, spans_in, word_edits
from nearkin.matching.score import cosine_of
from nearkin.matching.template import passages_in, shingles_of
from nearkin.matching.verify import Corpus, verify
from nearkin.query.alignment import Alignment, align
from nearkin.query.lookup import Found
from nearkin.query.store_view import opened
from nearkin.query.wording import count
from nearkin.report.relation import FORM, Pair, Relation, exact_relation, is_form
from nearkin.scheme import Estimate, Estimator, Scheme, parse_scheme, sign
from nearkin.scheme.mod import Exact
from nearkin.scheme.plan import Collision, collision_of
from nearkin.scheme.shingler import ALL_BITS, Shingler
from nearkin.settings import MatchSettings
from nearkin.store.templates import all_templates
from nearkin.text.canon import Canon

SHINGLES = "exact:window=20"
ONE = Estimate(1.0, exact=True)
LISTED = 5  # words of other characters
LITTLE = 0.05  # of a payload: what is left without templates is unlike
NO_SPANS = spans_in(b"", b"", raw=False)


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
    details: tuple[str, ...] = ()  # what the relation rests on
    word_distance: int | None = None  # words put in, taken out or replaced
    words_over: int | None = None  # more than so many, where they were not counted further
    passages: tuple[Passage, ...] = ()
    a_covered: float | None = None  # share of A's canonical text that lies in passages
    b_covered: float | None = None
    wordless: str = ""  # A, B or AB: which of them have no words to compare
    spans: Spans = field(default=NO_SPANS, repr=False, compare=False)  # the passages in the canonical texts


def compare(a: Found, b: Found, scheme: Scheme, canon: Canon, *, least: int = LEAST) -> Comparison:
    """Passages of at least so many characters."""
    first, second = (None if side.text is None else canon.apply(side.text) for side in (a, b))
    found = _measures(a, b, first, second, scheme)
    if not first or not second or a.text is None or b.text is None:
        return replace(found, wordless=("" if first else "A") + ("" if second else "B"))
    if canon.lines:  # only schemes that count lines want them apart
        canon = replace(canon, lines=False)
        first, second = canon.apply(a.text), canon.apply(b.text)
    spans = spans_in(first, second, raw=canon.raw, least=least)
    edits = word_edits(first, second)
    found = replace(
        found,
        spans=spans,
        passages=tuple(placed(spans, a.text, b.text, canon)),
        a_covered=_covered(spans.a_start, spans.a_end, first),
        b_covered=_covered(spans.b_start, spans.b_end, second),
        word_distance=None if edits is None else edits.distance,
        words_over=MOST_EDITS if edits is None else None,
    )
    if found.tier:
        return found
    told = exact_relation(Pair(first, second, a.text, b.text, canon), edits)
    if told is None and found.relation == "unrelated" and is_form(spans, first, second):
        told = Relation(FORM, (f"{count(len(spans), 'passages')} in the form",))
    return found if told is None else replace(found, relation=told.words, details=told.details)


def aligned(found: Comparison, a: Found, b: Found, canon: Canon) -> Alignment | None:
    """Both texts side by side; None where one has none."""
    if a.text is None or b.text is None:
        return None
    return align(found.spans, list(found.passages), a.text, b.text, replace(canon, lines=False))


def _covered(starts: NDArray[np.int64], ends: NDArray[np.int64], text: bytes) -> float:
    return covered(zip(starts.tolist(), ends.tolist(), strict=True)) / len(text)


def _measures(a: Found, b: Found, first: bytes | None, second: bytes | None, scheme: Scheme) -> Comparison:
    if a.digest == b.digest:
        return Comparison("bytes", "identical", ONE, ONE, ONE, ONE, len(first or b"") or a.size, ONE)
    if not first or not second:  # a share of nothing is 0 / 0, and two texts without words have none in common
        return Comparison(None, "no text", None, None, None, None, 0, None)
    if first == second:
        told = _characters(a.text, b.text)
        return Comparison("words", "same words", ONE, ONE, ONE, ONE, len(first), ONE, details=told)
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


def _characters(a: bytes | None, b: bytes | None) -> tuple[str, ...]:
    """What texts of the same words differ in all the same: "-5" is the same word as "5", and another number."""
    if a == b or a is None or b is None:
        return ()
    one, other = (text.decode("utf-8", "replace").split() for text in (a, b))
    if len(one) != len(other):
        return ("only punctuation or spacing differs",)
    unlike = [f"{mine} → {theirs}" for mine, theirs in zip(one, other, strict=True) if mine != theirs]
    more = [f"and {len(unlike) - LISTED:,} more"] if len(unlike) > LISTED else []
    return (*unlike[:LISTED], *more) or ("other spacing",)


def _compared(first: bytes, second: bytes, scheme: Scheme, cosine: Estimate | None) -> Comparison:
    if scheme.shingler is None:
        one, other = sign(first, scheme), sign(second, scheme)
        resemblance, a_in_b, b_in_a = one.resemblance(other), one.containment(other), other.containment(one)
        shared = round(a_in_b.value * int(one.weights.sum())) if a_in_b else 0
        relation = _relation(resemblance, a_in_b, b_in_a)
        return Comparison(None, relation, resemblance, a_in_b, b_in_a, _larger(a_in_b, b_in_a), shared, cosine)
    exact = _measured(first, second, scheme.shingler)
    shares = (exact.resemblance, exact.a_in_b, exact.b_in_a)
    resemblance, a_in_b, b_in_a = (Estimate(float(share[0]), exact=True) for share in shares)
    if not isinstance(scheme, Exact) or scheme.shingler.bits < ALL_BITS:
        # Of all shingles the measure on the texts is the scheme's own, and 0.9 s faster for two texts of 1 MB.
        one, other = sign(first, scheme), sign(second, scheme)
        resemblance = one.resemblance(other)
        if scheme.contains:  # otherwise the texts are at hand, so what the signatures cannot tell is measured
            a_in_b, b_in_a = one.containment(other), other.containment(one)
    similar, relation = _larger(a_in_b, b_in_a), _relation(resemblance, a_in_b, b_in_a)
    shared = int(exact.shared_bytes[0])
    united = round(float(exact.size_a[0] + exact.size_b[0]) / (1.0 + float(exact.resemblance[0])))
    collision = collision_of(scheme.shingler, united)
    return Comparison(None, relation, resemblance, a_in_b, b_in_a, similar, shared, cosine, collision)


def without_templates(found: Comparison, payload: "Payload | None") -> Comparison:
    """What has nothing in common but templates shares only a form, whatever the scores with them are."""
    alike = found.resemblance is not None and found.resemblance.value > 0.0
    if payload is None or payload.resemblance > LITTLE or not alike or found.relation not in ("similar", "unrelated"):
        return found
    return replace(found, relation=FORM, details=(f"payload {payload.resemblance:.3f}: little besides templates",))


@dataclass(frozen=True)
class Payload:
    """What two documents have in common besides the templates of a store."""

    templates: int
    resemblance: float


def payload_of(a: Found, b: Found, scheme: Scheme, canon: Canon, store: Path) -> Payload | None:
    """None where the store has no templates, or either has no words."""
    first, second = (canon.apply(side.text or b"") for side in (a, b))
    if not first or not second or not store.exists():
        return None
    shingler = replace(scheme.shingler or Shingler(20), bits=ALL_BITS, seed=0)
    with opened(store) as connection:
        templates = all_templates(connection)
        if not templates:
            return None
        ignored = shingles_of([passage for one in templates for passage in passages_in(one, canon)], shingler)
    found = _measured(first, second, shingler, ignored)
    return Payload(len(templates), float(found.resemblance[0]))


def _larger(*shares: Estimate | None) -> Estimate | None:
    """What is shared of the smaller is the larger share: Forman 2005 Figure 5's "% similar"."""
    return max((share for share in shares if share), key=lambda share: share.value, default=None)


def _measured(a: bytes, b: bytes, shingler: Shingler, ignored: NDArray[np.uint64] | None = None) -> MatchColumns:
    texts = [a, b]
    lengths = np.array([len(a), len(b)], np.int64)
    corpus = Corpus(lengths, lambda rows: [texts[row] for row in rows], len(a) + len(b), threads=1, ignored=ignored)
    first, second = np.array([0], np.uint32), np.array([1], np.uint32)
    found, _ = verify(first, second, corpus, shingler=shingler, resemblance=0.0, containment=0.0)
    return found


def _relation(resemblance: Estimate | None, a_in_b: Estimate | None, b_in_a: Estimate | None) -> str:
    limits = MatchSettings()
    alike, in_b, in_a = (0.0 if one is None else one.value for one in (resemblance, a_in_b, b_in_a))
    if alike >= limits.threshold:
        return "similar"
    if max(in_a, in_b) >= limits.containment:
        return "B is mostly contained in A" if in_a > in_b else "A is mostly contained in B"
    return "similar" if alike >= limits.floor else "unrelated"
