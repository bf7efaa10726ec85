"""What is to be looked at together: families as the scan made them, and files without words of the same bytes.

Documents that are not there any more are left out: nothing may go because of them.

The texts of a group. Those of most groups are read from the store ahead, packed as they are, for whoever works on
them in another thread; those of a large one when they are asked for. All stay at hand as far as there is room.

Which documents are still where the last scan found them. One that is not can neither stay nor vouch for others.

Which document of a group to keep, and why. A person's word goes before every rule.

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
import sqlite3
import stat
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.group.certificate import WINDOW, remembering
from nearkin.group.lineage import TELLING, Moment
from nearkin.model import Location, family_id
from nearkin.query.verdicts import find_family
from nearkin.read.table import MEMBER
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.store.families import family_rows
from nearkin.store.verdicts import Decided


class Presence:
    """Asks about each file once, however many documents lie in it."""

    def __init__(self) -> None:
        self._files: dict[bytes, bool] = {}

    def has(self, root: bytes, path: bytes, *, inside: bool) -> bool:
        """What lies in a container is there as long as that is; a text that was only checked in is in no folder."""
        if not root:
            return True
        places = accumulate(path.split(MEMBER), lambda outer, inner: outer + MEMBER + inner) if inside else [path]
        return any(self._is_file(os.path.join(root, place)) for place in places)  # noqa: PTH118  names need not be UTF-8

    def _is_file(self, path: bytes) -> bool:
        """A link in its place is no document: scans pass over it."""
        if path not in self._files:
            try:
                self._files[path] = stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                self._files[path] = False
        return self._files[path]


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


LARGE = 1 << 24  # characters of a group
# Of all groups that are begun or wait. A window of a text that none of the others has costs up to 30 bytes more, for a
# time: 8 million of them in one group at once.
ROOM = 1 << 25


class StoppedError(Exception):
    """Nobody waits for the rows any more."""


@dataclass(frozen=True)
class Texts:
    group: Group
    load: Callable[[int], bytes]
    at_hand: bool  # they need no store
    weight: int

    @classmethod
    def of(cls, connection: sqlite3.Connection, group: Group, stop: threading.Event) -> "Texts":
        if group.characters > LARGE:
            return cls(group, lambda _: b"", at_hand=False, weight=0)
        compared = group.texts if len(group.texts) > 1 else []
        packed = {text: _packed(connection, text) for text in compared}

        at_hand = remembering(lambda text: unpack(packed[text]))

        def load(text: int) -> bytes:
            if stop.is_set():
                raise StoppedError
            return at_hand(text)

        return cls(group, load, at_hand=True, weight=group.characters if compared else 0)

    @classmethod
    def read(cls, connection: sqlite3.Connection, group: Group) -> "Texts":
        load = remembering(lambda text: unpack(_packed(connection, text)))
        return cls(group, load, at_hand=False, weight=group.characters)


def _packed(connection: sqlite3.Connection, text: int) -> bytes:
    (blob,) = connection.execute("SELECT zstd FROM text WHERE id = ?", (text,)).fetchone()
    return bytes(blob)


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
