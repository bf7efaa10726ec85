"""How accurate nearkin was: what a store found beside what is true by construction.

Everything is counted in pairs of documents, and asked for as a user would ask.

    identical, same-words    pairs in one group of that tier (same words: in unlike bytes)
    versions, renamed,       pairs of one relation that nearkin put in one family; their precision is that of
    same-form                all families, since a family does not say which relation made it
    … attached, … formats    of these, pairs with a member of a mail or archive; pairs in unlike formats, text and HTML
                             counting as one
    contains                 a match with 0.9 or more of the part in the container, the part attached to it
    short parts              the same for parts too short to be grouped: matched, but not attached
    look-alike               pairs rightly not in one family
    families                 pairs in one family
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from nearkin.model import Family, IdenticalGroup, Match, Role
from nearkin.query.families import list_families
from nearkin.query.matches import list_matches
from nearkin.query.store_view import opened
from nearkin.sample.truth import FamilyKind, RelationKind, Truth
from nearkin.store.documents import identical_groups, present

CONTAINED = 0.9
ATTACHED = "… attached"
FORMATS = "… formats"
_PLAIN = (".txt", ".html")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Score:
    kind: str
    expected: int
    found: int  # of those expected
    wrong: int | None  # found beyond them; None where nearkin does not name the kind

    @property
    def recall(self) -> float | None:
        return self.found / self.expected if self.expected else None

    @property
    def precision(self) -> float | None:
        if self.wrong is None or not self.found + self.wrong:
            return None
        return self.found / (self.found + self.wrong)


@dataclass(frozen=True)
class Verdict:
    scores: tuple[Score, ...]
    kinds: tuple[Score, ...]  # families by what nearkin calls them; wrong counts those called so but of another kind


def judge(store: Path, truth: Truth) -> Verdict:
    """Judge a store that holds one scan of the sample."""
    with opened(store) as connection:
        digests = {document.location.name: document.digest for document in present(connection)}
        groups = identical_groups(connection)
        matches = list_matches(connection, min_containment=CONTAINED, all_copies=True)
        families = list_families(connection)
    together = set(_pairs_of(_names(family) for family in families))
    same_bytes = set(_pairs_of(_paths(group) for group in groups if group.tier == "bytes"))
    same_words = set(_pairs_of(_paths(group) for group in groups if group.tier == "words")) - same_bytes
    identical = set(_pairs_of(_related(truth, RelationKind.IDENTICAL)))
    alike = _true_same_words(truth, digests)
    versions = set(_pairs_of(_related(truth, RelationKind.VERSIONS)))
    return Verdict(
        scores=(
            _score("identical", identical, same_bytes),
            _score(f"identical {ATTACHED}", _attached(identical), _attached(same_bytes)),
            _score("same-words", alike, same_words),
            _score(f"same-words {FORMATS}", _across_formats(alike), _across_formats(same_words)),
            _recalled("versions", versions, together),
            _recalled(f"versions {FORMATS}", _across_formats(versions), together),
            *(
                _recalled(kind, set(_pairs_of(_related(truth, kind))), together)
                for kind in (RelationKind.RENAMED, RelationKind.SAME_FORM)
            ),
            *_judged_parts(truth, matches, families, together),
            _judged_look_alikes(truth, together),
            _score("families", set(_pairs_of(family.members for family in truth.families)), together),
        ),
        kinds=_judged_kinds(truth, families),
    )


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def _pairs_of(groups: Iterable[Iterable[str]]) -> Iterator[Pair]:
    for group in groups:
        for a, b in combinations(group, 2):
            yield _pair(a, b)


def _names(family: Family) -> list[str]:
    return [member.location.name for member in family.documents]


def _paths(group: IdenticalGroup) -> list[str]:
    return [location.name for location in group.documents]


def _related(truth: Truth, kind: RelationKind) -> Iterator[tuple[str, ...]]:
    return (relation.paths for relation in truth.relations if relation.kind is kind)


def _score(kind: str, expected: set[Pair], found: set[Pair]) -> Score:
    return Score(kind, len(expected), len(expected & found), len(found - expected))


def _recalled(kind: str, expected: set[Pair], found: set[Pair]) -> Score:
    return Score(kind, len(expected), len(expected & found), None)


def _attached(pairs: set[Pair]) -> set[Pair]:
    return {pair for pair in pairs if any("!/" in path for path in pair)}


def _across_formats(pairs: set[Pair]) -> set[Pair]:
    return {(a, b) for a, b in pairs if _format(a) != _format(b)}


def _format(path: str) -> str:
    return "plain" if path.endswith(_PLAIN) else path.rpartition(".")[2]


def _true_same_words(truth: Truth, digests: dict[str, str]) -> set[Pair]:
    """One path stands for all documents of its bytes: copies of either writing have the same words too."""
    copies: dict[str, list[str]] = {}
    for path, digest in digests.items():
        copies.setdefault(digest, []).append(path)
    return {
        _pair(a, b)
        for one, other in _pairs_of(_related(truth, RelationKind.SAME_WORDS))
        for a in copies[digests[one]]
        for b in copies[digests[other]]
    }


def _judged_parts(
    truth: Truth, matches: list[Match], families: list[Family], together: set[Pair]
) -> tuple[Score, Score]:
    """Wrong are those attached as parts that are none; that a version lies in another is no mistake."""
    contained = {(match.b.name, match.a.name) for match in matches if (match.a_in_b or 0.0) >= CONTAINED}
    contained |= {(match.a.name, match.b.name) for match in matches if (match.b_in_a or 0.0) >= CONTAINED}
    attached = {member.location.name for family in families for member in family.documents if member.role is Role.PART}
    expected, found = Counter[bool](), Counter[bool]()
    for relation in truth.relations:
        if relation.kind is RelationKind.CONTAINS:
            container, part = relation.paths
            grouped = part in attached and _pair(container, part) in together
            expected[relation.details["grouped"]] += 1
            if (container, part) in contained and grouped == relation.details["grouped"]:
                found[grouped] += 1
    truly = {part for family in truth.families for part in family.parts}
    return (
        Score(RelationKind.CONTAINS, expected[True], found[True], len(attached - truly)),
        Score("short parts", expected[False], found[False], None),
    )


def _judged_look_alikes(truth: Truth, together: set[Pair]) -> Score:
    pairs = set(_pairs_of(_related(truth, RelationKind.LOOK_ALIKE)))
    return Score(RelationKind.LOOK_ALIKE, len(pairs), len(pairs - together), None)


def _judged_kinds(truth: Truth, families: list[Family]) -> tuple[Score, ...]:
    """Of the true families, which were found whole and called what they are."""
    true_kind = {frozenset(family.members): str(family.kind) for family in truth.families}
    named = {frozenset(_names(family)): str(family.kind) for family in families}
    scores = []
    for kind in FamilyKind:
        expected = [members for members, name in true_kind.items() if name == kind]
        found = sum(named.get(members) == kind for members in expected)
        scores.append(Score(kind, len(expected), found, sum(name == kind for name in named.values()) - found))
    return tuple(scores)
