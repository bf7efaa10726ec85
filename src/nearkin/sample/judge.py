"""The judge: how accurate a scan of the sample is, compared with what is true by construction.

Everything is counted in pairs of documents, and asked for as a user asks.

    identical, same-words    pairs in one group of that tier (same words: in unlike bytes)
    versions, renamed,       pairs of one relation that nearkin put in one family; their precision is that of
    same-form                all families, since a family does not say which relation made it
    … attached, … formats    of these, pairs with a member of a mail or archive; pairs in unlike formats, text and HTML
                             counting as one
    contains                 a match with 0.9 or more of the part in the container, the part attached to it
    short parts              the same for parts too short to be grouped: matched, but not attached
    look-alike               pairs rightly not in one family
    families                 pairs in one family

`make demo` runs this module: it writes a sample, scans it with the real command line, and shows how accurate the scan
was. The sample goes to ./demo-repository, the store beside it. A folder of that name is replaced only if it is a sample
that was made here.
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from nearkin.cli.main import main
from nearkin.cli.screen import Screen
from nearkin.errors import InputError
from nearkin.model import Family, IdenticalGroup, Match, Role
from nearkin.query.families import list_families
from nearkin.query.matches import list_matches
from nearkin.query.store_view import opened
from nearkin.sample.repository import TRUTH, write_sample
from nearkin.sample.truth import FamilyKind, RelationKind, Truth
from nearkin.store.database import own_files
from nearkin.store.documents import identical_groups, present

CONTAINED = 0.9
ATTACHED = "… attached"
FORMATS = "… formats"
_PLAIN = (".txt", ".html")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Score:
    """How many pairs of a kind were found."""

    kind: str
    expected: int
    found: int  # of the expected ones
    wrong: int | None  # found beyond those; None where nearkin does not name the kind

    @property
    def recall(self) -> float | None:
        return self.found / self.expected if self.expected else None

    @property
    def precision(self) -> float | None:
        if self.wrong is None or not self.found + self.wrong:
            return None
        return self.found / (self.found + self.wrong)


@dataclass(frozen=True)
class Accuracy:
    """All scores of a scan."""

    scores: tuple[Score, ...]
    kinds: tuple[Score, ...]  # whole families by their kind; wrong counts families of another kind


def judge(store: Path, truth: Truth) -> Accuracy:
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
    return Accuracy(
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
    """Return the pairs of same words. One path stands for all documents of its bytes: copies of either writing
    count."""
    copies: dict[str, list[str]] = {}
    for path, digest in digests.items():
        copies.setdefault(digest, []).append(path)
    return {
        _pair(a, b)
        for first, second in _pairs_of(_related(truth, RelationKind.SAME_WORDS))
        for a in copies[digests[first]]
        for b in copies[digests[second]]
    }


def _judged_parts(
    truth: Truth, matches: list[Match], families: list[Family], together: set[Pair]
) -> tuple[Score, Score]:
    """Judge containment. A document attached as a part that is none counts as wrong; a version that lies in another
    does not."""
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
    """Judge the kinds: true families that were found as a whole, under their right kind."""
    true_kind = {frozenset(family.members): str(family.kind) for family in truth.families}
    named = {frozenset(_names(family)): str(family.kind) for family in families}
    scores = []
    for kind in FamilyKind:
        expected = [members for members, name in true_kind.items() if name == kind]
        found = sum(named.get(members) == kind for members in expected)
        scores.append(Score(kind, len(expected), found, sum(name == kind for name in named.values()) - found))
    return tuple(scores)


FOLDER = Path("demo-repository")
STORE = Path("demo-repository.db")
MARKER = ".nearkin-demo"
# Labels of rows that differ from the kind that is counted.
NAMES = {
    str(RelationKind.LOOK_ALIKE): "look-alikes kept apart",
    f"identical {ATTACHED}": "identical, in mails and archives",
    f"same-words {FORMATS}": "same-words, across formats",
    f"versions {FORMATS}": "versions, across formats",
}


def show(folder: Path = FOLDER, store: Path = STORE, *, documents: int = 600) -> int:
    clear(folder)
    truth = write_sample(folder, documents=documents)
    (folder / MARKER).touch()
    clear_store(store)
    code = main(["scan", str(folder), "--store", str(store), "--exclude", TRUTH, "--format", "table"])
    if code:
        return code
    screen = Screen()
    _print(judge(store, truth), screen)
    _say_where(screen)
    return 0


def clear(folder: Path) -> None:
    """Delete the last demo. Anything else was not made here, and stays."""
    if not folder.exists():
        return
    if not (folder / TRUTH).is_file() or not (folder / MARKER).is_file():
        raise InputError(f"{folder} is in the way and was not made by this demo; move it elsewhere.")
    shutil.rmtree(folder)


def clear_store(store: Path) -> None:
    """Delete a store with all its files."""
    for file in map(Path, map(os.fsdecode, own_files(store))):
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def _print(accuracy: Accuracy, screen: Screen) -> None:
    screen.heading("How accurate was that?", "document pairs, compared with the known answers")
    screen.columns(
        ["relation", "expected", "found", "recall", "precision"], map(_row, accuracy.scores), right=(1, 2, 3)
    )
    screen.note("–: precision is measured for families as a whole, in the last row")
    screen.heading("Were families given the right kind?", "whole families, compared with the known answers")
    screen.columns(
        ["kind", "expected", "found", "recall", "precision"],
        (_row(score) for score in accuracy.kinds),
        right=(1, 2, 3),
    )


def _say_where(screen: Screen) -> None:
    """Say where the nearkin command is, if the shell would not find it: people are to type the commands above."""
    here = Path(sys.executable).with_name("nearkin")
    if shutil.which("nearkin") is None and here.exists():
        near = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
        screen.heading("Try it", f"the command is {near}; to type just nearkin in this shell:")
        screen.line(f'  export PATH="{near.parent.resolve()}:$PATH"')


def _row(score: Score) -> list[str]:
    shares = [f"{share:.3f}" if share is not None else "–" for share in (score.recall, score.precision)]
    return [NAMES.get(score.kind, score.kind), f"{score.expected:,}", f"{score.found:,}", *shares]


if __name__ == "__main__":
    try:
        sys.exit(show())
    except InputError as error:
        print(f"nearkin: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
