"""Which contents of a store hold a stretch of a text, of at least so many bytes.

Signatures with all the shingles of a text (short documents under `exact` and `mod`) answer by themselves: a stretch as
long as the window is in both, or no shingle is. A sample may miss it: at modulus 64 a stretch of 100 bytes has 81
shingles and escapes 28 times in 100. So the kept texts of all other contents are rolled through, a batch at a time:
every window of theirs is looked up among those of the text. What is found is verified by whoever asked.
"""

import sqlite3
from collections.abc import Iterator

from nearkin import _native
from nearkin.matching.distinct import distinct
from nearkin.matching.feature_index import FeatureIndex
from nearkin.scheme import Scheme, sign
from nearkin.scheme.mod import Exact, Mod
from nearkin.scheme.shingler import ALL_BITS
from nearkin.store.contents import Contents, present_contents, texts_of
from nearkin.store.signatures import moduli_of
from nearkin.text.canon import Canon

AT_ONCE = 256  # texts


def told_by_features(scheme: Scheme, least: int) -> bool:
    """Whether signatures of modulus 1 hold every stretch of so many bytes."""
    if not isinstance(scheme, Mod | Exact):
        return False
    how = scheme.shingler
    return how.unit == "byte" and not how.label and how.bits == ALL_BITS and how.window <= least


def sharing(index: FeatureIndex, text: bytes, scheme: Scheme) -> set[int]:
    """Contents with a stored feature of a text, at whatever modulus."""
    features = sign(text, scheme.unsampled if isinstance(scheme, Mod) else scheme).features
    _, contents = index.lists(distinct(features))
    return set(contents.tolist())


def to_be_read(
    connection: sqlite3.Connection, scheme: Scheme, scheme_id: int, shared: set[int] | None, *, quick: bool
) -> list[int]:
    """Contents whose text decides, by digest; `shared`: which have a feature, None where features tell nothing."""
    contents: Contents = present_contents(connection, scheme_id)
    if shared is None:
        return contents.numbers
    sampled = moduli_of(connection, scheme_id, contents) > 1
    return [
        content
        for content, unsure in zip(contents.numbers, sampled.tolist(), strict=True)
        if content in shared or (unsure and not quick)
    ]


def texts_holding(
    connection: sqlite3.Connection, contents: list[int], text: bytes, canon: Canon, *, window: int, threads: int
) -> Iterator[tuple[int, bytes]]:
    """Each content that very likely holds a window of the text, with its extracted text."""
    for start in range(0, len(contents), AT_ONCE):
        batch = list(texts_of(connection, contents[start : start + AT_ONCE]))
        batch.sort()
        made = canon.apply_all([extracted for _, extracted in batch], threads=threads)
        found = _native.holding(text, made, window=window, threads=threads)
        yield from (one for one, there in zip(batch, found, strict=True) if there)
