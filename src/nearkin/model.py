"""The nouns: what a document, a match, a family is. Values only; every layer above speaks in them."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a file met in a scan is not a document of the store."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"


class Kind(StrEnum):
    """What a family is, by how its documents hang together."""

    IDENTICAL = "identical"
    PAIR = "pair"
    VERSIONS = "versions"
    CONTAINS = "contains"
    ARCHIVE = "archive"
    SAME_FORM = "same-form"
    MIXED = "mixed"


class Role(StrEnum):
    MEMBER = "member"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file met in a walk, before it is read."""

    path: bytes  # relative to the scope's root, with forward slashes
    size: int
    mtime_ns: int
    inode: int
    owner: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A file read and signed. Without a text digest it has no text; with a reason it could not be read."""

    entry: Entry
    reason: Reason | None = None
    detail: str | None = None
    media: str = "application/octet-stream"
    encoding: str | None = None
    digest: bytes | None = None
    text_digest: bytes = b""
    content_digest: bytes = b""
    text: bytes = b""  # extracted, UTF-8; the bytes themselves where they are taken raw
    characters: int = 0
    length: int = 0  # bytes of the canonical text
    modulus: int = 1
    features: bytes = b""  # little-endian u64
    weights: bytes | None = None  # little-endian u32


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
    location: Location
    size: int
    mtime_ns: int
    media: str
    encoding: str | None
    digest: str
    reason: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class IdenticalGroup:
    """Documents of the same bytes, or of the same words in other bytes."""

    tier: str
    size: int
    overhead: int
    documents: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Two contents, each named by its first document. Scores are shares of shingles, or of bytes for chunk schemes."""

    a: Location
    b: Location
    resemblance: float
    a_in_b: float
    b_in_a: float
    payload: float | None
    shared_bytes: int
    exact: bool
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Member:
    location: Location
    pivot: bool
    to_pivot: float | None
    role: Role


@dataclass(frozen=True, slots=True)
class Link:
    a: Location
    b: Location
    resemblance: float


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
