"""Rows of a table signed as files are: one native call for many of them, on any thread."""

from nearkin import _native
from nearkin.engine.reader import columns, decode_others
from nearkin.model import Readings
from nearkin.read.table import Rows
from nearkin.store.packing import pack_all
from nearkin.text.kind import TextKind


def sign_rows(
    batch: tuple[list[bytes], Rows], *, how: _native.Recipe, html: bool, keep: bool, mtime: int, owner: int
) -> Readings:
    """Rows with their paths; those with a fault come last. Texts are told HTML as files are, or are all `html`."""
    paths, rows = batch
    good = [i for i in range(len(rows)) if i not in rows.faults] if rows.faults else range(len(rows))
    texts = [rows.texts[i] for i in good]
    hints = [html] * len(texts)
    named = [paths[i] for i in good]
    told = _native.ingest_bytes(texts, hints, how)
    readings = columns(told, named, raw=how.raw)
    if not how.raw:
        _read_others(readings, told.kinds, texts, hints, how, strings=rows.strings)
    if keep:
        readings.packed[:] = pack_all(readings.texts)
    for i, fault in rows.faults.items():
        readings.extend(Readings.failed(paths[i], fault.detail, fault.reason))
    readings.mtimes[:] = [mtime] * len(readings)
    readings.owners[:] = [owner] * len(readings)
    return readings


def _read_others(
    readings: Readings, kinds: list[int], texts: list[bytes], hints: list[bool], how: _native.Recipe, *, strings: bool
) -> None:
    """Texts in other encodings, as of files; and strings that look like no text, which are text all the same."""
    odd = [i for i, kind in enumerate(kinds) if kind in (TextKind.OTHER, TextKind.BINARY)]
    as_they_are = [i for i in odd if strings and _is_utf8(texts[i])]
    if as_they_are:
        taken = columns(
            _native.ingest_texts([texts[i] for i in as_they_are], [hints[i] for i in as_they_are], how),
            [readings.paths[i] for i in as_they_are],
            raw=False,
        )
        readings.replace(as_they_are, taken)
    others = [i for i in odd if kinds[i] == TextKind.OTHER and i not in set(as_they_are)]
    if others:
        decode_others(readings, others, [hints[i] for i in others], how)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
