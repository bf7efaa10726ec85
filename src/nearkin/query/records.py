"""Documents, matches, groups, families, comparisons and traces as records: what JSON, CSV and Arrow tables share.

The fields of a record and their order come from nearkin.model; here they get their values. Where a store has several
scopes a path alone is ambiguous, so records then say the scope too.

In CSV a group has a row for each document. What a whole group takes stands on its first row only, so that a column of
it adds up to what all groups take.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nearkin.model import (
    CHANGE,
    DOCUMENT,
    FAMILY,
    IDENTICAL,
    LINK,
    MATCH,
    MEMBER,
    PRESENT,
    SCOPED,
    SIMILAR,
    STORED,
    TIERS,
    Change,
    Document,
    Family,
    IdenticalGroup,
    Link,
    Location,
    Match,
    Member,
    Similar,
    family_id,
)
from nearkin.record import values_of

if TYPE_CHECKING:
    from nearkin.matching.passages import Passage
    from nearkin.query.comparison import Comparison
    from nearkin.query.trace import Trace, Traced
    from nearkin.scheme import Estimate
    from nearkin.store.documents import HeldDocument
    from nearkin.store.families import PastEvent

Record = dict[str, Any]
Name = Callable[[Location], str]


def surrogate_escaped(location: Location) -> str:
    """Name a document as Python names files: bytes that are not UTF-8 become lone surrogates."""
    return location.name


def backslashed(location: Location) -> str:
    """Name a document with bytes that are not UTF-8 as \\xNN, for what can hold UTF-8 only."""
    return location.path.decode("utf-8", "backslashreplace")


def conditions(*, scoped: bool, tiers: bool = False) -> tuple[str, ...]:
    """The conditions of a listing, as `Schema.listed` takes them."""
    return (*(SCOPED if scoped else ()), *(TIERS if tiers else ()))


def match_record(match: Match, *, scoped: bool, name: Name = surrogate_escaped, tiers: bool = False) -> Record:
    """With their tiers where identical documents are among them."""
    record = _match_values(scoped, tiers)(match)
    record["a"], record["b"] = name(match.a), name(match.b)
    return record


@lru_cache
def _match_values(scoped: bool, tiers: bool) -> Callable[[object], Record]:
    return values_of(MATCH, *conditions(scoped=scoped, tiers=tiers))


def similar_record(similar: Similar, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    return {**values_of(SIMILAR, *conditions(scoped=scoped))(similar), "path": name(similar.location)}


def identical_record(group: IdenticalGroup, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    record = values_of(IDENTICAL, *conditions(scoped=scoped))(group)
    record["paths"] = [name(location) for location in group.documents]
    if scoped:
        record["scopes"] = [location.scope for location in group.documents]
    return record


def family_record(family: Family, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    record = values_of(FAMILY, *conditions(scoped=scoped), *STORED, family.view)(family)
    record["kind"] = str(family.kind)
    record["documents"] = [_member_record(member, scoped=scoped, name=name) for member in family.documents]
    for link in LINKS:
        if record.get(link) is not None:
            record[link] = _link_record(record[link], scoped=scoped, name=name)
    if family.keep is not None:
        record["keep"] = name(family.keep)
        if scoped:
            record["keep_scope"] = family.keep.scope
    return record


def _member_record(member: Member, *, scoped: bool, name: Name) -> Record:
    record = values_of(MEMBER, *conditions(scoped=scoped))(member)
    record["path"], record["role"] = name(member.location), str(member.role)
    return record


def _link_record(link: Link, *, scoped: bool, name: Name) -> Record:
    return {**values_of(LINK, *conditions(scoped=scoped))(link), "a": name(link.a), "b": name(link.b)}


def event_record(event: "PastEvent", *, name: Name = surrogate_escaped) -> Record:
    return {
        "at": event.at,
        "run": event.run,
        "what": event.what,
        "family": family_id(event.family),
        "other": None if event.other is None else family_id(event.other),
        "documents": event.documents,
        "path": None if event.place is None else name(event.place),
    }


def document_record(document: Document, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    record = values_of(DOCUMENT, *conditions(scoped=scoped), *PRESENT)(document)
    record["parent"] = None if document.parent is None else name(document.parent)
    record["edrm_message_hash"] = message_hash(document)
    return {**record, **_own_values(document, name)}


def change_record(change: Change, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    """What a scan found of a document, and the fields that hold for any of its versions."""
    document = {
        **values_of(DOCUMENT, *conditions(scoped=scoped))(change.document),
        **_own_values(change.document, name),
    }
    record = {
        **values_of(CHANGE)(change),
        "moved_from": None if change.moved_from is None else name(change.moved_from),
        **document,
    }
    return {field: record[field] for field in change_columns(scoped=scoped)}


def _own_values(document: Document, name: Name) -> Record:
    return {
        "path": name(document.location),
        "modified": _moment(document.mtime_ns),
        "digest": document.digest or None,
    }


def message_hash(document: Document) -> str | None:
    """The EDRM message identification hash of a mail: MD5 of its Message-ID without the angle brackets.

    It is for lists that others keep: nothing here is decided by it.
    """
    from hashlib import md5  # it loads OpenSSL, which a scan does not need

    message = document.properties.get("message-id", "").strip().removeprefix("<").removesuffix(">").strip()
    return md5(message.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest() if message else None


def new_record(held: "HeldDocument", *, name: Name = surrogate_escaped) -> Record:
    """A document of one scope that another does not have. Its scope is always said: that is what was asked about."""
    return {"path": name(held.location), "scope": held.location.scope, "size": held.size}


def _moment(nanoseconds: int) -> str | None:
    if not nanoseconds:  # a member whose container does not say
        return None
    try:
        return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
    except (OverflowError, ValueError, OSError):  # a file system can hold years that a calendar cannot
        return None


def passage_records(passages: "Iterable[Passage]") -> list[dict[str, int]]:
    return [asdict(passage) for passage in passages]


def comparison_record(
    a: str, b: str, a_size: int, b_size: int, comparison: "Comparison", spec: str, payload: float | None
) -> dict[str, Any]:
    record = {
        "a": a,
        "b": b,
        "resemblance": _value(comparison.resemblance),
        "a_in_b": _value(comparison.a_in_b),
        "b_in_a": _value(comparison.b_in_a),
        "cosine": _value(comparison.cosine),
        "relation": comparison.relation,
        "relation_details": list(comparison.details),
        "tier": comparison.tier,
        "shared_bytes": comparison.shared_bytes,
        "a_size": a_size,
        "b_size": b_size,
        "scheme": spec,
        "exact": comparison.resemblance.exact if comparison.resemblance else None,
        "low": comparison.resemblance and comparison.resemblance.low,
        "high": comparison.resemblance and comparison.resemblance.high,
        "collision_error": comparison.collision and comparison.collision.error,
        "collision_chance": comparison.collision and comparison.collision.chance,
        "similar": _value(comparison.similar),
        "template": "with",
        "payload": payload,
        "word_distance": comparison.word_distance,
        "word_distance_over": comparison.words_over,
        "a_covered": comparison.a_covered,
        "b_covered": comparison.b_covered,
        "passages": passage_records(comparison.passages),
    }
    if by_shingles := comparison.shingles:
        record |= {
            "shingle_resemblance": _value(by_shingles.resemblance),
            "shingle_a_in_b": _value(by_shingles.a_in_b),
            "shingle_b_in_a": _value(by_shingles.b_in_a),
            "shingle_shared_bytes": by_shingles.shared_bytes,
        }
    return record


def _value(estimate: "Estimate | None") -> float | None:
    return None if estimate is None else estimate.value


def traced_record(traced: "Traced", trace: "Trace", *, scoped: bool, name: Name = surrogate_escaped) -> dict[str, Any]:
    return {
        "path": name(traced.location),
        **({"scope": traced.location.scope} if scoped else {}),
        "share": traced.share,
        "share_of_all": trace.share,
        "passages": passage_records(traced.passages),
    }


LINKS = ("weakest", "most_distant")


def copy_rows(record: Record) -> Iterator[Record]:
    """The rows of a group of identical documents."""
    scopes = record.get("scopes", [None] * len(record["paths"]))
    for at, (path, scope) in enumerate(zip(record["paths"], scopes, strict=True)):
        overhead = None if at else record["overhead"]
        yield {**record, "overhead": overhead, "group": record["paths"][0], "path": path, "scope": scope}


def member_rows(record: Record) -> Iterator[Record]:
    """The rows of a family. `exact` is of the resemblance to the pivot."""
    links: Record = {}
    for key in LINKS:
        link = record.get(key) or {}
        links |= {key: link.get("resemblance")}
        links |= {f"{key}_{what}": link.get(what) for what in ("a", "b", "a_scope", "b_scope", "exact")}
    for at, document in enumerate(record["documents"]):
        yield {**record, **document, **links, "bytes": None if at else record["bytes"]}


def copy_columns(*, scoped: bool) -> list[str]:
    """The columns of a group's rows; a group is named by its first path."""
    fields = IDENTICAL.names()
    fields.remove("paths")
    return ["group", *fields, "path", *(["scope"] if scoped else [])]


def match_columns(*, scoped: bool, tiers: bool = False) -> list[str]:
    return MATCH.names(*conditions(scoped=scoped, tiers=tiers))


def document_columns(*, scoped: bool) -> list[str]:
    return DOCUMENT.names(*conditions(scoped=scoped), *PRESENT)


def change_columns(*, scoped: bool) -> list[str]:
    """What became of a document stands before its path, where it was before behind that."""
    path, *rest = DOCUMENT.names(*conditions(scoped=scoped))
    change, moved_from = CHANGE.names()
    return [change, path, moved_from, *rest]


def member_columns(view: str, *, scoped: bool) -> list[str]:
    """The columns of a family's rows: those of one document stand in the place of the list of documents.

    What else is known of the links comes last. So does `mean_exact`, which JSON has beside the mean.
    """
    family = FAMILY.names(*STORED, view)
    family.remove("mean_exact")
    at = family.index("documents")
    sides = ["a", "b", *(["a_scope", "b_scope"] if scoped else []), "exact"]
    links = [f"{link}_{side}" for link in LINKS if link in family for side in sides]
    members = MEMBER.names(*conditions(scoped=scoped))
    return [*family[:at], *members, *family[at + 1 :], "mean_exact", *links]


MEMBER_PATHS = frozenset({"path", "keep", *(f"{key}_{side}" for key in LINKS for side in "ab")})
