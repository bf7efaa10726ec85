"""S/MIME (RFC 8551 §3.5.2): the content that was signed and lies in the signature's own file (smime.p7m,
letter.pdf.p7m).

    ContentInfo ::= SEQUENCE { type, [0] SignedData }        RFC 5652 §3
    SignedData ::= SEQUENCE { version, digests, SEQUENCE { type, [0] OCTET STRING }, … }        §5

It is BER (X.690 §8): lengths may be unknown until an end mark comes, and strings cut into pieces. Only the way to the
content is walked; who signed, and whether the signature is valid, is not asked.
"""

import binascii
from collections.abc import Iterator

from nearkin.formats.adapter import Problem
from nearkin.model import Reason

SIGNED = bytes.fromhex("2a864886f70d010702")
ENCRYPTED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
NAME, STRING, PIECES, SEQUENCE, INNER = 0x06, 0x04, 0x24, 0x30, 0xA0
DEEPEST = 16  # pieces of pieces


def content(data: bytes) -> bytes:
    """The content; empty where there is nothing but certificates, or a signature of content that lies elsewhere."""
    try:
        return _content(_unarmoured(data))
    except (IndexError, StopIteration, ValueError) as error:
        raise Problem(Reason.CORRUPT, "what was signed cannot be found in its signature") from error


def _unarmoured(data: bytes) -> bytes:
    """The signature without base64, in which some programs write it once more, with or without lines of dashes."""
    start = data[:64].lstrip()
    if not start.startswith((b"M", b"-----BEGIN")):
        return data
    return binascii.a2b_base64(b"".join(line for line in data.splitlines() if not line.startswith(b"-----")))


def _content(data: bytes) -> bytes:
    outer = _within(data, _entered(data, 0, SEQUENCE))
    _, name, end = next(outer)
    if data[name:end] in ENCRYPTED:
        raise Problem(Reason.ENCRYPTED, "the mail's text is encrypted")
    if data[name:end] != SIGNED:
        raise Problem(Reason.UNSUPPORTED, "it is neither signed nor encrypted, but of another sort of S/MIME")
    tag, at, _ = next(outer)
    _expect(tag == INNER)
    parts = _within(data, _entered(data, at, SEQUENCE))
    next(parts)
    next(parts)
    tag, at, end = next(parts)
    _expect(tag == SEQUENCE)
    inner = _within(data, (at, end))
    next(inner)
    for tag, at, end in inner:
        _expect(tag == INNER)
        return b"".join(piece for element in _within(data, (at, end)) for piece in _pieces(data, element, 0))
    return b""


def _pieces(data: bytes, element: tuple[int, int, int | None], depth: int) -> Iterator[bytes]:
    tag, at, end = element
    if tag == STRING and end is not None:
        _expect(end <= len(data))
        yield data[at:end]
        return
    _expect(tag == PIECES and depth < DEEPEST)
    for inner in _within(data, (at, end)):
        yield from _pieces(data, inner, depth + 1)


def _within(data: bytes, place: tuple[int, int | None]) -> Iterator[tuple[int, int, int | None]]:
    """Tag, start and end of each element within another; no end where an end mark follows."""
    at, end = place
    while end is None or at < end:
        tag, start, stop = _head(data, at)
        if end is None and not tag and stop == start:
            return
        yield tag, start, stop
        at = _after(data, start) if stop is None else stop


def _after(data: bytes, at: int) -> int:
    """The place after the end mark of an element whose content begins here."""
    depth = 1
    while depth:
        tag, start, stop = _head(data, at)
        depth += 1 if stop is None else -(not tag and stop == start)
        at = start if stop is None else stop
    return at


def _entered(data: bytes, at: int, expected: int) -> tuple[int, int | None]:
    tag, start, end = _head(data, at)
    _expect(tag == expected)
    return start, end


def _head(data: bytes, at: int) -> tuple[int, int, int | None]:
    tag, size = data[at], data[at + 1]
    _expect(tag & 0x1F != 0x1F and size != 0xFF)
    if size == 0x80:
        return tag, at + 2, None
    start = at + 2 + (size & 0x7F if size > 0x80 else 0)
    length = int.from_bytes(data[at + 2 : start], "big") if size > 0x80 else size
    _expect(start <= len(data))
    return tag, start, start + length


def _expect(right: bool) -> None:
    if not right:
        raise ValueError
