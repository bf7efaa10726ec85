"""Records as Arrow tables."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.settings import MatchSettings

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.matching.match_columns import MatchColumns
    from nearkin.model import View
    from nearkin.query.records import Record


SCHEME = b"nearkin.scheme"  # in a table's metadata: how its numbers were measured
LIMITS = b"nearkin.limits"  # likewise: JSON, the threshold, containment and floor that its pairs reach
PARTIAL = b"nearkin.partial"  # likewise: why these may not be all
UNLISTED = b"nearkin.unlisted"  # likewise: JSON, the texts not all of whose pairs are listed
HIGHER = "Match again with a higher hot."
IN_PIECES = f"Incomplete: not all pairs of very many similar texts were listed, so a family may be split. {HIGHER}"
AUDIT_COLUMNS = ("at", "by", "action", "subject", "before", "after")
PAIR_COLUMNS = ("a", "b", "resemblance", "a_in_b", "b_in_a", "payload", "shared_bytes", "exact", "low", "high")


def match_table(records: "list[Record]", *, scoped: bool = False, tiers: bool = False) -> "pa.Table":
    import pyarrow as pa

    return _table(records, _of_matches(pa.string(), scoped=scoped, tiers=tiers))


def pair_table(
    pairs: "MatchColumns", names: list[Any], *, scheme: str, limits: MatchSettings, unlisted: NDArray[np.int64]
) -> "pa.Table":
    """Of texts in memory, whose rows have these names; they have neither verdicts nor templates. Negative shared bytes
    are not known. `unlisted`: rows of texts not all of whose pairs are here."""
    import pyarrow as pa

    shares = ("resemblance", "a_in_b", "b_in_a", "payload", "low", "high")
    columns: dict[str, Any] = {name: _lent(getattr(pairs, name), ~np.isnan(getattr(pairs, name))) for name in shares}
    if set(map(type, names)) <= {int}:  # pyarrow.compute, which takes, is long to import
        numbers = np.array(names, np.int64)
        columns |= {name: _lent(numbers[getattr(pairs, name)]) for name in ("a", "b")}
    else:
        named = pa.array(names, pa.string())
        columns |= {name: named.take(pa.array(getattr(pairs, name))) for name in ("a", "b")}
    columns |= {"verdict": pa.nulls(len(pairs), pa.string()), "template": pa.repeat("with", len(pairs))}
    unsaid = {"payload_exact": pa.bool_(), "payload_low": pa.float64(), "payload_high": pa.float64()}
    columns |= {name: pa.nulls(len(pairs), kind) for name, kind in unsaid.items()}  # there are no families yet
    columns |= {"exact": _lent(pairs.exact), "shared_bytes": _lent(pairs.shared_bytes, pairs.shared_bytes >= 0)}
    reached = {name: getattr(limits, name) for name in ("threshold", "containment", "floor")}
    about = {SCHEME: scheme, LIMITS: json.dumps(reached)}
    table = pa.Table.from_pydict(columns, pa.schema(_of_matches(columns["a"].type), metadata=about))
    if not len(unlisted):
        return table
    told = {**table.schema.metadata, UNLISTED: json.dumps([names[row] for row in unlisted.tolist()])}
    sentence = (
        f"Incomplete: very many texts are alike, and not all pairs of {len(unlisted):,} texts are listed. {HIGHER}"
    )
    return marked_partial(table.replace_schema_metadata(told), [sentence])


def _lent(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> "pa.Array":
    """A column of Arrow's on the same memory; `pa.array` imports numpy.ma, which takes as long as all of these."""
    import pyarrow as pa

    def bits(which: NDArray[np.bool_]) -> "pa.Buffer":
        return pa.py_buffer(np.packbits(which, bitorder="little"))

    there = None if known is None or known.all() else bits(known)
    held = bits(values) if values.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [there, held])


def _of_matches(name: "pa.DataType", *, scoped: bool = False, tiers: bool = False) -> list[tuple[str, Any]]:
    import pyarrow as pa

    return [
        ("a", name),
        ("b", name),
        *([("a_scope", pa.string()), ("b_scope", pa.string())] if scoped else []),
        *([("tier", pa.string())] if tiers else []),
        ("resemblance", pa.float64()),
        ("a_in_b", pa.float64()),
        ("b_in_a", pa.float64()),
        ("payload", pa.float64()),
        ("shared_bytes", pa.int64()),
        ("exact", pa.bool_()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("verdict", pa.string()),
        ("template", pa.string()),
        ("payload_exact", pa.bool_()),
        ("payload_low", pa.float64()),
        ("payload_high", pa.float64()),
    ]


def similar_table(records: "list[Record]", *, scoped: bool) -> "pa.Table":
    import pyarrow as pa

    shares = ("resemblance", "query_in_doc", "doc_in_query")
    return _table(
        records,
        [
            ("path", pa.string()),
            *([("scope", pa.string())] if scoped else []),
            ("tier", pa.string()),
            *((key, pa.float64()) for key in shares),
            ("exact", pa.bool_()),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("template", pa.string()),
        ],
    )


def refuse_no_pairs(table: object) -> None:
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        raise UsageError(f"families takes the table that match gives, not {type(table).__name__}.")
    for name in PAIR_COLUMNS:
        if name not in table.column_names:
            raise UsageError(f"families takes the table that match gives; this one has no column {name!r}.")


def unlisted_of(table: "pa.Table") -> frozenset[Any]:
    """Names of the texts not all of whose pairs are in the table."""
    return frozenset(json.loads((table.schema.metadata or {}).get(UNLISTED, b"[]")))


def missing_below(table: "pa.Table", asked: MatchSettings) -> list[str]:
    """Why families at these limits may not be all; a table from elsewhere does not say down to where it goes."""
    limits = json.loads((table.schema.metadata or {}).get(LIMITS, b"{}"))
    lower = [name for name in ("threshold", "containment") if getattr(asked, name) < limits.get(name, 0.0)]
    return [
        f"Incomplete below a {name} of {limits[name]:g}: no pairs were listed there. Match again with {name}="
        f"{getattr(asked, name):g}."
        for name in lower
    ]


def scheme_of(table: "pa.Table") -> str | None:
    """None where the table was made or changed elsewhere."""
    spec = (table.schema.metadata or {}).get(SCHEME)
    return None if spec is None else bytes(spec).decode()


def identical_table(records: "list[Record]", *, scoped: bool) -> "pa.Table":
    import pyarrow as pa

    scopes = [("scopes", pa.list_(pa.string()))] if scoped else []
    return _table(
        records,
        [
            ("tier", pa.string()),
            ("size", pa.int64()),
            ("overhead", pa.int64()),
            ("paths", pa.list_(pa.string())),
            *scopes,
        ],
    )


def family_table(
    records: "list[Record]",
    *,
    scoped: bool = False,
    name: "pa.DataType | None" = None,
    sizes: bool = True,
    view: "View | None" = None,
) -> "pa.Table":
    """Of chains unless another view is named. Without sizes for families of texts that have none; their ids are the
    names of their pivots, and how far a chain reaches is not measured. Resemblances to the pivot that are not exact are
    estimates, or unknown."""
    import pyarrow as pa

    from nearkin.model import View

    view = view or View.CHAIN
    named = name or pa.string()

    def place(key: str, scope: str) -> list[tuple[str, Any]]:
        return [(key, named), *([(scope, pa.string())] if scoped else [])]

    shown = [("pivot", pa.bool_()), ("to_pivot", pa.float64()), ("role", pa.string()), ("exact", pa.bool_())]
    document = pa.struct([*place("path", "scope"), *shown])
    link = pa.struct(
        [*place("a", "a_scope"), *place("b", "b_scope"), ("resemblance", pa.float64()), ("exact", pa.bool_())]
    )
    return _table(
        records,
        [
            ("id", pa.string() if sizes else named),
            ("kind", pa.string()),
            ("view", pa.string()),
            ("documents", pa.list_(document)),
            ("links", pa.int64()),
            ("weakest", link),
            ("mean_resemblance", pa.float64()),
            ("mean_exact", pa.bool_()),
            *([("bytes", pa.int64()), ("verdict", pa.string()), *place("keep", "keep_scope")] if sizes else []),
            *([("template", pa.string()), ("reason", pa.string())] if sizes else []),
            *([("evaluated", pa.bool_())] if view is View.CLIQUE else []),
            *([("most_distant", link)] if sizes and view is View.CHAIN else []),
        ],
    )


def keep_table(rows: Sequence[Any]) -> "pa.Table":
    """Rows of a plan; names that are not UTF-8 with \\xNN."""
    from dataclasses import fields

    import pyarrow as pa

    strings = ("tier", "kept_path", "kept_scope", "kept_root", "kept_sha256")
    passage = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("text", pa.string())])
    names = ("path", "root", "kept_path", "kept_root")
    # asdict copies what lies in them, too: of 44,000 rows 1.7 s instead of 1.1.
    records = [{one.name: getattr(row, one.name) for one in fields(row)} for row in rows]
    for record in records:
        record |= {
            name: record[name].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names
        }
    return _table(
        records,
        [
            *((key, pa.string()) for key in ("group", "kind", "action", "path", "scope", "root")),
            ("size", pa.int64()),
            ("sha256", pa.string()),
            *((key, pa.string()) for key in strings),
            ("characters", pa.int64()),
            ("contained", pa.float64()),
            ("missing", pa.int64()),
            ("residue", pa.int64()),
            ("passages", pa.list_(passage)),
            ("why", pa.string()),
            ("respaced", pa.int64()),
        ],
    )


def verdict_table(records: "list[Record]") -> "pa.Table":
    import pyarrow as pa

    strings = ("keep", "by", "note", "at")
    return _table(
        records,
        [
            ("id", pa.int64()),
            *((key, pa.string()) for key in ("about", "verdict", "family")),
            ("paths", pa.list_(pa.string())),
            *((key, pa.string()) for key in strings),
        ],
    )


def template_table(records: "list[Record]") -> "pa.Table":
    import pyarrow as pa

    return _table(
        records,
        [
            ("id", pa.int64()),
            *((key, pa.string()) for key in ("name", "source")),
            ("tolerance", pa.float64()),
            *((key, pa.int64()) for key in ("documents", "shingles", "passages")),
            *((key, pa.string()) for key in ("excerpt", "by", "note", "at")),
        ],
    )


def suggestion_table(records: "list[Record]") -> "pa.Table":
    import pyarrow as pa

    return _table(
        records,
        [
            *((key, pa.int64()) for key in ("suggestion", "documents", "shingles", "families_changed")),
            ("families", pa.list_(pa.string())),
            ("passages", pa.int64()),
            ("excerpt", pa.string()),
        ],
    )


def audit_table(records: "list[Record]") -> "pa.Table":
    """What was before and after as JSON: it differs from action to action."""
    import pyarrow as pa

    return _table(records, [("id", pa.int64()), *((key, pa.string()) for key in AUDIT_COLUMNS)])


DOCUMENT_COLUMNS = ("parent", "owner", "custodian", "legacy_md5", "legacy_sha1", "edrm_message_hash")


def document_table(records: "list[Record]", *, scoped: bool, changes: bool = False) -> "pa.Table":
    """With what a scan found of each, where it was asked for changes."""
    import pyarrow as pa

    strings = ("media", "encoding", "digest", "reason", "detail")
    return _table(
        records,
        [
            *([("change", pa.string())] if changes else []),
            ("path", pa.string()),
            *([("moved_from", pa.string())] if changes else []),
            *([("scope", pa.string())] if scoped else []),
            ("size", pa.int64()),
            ("modified", pa.string()),
            *((key, pa.string()) for key in strings),
            *([] if changes else [(key, pa.string()) for key in DOCUMENT_COLUMNS]),
            *([] if changes else [("properties", pa.map_(pa.string(), pa.string()))]),
        ],
    )


def new_table(records: "list[Record]") -> "pa.Table":
    import pyarrow as pa

    return _table(records, [("path", pa.string()), ("scope", pa.string()), ("size", pa.int64())])


def event_table(records: "list[Record]") -> "pa.Table":
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    columns = [("at", text), ("run", number), ("what", text), ("family", text), ("other", text), ("documents", number)]
    return _table(records, [*columns, ("path", text)])


def _table(
    records: "list[Record]", columns: list[tuple[str, Any]], metadata: dict[bytes, str] | None = None
) -> "pa.Table":
    import pyarrow as pa

    return pa.Table.from_pylist(records, schema=pa.schema(columns, metadata=metadata))


def marked_partial(table: "pa.Table", sentences: Sequence[str]) -> "pa.Table":
    """For programs, which hear no notes."""
    if not sentences:
        return table
    return table.replace_schema_metadata({**(table.schema.metadata or {}), PARTIAL: " ".join(sentences)})
