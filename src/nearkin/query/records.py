"""Documents, matches, groups and families as records: the fields that JSON, CSV and Arrow tables share.

Where a store has more than one scope a path alone is ambiguous, so records then say the scope too.

A comparison and a trace as records: the fields that JSON, CSV and Arrow tables share.

Records of groups as rows of CSV, one a document.

What a whole group takes stands on its first row only, so that a column of it adds up to what all groups take.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import md5
from typing import TYPE_CHECKING, Any

from nearkin.matching.passages import Passage
from nearkin.model import Change, Document, Family, IdenticalGroup, Location, Match, Similar, View, family_id
from nearkin.query.arrow_tables import marked_partial
from nearkin.query.comparison import Comparison
from nearkin.query.trace import Trace, Traced
from nearkin.scheme import Estimate
from nearkin.store.documents import Held
from nearkin.store.families import PastEvent

if TYPE_CHECKING:
    import pyarrow as pa

Record = dict[str, Any]
Name = Callable[[Location], str]


def surrogate_escaped(location: Location) -> str:
    """As Python names files: bytes that are not UTF-8 become lone surrogates."""
    return location.name


def backslashed(location: Location) -> str:
    """Bytes that are not UTF-8 as \\xNN, for whatever holds UTF-8 only."""
    return location.path.decode("utf-8", "backslashreplace")


def match_record(match: Match, *, scoped: bool, name: Name = surrogate_escaped, tiers: bool = False) -> Record:
    """With their tiers where identical documents are among them."""
    scopes = {"a_scope": match.a.scope, "b_scope": match.b.scope} if scoped else {}
    return {
        "a": name(match.a),
        "b": name(match.b),
        **scopes,
        **({"tier": match.tier} if tiers else {}),
        "resemblance": match.resemblance,
        "a_in_b": match.a_in_b,
        "b_in_a": match.b_in_a,
        "payload": match.payload,
        "shared_bytes": match.shared_bytes,
        "exact": match.exact,
        "low": match.low,
        "high": match.high,
        "verdict": match.verdict,
        "template": match.template,
        "payload_exact": match.payload_exact,
        "payload_low": match.payload_low,
        "payload_high": match.payload_high,
    }


def similar_record(similar: Similar, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    return {
        "path": name(similar.location),
        **({"scope": similar.location.scope} if scoped else {}),
        "tier": similar.tier,
        "resemblance": similar.resemblance,
        "query_in_doc": similar.query_in_doc,
        "doc_in_query": similar.doc_in_query,
        "exact": similar.exact,
        "low": similar.low,
        "high": similar.high,
        "template": similar.template,
    }


def identical_record(group: IdenticalGroup, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    scopes = {"scopes": [location.scope for location in group.documents]} if scoped else {}
    return {
        "tier": group.tier,
        "size": group.size,
        "overhead": group.overhead,
        "paths": [name(location) for location in group.documents],
        **scopes,
    }


def family_record(family: Family, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    def place(key: str, location: Location) -> Record:
        scope = {"scope" if key == "path" else f"{key}_scope": location.scope} if scoped else {}
        return {key: name(location), **scope}

    weakest = None
    if family.weakest:
        link = family.weakest
        weakest = {**place("a", link.a), **place("b", link.b), "resemblance": link.resemblance, "exact": link.exact}
    distant = None
    if family.most_distant:
        link = family.most_distant
        distant = {**place("a", link.a), **place("b", link.b), "resemblance": link.resemblance, "exact": link.exact}
    return {
        "id": family.id,
        "kind": str(family.kind),
        "view": family.view,
        "documents": [
            {
                **place("path", member.location),
                "pivot": member.pivot,
                "to_pivot": member.to_pivot,
                "role": str(member.role),
                "exact": member.exact,
            }
            for member in family.documents
        ],
        "links": family.links,
        "weakest": weakest,
        "mean_resemblance": family.mean_resemblance,
        "mean_exact": family.mean_exact,
        "bytes": family.bytes,
        "verdict": family.verdict,
        **(place("keep", family.keep) if family.keep else {"keep": None, **({"keep_scope": None} if scoped else {})}),
        "template": family.template,
        "reason": family.reason,
        **({"evaluated": family.evaluated} if family.view == View.CLIQUE else {}),
        **({"most_distant": distant} if family.view == View.CHAIN else {}),
    }


def event_record(event: PastEvent, *, name: Name = surrogate_escaped) -> Record:
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
    return {
        "path": name(document.location),
        **({"scope": document.location.scope} if scoped else {}),
        "size": document.size,
        "modified": _moment(document.mtime_ns),
        "media": document.media,
        "encoding": document.encoding,
        "digest": document.digest or None,
        "reason": document.reason,
        "detail": document.detail,
        "parent": None if document.parent is None else name(document.parent),
        "owner": document.owner,
        "custodian": document.custodian,
        "properties": document.properties,
        **legacy_digests(document),
    }


def legacy_digests(document: Document) -> Record:
    """Of the bytes, where a scan was asked for them; and of a mail the EDRM message identification hash, MD5 of its
    Message-ID without the angle brackets. They are for lists that others keep: nothing here is decided by them."""
    message = document.properties.get("message-id", "").strip().removeprefix("<").removesuffix(">").strip()
    hashed = md5(message.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest() if message else None
    return {"legacy_md5": document.md5, "legacy_sha1": document.sha1, "edrm_message_hash": hashed}


def change_record(change: Change, *, scoped: bool, name: Name = surrogate_escaped) -> Record:
    document = document_record(change.document, scoped=scoped, name=name)
    for only_now in ("parent", "owner", "custodian", "properties", "legacy_md5", "legacy_sha1", "edrm_message_hash"):
        del document[only_now]
    moved_from = None if change.moved_from is None else name(change.moved_from)
    return {"change": change.what, "path": document.pop("path"), "moved_from": moved_from, **document}


def new_record(held: Held, *, name: Name = surrogate_escaped) -> Record:
    """With its scope always: it was asked for by that."""
    return {"path": name(held.location), "scope": held.location.scope, "size": held.size}


def _moment(nanoseconds: int) -> str | None:
    if not nanoseconds:  # a member whose container does not say
        return None
    try:
        return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).isoformat()
    except (OverflowError, ValueError, OSError):  # a file system can hold years that a calendar cannot
        return None


def passage_records(passages: Iterable[Passage]) -> list[dict[str, int]]:
    return [asdict(one) for one in passages]


def comparison_record(
    a: str, b: str, a_size: int, b_size: int, found: Comparison, spec: str, payload: float | None
) -> dict[str, Any]:
    record = {
        "a": a,
        "b": b,
        "resemblance": _value(found.resemblance),
        "a_in_b": _value(found.a_in_b),
        "b_in_a": _value(found.b_in_a),
        "cosine": _value(found.cosine),
        "relation": found.relation,
        "relation_details": list(found.details),
        "tier": found.tier,
        "shared_bytes": found.shared_bytes,
        "a_size": a_size,
        "b_size": b_size,
        "scheme": spec,
        "exact": found.resemblance.exact if found.resemblance else None,
        "low": found.resemblance and found.resemblance.low,
        "high": found.resemblance and found.resemblance.high,
        "collision_error": found.collision and found.collision.error,
        "collision_chance": found.collision and found.collision.chance,
        "similar": _value(found.similar),
        "template": "with",
        "payload": payload,
        "word_distance": found.word_distance,
        "word_distance_over": found.words_over,
        "a_covered": found.a_covered,
        "b_covered": found.b_covered,
        "passages": passage_records(found.passages),
    }
    if beside := found.shingles:
        record |= {
            "shingle_resemblance": _value(beside.resemblance),
            "shingle_a_in_b": _value(beside.a_in_b),
            "shingle_b_in_a": _value(beside.b_in_a),
            "shingle_shared_bytes": beside.shared_bytes,
        }
    return record


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def traced_record(traced: Traced, trace: Trace, *, scoped: bool, name: Name = surrogate_escaped) -> dict[str, Any]:
    return {
        "path": name(traced.location),
        **({"scope": traced.location.scope} if scoped else {}),
        "share": traced.share,
        "share_of_all": trace.share,
        "passages": passage_records(traced.passages),
    }


def traced_table(trace: Trace, *, scoped: bool) -> "pa.Table":
    import pyarrow as pa

    place = pa.struct([(field, pa.int64()) for field in ("a_start", "a_end", "b_start", "b_end")])
    schema = pa.schema(
        [
            ("path", pa.string()),
            *([("scope", pa.string())] if scoped else []),
            ("share", pa.float64()),
            ("share_of_all", pa.float64()),
            ("passages", pa.list_(place)),
        ]
    )
    records = [traced_record(one, trace, scoped=scoped, name=backslashed) for one in trace.documents]
    return marked_partial(pa.Table.from_pylist(records, schema=schema), [f"Incomplete: {one}." for one in trace.unseen])


MATCH = ["resemblance", "a_in_b", "b_in_a", "payload", "shared_bytes", "exact", "low", "high", "verdict", "template"]
MATCH += ["payload_exact", "payload_low", "payload_high"]
LINKS = ("weakest", "most_distant")


def copy_rows(record: Record) -> Iterator[Record]:
    """Of identical documents."""
    scopes = record.get("scopes", [None] * len(record["paths"]))
    for at, (path, scope) in enumerate(zip(record["paths"], scopes, strict=True)):
        overhead = None if at else record["overhead"]
        yield {**record, "overhead": overhead, "group": record["paths"][0], "path": path, "scope": scope}


def member_rows(record: Record) -> Iterator[Record]:
    """Of a family. `exact` is of the resemblance to the pivot."""
    links: Record = {}
    for key in LINKS:
        link = record.get(key) or {}
        links |= {key: link.get("resemblance")}
        links |= {f"{key}_{what}": link.get(what) for what in ("a", "b", "a_scope", "b_scope", "exact")}
    for at, document in enumerate(record["documents"]):
        yield {**record, **document, **links, "bytes": None if at else record["bytes"]}


def member_columns(view: str, *, scoped: bool) -> list[str]:
    own = ["path", *(["scope"] if scoped else []), "pivot", "to_pivot", "role", "exact"]
    of_view = {"chain": ["most_distant"], "clique": ["evaluated"]}.get(view, [])
    of_all = ["links", "weakest", "mean_resemblance", "bytes", "verdict", "keep", "template", "reason", *of_view]
    links = [key for key in LINKS if key == "weakest" or view == "chain"]
    sides = ["a", "b", *(["a_scope", "b_scope"] if scoped else []), "exact"]
    return ["id", "kind", "view", *own, *of_all, "mean_exact", *(f"{key}_{side}" for key in links for side in sides)]


MEMBER_PATHS = frozenset({"path", "keep", *(f"{key}_{side}" for key in LINKS for side in "ab")})
