"""Several texts, as callers may give them: a dict, anything that can be gone through, or a column of Arrow.

What says by Arrow's protocol that it is one (pyarrow, polars, pandas, DuckDB) is taken as that: gone through it would
be scalars, or the names of its columns.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nearkin.api.text import Text, Texts
from nearkin.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

PROTOCOL = ("__arrow_c_stream__", "__arrow_c_array__")
AT_ONCE = 256


def named_texts(texts: Texts, function: str) -> Iterator[tuple[Any, Text]]:
    """With their keys, or their positions. UsageError: these are no texts, or, when it comes to it, one is none."""
    if isinstance(texts, str | bytes | bytearray | memoryview):
        # One text can be gone through too: its letters would be taken for texts.
        raise UsageError(f"{function} takes a list, a dict or an iterable of texts, not one text.")
    if isinstance(texts, Mapping):
        return _checked(texts.items())
    if any(hasattr(texts, name) for name in PROTOCOL):
        return _checked(enumerate(_of_arrow(texts, function)))
    if not isinstance(texts, Iterable):
        raise UsageError(f"{function} takes a list, a dict or an iterable of texts, not {_kind(texts)}.")
    return _checked(enumerate(texts))


def _checked(named: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Text]]:
    for name, text in named:
        if isinstance(text, str | bytes):
            yield name, text
        elif isinstance(plain := text.as_py() if hasattr(text, "as_py") else text, str | bytes):  # a scalar of Arrow
            yield name, plain
        else:
            raise UsageError(f"A text is a str or bytes; the one at {name!r} is {_kind(plain)}.")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _of_arrow(texts: Any, function: str) -> Iterator[Any]:
    import pyarrow as pa

    if isinstance(texts, pa.RecordBatchReader):  # may be longer than memory
        _refuse_no_column(texts.schema, function)
        return _plain(batch.column(0) for batch in texts)
    try:
        column = pa.chunked_array(texts if hasattr(texts, PROTOCOL[0]) else [pa.array(texts)])
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"{function} cannot read this {_kind(texts)} as a column of texts: {error}.") from error
    if pa.types.is_struct(column.type):
        _refuse_no_column(pa.schema(list(column.type)), function)
        column = pa.chunked_array([chunk.field(0) for chunk in column.chunks], column.type.field(0).type)
    return _plain(column.chunks)


def _plain(arrays: "Iterable[pa.Array]") -> Iterator[Any]:
    """Some at a time: an array may be all there is."""
    for array in arrays:
        for start in range(0, len(array), AT_ONCE):
            yield from array.slice(start, AT_ONCE).to_pylist()


def _refuse_no_column(schema: "pa.Schema", function: str) -> None:
    if len(schema.names) != 1:
        there = f"this one has: {', '.join(map(str, schema.names))}" if schema.names else "this one has none"
        raise UsageError(f"{function} takes one column of a table, as table['text']; {there}.")
