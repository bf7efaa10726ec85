"""Texts of a caller signed as files are: one native call for many of them, on all threads."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from nearkin import _native
from nearkin.engine.spread import in_order

AT_ONCE = 256


def sign_texts(
    named: Iterable[tuple[Any, bytes]], how: _native.Recipe, *, jobs: int
) -> Iterator[tuple[list[Any], _native.Batch]]:
    """Extracted texts, some at a time, with their names, in their order; read no further ahead than needed."""
    return in_order(partial(_sign, how), _batches(named), jobs=jobs)


def _batches(named: Iterable[tuple[Any, bytes]]) -> Iterator[list[tuple[Any, bytes]]]:
    rest = iter(named)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _sign(how: _native.Recipe, named: list[tuple[Any, bytes]]) -> tuple[list[Any], _native.Batch]:
    texts = [text for _, text in named]
    return [name for name, _ in named], _native.ingest_texts(texts, [False] * len(texts), how)
