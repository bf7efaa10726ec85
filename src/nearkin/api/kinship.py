"""Tables and rows of what families mean: who derives from whom, who holds what, which folders hold the same."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nearkin.query.records import Record

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER_COUNTS = ("documents", "same", "near", "only")


def lineage_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    """The documents of a family, sources before what derives from them."""
    import pyarrow as pa

    scopes = [("scope", pa.string()), ("source_scope", pa.string())] if scoped else []
    columns = [
        ("path", pa.string()),
        ("source", pa.string()),
        *scopes,
        ("depth", pa.int64()),
        ("date", pa.string()),
        ("date_from", pa.string()),
        ("new", pa.int64()),
        ("lost", pa.int64()),
        ("exact", pa.bool_()),
        ("new_margin", pa.int64()),
        ("lost_margin", pa.int64()),
        ("same_words", pa.bool_()),
        ("copies", pa.list_(pa.string())),
        ("nearer", pa.string()),
        ("beyond", pa.bool_()),
    ]
    return pa.Table.from_pylist(records, schema=pa.schema(columns))


def custodian_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    """One row a custodian, with a list of the documents."""
    import pyarrow as pa

    text = pa.string()
    scopes = [("scope", text)] if scoped else []
    document = pa.struct(
        [("path", text), *scopes, ("tier", text), ("resemblance", pa.float64()), ("exact", pa.bool_())]
    )
    columns = [("custodian", text), ("known_by", text), ("count", pa.int64()), ("bytes", pa.int64())]
    return pa.Table.from_pylist(records, schema=pa.schema([*columns, ("documents", pa.list_(document))]))


def holding_rows(record: Record) -> Iterator[Record]:
    """Rows of CSV of a custodian, one a document."""
    for document in record["documents"]:
        yield {**record, **document}


def folder_columns(*, scoped: bool) -> list[str]:
    """Columns of a pair of folders."""
    columns: list[str] = []
    for side in ("a", "b"):
        columns += [side, *([f"{side}_scope"] if scoped else []), *(f"{side}_{what}" for what in FOLDER_COUNTS)]
    return [*columns, "b_in_a", "a_in_b"]


def folder_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    """One row a pair of folders."""
    import pyarrow as pa

    columns: list[tuple[str, pa.DataType]] = []
    for side in ("a", "b"):
        columns += [(side, pa.string()), *([(f"{side}_scope", pa.string())] if scoped else [])]
        columns += [(f"{side}_{what}", pa.int64()) for what in FOLDER_COUNTS]
    columns += [("b_in_a", pa.float64()), ("a_in_b", pa.float64())]
    return pa.Table.from_pylist(records, schema=pa.schema(columns))
