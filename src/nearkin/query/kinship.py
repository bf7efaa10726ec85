"""Who holds copies of a document or a family, and which folder trees hold the same documents.

Cherkasova 2009 §1: the same document lies on many desks. Near-copies count, too.
"""

import sqlite3
from collections import defaultdict
from dataclasses import dataclass

from nearkin.errors import InputError, UsageError
from nearkin.group.folders import FolderEntry, Side, Trees
from nearkin.model import Location
from nearkin.query.records import Name, Record, surrogate_escaped
from nearkin.query.verdicts import HEX, bytes_of, find_family
from nearkin.store import runs
from nearkin.store.verdicts import VerdictIndex

FAMILY = """
SELECT scope.name, d.path, d.digest, t.content, coalesce(d.custodian, p.custodian), coalesce(d.owner, p.owner), d.size,
       NULL, NULL, NULL
FROM present d JOIN scope ON scope.id = d.scope JOIN text t ON t.id = d.text LEFT JOIN document p ON p.id = d.parent
WHERE d.reason IS NULL AND t.content IN (
    SELECT content FROM family_content JOIN family ON family.id = family WHERE founder = ? AND scheme = ?)
"""
LIKE = """
WITH asked AS (SELECT DISTINCT t.content FROM present d JOIN text t ON t.id = d.text WHERE d.digest = ?1),
near AS (SELECT a AS content, resemblance, max(a_in_b, b_in_a) AS held, exact FROM match
         WHERE scheme = ?2 AND b IN (SELECT content FROM asked)
         UNION SELECT b, resemblance, max(a_in_b, b_in_a), exact FROM match
         WHERE scheme = ?2 AND a IN (SELECT content FROM asked))
SELECT scope.name, d.path, d.digest, t.content, coalesce(d.custodian, p.custodian), coalesce(d.owner, p.owner), d.size,
       near.resemblance, near.held, near.exact
FROM present d JOIN scope ON scope.id = d.scope LEFT JOIN document p ON p.id = d.parent
LEFT JOIN text t ON t.id = d.text LEFT JOIN near ON near.content = t.content
WHERE d.digest = ?1 OR (d.reason IS NULL AND (t.content IN (SELECT content FROM asked)
      OR near.resemblance >= ?3 OR near.held >= ?4))
"""


@dataclass(frozen=True)
class Holding:
    """A document that someone holds."""

    location: Location
    tier: str  # bytes, words, near; of a family: member
    resemblance: float | None
    exact: bool | None = None  # False: the resemblance is an estimate


@dataclass(frozen=True)
class Custodian:
    """Who holds documents: a custodian; where none is known, the file's owner; without either nobody is known."""

    name: str | None
    known_by: str  # custodian, owner, nothing
    holdings: tuple[Holding, ...]
    bytes: int


def list_custodians(connection: sqlite3.Connection, subject: str) -> list[Custodian]:
    """List the holders of a document (by its path or file) or of a family (by its id); who holds most comes first."""
    run = runs.last(connection)
    try:
        digest = bytes_of(connection, subject)
    except InputError as missing:
        try:
            family = find_family(connection, subject)
        except (InputError, UsageError) as error:  # no id: then it was meant as a path
            raise (error if HEX.fullmatch(subject) else missing) from None
        rows = connection.execute(FAMILY, (family.founder, run.scheme)).fetchall()
        return _by_holder(rows, b"", frozenset())
    limits = run.settings["match"]
    given = (digest, run.scheme, limits["threshold"], limits["containment"])
    rows = connection.execute(LIKE, given).fetchall()
    contents = frozenset(row[3] for row in rows if row[2] == digest and row[3] is not None)
    parted = _parted(connection, contents, frozenset(row[3] for row in rows if row[3] is not None) - contents)
    return _by_holder([row for row in rows if row[3] not in parted], digest, contents)


def _parted(connection: sqlite3.Connection, contents: frozenset[int], similar: frozenset[int]) -> frozenset[int]:
    """The similar contents that a person set apart from the document, whichever of its contents they match."""
    decided = VerdictIndex(connection)

    def apart(a: int, b: int) -> bool:
        decision = decided.of_pair(a, b)
        return decision is not None and decision.parts

    return frozenset(near for near in similar if all(apart(content, near) for content in contents))


def _by_holder(rows: list[tuple[object, ...]], digest: bytes, contents: frozenset[object]) -> list[Custodian]:
    held: dict[tuple[str, str | None], dict[Location, Holding]] = defaultdict(dict)
    sizes: dict[tuple[str, str | None], int] = defaultdict(int)
    for scope, path, own, content, custodian, owner, size, resemblance, _, exact in rows:
        tier = "bytes" if own == digest else "words" if content in contents else "near" if digest else "member"
        by = "custodian" if custodian else "owner" if owner else "nothing"
        key = by, str(custodian or owner) if by != "nothing" else None
        assert isinstance(path, bytes) and isinstance(size, int)  # noqa: PT018
        place = Location(str(scope), path)
        if place not in held[key]:
            sizes[key] += size
            score = resemblance if isinstance(resemblance, float) and tier == "near" else None
            held[key][place] = Holding(place, tier, score, None if score is None else bool(exact))
    holders = [
        Custodian(name, by, tuple(sorted(places.values(), key=lambda holding: holding.location)), sizes[by, name])
        for (by, name), places in held.items()
    ]
    return sorted(
        holders, key=lambda holder: (holder.name is None, -len(holder.holdings), holder.name or "", holder.known_by)
    )


def custodian_record(custodian: Custodian, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    return {
        "custodian": custodian.name,
        "known_by": custodian.known_by,
        "count": len(custodian.holdings),
        "bytes": custodian.bytes,
        "documents": [
            {
                "path": name(holding.location),
                **({"scope": holding.location.scope} if scoped else {}),
                "tier": holding.tier,
                "resemblance": holding.resemblance,
                "exact": holding.exact,
            }
            for holding in custodian.holdings
        ],
    }


# With + SQLite looks up a document's family by its content. It tried all families for each document: of 60,000 rows in
# 20,000 families that took 157 s, and takes 0.1 s so.
DOCUMENTS = """
SELECT scope.name, d.path, d.digest, family.content, family.family
FROM present d JOIN scope ON scope.id = d.scope LEFT JOIN text t ON t.id = d.text
LEFT JOIN (SELECT content, family FROM family_content
           WHERE +family IN (SELECT id FROM family WHERE scheme = ?)) family ON family.content = t.content
WHERE d.reason IS NULL AND d.digest IS NOT NULL AND d.size > 0 ORDER BY scope.name, d.path
"""


@dataclass(frozen=True)
class Half:
    """One folder of a pair."""

    location: Location  # of a folder; an empty path is the scope's root
    side: Side


@dataclass(frozen=True)
class FolderPair:
    """Two folder trees that hold the same documents."""

    a: Half
    b: Half


def list_folders(connection: sqlite3.Connection, *, least: int = 2, share: float = 0.5) -> list[FolderPair]:
    scheme = runs.last(connection).scheme
    numbers: dict[Location, int] = {}
    parents: list[int] = []
    contents: dict[bytes, int] = {}
    documents: list[FolderEntry] = []
    for scope, path, digest, _, family in connection.execute(DOCUMENTS, (scheme,)):
        exact = contents.setdefault(digest, len(contents))
        folder = _numbered(Location(scope, path.rpartition(b"/")[0]), numbers, parents)
        documents.append(FolderEntry(folder, exact, -exact - 1 if family is None else family))
    names = list(numbers)
    overlaps = Trees(parents, documents).overlaps(least=least, share=share)
    return [FolderPair(Half(names[pair.a.folder], pair.a), Half(names[pair.b.folder], pair.b)) for pair in overlaps]


def _numbered(place: Location, numbers: dict[Location, int], parents: list[int]) -> int:
    if place in numbers:
        return numbers[place]
    around = _numbered(Location(place.scope, place.path.rpartition(b"/")[0]), numbers, parents) if place.path else None
    number = numbers[place] = len(parents)
    parents.append(number if around is None else around)
    return number


def folder_record(pair: FolderPair, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    def half(letter: str, folder: Half) -> Record:
        return {
            letter: name(folder.location) or ".",
            **({f"{letter}_scope": folder.location.scope} if scoped else {}),
            f"{letter}_documents": folder.side.documents,
            f"{letter}_same": folder.side.same,
            f"{letter}_near": folder.side.near,
            f"{letter}_only": folder.side.only,
        }

    shares = {"b_in_a": pair.b.side.share, "a_in_b": pair.a.side.share}
    return {**half("a", pair.a), **half("b", pair.b), **shares}
