"""Which document of a group to keep, and why. A person's word goes before every rule.

    complete      holds most of the others' text: the share of their 20-byte windows that it has, in whole per cent,
                  however spaced
    newest        by the document's own date, else the file's
    oldest
    largest       in bytes
    scope:NAME    in this scope
    folder:PATH   below this folder of its scope

What was asked for comes first, in that order, then what stands in DEFAULT; the first path in byte order ends every tie.
Files go before what lies in a container or a table: nothing can be linked to such a thing, and it is never touched.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.group.certificate import WINDOW
from nearkin.group.lineage import Moment
from nearkin.model import Location

DEFAULT = ("complete", "newest", "largest")
PLAIN = ("complete", "newest", "oldest", "largest")
MOST = 1 << 22  # windows of a family that are looked at; of larger ones a sample, which only decides whom to keep


@dataclass(frozen=True, slots=True)
class Candidate:
    location: Location
    size: int
    moment: Moment
    loose: bool  # a file of its own
    complete: int | None = None  # per cent; None: not known


@dataclass(frozen=True)
class Choice:
    row: int
    why: str


Measure = Callable[[Candidate], float]


def rules_of(prefer: Sequence[str]) -> tuple[str, ...]:
    """What was asked for, then the rest. UsageError where there is no such rule."""
    for rule in prefer:
        kind, _, name = rule.partition(":")
        if rule not in PLAIN and not (kind in ("scope", "folder") and name):
            known = ", ".join([*PLAIN, "scope:NAME", "folder:PATH"])
            raise UsageError(f"There is no rule {rule!r} to prefer by; known are: {known}.")
    return tuple(dict.fromkeys([*prefer, *DEFAULT]))


def choose(candidates: Sequence[Candidate], rules: Sequence[str]) -> Choice:
    rows = sorted(range(len(candidates)), key=lambda row: candidates[row].location)
    left = [row for row in rows if candidates[row].loose] or rows
    if len(left) == 1:
        alone = "the only one" if len(rows) == 1 else "the only file; the others are inside containers or tables"
        return Choice(left[0], alone)
    told: list[str] = []  # every rule that left some out: the last alone is not why
    for rule in rules:
        values = [_measure(rule)(candidates[row]) for row in left]
        best = [row for row, value in zip(left, values, strict=True) if value == max(values)]
        if len(best) < len(left):
            told.append(_said(rule, candidates[best[0]]))
        left = best
        if len(left) == 1:
            break
    else:
        told.append("the first path" if told else "the first path among equals")
    return Choice(left[0], "; among equals, ".join(told))


def _measure(rule: str) -> Measure:
    kind, _, name = rule.partition(":")
    match kind:
        case "complete":
            return lambda one: -1.0 if one.complete is None else float(one.complete)
        case "newest":
            return lambda one: one.moment.seconds
        case "oldest":
            return lambda one: -one.moment.seconds if one.moment.seconds else float("-inf")
        case "largest":
            return lambda one: float(one.size)
        case "scope":
            return lambda one: float(one.location.scope == name)
    folder = os.fsencode(name.strip("/")) + b"/"
    return lambda one: float(one.location.path.startswith(folder))


def _said(rule: str, one: Candidate) -> str:
    kind, _, name = rule.partition(":")
    match kind:
        case "complete":
            return (
                f"most complete: it has {one.complete} % of the others' distinct 20-byte windows, whatever the spacing"
            )
        case "newest" | "oldest":
            by = "the file's date" if one.moment.source == "file" else f"its own date ({one.moment.source})"
            return f"{kind}: {one.moment.shown}, by {by}"
        case "largest":
            return f"largest: {one.size:,} bytes"
    return f"in {kind} {name}"


def completeness(texts: Sequence[int], load: Callable[[int], bytes], total: int) -> dict[int, int]:
    """Of each text the share of the others' distinct windows that it has, in whole per cent, rounded down.

    All pairs at once: a window that c texts have adds c - 1 to each of them. `total` is about how many bytes there are.
    """
    if len(texts) < 2:
        return dict.fromkeys(texts, 0)
    counts = _native.WindowCounts(window=WINDOW, modulus=max(1, -(-total // MOST)))
    for text in texts:
        counts.add(load(text))
    own, shared = (column.tolist() for column in counts.shares())
    every = sum(own)
    return {
        text: 100 * have // (every - mine) if every > mine else 0
        for text, mine, have in zip(texts, own, shared, strict=True)
    }
