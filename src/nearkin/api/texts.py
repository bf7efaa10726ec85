"""Texts in memory: sign them, measure two, match and group many.

A text is a str, taken as it reads, or bytes, read as a scan reads a file: sniffed, decoded, stripped to what a reader
of a page sees. Either is made canonical as in a scan, unless `raw` is set.

Several texts are a dict, an iterable, or a column of Arrow. What says by Arrow's protocol that it is a column (pyarrow,
polars, pandas, DuckDB) is taken as one: iterating it would give scalars, or the names of columns.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin.api.options import chosen, containment_for, refuse_unmeasurable
from nearkin.engine.texts import Column, Named, Some, cut, in_batches
from nearkin.errors import UsageError
from nearkin.matching.score import cosine_of
from nearkin.scheme import Estimator, Scheme, cannot_contain, keeps_lines, parse_scheme
from nearkin.scheme import sign as sign_canonical
from nearkin.scheme.signature import Signature
from nearkin.settings import DEFAULT_SCHEME, MatchSettings, RunSettings, TextSettings, checked
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.text.kind import Extracted

Text = str | bytes
Texts = Mapping[Any, Text] | Iterable[Text]

EXACT = "exact:window=20"  # two texts at hand are measured, not sampled
IGNORED = TextSettings().ignore
PROTOCOL = ("__arrow_c_stream__", "__arrow_c_array__")  # what columns of Arrow have, whoever made them
AT_ONCE = 256  # texts of a column made plain strings


def sign(text: Text, scheme: str = DEFAULT_SCHEME, *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> Signature:
    """Features of a text and their weights under a scheme."""
    how = parse_scheme(scheme)
    canon = canon_for(raw, ignore, how)
    return dataclasses.replace(sign_canonical(canonical(text, canon) or b"", how), canon=canon.spec)


def resemblance(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of both texts together is in both. None where the samples are too small to tell.

    Under scheme fuzzy the cosine of their term vectors, whether or not they share a code; under si that of exact
    shingles, whether or not their numbers are near.
    """
    how = parse_scheme(scheme)
    return _compared(a, b, how, canon_for(raw, ignore, how), Signature.resemblance, of_nothing=0.0)


def containment(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of `a` is in `b`. None where the samples are too small to tell, or `a` alone is empty."""
    how = parse_scheme(scheme)
    if not how.contains:
        raise UsageError(cannot_contain(how.spec))
    return _compared(a, b, how, canon_for(raw, ignore, how), Signature.containment, of_nothing=None)


def match(
    texts: Texts,
    *,
    threshold: float = 0.7,
    containment: float | None = None,
    scheme: str = DEFAULT_SCHEME,
    min_shared_bytes: int = 0,
    raw: bool = False,
    ignore: Sequence[str] = IGNORED,
    all_copies: bool = True,
    hot: float = MatchSettings().hot,
    jobs: int | None = None,
) -> "pa.Table":
    """All pairs of texts that reach a threshold, strongest first, verified on the texts as in a scan.

    Where more than `hot` texts are nearly the same (under 1: that share of all), each is paired with one of them, not
    with every other. The table's metadata then say so, under `nearkin.partial`.

    Containment is 0.9 unless given, and not looked for by schemes that cannot tell it. `texts` may be a dict, anything
    iterable, or a column of Arrow, polars or pandas; they are named by their keys or their positions. Without
    `all_copies` equal texts are named once: by the first of them, to which the others are then paired. A text without
    a letter or digit is in no pair.
    """
    from nearkin.query.arrow_tables import pair_table
    from nearkin.query.in_memory import Collection

    how = parse_scheme(scheme)
    limits = MatchSettings(
        threshold=threshold,
        containment=containment_for(how, containment),
        floor=threshold,
        min_shared_bytes=min_shared_bytes,
        hot=hot,
    )
    refuse_unmeasurable(how, limits, keep_text=True)
    run = RunSettings() if jobs is None else RunSettings(jobs=jobs)
    canon = canon_for(raw, ignore, how)
    collection = Collection.of(texts_to_sign(texts, "match", raw=raw), how, canon, jobs=run.jobs)
    pairs, unlisted = collection.pairs(how, limits, run, all_copies=all_copies)
    return pair_table(pairs, _plain(collection.texts.names), scheme=how.spec, limits=limits, unlisted=unlisted)


def learn_reference(texts: Texts, scheme: str = "fuzzy", *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> str:
    """The spec of `scheme` with how often words begin with each letter learnt from texts (Stein 2005 §3 step 3)."""
    from nearkin.scheme.fuzzy import Fuzzy

    how = parse_scheme(scheme)
    if not isinstance(how, Fuzzy):
        raise UsageError(f"{how.spec} has no reference to learn; only fuzzy has.")
    items = named_texts(texts, "learn_reference")
    canon = canon_for(raw, ignore, how)
    return how.learnt(canonical(text, canon) or b"" for _, text in items).spec


def families(
    pairs: "pa.Table", *, view: str = "chain", threshold: float = 0.7, containment: float | None = None
) -> "pa.Table":
    """Group what `match` found, in the view chain, pivot or clique. Texts of resemblance 1 count as copies; ids are the
    names of the pivots.

    The table has no `bytes`, as that of `Store.families` has: pairs do not tell how large their texts are.

    Parts are attached at a containment of 0.9 unless another is given. Below the limits that `match` was given not all
    pairs are there: the table's metadata then say so, under `nearkin.partial`.
    """
    from nearkin.model import View
    from nearkin.query.arrow_tables import (
        IN_PIECES,
        family_table,
        marked_partial,
        missing_below,
        refuse_no_pairs,
        scheme_of,
        unlisted_of,
    )
    from nearkin.query.pair_families import families_of_pairs

    refuse_no_pairs(pairs)
    how = chosen(View, view, "view")
    if how is View.GREEDY:
        raise UsageError("The greedy view needs signatures, not pairs; use: Store.families(view='greedy').")
    scheme = parse_scheme(scheme_of(pairs) or EXACT)
    limits = MatchSettings(threshold=threshold, containment=containment_for(scheme, containment), floor=threshold)
    unlisted = unlisted_of(pairs)
    records = families_of_pairs(pairs, limits, scheme, how, unlisted)
    table = family_table(records, name=pairs.schema.field("a").type, stored=False, view=how)
    pieces = [IN_PIECES] if unlisted and how is not View.CLIQUE else []
    return marked_partial(table, [*missing_below(pairs, limits), *pieces])


def _compared(
    a: Text, b: Text, scheme: Scheme, canon: Canon, measure: Callable[..., Any], *, of_nothing: float | None
) -> float | None:
    """A measure of two texts; `of_nothing` is its value where only the first text is empty."""
    if type(a) is type(b) and a == b:
        return 1.0
    first, second = canonical(a, canon), canonical(b, canon)
    if first is None or second is None:
        return None  # unlike bytes without text: nothing can be said
    if first == second:
        return 1.0
    if not first:
        return of_nothing
    if not second:
        return 0.0
    if scheme.measure == "cosine":
        return cosine_of(first, second)
    # Two numbers say nothing of how much: under si the texts do, as in a scan.
    how = parse_scheme(EXACT) if scheme.estimator is Estimator.RANGE else scheme
    estimate = measure(sign_canonical(first, how), sign_canonical(second, how))
    return None if estimate is None else float(estimate.value)


def _spelled(name: str) -> str:
    """A name as UTF-8: bytes that are not UTF-8 are written \\xNN, half a surrogate pair, which is no byte, \\uNNNN."""
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()


def _plain(names: list[Any]) -> list[Any]:
    """Names as an Arrow column can hold them: integers of 64 bits, else UTF-8."""
    kinds = set(map(type, names))
    if kinds != {int} and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        names, kinds = [int(name) for name in names], {int}  # as keys from NumPy or an index of pandas are
    if kinds == {int} and names and min(names) >= -(1 << 63) and max(names) < 1 << 63:
        return names
    plain = [_spelled(str(name)) for name in names]
    if len(set(plain)) < len(plain):
        twice = next(name for name, times in Counter(plain).items() if times > 1)
        raise UsageError(f"Two texts have names that are both written {twice!r}, as 1 and '1' are; name them apart.")
    return plain


def canon_for(raw: bool, ignore: Sequence[str], scheme: Scheme) -> Canon:
    """How texts are made canonical: raw, or without these differences; with lines where the scheme counts them."""
    names = checked("ignore", tuple(ignore) if isinstance(ignore, list) else ignore, tuple[str, ...])
    return Canon.of(TextSettings(raw=raw, ignore=names), lines=keeps_lines(scheme))


def extracted_from(text: Text, raw: bool) -> bytes | None:
    """What a reader of it sees, as UTF-8; None: there is no text in it."""
    return extraction_of(text, raw).text


def extraction_of(text: Text, raw: bool) -> "Extracted":
    """What a reader of it sees, with its kind and encoding."""
    from nearkin.text.kind import Extracted

    if isinstance(text, str):
        # Half a surrogate pair is no character, so it reads as nothing; taken as it is, it is no other string's.
        return Extracted(text.encode("utf-8", "surrogatepass" if raw else "replace"), "text/plain", "utf-8")
    if isinstance(text, bytes):
        from nearkin.engine.single_document import extracted

        return extracted(text, b"", raw=raw)
    raise UsageError(f"A text is a str or bytes, not {type(text).__name__}.")


def data_of(text: Text) -> bytes:
    """The bytes of a file with this text."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def canonical(text: Text, canon: Canon) -> bytes | None:
    """The canonical text; None: there is no text in it."""
    extracted = extracted_from(text, canon.raw)
    return None if extracted is None else canon.apply(extracted)


def named_texts(texts: Texts, function: str) -> Iterator[tuple[Any, Text]]:
    """Texts with their keys, or their positions. A UsageError where these are no texts, or, once it is reached, one is
    none."""
    if isinstance(texts, str | bytes | bytearray | memoryview):
        # One text can be iterated, too: its letters would be taken for texts.
        raise UsageError(f"{function} takes a list, a dict or an iterable of texts, not one text.")
    if isinstance(texts, Mapping):
        return _checked(texts.items())
    if _is_arrow(texts):
        return _checked(enumerate(text for array in _of_arrow(texts, function) for text in _plain_values(array)))
    if not isinstance(texts, Iterable):
        raise UsageError(f"{function} takes a list, a dict or an iterable of texts, not {_kind(texts)}.")
    return _checked(enumerate(texts))


def texts_to_sign(texts: Texts, function: str, *, raw: bool) -> Iterator[Some]:
    """Named texts in batches. Columns of strings are handed over as they are."""
    if not _is_arrow(texts):
        return in_batches(_extracted(named_texts(texts, function), raw))
    return _of_columns(_of_arrow(texts, function), raw)


def _of_columns(arrays: "Iterable[pa.Array]", raw: bool) -> Iterator[Some]:
    first = 0
    for array in arrays:
        if (column := _column(array)) is not None:
            yield from cut(column, first)
        else:
            yield from in_batches(_extracted(_checked(enumerate(_plain_values(array), first)), raw))
        first += len(array)


def _column(array: "pa.Array") -> Column | None:
    """The strings of a column where they lie; None: these are no strings, or some are missing."""
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


def _plain_values(array: "pa.Array") -> Iterator[Any]:
    """Strings of a column, a batch at a time: an array may be as long as all texts together."""
    for start in range(0, len(array), AT_ONCE):
        yield from array.slice(start, AT_ONCE).to_pylist()


def _refuse_no_column(schema: "pa.Schema", function: str) -> None:
    if len(schema.names) != 1:
        there = f"this one has: {', '.join(map(str, schema.names))}" if schema.names else "this one has none"
        raise UsageError(f"{function} takes one column of a table, as table['text']; {there}.")
