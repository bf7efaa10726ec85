"""What is to be looked at together: families as the scan made them, and files without words of the same bytes.

Documents that are not there any more are left out: nothing may go because of them.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nearkin.group.lineage import TELLING
from nearkin.keeping.presence import Presence
from nearkin.model import Location, family_id
from nearkin.query.verdicts import find_family
from nearkin.read.table import MEMBER
from nearkin.store import runs
from nearkin.store.matches import family_rows
from nearkin.store.verdicts import Decided

DOCUMENTS = f"""
SELECT scope.name, scope.root, d.path, d.id, d.inode, d.parent IS NOT NULL, d.size, d.mtime_ns, d.ctime_ns,
       d.digest, {TELLING}, d.text, CASE WHEN c.length > 0 THEN c.id END, t.characters, t.zstd IS NOT NULL,
       canon.spec = 'raw'
FROM present d JOIN scope ON scope.id = d.scope
LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content LEFT JOIN canon ON canon.id = c.canon
WHERE d.digest IS NOT NULL AND d.size > 0 ORDER BY d.path, scope.name
"""


@dataclass(frozen=True)
class Held:
    location: Location
    root: bytes
    id: int
    inode: int
    inside: bool  # a container or a table
    size: int
    mtime_ns: int
    ctime_ns: int
    digest: bytes
    properties: str | None
    text: int | None
    content: int | None  # None: it has no text, or one without letters and digits
    characters: int | None
    has_text: bool
    raw: bool

    def is_same_file(self, other: "Held") -> bool:
        """By another name. Files of two devices may have the same inode, but not the same times."""
        own, others = ((one.root, one.inode, one.mtime_ns, one.ctime_ns) for one in (self, other))
        return own == others

    @property
    def loose(self) -> bool:
        """A file that can be touched: not a member, a row, or a text that was only checked in."""
        return not self.within and bool(self.root)

    @property
    def within(self) -> bool:
        """Whether it lies in a container or a table; a folder whose name ends with `!` only looks so: better none."""
        return self.inside or MEMBER in self.location.path


@dataclass(frozen=True)
class Group:
    id: str
    kind: str
    documents: list[Held]
    keep: Location | None = None  # what a person said

    @property
    def texts(self) -> list[int]:
        """Those that were stored."""
        return sorted({one.text for one in self.documents if one.text is not None and one.has_text})

    @property
    def characters(self) -> int:
        """Of all its texts."""
        return sum({one.text: one.characters or 0 for one in self.documents}.values())


def groups_of(
    connection: sqlite3.Connection, families: Sequence[str], absent: Callable[[Location], None] = lambda _: None
) -> list[Group]:
    """Families as the scan made them, largest first, then files without words that are of the same bytes. `absent` is
    told of documents that would be here, too, and are not where the scan found them."""
    run = runs.last(connection)
    founders = {find_family(connection, prefix).founder for prefix in families}
    by_content: dict[int, list[Held]] = defaultdict(list)
    by_bytes: dict[bytes, list[Held]] = defaultdict(list)
    for scope, root, path, *rest in connection.execute(DOCUMENTS):
        held = Held(Location(scope, path), root, *rest)
        if held.content is None:
            by_bytes[held.digest].append(held)
        else:
            by_content[held.content].append(held)
    decided = Decided(connection)
    there = Presence()
    found = []

    def add(number: str, kind: str, documents: list[Held], keep: Location | None = None) -> None:
        if len(documents) < 2:
            return
        left = []
        for one in documents:
            if there.has(one.root, one.location.path, inside=one.inside):
                left.append(one)
            else:
                absent(one.location)
        if len(left) > 1:
            found.append(Group(number, kind, left, keep))

    for family in family_rows(connection, run.scheme):
        if families and family.founder not in founders:
            continue
        contents = [content for content, *_ in family.contents]
        documents = [held for content in contents for held in by_content.get(content, [])]
        add(family_id(family.founder), family.kind, documents, decided.of_family(contents)[1])
    for digest, documents in by_bytes.items() if not families else ():
        add(f"bytes:{family_id(digest)}", "identical", documents)
    found.sort(
        key=lambda group: (
            -len(group.documents),
            -sum(one.size for one in group.documents),
            min(one.location for one in group.documents),
        )
    )
    return found
