"""Several texts, as callers may give them: a dict, anything that can be gone through, or a column of Arrow.

What says by Arrow's protocol that it is one (pyarrow, polars, pandas, DuckDB) is taken as that: gone through it would
be scalars, or the names of its columns.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin.api.text import Text, Texts, extracted_from
from nearkin.engine.texts import Column, Named, Some, cut, in_batches
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
    if _is_arrow(texts):
        return _checked(enumerate(text for array in _of_arrow(texts, function) for text in _plain(array)))
    if not isinstance(texts, Iterable):
        raise UsageError(f"{function} takes a list, a dict or an iterable of texts, not {_kind(texts)}.")
    return _checked(enumerate(texts))


def texts_to_sign(texts: Texts, function: str, *, raw: bool) -> Iterator[Some]:
    """The same, some at a time. Columns of strings are handed over as they are."""
    if not _is_arrow(texts):
        return in_batches(_extracted(named_texts(texts, function), raw))
    return _of_columns(_of_arrow(texts, function), raw)


def _of_columns(arrays: "Iterable[pa.Array]", raw: bool) -> Iterator[Some]:
    first = 0
    for array in arrays:
        if (column := _column(array)) is not None:
            yield from cut(column, first)
        else:
            yield from in_batches(_extracted(_checked(enumerate(_plain(array), first)), raw))
        first += len(array)


def _column(array: "pa.Array") -> Column | None:
    """None: these are no strings, or some are missing."""
    import pyarrow as pa

    wide = pa.types.is_large_string(array.type)
    if not (wide or pa.types.is_string(array.type)) or array.null_count or not len(array):
        return None
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int64 if wide else np.int32)[array.offset : array.offset + len(array) + 1]
    return Column(places.astype(np.int64), np.frombuffer(data or b"", np.uint8))


def _extracted(named: Iterable[tuple[Any, Text]], raw: bool) -> Iterator[Named]:
    # A string of ASCII is read where it is: of 200 MB, copies took a tenth of the time.
    for name, text in named:
        yield name, text if type(text) is str and text.isascii() else extracted_from(text, raw) or b""


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


def _is_arrow(texts: object) -> bool:
    return any(hasattr(texts, name) for name in PROTOCOL)


def _of_arrow(texts: Any, function: str) -> "Iterator[pa.Array]":
    import pyarrow as pa

    if isinstance(texts, pa.RecordBatchReader):  # may be longer than memory
        _refuse_no_column(texts.schema, function)
        return (batch.column(0) for batch in texts)
    try:
        column = pa.chunked_array(texts if hasattr(texts, PROTOCOL[0]) else [pa.array(texts)])
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"{function} cannot read this {_kind(texts)} as a column of texts: {error}.") from error
    if pa.types.is_struct(column.type):
        _refuse_no_column(pa.schema(list(column.type)), function)
        column = pa.chunked_array([chunk.field(0) for chunk in column.chunks], column.type.field(0).type)
    return iter(column.chunks)


def _plain(array: "pa.Array") -> Iterator[Any]:
    """Some at a time: an array may be all there is."""
    for start in range(0, len(array), AT_ONCE):
        yield from array.slice(start, AT_ONCE).to_pylist()


def _refuse_no_column(schema: "pa.Schema", function: str) -> None:
    if len(schema.names) != 1:
        there = f"this one has: {', '.join(map(str, schema.names))}" if schema.names else "this one has none"
        raise UsageError(f"{function} takes one column of a table, as table['text']; {there}.")
