"""Groups of documents to clean up, their texts, and the choice of the one document to keep of each.

A group is a family as the scan made it, or a set of files without words that have the same bytes. Documents that are no
longer where the last scan found them are left out: they can neither stay nor hold text for others.

Texts of most groups are read from the store ahead of time, compressed as they are, for the thread that works on the
group; those of a large group are read when they are needed. All stay in memory as far as there is room.

A person's decision about which document to keep goes before every rule:

    complete      holds most of the others' text: the share of their 20-byte windows that it has, in whole per cent,
                  however spaced
    newest        by the document's own date, else the file's
    oldest
    largest       in bytes
    scope:NAME    in this scope
    folder:PATH   below this folder of its scope

The rules that were asked for come first, in their order, then those of DEFAULT; the first path in byte order decides
every tie. Files go before members of a container and rows of a table: no link can lead to those, and they are never
touched.
"""

import os
import sqlite3
import stat
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from nearkin.errors import UsageError
from nearkin.group.certificate import remembering
from nearkin.group.lineage import TELLING, Moment
from nearkin.model import Location, family_id
from nearkin.query.verdicts import find_family
from nearkin.read.table import MEMBER
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.store.families import family_rows
from nearkin.store.verdicts import VerdictIndex

DOCUMENTS = f"""
SELECT scope.name, scope.root, d.path, d.id, d.inode, d.parent IS NOT NULL, d.size, d.mtime_ns, d.ctime_ns,
       d.digest, {TELLING}, d.text, CASE WHEN c.length > 0 THEN c.id END, t.characters, t.zstd IS NOT NULL,
       canon.spec = 'raw'
FROM present d JOIN scope ON scope.id = d.scope
LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content LEFT JOIN canon ON canon.id = c.canon
WHERE d.digest IS NOT NULL AND d.size > 0 ORDER BY d.path, scope.name
"""


@dataclass(frozen=True)
class GroupDocument:
    """A document of a group, as the store has it."""

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

    def is_same_file(self, document: "GroupDocument") -> bool:
        """Whether the other is the same file by another name. Files of two devices may have the same inode, but not the
        same times."""
        a, b = ((side.root, side.inode, side.mtime_ns, side.ctime_ns) for side in (self, document))
        return a == b

    @property
    def loose(self) -> bool:
        """Whether it is a file that can be moved: no member, no row, and no text that was only checked in."""
        return not self.within and bool(self.root)

    @property
    def within(self) -> bool:
        """Whether it is in a container or a table. A folder whose name ends with `!` looks the same, and is not touched
        either."""
        return self.inside or MEMBER in self.location.path


@dataclass(frozen=True)
class KeepGroup:
    """Documents of which one is kept."""

    id: str
    kind: str
    documents: list[GroupDocument]
    keep: Location | None = None  # the document that a person decided to keep

    @property
    def texts(self) -> list[int]:
        """Ids of the texts that the store has."""
        return sorted({document.text for document in self.documents if document.text is not None and document.has_text})

    @property
    def characters(self) -> int:
        """Characters of all its texts."""
        return sum({document.text: document.characters or 0 for document in self.documents}.values())


def groups_of(
    connection: sqlite3.Connection, families: Sequence[str], absent: Callable[[Location], None] = lambda _: None
) -> list[KeepGroup]:
    """Return the families as the scan made them, and the sets of files without words that have the same bytes; largest
    first. `absent` is called for each document that is no longer where the scan found it."""
    run = runs.last(connection)
    founders = {find_family(connection, prefix).founder for prefix in families}
    by_content: dict[int, list[GroupDocument]] = defaultdict(list)
    by_bytes: dict[bytes, list[GroupDocument]] = defaultdict(list)
    for scope, root, path, *rest in connection.execute(DOCUMENTS):
        document = GroupDocument(Location(scope, path), root, *rest)
        if document.content is None:
            by_bytes[document.digest].append(document)
        else:
            by_content[document.content].append(document)
    decided = VerdictIndex(connection)
    presence = Presence()
    groups = []

    def add(number: str, kind: str, documents: list[GroupDocument], keep: Location | None = None) -> None:
        if len(documents) < 2:
            return
        present = []
        for document in documents:
            if presence.has(document.root, document.location.path, inside=document.inside):
                present.append(document)
            else:
                absent(document.location)
        if len(present) > 1:
            groups.append(KeepGroup(number, kind, present, keep))

    for family in family_rows(connection, run.scheme):
        if families and family.founder not in founders:
            continue
        contents = [content for content, *_ in family.contents]
        documents = [document for content in contents for document in by_content.get(content, [])]
        add(family_id(family.founder), family.kind, documents, decided.of_family(contents)[1])
    for digest, documents in by_bytes.items() if not families else ():
        add(f"bytes:{family_id(digest)}", "identical", documents)
    groups.sort(
        key=lambda group: (
            -len(group.documents),
            -sum(document.size for document in group.documents),
            min(document.location for document in group.documents),
        )
    )
    return groups


class Presence:
    """Looks whether documents are still there, once for each file, however many documents are in it."""

    def __init__(self) -> None:
        self._files: dict[bytes, bool] = {}

    def has(self, root: bytes, path: bytes, *, inside: bool) -> bool:
        """Whether a document is there. A member is there as long as its container is; a text that was only checked in
        has no file and is always there."""
        if not root:
            return True
        places = accumulate(path.split(MEMBER), lambda outer, inner: outer + MEMBER + inner) if inside else [path]
        return any(self._is_file(os.path.join(root, place)) for place in places)  # noqa: PTH118  names need not be UTF-8

    def _is_file(self, path: bytes) -> bool:
        """Whether there is a file. A link in its place is no document: scans pass over links."""
        if path not in self._files:
            try:
                self._files[path] = stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                self._files[path] = False
        return self._files[path]


LARGE = 1 << 24  # characters of a group whose texts are not read ahead
# Characters of all groups that are read ahead or in work. A window that only one text has takes up to 30 bytes more for
# a time: 8 million of them in one group at once.
ROOM = 1 << 25


class StoppedError(Exception):
    """Raised in a thread when its rows are no longer wanted."""


@dataclass(frozen=True)
class GroupTexts:
    """A group and the way to load its texts."""

    group: KeepGroup
    load: Callable[[int], bytes]
    at_hand: bool  # the texts are in memory, and need no store
    weight: int

    @classmethod
    def of(cls, connection: sqlite3.Connection, group: KeepGroup, stop: threading.Event) -> "GroupTexts":
        """Read the texts of a group ahead, compressed; a large group is left for `read`. Loading raises StoppedError
        once `stop` is set."""
        if group.characters > LARGE:
            return cls(group, lambda _: b"", at_hand=False, weight=0)
        compared = group.texts if len(group.texts) > 1 else []
        compressed = {text: _compressed(connection, text) for text in compared}
        unpacked = remembering(lambda text: unpack(compressed[text]))

        def load(text: int) -> bytes:
            if stop.is_set():
                raise StoppedError
            return unpacked(text)

        return cls(group, load, at_hand=True, weight=group.characters if compared else 0)

    @classmethod
    def read(cls, connection: sqlite3.Connection, group: KeepGroup) -> "GroupTexts":
        """Read each text from the store when it is needed."""
        load = remembering(lambda text: unpack(_compressed(connection, text)))
        return cls(group, load, at_hand=False, weight=group.characters)


def _compressed(connection: sqlite3.Connection, text: int) -> bytes:
    (blob,) = connection.execute("SELECT zstd FROM text WHERE id = ?", (text,)).fetchone()
    return bytes(blob)


DEFAULT = ("complete", "newest", "largest")
PLAIN = ("complete", "newest", "oldest", "largest")


@dataclass(frozen=True, slots=True)
class KeepOption:
    """What the rules know of a document."""

    location: Location
    size: int
    moment: Moment
    loose: bool  # a file of its own
    complete: int | None = None  # per cent; None: not known


@dataclass(frozen=True)
class KeptChoice:
    """The document to keep, by its number among the candidates, and the reason."""

    row: int
    why: str


Measure = Callable[[KeepOption], float]


def rules_of(prefer: Sequence[str]) -> tuple[str, ...]:
    """Return the rules that were asked for, then the default ones. UsageError where there is no such rule."""
    for rule in prefer:
        kind, _, name = rule.partition(":")
        if rule not in PLAIN and not (kind in ("scope", "folder") and name):
            known = ", ".join([*PLAIN, "scope:NAME", "folder:PATH"])
            raise UsageError(f"There is no rule {rule!r} to prefer by; known are: {known}.")
    return tuple(dict.fromkeys([*prefer, *DEFAULT]))


def choose(candidates: Sequence[KeepOption], rules: Sequence[str]) -> KeptChoice:
    """Choose the candidate to keep: each rule leaves the best, until one is left."""
    rows = sorted(range(len(candidates)), key=lambda row: candidates[row].location)
    left = [row for row in rows if candidates[row].loose] or rows
    if len(left) == 1:
        alone = "the only one" if len(rows) == 1 else "the only file; the others are inside containers or tables"
        return KeptChoice(left[0], alone)
    reasons: list[str] = []  # of every rule that left some out: the last rule alone is not the reason
    for rule in rules:
        values = [_measure(rule)(candidates[row]) for row in left]
        best = [row for row, value in zip(left, values, strict=True) if value == max(values)]
        if len(best) < len(left):
            reasons.append(_reason(rule, candidates[best[0]]))
        left = best
        if len(left) == 1:
            break
    else:
        reasons.append("the first path" if reasons else "the first path among equals")
    return KeptChoice(left[0], "; among equals, ".join(reasons))


def _measure(rule: str) -> Measure:
    """Return what a rule prefers the highest value of."""
    kind, _, name = rule.partition(":")
    match kind:
        case "complete":
            return lambda candidate: -1.0 if candidate.complete is None else float(candidate.complete)
        case "newest":
            return lambda candidate: candidate.moment.seconds
        case "oldest":
            return lambda candidate: -candidate.moment.seconds if candidate.moment.seconds else float("-inf")
        case "largest":
            return lambda candidate: float(candidate.size)
        case "scope":
            return lambda candidate: float(candidate.location.scope == name)
    folder = os.fsencode(name.strip("/")) + b"/"
    return lambda candidate: float(candidate.location.path.startswith(folder))


def _reason(rule: str, best: KeepOption) -> str:
    kind, _, name = rule.partition(":")
    match kind:
        case "complete":
            return (
                f"most complete: it has {best.complete} % of the others' distinct 20-byte windows, whatever the spacing"
            )
        case "newest" | "oldest":
            by = "the file's date" if best.moment.source == "file" else f"its own date ({best.moment.source})"
            return f"{kind}: {best.moment.shown}, by {by}"
        case "largest":
            return f"largest: {best.size:,} bytes"
    return f"in {kind} {name}"
