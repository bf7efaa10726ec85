"""Which folder trees hold the same documents, with their names."""

import sqlite3
from dataclasses import dataclass

from nearkin.group.folders import Filed, Side, Trees
from nearkin.model import Location
from nearkin.query.records import Name, Record, surrogate_escaped
from nearkin.store import runs

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
    location: Location  # of a folder; an empty path is the scope's root
    side: Side


@dataclass(frozen=True)
class FolderPair:
    a: Half
    b: Half


def list_folders(connection: sqlite3.Connection, *, least: int = 2, share: float = 0.5) -> list[FolderPair]:
    scheme = runs.last(connection).scheme
    numbers: dict[Location, int] = {}
    parents: list[int] = []
    contents: dict[bytes, int] = {}
    documents: list[Filed] = []
    for scope, path, digest, _, family in connection.execute(DOCUMENTS, (scheme,)):
        exact = contents.setdefault(digest, len(contents))
        folder = _numbered(Location(scope, path.rpartition(b"/")[0]), numbers, parents)
        documents.append(Filed(folder, exact, -exact - 1 if family is None else family))
    names = list(numbers)
    found = Trees(parents, documents).overlaps(least=least, share=share)
    return [FolderPair(Half(names[one.a.folder], one.a), Half(names[one.b.folder], one.b)) for one in found]


def _numbered(place: Location, numbers: dict[Location, int], parents: list[int]) -> int:
    if place in numbers:
        return numbers[place]
    around = _numbered(Location(place.scope, place.path.rpartition(b"/")[0]), numbers, parents) if place.path else None
    number = numbers[place] = len(parents)
    parents.append(number if around is None else around)
    return number


def folder_record(pair: FolderPair, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    def half(letter: str, one: Half) -> Record:
        return {
            letter: name(one.location) or ".",
            **({f"{letter}_scope": one.location.scope} if scoped else {}),
            f"{letter}_documents": one.side.documents,
            f"{letter}_same": one.side.same,
            f"{letter}_near": one.side.near,
            f"{letter}_only": one.side.only,
        }

    shares = {"b_in_a": pair.b.side.share, "a_in_b": pair.a.side.share}
    return {**half("a", pair.a), **half("b", pair.b), **shares}
