"""A family's lineage: its documents in the likely order of their derivation, with the kin of the family.

Kin are versions that were rewritten so far that no match reaches the family's threshold. Two texts of different
families, or of none, are kin if each is the nearest to the other of all outside its own family, by the matches that the
scan kept down to its floor. Nearest alone would not do: where pages have a template in common, hundreds have the same
nearest one, and that one has one nearest too. So no more are joined than a family has texts.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import InputError, UsageError
from nearkin.group.lineage import TELLING, Moment, Windows, derive, disagreements, moment_of, source_of_each, united
from nearkin.model import Location
from nearkin.query.records import Name, Record, surrogate_escaped
from nearkin.query.verdicts import HEX, bytes_of, find_family
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.store.matches import stored_columns
from nearkin.store.verdicts import Ruling, VerdictIndex

MEMBERS = """
SELECT content, family FROM family_content JOIN family ON family.id = family_content.family WHERE scheme = ?
"""


def kin_of(connection: sqlite3.Connection, scheme: int, contents: Iterable[int]) -> frozenset[int]:
    """The kin of these contents, with their families, and the kin of those."""
    matches = stored_columns(connection, scheme)
    members = np.array(connection.execute(MEMBERS, (scheme,)).fetchall(), np.int64).reshape(-1, 2)
    highest = max(
        int(matches.a.max(initial=0)), int(matches.b.max(initial=0)), int(members[:, 0].max(initial=0)), *contents, 0
    )
    home = -np.arange(highest + 1, dtype=np.int64) - 1  # a content without a family is one of its own
    home[members[:, 0]] = members[:, 1]
    asked = set(contents)
    for content in asked:  # a text that was asked for alone, or a family that a verdict has parted
        home[content] = home[min(asked)]
    a, b = matches.a.astype(np.int64), matches.b.astype(np.int64)
    outside = home[a] != home[b]
    pairs = _mutual(a[outside], b[outside], matches.resemblance[outside])
    parting = (Ruling.NOT_SIMILAR, Ruling.TEMPLATE)
    decided = VerdictIndex(connection)
    joined: dict[int, set[int]] = defaultdict(set)
    for first, second in pairs:
        if decided.of_pair(first, second) not in parting:
            joined[int(home[first])].add(int(home[second]))
            joined[int(home[second])].add(int(home[first]))
    start = {int(home[content]) for content in asked}
    reached, left = set(start), list(start)
    while left:
        for near in joined[left.pop()] - reached:
            reached.add(near)
            left.append(near)
    rows = np.flatnonzero(np.isin(home, np.array(sorted(reached), np.int64)))
    return frozenset(rows.tolist()) - asked


def _mutual(a: NDArray[np.int64], b: NDArray[np.int64], strength: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs of which each is the strongest match of the other; of equally strong ones the first counts."""
    here, there = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((there, -np.concatenate([strength, strength]), here))
    here, there = here[order], there[order]
    first = np.ones(len(here), np.bool_)
    first[1:] = here[1:] != here[:-1]
    best = dict(zip(here[first].tolist(), there[first].tolist(), strict=True))
    return [(near, far) for near, far in best.items() if near < far and best.get(far) == near]


MOST = 500  # distinct texts: their pairs are all measured
DOCUMENTS = f"""
SELECT scope.name, d.path, d.mtime_ns, {TELLING}, t.id, t.content FROM present d
JOIN scope ON scope.id = d.scope JOIN text t ON t.id = d.text
WHERE d.reason IS NULL AND t.content IN (SELECT value FROM json_each(?)) ORDER BY d.path, scope.name
"""
OF_BYTES = "SELECT DISTINCT t.content FROM present d JOIN text t ON t.id = d.text WHERE d.digest = ?"
FAMILY_OF = """
SELECT DISTINCT other.content FROM family_content one JOIN family ON family.id = one.family AND family.scheme = ?
JOIN family_content other ON other.family = one.family WHERE one.content = ?
"""


@dataclass(frozen=True)
class Descendant:
    """A text of the family, named by its first document; its date is that of its oldest."""

    location: Location
    source: Location | None
    depth: int
    moment: Moment
    new: int | None  # windows that its source has not; None: it is the root
    lost: int | None
    margins: tuple[int, int] | None  # by which new and lost may be wrong (95 %); None: they are exact
    same_words: bool  # as its source, in another writing
    copies: tuple[Location, ...]  # other documents of the same text
    nearer: Location | None  # a text that is far nearer than its source, were it not for the dates
    beyond: bool  # not of the family: it matches below the threshold only


def trace_lineage(
    connection: sqlite3.Connection, subject: str, *, dates: bool = True, beyond: bool = True
) -> list[Descendant]:
    """Trace a family, by its id or by the path of one of its documents; sources come before what derives from them.

    With `beyond`, texts that are kin below the threshold are in it too: versions that were rewritten.
    """
    scheme = runs.last(connection).scheme
    family = _contents(connection, scheme, subject)
    kin = kin_of(connection, scheme, family) if beyond else frozenset()
    if kin and len(family) + len(kin) > MOST:
        raise UsageError(
            f"{subject} has {len(family) + len(kin):,} distinct texts with its kin below the threshold; a lineage is"
            f" made of at most {MOST:,}. Leave the kin out with --family-only."
        )
    held: dict[bytes, list[tuple[Location, Moment]]] = defaultdict(list)
    texts: dict[int, bytes] = {}
    wording: dict[bytes, int] = {}
    outside: set[bytes] = set()
    rows = connection.execute(DOCUMENTS, (json.dumps(sorted({*family, *kin})),)).fetchall()
    for scope, path, mtime, properties, number, content in rows:
        if number not in texts:
            (blob,) = connection.execute("SELECT zstd FROM text WHERE id = ?", (number,)).fetchone()
            if blob is None:
                raise InputError("A lineage needs the texts, and they were not kept; scan again without --no-text.")
            texts[number] = unpack(blob)
        moment = moment_of(json.loads(properties) if properties else {}, mtime)
        held[texts[number]].append((Location(scope, path), moment))
        wording[texts[number]] = content
        if content in kin:
            outside.add(texts[number])
    if len(held) > MOST:
        raise UsageError(f"{subject} has {len(held):,} distinct texts; a lineage is made of at most {MOST:,}.")
    # By date and name: of equal costs the first decides.
    nodes = sorted(held.items(), key=lambda item: (min(_at(moment) for _, moment in item[1]), item[1][0][0]))
    moments = [min((moment for _, moment in documents), key=_at) for _, documents in nodes]
    by_words: dict[int, list[int]] = defaultdict(list)
    for node, (text, _) in enumerate(nodes):
        by_words[wording[text]].append(node)
    writings = list(by_words.values())
    windows = Windows.of([text for text, _ in nodes])
    far = united(windows, writings)
    undated = derive(far, None)
    dated = derive(far, [moments[writing[0]] for writing in writings]) if dates else undated
    sources = source_of_each(dated, writings, windows, moments if dates else None)
    nearer = {writings[odd.text][0]: writings[odd.other][0] for odd in disagreements(far, dated, undated)}
    place_of = {node: place for place, writing in enumerate(writings) for node in writing}
    names = [documents[0][0] for _, documents in nodes]
    descendants = []
    for node, depth in _in_order(sources):
        source = sources[node]
        near = nearer.get(node)
        here = place_of[node]
        there = here if source is None else place_of[source]
        new, new_margin = far.estimate(int(far.new[there, here]))
        lost, lost_margin = far.estimate(int(far.new[here, there]))
        descendants.append(
            Descendant(
                names[node],
                None if source is None else names[source],
                depth,
                moments[node],
                None if source is None else new,
                None if source is None else lost,
                None if source is None or far.modulus == 1 else (new_margin, lost_margin),
                source is not None and here == there,
                tuple(place for place, _ in nodes[node][1][1:]),
                None if near is None else names[near],
                nodes[node][0] in outside,
            )
        )
    return descendants


def _contents(connection: sqlite3.Connection, scheme: int, subject: str) -> tuple[int, ...]:
    try:
        return find_family(connection, subject).contents
    except (InputError, UsageError) as missing:
        try:
            digest = bytes_of(connection, subject)
        except InputError as error:  # what is no id was meant as a path
            raise (missing if HEX.fullmatch(subject) else error) from None
    contents = [content for (content,) in connection.execute(OF_BYTES, (digest,))]
    if not contents:
        raise InputError(f"{subject} has no text that nearkin can read, so it has no lineage.")
    return tuple(content for (content,) in connection.execute(FAMILY_OF, (scheme, contents[0]))) or (contents[0],)


def _at(moment: Moment) -> float:
    return moment.seconds if moment.source != "unknown" else float("inf")


def _in_order(sources: list[int | None]) -> list[tuple[int, int]]:
    """The texts with their depths, each right below its source."""
    children: dict[int | None, list[int]] = defaultdict(list)
    for node, source in enumerate(sources):
        children[source].append(node)
    ordered = []
    left = [(node, 0) for node in reversed(children[None])]
    while left:
        node, depth = left.pop()
        ordered.append((node, depth))
        left += [(child, depth + 1) for child in reversed(children[node])]
    return ordered


def lineage_record(text: Descendant, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    scopes = {"scope": text.location.scope, "source_scope": text.source and text.source.scope} if scoped else {}
    return {
        "path": name(text.location),
        "source": None if text.source is None else name(text.source),
        **scopes,
        "depth": text.depth,
        "date": None if text.moment.source == "unknown" else text.moment.shown,
        "date_from": text.moment.source,
        "new": text.new,
        "lost": text.lost,
        "exact": text.margins is None,
        "new_margin": None if text.margins is None else text.margins[0],
        "lost_margin": None if text.margins is None else text.margins[1],
        "same_words": text.same_words,
        "copies": [name(place) for place in text.copies],
        "nearer": None if text.nearer is None else name(text.nearer),
        "beyond": text.beyond,
    }
