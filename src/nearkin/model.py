"""The nouns: what a document, a match, a family is. Values only; every layer above speaks in them."""

from dataclasses import dataclass, field
from enum import StrEnum


class Reason(StrEnum):
    """Why a file met in a scan is not a document of the store."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"  # it is not what it should be
    TIMED_OUT = "timed out"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"  # there is no text in it
    CRASHED = "crashed"  # whoever read it


Blob = bytes | bytearray  # the latter is what SQLite takes fastest (store.rows)

# Of a worker that someone else ended, as a system short of memory does: no fault of the document, so the next scan
# reads it again.
KILLED = "the worker reading it was killed"


class Kind(StrEnum):
    """What a family is, by how its documents hang together."""

    IDENTICAL = "identical"
    PAIR = "pair"
    VERSIONS = "versions"
    CONTAINS = "contains"
    ARCHIVE = "archive"
    SAME_FORM = "same-form"
    MIXED = "mixed"


class View(StrEnum):
    """How documents are grouped: by chains of matches, around principals, so that every two match, or greedily around
    representatives (Broder 1997 §4.4)."""

    CHAIN = "chain"
    PIVOT = "pivot"
    CLIQUE = "clique"
    GREEDY = "greedy"


class Role(StrEnum):
    MEMBER = "member"
    PART = "part"


NO_OWNER = 0xFFFFFFFF  # (uid_t)-1, which no user has


@dataclass(frozen=True, slots=True)
class Location:
    """Where a document is: its scope and its path there. In byte order of these, documents are named and listed."""

    scope: str
    path: bytes

    def __lt__(self, other: "Location") -> bool:
        return (self.path, self.scope) < (other.path, other.scope)

    @property
    def name(self) -> str:
        return self.path.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or what lies in one, as the store has it."""

    location: Location
    size: int
    mtime_ns: int
    media: str
    encoding: str | None
    digest: str
    reason: str | None
    detail: str | None
    parent: Location | None = None  # the container it lies in
    owner: str | None = None
    custodian: str | None = None  # whose copy it is
    properties: dict[str, str] = field(default_factory=dict)  # what it says of itself
    md5: str | None = None  # legacy, where a scan was asked for them
    sha1: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a scan found of a document: new, changed, moved or gone."""

    what: str
    document: Document
    moved_from: Location | None = None


@dataclass(frozen=True, slots=True)
class IdenticalGroup:
    """Documents of the same bytes, or of the same words in other bytes."""

    tier: str
    size: int
    overhead: int
    documents: tuple[Location, ...]
    within_copies: bool = False  # all lie in containers of the same bytes, which are a group of their own


@dataclass(frozen=True, slots=True)
class Match:
    """Two contents, each named by its first document. Scores are shares of shingles, or of bytes for chunk schemes.

    Under a scheme whose measure is the cosine, that is the resemblance, and nothing is said of containment and bytes.
    """

    a: Location
    b: Location
    resemblance: float
    a_in_b: float | None  # None where neither the scheme nor the texts can tell
    b_in_a: float | None
    payload: float | None  # None: not evaluated
    shared_bytes: int | None  # at the least
    exact: bool
    low: float | None
    high: float | None
    tier: str = "near"  # bytes, words: the two are identical
    verdict: str | None = None  # what a person said of the pair
    template: str = "with"  # scores with boilerplate, or without
    payload_exact: bool | None = None  # of itself: an exact match may have a payload that was estimated from samples
    payload_low: float | None = None
    payload_high: float | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """A document of the store that is like one asked about. Tier: bytes, words or near."""

    location: Location
    tier: str
    resemblance: float
    query_in_doc: float | None  # None: the scheme cannot tell, and the text was not kept
    doc_in_query: float | None
    exact: bool
    low: float | None
    high: float | None
    template: str = "with"  # scores with boilerplate, or without


@dataclass(frozen=True, slots=True)
class Member:
    location: Location
    pivot: bool
    to_pivot: float | None
    role: Role
    exact: bool = True  # False: to_pivot is an estimate or unknown


@dataclass(frozen=True, slots=True)
class Link:
    a: Location
    b: Location
    resemblance: float
    exact: bool = True


def family_id(founder: bytes) -> str:
    """A family's name as people see it: the first digits of its founding content's digest."""
    return founder.hex()[:16]


@dataclass(frozen=True, slots=True)
class Family:
    id: str
    kind: Kind
    view: str
    documents: tuple[Member, ...]
    links: int
    weakest: Link | None
    mean_resemblance: float | None
    bytes: int
    verdict: str | None = None  # what a person said of it
    keep: Location | None = None  # the document a person wants to keep
    template: str = "with"  # scores with boilerplate, or without
    evaluated: bool = True  # False: not all of its pairs were listed, so it is no clique but the chain
    most_distant: Link | None = None  # of a chain: members that resemble each other by less than a limit
    reason: str = ""  # why it is of its kind
    mean_exact: bool | None = True  # False: some of the resemblances that the mean is of are estimates; None: no mean


@dataclass(frozen=True, slots=True)
class Summary:
    """What a scan did, in the numbers its last line shows."""

    documents: int
    contents: int
    failed: int
    identical: int
    matches: int
    families: int
    seconds: int
    new: int = 0  # documents, since the last scan
    changed: int = 0
    moved: int = 0
    gone: int = 0
    resigned: int = 0  # contents that were stale and were signed again
    hot: int = 0  # features that so many documents have in common that these were compared with a few of them only
    hot_links: int = 0  # pairs by which they were linked with these
    unlisted: int = 0  # pairs within families that are therefore not listed
    skipped_links: int = 0  # met by this scan, and never followed
    skipped_special: int = 0  # pipes, sockets and devices
