"""One batch of files after the other, read on any thread: what is plain stays as the kernels left it, for a store that
takes it so, everything else becomes rows.

Texts in other encodings are decoded here, and files that may be of a format of the table are handed over to workers.

Which files are handed over to workers: those that may be of a format of the table.

A known ending, a known mark, or the beginning of a mail, a mailbox or XML. The kernels ask of every file while they
have its bytes (native/kernels/suspect.hpp), so that plain files cost nothing, and leave those of a known ending to the
worker at once. What begins as a format does is looked at here; a worker decides for good.

MD5 and SHA-1 of the bytes: for lists that others keep. Broken both, they decide nothing here; SHA-256 does.

Only where asked for: they would make a scan of plain files slower by what docs/decisions/023-workers.md says.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nearkin import _native, environment
from nearkin.formats.registry import ENDINGS, HEAD, MARKS, READERS, has_ending
from nearkin.model import Plain, Readings, Reason
from nearkin.settings import WalkSettings
from nearkin.store.compression import EMPTY, pack_all, pack_places
from nearkin.text.digest import legacy_digests
from nearkin.text.html import fill_property_json
from nearkin.text.kind import ENCODINGS, EXTRACTORS, MEDIA, TextKind, is_page, named_html, plain_text

HTML = int(TextKind.HTML)
MAGIC = tuple(mark for mark, _ in MARKS)
SUSPECTS = _native.Suspects(endings=sorted(ENDINGS), marks=[*MAGIC])


class HandedOver(NamedTuple):
    """A file that a worker is to look at, as the kernels found it."""

    path: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    owner: int
    digest: bytes | None


def is_suspect(kind: int, name: bytes, head: bytes) -> bool:
    """`head`: of what is no text its first bytes, of texts the text's."""
    if has_ending(name):
        return True
    if kind == HTML or not head:
        return False
    from nearkin.formats.detect import format_of_text  # few files need its many patterns

    return head.startswith(MAGIC) or format_of_text(head, "") is not None


def head_of(path: bytes) -> bytes:
    """Empty where it cannot be read: then it is handed over by its name only, and the worker says why."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, HEAD)
    except OSError:
        return b""
    finally:
        os.close(file)


BINARY = int(TextKind.BINARY)  # members of an enumeration are slow to compare
TIMES = 8  # bytes of memory for each byte of a large document; 4 to 5 were measured, of one of 200 MB
ALWAYS = WalkSettings().max_size  # is read on any machine


def largest_document() -> int:
    """In bytes. One that is compared with others takes some times its size in memory, whatever --memory says; better it
    fails alone than that the system ends the scan."""
    return max(ALWAYS, environment.memory() // TIMES)


@dataclass
class Read:
    """What became of some paths."""

    found: list[Plain | Readings]
    left: list[bytes]  # for another batch: large files
    handed_over: list[HandedOver]


class Reader:
    """Reads batches of files, on any thread."""

    def __init__(
        self, root: bytes, how: _native.Recipe, *, keep: bool, hands_over: bool, legacy: bool, once: bool
    ) -> None:
        self.root, self.how, self.keep, self.legacy = root, how, keep, legacy
        self.hands_over = hands_over and not how.raw
        self._met: set[bytes | None] = set()  # bytes whose texts were compressed
        self._copies = _native.Copies() if once else None

    def read(self, paths: list[bytes], turn: int) -> Read:
        batch = self._batch(paths, turn)
        done = len(batch)
        found, handed_over = self._listed(batch, paths[:done])
        return Read([found], paths[done:], handed_over)

    def read_plainly(self, paths: list[bytes], turn: int) -> Read:
        batch = self._batch(paths, turn)
        done = len(batch)
        raw = self.how.raw
        apart = _native.rows_apart(batch, raw)
        others = _native.chosen_rows(batch, apart) if apart else None
        left_out = {*apart}
        plain = [path for i, path in enumerate(paths[:done]) if i not in left_out] if apart else paths[:done]
        size = sum(batch.sizes) - (sum(others.sizes) if others else 0)
        read: list[Plain | Readings] = [Plain(plain, size, raw, packed_texts(batch, raw=raw), [batch])]
        if others is None:
            return Read(read, paths[done:], [])
        found, handed_over = self._listed(others, [paths[i] for i in apart])
        return Read([*read, found], paths[done:], handed_over)

    def _batch(self, paths: list[bytes], turn: int) -> _native.Batch:
        suspects = SUSPECTS if self.hands_over else None
        return _native.ingest_files(self.root + b"/", paths, self.how, suspects, self._copies, turn)

    def _listed(self, batch: _native.Batch, paths: list[bytes]) -> tuple[Readings, list[HandedOver]]:
        """Row by row, without stores of nearkin; and which files are for workers."""
        root, how = self.root, self.how
        readings = columns(batch, paths, raw=how.raw)
        stores = {*batch.stores}  # of nearkin: no documents
        for i, reason in enumerate(readings.reasons):
            if reason is Reason.TOO_LARGE:
                ours = (
                    f": this machine has memory for {TIMES} times as much" if how.max_size == largest_document() else ""
                )
                readings.details[i] = f"{readings.sizes[i]:,} bytes, over the limit of {how.max_size:,}{ours}"
        kinds = batch.kinds
        suspects = set[int]()
        if self.hands_over:
            suspects = {*batch.named, *_looked_at(root, readings, kinds, batch.marked)}
        others = [i for i, kind in enumerate(kinds) if kind == TextKind.OTHER and not how.raw and i not in suspects]
        if others:
            decode_others(readings, others, [named_html(paths[i]) for i in others], how)
        if self.keep:
            _pack(readings, self._met, {*suspects, *stores, *batch.copies})
        handed_over = []
        if suspects | stores:
            stamps = zip(
                readings.paths, readings.sizes, readings.mtimes, readings.ctimes, readings.inodes, readings.owners,
                readings.digests,
                strict=True,
            )  # fmt: skip
            handed_over = [HandedOver(*stamp) for i, stamp in enumerate(stamps) if i in suspects]
            readings.stores += [paths[i] for i in sorted(stores)]
            readings = readings.without(suspects | stores)
        if self.legacy:
            add_legacy_digests(readings, root)
        return readings, handed_over


def packed_texts(batch: _native.Batch, *, raw: bool) -> _native.Packed:
    """Of what is plain; the texts themselves are let go of. What pages say of themselves is told, too."""
    fill_property_json(batch)
    places = _native.text_places(batch, raw)
    packed = _native.packed(batch, raw, pack_places(batch.lend_texts(), places), EMPTY)
    batch.drop_texts()
    return packed


def _looked_at(root: bytes, readings: Readings, kinds: list[int], marked: list[int]) -> Iterator[int]:
    """Those that are suspects indeed."""
    for i in marked:
        path = readings.paths[i]
        head = head_of(root + b"/" + path) if kinds[i] == BINARY else readings.texts[i][:HEAD]
        if is_suspect(kinds[i], path, head):
            yield i


def _pack(readings: Readings, met: set[bytes | None], others: set[int]) -> None:
    """Compress the texts of bytes not met before, but for other rows. Two threads may meet the same at once: then both
    do it."""
    new = [
        i
        for i, content in enumerate(readings.contents)
        if content is not None and readings.digests[i] not in met and i not in others
    ]
    met.update(readings.digests[i] for i in new)
    for i, packed in zip(new, pack_all([readings.texts[i] for i in new]), strict=True):
        readings.packed[i] = packed


def columns(batch: _native.Batch, paths: list[bytes], *, raw: bool) -> Readings:
    kinds, errors = batch.kinds, batch.errors
    fill_property_json(batch)
    failed = any(errors)
    nothing: list[None] = [None] * len(paths)
    return Readings(
        paths=paths,
        sizes=batch.sizes,
        mtimes=batch.mtimes,
        ctimes=batch.ctimes,
        inodes=batch.inodes,
        owners=batch.owners,
        media=[MEDIA[kind] for kind in kinds],
        encodings=[ENCODINGS[kind] for kind in kinds],
        digests=batch.digests,
        reasons=[_reason(number) for number in errors] if failed else [*nothing],
        details=[os.strerror(number).lower() if number else None for number in errors] if failed else [*nothing],
        extractors=["raw"] * len(paths) if raw else [EXTRACTORS[kind] for kind in kinds],
        readers=[None if raw else READERS[kind] for kind in kinds],
        properties=_native.property_json(batch),
        md5=[*nothing],
        sha1=[*nothing],
        texts=batch.take_texts(),
        packed=[*nothing],
        characters=batch.characters,
        contents=batch.contents,
        lengths=batch.lengths,
        moduli=batch.moduli,
        features=[*batch.features],
        weights=[*(batch.weights or nothing)],
        batches=[batch],
    )


def listed(plain: Plain) -> Readings:
    """For whoever can no longer store it as it is. Texts are there compressed, and no longer otherwise."""
    (batch,) = plain.batches
    packed = [*plain.packed]
    if apart := {*_native.rows_apart(batch, plain.raw)}:
        rows = [i for i in range(len(batch)) if i not in apart]
        batch, packed = _native.chosen_rows(batch, rows), [packed[i] for i in rows]
    readings = columns(batch, plain.paths, raw=plain.raw)
    readings.packed[:] = packed
    if plain.mtime is not None and plain.owner is not None:
        readings.mtimes[:] = [plain.mtime] * len(readings)
        readings.owners[:] = [plain.owner] * len(readings)
    return readings


def _reason(number: int) -> Reason | None:
    if number == 0:
        return None
    return Reason.TOO_LARGE if number == errno.EFBIG else Reason.UNREADABLE


def decode_others(readings: Readings, others: list[int], hints: list[bool], how: _native.Recipe) -> None:
    """Fill in the rows whose bytes were not UTF-8; each with whether its name is a page's."""
    from nearkin.text.decode import decode  # most folders have none

    decoded = [
        decode(data, html=hint or data[:64].lstrip().startswith(b"<"))
        for data, hint in zip([readings.texts[i] for i in others], hints, strict=True)
    ]
    texts = [one.text.encode("utf-8") for one in decoded]
    html = [is_page(text, named_html=hint) for text, hint in zip(texts, hints, strict=True)]
    texts = [text if page else plain_text(text) for page, text in zip(html, texts, strict=True)]
    signed = columns(_native.ingest_texts(texts, html, how), [readings.paths[i] for i in others], raw=False)
    signed.encodings[:] = [one.encoding for one in decoded]
    readings.replace(others, signed)


def add_legacy_digests(readings: Readings, root: bytes) -> None:
    """Of files that were just read, and so are still at hand; not of one that has changed since."""
    for i, (path, digest) in enumerate(zip(readings.paths, readings.digests, strict=True)):
        if digest is None:
            continue
        try:
            with open(root + b"/" + path, "rb") as file:
                data = file.read()
        except OSError:
            continue
        if _native.sha256(data) == digest:
            readings.md5[i], readings.sha1[i] = legacy_digests(data)
