"""Records as Arrow tables. The columns of documents, matches and families are those that nearkin.model declares.

pyarrow is imported where a table is made: it takes longer to import than most commands take that need none.
"""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.model import CHANGE, DOCUMENT, FAMILY, IDENTICAL, LINK, MATCH, MEMBER, PRESENT, SIMILAR, STORED, View
from nearkin.query.records import Record, backslashed, change_columns, conditions, traced_record
from nearkin.record import Field
from nearkin.settings import MatchSettings

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.matching.match_columns import MatchColumns
    from nearkin.query.trace import Trace


SCHEME = b"nearkin.scheme"  # in a table's metadata: how its numbers were measured
LIMITS = b"nearkin.limits"  # likewise: JSON, the threshold, containment and floor that its pairs reach
PARTIAL = b"nearkin.partial"  # likewise: why these may not be all
UNLISTED = b"nearkin.unlisted"  # likewise: JSON, the texts not all of whose pairs are listed
HIGHER = "Match again with a higher hot."
IN_PIECES = f"Incomplete: not all pairs of very many similar texts were listed, so a family may be split. {HIGHER}"
AUDIT_COLUMNS = ("at", "by", "action", "subject", "before", "after")
PAIR_COLUMNS = [field.name for field in MATCH.listed() if field.sql]  # of a match that are measured


def arrow_columns(
    fields: Iterable[Field],
    *,
    scoped: bool = False,
    name: "pa.DataType | None" = None,
    id_type: "pa.DataType | None" = None,
) -> list[tuple[str, Any]]:
    """Columns of Arrow for fields of a record. Documents are named by strings unless `name` says otherwise, families
    unless `id_type` does."""
    import pyarrow as pa

    named = name or pa.string()
    types = {
        "path": named,
        "name": id_type or pa.string(),
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<string>": pa.list_(pa.string()),
        "list<path>": pa.list_(named),
        "map<string, string>": pa.map_(pa.string(), pa.string()),
    }

    def type_of(arrow: str) -> Any:
        match arrow:
            case "Link":
                return pa.struct(arrow_columns(LINK.listed(*conditions(scoped=scoped)), name=name))
            case "list<Member>":
                return pa.list_(pa.struct(arrow_columns(MEMBER.listed(*conditions(scoped=scoped)), name=name)))
            case _:
                return types[arrow]

    return [(field.listed or field.name, type_of(field.arrow)) for field in fields]


def match_table(records: list[Record], *, scoped: bool = False, tiers: bool = False) -> "pa.Table":
    return _table(records, arrow_columns(MATCH.listed(*conditions(scoped=scoped, tiers=tiers))))


def pair_table(
    pairs: "MatchColumns", names: list[Any], *, scheme: str, limits: MatchSettings, unlisted: NDArray[np.int64]
) -> "pa.Table":
    """Pairs of texts in memory, whose rows have these names; they have neither verdicts nor templates.

    Negative shared bytes are not known. `unlisted`: rows of texts not all of whose pairs are here.
    """
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for field in MATCH.listed():
        if field.name in ("a", "b"):
            continue
        if field.dtype:
            values = getattr(pairs, field.name)
            known = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0 if values.dtype.kind == "i" else None
            columns[field.name] = _lent(values, known)
        else:  # there are neither verdicts nor families yet
            ((_, kind),) = arrow_columns([field])
            columns[field.name] = pa.nulls(len(pairs), kind)
    columns["template"] = pa.repeat("with", len(pairs))
    if set(map(type, names)) <= {int}:  # pyarrow.compute, which takes, is long to import
        numbers = np.array(names, np.int64)
        columns |= {name: _lent(numbers[getattr(pairs, name)]) for name in ("a", "b")}
    else:
        named = pa.array(names, pa.string())
        columns |= {name: named.take(pa.array(getattr(pairs, name))) for name in ("a", "b")}
    reached = {name: getattr(limits, name) for name in ("threshold", "containment", "floor")}
    about = {SCHEME: scheme, LIMITS: json.dumps(reached)}
    schema = pa.schema(arrow_columns(MATCH.listed(), name=columns["a"].type), metadata=about)
    table = pa.Table.from_pydict(columns, schema)
    if not len(unlisted):
        return table
    metadata = {**table.schema.metadata, UNLISTED: json.dumps([names[row] for row in unlisted.tolist()])}
    sentence = (
        f"Incomplete: very many texts are alike, and not all pairs of {len(unlisted):,} texts are listed. {HIGHER}"
    )
    return marked_partial(table.replace_schema_metadata(metadata), [sentence])


def _lent(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> "pa.Array":
    """Make a column of Arrow on the same memory; `pa.array` imports numpy.ma, which takes as long as all of these."""
    import pyarrow as pa

    def bits(which: NDArray[np.bool_]) -> "pa.Buffer":
        return pa.py_buffer(np.packbits(which, bitorder="little"))

    valid = None if known is None or known.all() else bits(known)
    data = bits(values) if values.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [valid, data])


def similar_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    return _table(records, arrow_columns(SIMILAR.listed(*conditions(scoped=scoped))))


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


def identical_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    return _table(records, arrow_columns(IDENTICAL.listed(*conditions(scoped=scoped))))


def family_table(
    records: list[Record],
    *,
    scoped: bool = False,
    name: "pa.DataType | None" = None,
    stored: bool = True,
    view: View = View.CHAIN,
) -> "pa.Table":
    """Families of a store, or of texts in memory where `stored` is false. These have no sizes, their ids are the names
    of their pivots, and how far a chain reaches is not measured. Resemblances to the pivot that are not exact are
    estimates, or unknown."""
    fields = FAMILY.listed(*conditions(scoped=scoped), *(STORED if stored else ()), view)
    return _table(records, arrow_columns(fields, scoped=scoped, name=name, id_type=None if stored else name))


def keep_table(rows: Sequence[Any]) -> "pa.Table":
    """Rows of a plan; names that are not UTF-8 with \\xNN."""
    from dataclasses import fields

    import pyarrow as pa

    strings = ("tier", "kept_path", "kept_scope", "kept_root", "kept_sha256")
    passage = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("text", pa.string())])
    names = ("path", "root", "kept_path", "kept_root")
    # asdict copies what lies in them, too: of 44,000 rows 1.7 s instead of 1.1.
    records = [{field.name: getattr(row, field.name) for field in fields(row)} for row in rows]
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


def verdict_table(records: list[Record]) -> "pa.Table":
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


def template_table(records: list[Record]) -> "pa.Table":
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


def suggestion_table(records: list[Record]) -> "pa.Table":
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


def audit_table(records: list[Record]) -> "pa.Table":
    """What was before and after as JSON: it differs from action to action."""
    import pyarrow as pa

    return _table(records, [("id", pa.int64()), *((key, pa.string()) for key in AUDIT_COLUMNS)])


def document_table(records: list[Record], *, scoped: bool, changes: bool = False) -> "pa.Table":
    """With what a scan found of each, where it was asked for changes."""
    if changes:
        fields = {field.listed or field.name: field for field in (*CHANGE.fields, *DOCUMENT.fields) if field.arrow}
        return _table(records, arrow_columns(fields[name] for name in change_columns(scoped=scoped)))
    columns = arrow_columns(DOCUMENT.listed(*conditions(scoped=scoped), *PRESENT))
    # Properties come last: tables had them there before digests of others were listed.
    return _table(records, sorted(columns, key=lambda column: column[0] == "properties"))


def new_table(records: list[Record]) -> "pa.Table":
    import pyarrow as pa

    return _table(records, [("path", pa.string()), ("scope", pa.string()), ("size", pa.int64())])


def event_table(records: list[Record]) -> "pa.Table":
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    columns = [("at", text), ("run", number), ("what", text), ("family", text), ("other", text), ("documents", number)]
    return _table(records, [*columns, ("path", text)])


def traced_table(trace: "Trace", *, scoped: bool) -> "pa.Table":
    import pyarrow as pa

    passage = pa.struct([(place, pa.int64()) for place in ("a_start", "a_end", "b_start", "b_end")])
    records = [traced_record(traced, trace, scoped=scoped, name=backslashed) for traced in trace.documents]
    table = _table(
        records,
        [
            ("path", pa.string()),
            *([("scope", pa.string())] if scoped else []),
            ("share", pa.float64()),
            ("share_of_all", pa.float64()),
            ("passages", pa.list_(passage)),
        ],
    )
    return marked_partial(table, [f"Incomplete: {reason}." for reason in trace.unseen])


def _table(records: list[Record], columns: list[tuple[str, Any]]) -> "pa.Table":
    import pyarrow as pa

    return pa.Table.from_pylist(records, schema=pa.schema(columns))


def marked_partial(table: "pa.Table", sentences: Sequence[str]) -> "pa.Table":
    """Say in the table's metadata why it may lack rows, for programs, which do not read notes."""
    if not sentences:
        return table
    return table.replace_schema_metadata({**(table.schema.metadata or {}), PARTIAL: " ".join(sentences)})
