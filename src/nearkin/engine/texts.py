"""Texts of a caller signed as files are: one native call for many of them, on all threads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.engine.recipe import recipe
from nearkin.engine.spread import in_order
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon

AT_ONCE = 512  # each begins and ends with a turn of Python's lock
BYTES_AT_ONCE = 4 << 20
ROOM = 64 << 20  # bytes of texts that wait for a thread
ANY = 1 << 62  # they are in memory already

Named = tuple[Any, str | bytes]  # extracted; strings of ASCII need no decoding


@dataclass(frozen=True)
class SignedTexts:
    """Their names, and each distinct canonical text once, in the order of digests as in a store."""

    names: list[Any]
    contents: _native.TextContents
    holders: NDArray[np.int64]  # numbers of texts, content by content
    starts: NDArray[np.int64]  # where those of each content begin, and where the last end


def sign_texts(named: Iterable[Named], scheme: Scheme, canon: Canon, *, jobs: int) -> SignedTexts:
    """Taken as they come, some way ahead within a bound: of a text no more is held than its canonical form, and that
    once."""
    names: list[Any] = []
    contents = _native.TextContents()
    how = recipe(scheme, canon, max_size=ANY)
    for some, batch in in_order(partial(_sign, how), _batches(named), jobs=jobs, room=ROOM, weight=_size):
        names += some
        contents.add(batch)
    # All that do not measure bytes weigh alike, by their modulus.
    contents.put_in_order(weighted=scheme.measure == "bytes", threads=jobs)
    held = contents.holding
    holders = np.argsort(held, kind="stable")[: np.count_nonzero(held != _native.NOTHING)]
    counts = np.bincount(held[holders], minlength=len(contents.moduli))
    return SignedTexts(names, contents, holders, np.concatenate([[0], np.cumsum(counts)]))


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
    return [name for name, _ in named], _native.ingest_contents([text for _, text in named], how)
