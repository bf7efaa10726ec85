"""Rows of .parquet, read page by page: a row group may be as large as the file.

The metadata of a column chunk (`RowGroupMetaData.column`) is never asked for: where one bit of it is wrong, PyArrow
(26 and before) ends the process. PyArrow reports all other damage as an error. It is imported in the functions that
need it, since loading it takes longer than a small scan.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from nearkin.model import Reason
from nearkin.read.table import (
    BYTES_AT_ONCE,
    ROWS_AT_ONCE,
    BrokenTableError,
    Columns,
    Fault,
    Rows,
    TableKind,
    name_of,
    too_large,
)
from nearkin.read.walk import explain

if TYPE_CHECKING:
    import pyarrow as pa

BUFFER = 1 << 20  # bytes of a column read at once


def column_names(path: bytes, compression: str | None = None) -> list[str]:
    with _opened(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def parquet_count(path: bytes) -> int:
    """The number of rows, from the file's footer."""
    with _opened(path) as file:
        return int(file.metadata.num_rows)


def rows(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Rows]:
    import pyarrow as pa

    wanted = [columns.text] if columns.id in (None, columns.text) else [columns.text, columns.id]
    first = 1
    with _opened(path) as file:
        try:
            for group in range(file.num_row_groups):
                batches = file.iter_batches(
                    _batch_size(file.metadata.row_group(group)), row_groups=[group], columns=wanted, use_threads=False
                )
                for batch in batches:
                    yield _rows(batch, first, columns, longest)
                    first += batch.num_rows
        except (
            pa.ArrowException,
            OSError,
            ValueError,
            OverflowError,
        ) as error:  # ids that are no dates raise these too
            raise BrokenTableError(f"the file is damaged after row {first - 1:,}: {_brief(error)}") from error


def _opened(path: bytes) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if not os.stat(path).st_size:  # noqa: PTH116
            raise BrokenTableError("there is nothing in it", Reason.EMPTY)
        return pq.ParquetFile(os.fsdecode(path), buffer_size=BUFFER, pre_buffer=False, memory_map=False)
    except (pa.ArrowException, UnicodeDecodeError) as error:  # names of columns raise the latter
        raise BrokenTableError(f"no Parquet: {_brief(error)}") from error
    except OSError as error:
        raise BrokenTableError(explain(error), Reason.UNREADABLE) from error


def _brief(error: Exception) -> str:
    return str(error).splitlines()[0][:200].rstrip(".") if str(error) else "unknown"


def _batch_size(group: Any) -> int:
    """How many rows fit into a batch: some tables hold books, some lines."""
    return max(1, min(ROWS_AT_ONCE, BYTES_AT_ONCE * int(group.num_rows) // max(1, int(group.total_byte_size))))


def _rows(batch: "pa.RecordBatch", first: int, columns: Columns, longest: int) -> Rows:
    texts, strings = _texts(batch.column(batch.schema.names.index(columns.text)), columns.text)
    if columns.id is None:
        names: list[str | None] = [None] * batch.num_rows
    else:
        names = [name_of(value) for value in _as_bytes(batch.column(batch.schema.names.index(columns.id))).to_pylist()]
    sizes = [len(text) for text in texts if type(text) is bytes]
    if len(sizes) == len(texts) and max(sizes, default=0) <= longest:  # nearly always
        plain = cast(list[bytes], texts)
        return Rows([*range(first, first + len(plain))], names, plain, strings=strings, size=sum(sizes))
    batch_rows = Rows(strings=strings)
    for at, (name, text) in enumerate(zip(names, texts, strict=True)):
        size = 0 if isinstance(text, Fault) else len(text)
        batch_rows.add(first + at, name, text if size <= longest else too_large(size, longest))
    return batch_rows


def _texts(column: "pa.Array", name: str) -> tuple[list[bytes | Fault], bool]:
    """The texts as bytes, without a detour over str; and whether the column holds strings."""
    import pyarrow as pa

    column = _plain(column)
    strings = _is_string(column.type)
    binary = any(
        is_it(column.type) for is_it in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    )
    null = Fault(Reason.EMPTY, f"column {name!r} is null")
    if not strings and not binary:
        no_text = Fault(Reason.UNSUPPORTED, f"column {name!r} is of type {column.type}, not text")
        return [no_text if valid else null for valid in column.is_valid().to_pylist()], True
    return [null if value is None else value for value in _as_bytes(column).to_pylist()], strings


def _as_bytes(column: "pa.Array") -> "pa.Array":
    """A column of strings as bytes: they may hold bytes that are no UTF-8."""
    import pyarrow as pa

    column = _plain(column)
    return column.cast(pa.large_binary()) if _is_string(column.type) else column


def _plain(column: "pa.Array") -> "pa.Array":
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _is_string(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return any(is_it(kind) for is_it in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
