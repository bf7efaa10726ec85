"""Records of groups as rows of CSV, one a document.

What a whole group takes stands on its first row only, so that a column of it adds up to what all groups take.
"""

from collections.abc import Iterator

from nearkin.query.records import Record

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
