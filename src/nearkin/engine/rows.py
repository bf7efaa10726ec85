"""Rows of a table signed as files are: one native call for many of them, on any thread."""

from collections.abc import Sequence
from dataclasses import dataclass

from nearkin import _native
from nearkin.engine.reader import columns, decode_others, packed_texts
from nearkin.model import Plain, Readings
from nearkin.read.table import Rows
from nearkin.store.compression import pack_all
from nearkin.text.kind import TextKind

ODD = frozenset({int(TextKind.OTHER), int(TextKind.BINARY)})


@dataclass(frozen=True)
class RowSigner:
    """Of the rows of one table, whose time and owner they have. Texts are told HTML as files are, or are all `html`."""

    how: _native.Recipe
    html: bool
    keep: bool
    mtime: int = 0
    owner: int = 0

    def sign(self, batch: tuple[list[bytes], Rows]) -> Readings:
        """Rows with their paths; those with a fault come last."""
        return self._listed(*batch, self._told(batch[1]))

    def sign_plainly(self, batch: tuple[list[bytes], Rows]) -> Plain | Readings:
        """The same as they are, where nothing has to be done about any of them; their texts are kept."""
        paths, rows = batch
        told, raw = self._told(rows), self.how.raw
        if rows.faults or not (raw or ODD.isdisjoint(told.kinds)):
            return self._listed(paths, rows, told)
        size, packed = sum(told.sizes), packed_texts(told, raw=raw)
        return Plain(paths, size, raw, packed, [told], mtime=self.mtime, owner=self.owner)

    def _told(self, rows: Rows) -> _native.Batch:
        texts = [rows.texts[i] for i in _good(rows)]
        return _native.ingest_bytes(texts, [self.html] * len(texts), self.how)

    def _listed(self, paths: list[bytes], rows: Rows, told: _native.Batch) -> Readings:
        texts = [rows.texts[i] for i in _good(rows)]
        readings = columns(told, [paths[i] for i in _good(rows)], raw=self.how.raw)
        if not self.how.raw:
            hints = [self.html] * len(texts)
            _read_others(readings, told.kinds, texts, hints, self.how, strings=rows.strings)
        if self.keep:
            readings.packed[:] = pack_all(readings.texts)
        for i, fault in rows.faults.items():
            readings.extend(Readings.failed(paths[i], fault.detail, fault.reason))
        readings.mtimes[:] = [self.mtime] * len(readings)
        readings.owners[:] = [self.owner] * len(readings)
        return readings


def _good(rows: Rows) -> Sequence[int]:
    """Those without a fault."""
    return [i for i in range(len(rows)) if i not in rows.faults] if rows.faults else range(len(rows))


def _read_others(
    readings: Readings, kinds: list[int], texts: list[bytes], hints: list[bool], how: _native.Recipe, *, strings: bool
) -> None:
    """Texts in other encodings, as of files; and strings that look like no text, which are text all the same."""
    odd = [i for i, kind in enumerate(kinds) if kind in ODD]
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
