"""Texts of a caller signed as files are: one native call for many of them, on all threads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.engine.threads import in_order, recipe
from nearkin.errors import UsageError
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon

AT_ONCE = 512  # each begins and ends with a turn of Python's lock
BYTES_AT_ONCE = 4 << 20
ROOM = 64 << 20  # bytes of texts that wait for a thread
ANY = 1 << 62  # they are in memory already

Named = tuple[Any, str | bytes]  # extracted; strings of ASCII need no decoding


@dataclass(frozen=True)
class Column:
    """Texts as Arrow holds them, in UTF-8 end to end: read where they are, and no string is made of any."""

    offsets: NDArray[np.int64]  # where each begins, and where the last ends
    data: NDArray[np.uint8]


class Some(NamedTuple):
    """Texts that one call signs."""

    names: Sequence[Any]
    texts: list[str | bytes] | Column


@dataclass(frozen=True)
class SignedTexts:
    """Their names, and each distinct canonical text once, in the order of digests as in a store."""

    names: list[Any]
    contents: _native.TextContents
    holders: NDArray[np.int64]  # numbers of texts, content by content
    starts: NDArray[np.int64]  # where those of each content begin, and where the last end


def sign_texts(texts: Iterable[Some], scheme: Scheme, canon: Canon, *, jobs: int) -> SignedTexts:
    """Taken as they come, some way ahead within a bound: of a text no more is held than its canonical form, and that
    once."""
    names: list[Any] = []
    contents = _native.TextContents()
    how = recipe(scheme, canon, max_size=ANY)
    for some, batch in in_order(partial(_sign, how), texts, jobs=jobs, room=ROOM, weight=_size):
        names += some
        contents.add(batch)
    # All that do not measure bytes weigh alike, by their modulus.
    contents.put_in_order(weighted=scheme.measure == "bytes")
    held = contents.holding
    holders = np.argsort(held, kind="stable")[: np.count_nonzero(held != _native.NOTHING)]
    counts = np.bincount(held[holders], minlength=len(contents.moduli))
    return SignedTexts(names, contents, holders, np.concatenate([[0], np.cumsum(counts)]))


def in_batches(named: Iterable[Named]) -> Iterator[Some]:
    names: list[Any] = []
    texts: list[str | bytes] = []
    size = 0
    for name, text in named:
        names.append(name)
        texts.append(text)
        size += len(text)
        if len(texts) == AT_ONCE or size >= BYTES_AT_ONCE:
            yield Some(names, texts)
            names, texts, size = [], [], 0
    if texts:
        yield Some(names, texts)


def cut(column: Column, first: int) -> Iterator[Some]:
    """Named by their positions, from `first` on."""
    offsets, start, last = column.offsets, 0, len(column.offsets) - 1
    while start < last:
        enough = int(np.searchsorted(offsets, offsets[start] + BYTES_AT_ONCE))
        end = min(last, start + AT_ONCE, max(start + 1, enough))
        yield Some(range(first + start, first + end), Column(offsets[start : end + 1], column.data))
        start = end


def _size(some: Some) -> int:
    texts = some.texts
    return int(texts.offsets[-1] - texts.offsets[0]) if isinstance(texts, Column) else sum(map(len, texts))


def _sign(how: _native.Recipe, some: Some) -> tuple[Sequence[Any], _native.Batch]:
    texts = some.texts
    if not isinstance(texts, Column):
        return some.names, _native.ingest_contents(texts, how)
    try:
        return some.names, _native.ingest_column(texts.offsets, texts.data, how)
    except ValueError:
        raise UsageError(f"A text is UTF-8; the one at {some.names[_first_broken(texts)]} is not.") from None


def _first_broken(column: Column) -> int:
    for at, (begin, end) in enumerate(pairwise(column.offsets.tolist())):
        try:
            column.data[begin:end].tobytes().decode()
        except UnicodeDecodeError:
            return at
    raise AssertionError("all of these texts are UTF-8")
