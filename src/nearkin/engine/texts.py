"""Texts of a caller signed as files are: one native call for many of them, on all threads."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from nearkin import _native
from nearkin.engine.spread import in_order

AT_ONCE = 256
BYTES_AT_ONCE = 4 << 20
ROOM = 64 << 20  # bytes of texts that wait for a thread

Named = tuple[Any, bytes]


def sign_texts(named: Iterable[Named], how: _native.Recipe, *, jobs: int) -> Iterator[tuple[list[Any], _native.Batch]]:
    """Extracted texts, some at a time, with their names, in their order. Some way ahead is read, within a bound."""
    return in_order(partial(_sign, how), _batches(named), jobs=jobs, room=ROOM, weight=_size)


def _batches(named: Iterable[Named]) -> Iterator[list[Named]]:
    some: list[Named] = []
    size = 0
    for one in named:
        some.append(one)
        size += len(one[1])
        if len(some) == AT_ONCE or size >= BYTES_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _size(named: list[Named]) -> int:
    return sum(len(text) for _, text in named)


def _sign(how: _native.Recipe, named: list[Named]) -> tuple[list[Any], _native.Batch]:
    texts = [text for _, text in named]
    return [name for name, _ in named], _native.ingest_texts(texts, [False] * len(texts), how)
