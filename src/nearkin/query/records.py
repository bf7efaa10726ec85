"""Documents, matches, groups and families as records: the fields that JSON, CSV and Arrow tables share.

Where a store has more than one scope a path alone is ambiguous, so records then say the scope too.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import md5
from typing import Any

from nearkin.model import Change, Document, Family, IdenticalGroup, Location, Match, Similar, View, family_id
from nearkin.store.documents import Held
from nearkin.store.families import PastEvent

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
