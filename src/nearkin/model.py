"""The nouns of the program: what a document, a match, a family is. They are values, which every layer above uses.

Documents, matches and families are records: their classes declare how they are stored and listed (nearkin.record).
"""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from nearkin.record import Field, Schema


class Reason(StrEnum):
    """Why a file met in a scan is not a document of the store."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"  # its bytes are not what its format demands
    TIMED_OUT = "timed out"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"  # there is no text in it
    CRASHED = "crashed"  # the worker that read it


Blob = bytes | bytearray  # the latter is what SQLite takes fastest (store.bulk)

# The detail where something else ended the worker, as a system short of memory does: no fault of the document, so the
# next scan reads it again.
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
    """What a document is to its family."""

    MEMBER = "member"
    PART = "part"


NO_OWNER = 0xFFFFFFFF  # (uid_t)-1, which no user has


# Conditions of listings: fields that say so are listed only then.
SCOPED = ("scoped",)  # paths alone are ambiguous, as the store has several scopes
TIERS = ("tiers",)  # identical documents are among the matches
PRESENT = ("present",)  # documents as they are now, not what a scan found to have changed
STORED = ("stored",)  # families of a store, not of texts in memory, which have neither sizes nor verdicts


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

    location: Annotated[Location, Field("Where it is.", arrow="path", listed="path")]
    scope: ClassVar = Field(
        "The scope it lies in.",
        "INTEGER NOT NULL REFERENCES scope",
        arrow="string",
        source="location.scope",
        when=SCOPED,
    )
    path: ClassVar = Field("Its path, relative to the scope's root, with forward slashes.", "BLOB NOT NULL")
    size: Annotated[int, Field("Bytes of the file.", "INTEGER NOT NULL")]
    mtime_ns: Annotated[
        int, Field("When it was modified, in nanoseconds.", "INTEGER NOT NULL", arrow="string", listed="modified")
    ]
    inode: ClassVar = Field("The file's number in its file system; 0: not known.", "INTEGER NOT NULL")
    media: Annotated[str, Field("Its media type.", "TEXT NOT NULL")]
    encoding: Annotated[str | None, Field("The encoding of its text.", "TEXT")]
    digest: Annotated[str, Field("SHA-256 of its bytes; none where they could not be read.", "BLOB")]
    text: ClassVar = Field("What an extractor made of its bytes; NULL: it has no text.", "INTEGER REFERENCES text")
    reason: Annotated[str | None, Field("Why it could not be read; none for every document that was.", "TEXT")]
    detail: Annotated[str | None, Field("The reason in more words.", "TEXT")]
    seen: ClassVar = Field("The run that read it.", "INTEGER NOT NULL REFERENCES run")
    gone: ClassVar = Field("The run that no longer found it so.", "INTEGER REFERENCES run")
    before: ClassVar = Field(
        "The version it follows: at the same path changed, at another moved.", "INTEGER REFERENCES document"
    )
    reader: ClassVar = Field("Name and version of the format it was read as; NULL: text that needs no reader.", "TEXT")
    parent: Annotated[
        Location | None,
        Field("The container or mail it came in.", "INTEGER REFERENCES document", arrow="path", when=PRESENT),
    ] = None
    owner: Annotated[str | None, Field("The user who owns the file.", "TEXT", when=PRESENT)] = None
    custodian: Annotated[str | None, Field("The person whose copy it is.", "TEXT", when=PRESENT)] = None
    properties: Annotated[
        dict[str, str],
        Field(
            "Title, author, created, message-id and what else it says of itself; stored as JSON.",
            "TEXT",
            arrow="map<string, string>",
            when=PRESENT,
        ),
    ] = field(default_factory=dict)
    md5: Annotated[
        str | None,
        Field("Of its bytes, where a scan asked for it; decides nothing.", "BLOB", listed="legacy_md5", when=PRESENT),
    ] = None
    sha1: Annotated[str | None, Field("Likewise.", "BLOB", listed="legacy_sha1", when=PRESENT)] = None
    edrm_message_hash: ClassVar = Field(
        "MD5 of a mail's Message-ID without the angle brackets.", arrow="string", source="properties", when=PRESENT
    )
    ctime_ns: ClassVar = Field(
        "When the inode changed (POSIX st_ctim), which nobody can set back; 0: not known, as in containers.",
        "INTEGER NOT NULL DEFAULT 0",
        since=5,
    )

    @classmethod
    def stored(cls, scope: str, path: bytes, columns: dict[str, Any], parent: bytes | None = None) -> "Document":
        """Make a document from columns of its row, as many as were read, and the path of its container."""
        digests = {name: columns[name].hex() for name in ("md5", "sha1") if columns.get(name)}
        properties = {"properties": json.loads(columns["properties"])} if columns.get("properties") else {}
        held = {name: value for name, value in columns.items() if name not in ("md5", "sha1", "properties")}
        held["digest"] = (held["digest"] or b"").hex()
        inside = None if parent is None else Location(scope, parent)
        return cls(Location(scope, path), **held, **digests, **properties, parent=inside)


@dataclass(frozen=True, slots=True)
class Change:
    """What a scan found of a document: new, changed, moved or gone."""

    what: Annotated[str, Field("new, changed, moved or gone.", listed="change")]
    document: Document
    moved_from: Annotated[Location | None, Field("Where it was before.", arrow="path")] = None


@dataclass(frozen=True, slots=True)
class IdenticalGroup:
    """Documents of the same bytes, or of the same words in other bytes."""

    tier: Annotated[str, Field("bytes or words: what is the same.")]
    size: Annotated[int, Field("Bytes of the largest document.")]
    overhead: Annotated[int, Field("Bytes that keeping one copy would save.")]
    documents: Annotated[tuple[Location, ...], Field("Where they are.", arrow="list<path>", listed="paths")]
    scopes: ClassVar = Field("The scopes of the paths.", arrow="list<string>", source="documents", when=SCOPED)
    within_copies: bool = False  # all lie in containers of the same bytes, which are a group of their own


@dataclass(frozen=True, slots=True)
class Match:
    """Two contents, each named by its first document. Scores are shares of shingles, or of bytes for chunk schemes.

    Under a scheme whose measure is the cosine, that is the resemblance, and nothing is said of containment and bytes.
    """

    scheme: ClassVar = Field("The scheme under which the two match.", "INTEGER NOT NULL REFERENCES scheme")
    a: Annotated[
        Location,
        Field("The first document of one content.", "INTEGER NOT NULL REFERENCES content", "<u4", arrow="path"),
    ]
    b: Annotated[
        Location,
        Field("The first document of the other.", "INTEGER NOT NULL REFERENCES content", "<u4", arrow="path"),
    ]
    a_scope: ClassVar = Field("The scope of a.", arrow="string", source="a.scope", when=SCOPED)
    b_scope: ClassVar = Field("The scope of b.", arrow="string", source="b.scope", when=SCOPED)
    tier: Annotated[str, Field("bytes or words where the two are identical, otherwise near.", when=TIERS)]
    resemblance: Annotated[float, Field("What both have, of all that either has.", "REAL NOT NULL", "<f8")]
    a_in_b: Annotated[float | None, Field("The share of a that is in b; none: not known.", "REAL", "<f8")]
    b_in_a: Annotated[float | None, Field("The share of b that is in a; none: not known.", "REAL", "<f8")]
    payload: Annotated[
        float | None, Field("Resemblance without what most of the family have; none: not evaluated.", "REAL", "<f8")
    ]
    shared_bytes: Annotated[int | None, Field("Bytes in common, at the least.", "INTEGER NOT NULL", "<i8")]
    size_a: ClassVar = Field("Shingles (or bytes) of a, as compared.", "INTEGER NOT NULL", "<i8")
    size_b: ClassVar = Field("Shingles (or bytes) of b, as compared.", "INTEGER NOT NULL", "<i8")
    exact: Annotated[bool, Field("Whether it was measured on the texts.", "INTEGER NOT NULL", "|b1")]
    low: Annotated[float | None, Field("Lower bound of an estimated resemblance.", "REAL", "<f8")]
    high: Annotated[float | None, Field("Upper bound of an estimated resemblance.", "REAL", "<f8")]
    payload_sample: ClassVar = Field(
        "What the payload was counted on: 0 all features, so many of a sample, -1 another sample.",
        "REAL",
        "<f8",
        since=4,
    )
    verdict: Annotated[str | None, Field("What a person said of the pair.")] = None
    template: Annotated[str, Field("Whether scores are with boilerplate or without.")] = "with"
    # An exact match may have a payload that was estimated from samples.
    payload_exact: Annotated[bool | None, Field("Whether the payload was counted on all features.")] = None
    payload_low: Annotated[float | None, Field("Lower bound of an estimated payload.")] = None
    payload_high: Annotated[float | None, Field("Upper bound of an estimated payload.")] = None


@dataclass(frozen=True, slots=True)
class Similar:
    """A document of the store that is like one asked about."""

    location: Annotated[Location, Field("Where it is.", arrow="path", listed="path")]
    scope: ClassVar = Field("Its scope.", arrow="string", source="location.scope", when=SCOPED)
    tier: Annotated[str, Field("bytes, words or near.")]
    resemblance: Annotated[float, Field("What both have, of all that either has.")]
    query_in_doc: Annotated[float | None, Field("The share of the text asked about that is in the document.")]
    doc_in_query: Annotated[float | None, Field("The share of the document that is in the text asked about.")]
    exact: Annotated[bool, Field("Whether it was measured on the texts.")]
    low: Annotated[float | None, Field("Lower bound of an estimated resemblance.")]
    high: Annotated[float | None, Field("Upper bound of an estimated resemblance.")]
    template: Annotated[str, Field("Whether scores are with boilerplate or without.")] = "with"


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a family."""

    location: Annotated[Location, Field("Where it is.", arrow="path", listed="path")]
    scope: ClassVar = Field("Its scope.", arrow="string", source="location.scope", when=SCOPED)
    content: ClassVar = Field("The content it holds.", "INTEGER NOT NULL REFERENCES content")
    pivot: Annotated[bool, Field("Whether the family hangs together by it.", "INTEGER NOT NULL")]
    to_pivot: Annotated[float | None, Field("Its resemblance to the pivot.", "REAL")]
    role: Annotated[
        Role, Field("member, or part of one.", "TEXT NOT NULL CHECK (role IN ('member', 'part'))", arrow="string")
    ]
    exact: Annotated[bool, Field("Whether to_pivot was measured; false: an estimate, or unknown.")] = True


@dataclass(frozen=True, slots=True)
class Link:
    """Two documents of a family and how much they resemble each other."""

    a: Annotated[Location, Field("One of the two.", arrow="path")]
    a_scope: ClassVar = Field("Its scope.", arrow="string", source="a.scope", when=SCOPED)
    b: Annotated[Location, Field("The other.", arrow="path")]
    b_scope: ClassVar = Field("Its scope.", arrow="string", source="b.scope", when=SCOPED)
    resemblance: Annotated[float, Field("What both have, of all that either has.")]
    exact: Annotated[bool, Field("Whether it was measured on the texts.")] = True


def family_id(founder: bytes) -> str:
    """A family's name as people see it: the first digits of its founding content's digest."""
    return founder.hex()[:16]


@dataclass(frozen=True, slots=True)
class Family:
    """Documents that hang together by their matches, in one of the views."""

    founder: ClassVar = Field("Digest of the founding content: the family's name.", "BLOB NOT NULL")
    scheme: ClassVar = Field("The scheme under which its documents match.", "INTEGER NOT NULL REFERENCES scheme")
    threshold: ClassVar = Field("The resemblance at which it was grouped.", "REAL NOT NULL")
    containment: ClassVar = Field("The containment at which parts were attached.", "REAL NOT NULL")
    id: Annotated[str, Field("The first digits of its founding content's digest.", arrow="name")]
    kind: Annotated[Kind, Field("What it is, by how its documents hang together.", "TEXT NOT NULL", arrow="string")]
    view: Annotated[str, Field("How its documents were grouped.", "TEXT NOT NULL")]
    documents: Annotated[tuple[Member, ...], Field("Its documents, the pivot first.", arrow="list<Member>")]
    links: Annotated[int, Field("Matches between its contents.", "INTEGER NOT NULL")]
    weakest_a: ClassVar = Field("One content of the weakest match.", "INTEGER REFERENCES content")
    weakest_b: ClassVar = Field("The other.", "INTEGER REFERENCES content")
    weakest: Annotated[Link | None, Field("The weakest match; stored as its resemblance.", "REAL", arrow="Link")]
    mean_resemblance: Annotated[float | None, Field("The mean resemblance of its matches.", "REAL")]
    run: ClassVar = Field("The run that grouped it.", "INTEGER NOT NULL REFERENCES run")
    since: ClassVar = Field("The run that founded it.", "INTEGER REFERENCES run")
    unlisted: ClassVar = Field(
        "Pairs of members that were not compared: hot features have linked them as stars.", "INTEGER NOT NULL DEFAULT 0"
    )
    weakest_exact: ClassVar = Field(
        "Whether the weakest match was measured on the texts.", "INTEGER NOT NULL DEFAULT 1", since=4
    )
    mean_exact: Annotated[
        bool | None,
        Field(
            "Whether all resemblances that the mean is of were measured on the texts; none: no mean.",
            "INTEGER NOT NULL DEFAULT 1",
            since=4,
        ),
    ]
    bytes: Annotated[int, Field("Bytes of its documents.", when=STORED)]
    verdict: Annotated[str | None, Field("What a person said of it.", when=STORED)] = None
    keep: Annotated[Location | None, Field("The document a person wants to keep.", arrow="path", when=STORED)] = None
    keep_scope: ClassVar = Field("Its scope.", arrow="string", source="keep", when=(*STORED, *SCOPED))
    template: Annotated[str, Field("Whether scores are with boilerplate or without.", when=STORED)] = "with"
    reason: Annotated[str, Field("Why it is of its kind.", when=STORED)] = ""
    evaluated: Annotated[
        bool,
        Field("False: not all of its pairs were listed, so it is no clique but the chain.", when=(View.CLIQUE.value,)),
    ] = True
    most_distant: Annotated[
        Link | None,
        Field("Members that resemble each other by less than a limit.", arrow="Link", when=(*STORED, View.CHAIN.value)),
    ] = None


def mirrored(name: str) -> str:
    """The field that takes a field's place where a and b change places: a_in_b for b_in_a."""
    return "_".join({"a": "b", "b": "a"}.get(part, part) for part in name.split("_"))


DOCUMENT, CHANGE, IDENTICAL = Schema(Document), Schema(Change), Schema(IdenticalGroup)
MATCH, SIMILAR = Schema(Match), Schema(Similar)
FAMILY, MEMBER, LINK = Schema(Family), Schema(Member), Schema(Link)


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
