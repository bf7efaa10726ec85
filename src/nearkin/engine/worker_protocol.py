"""What goes through the pipes between nearkin and its workers.

    frame: length of the header (u32), length of the body (u64), header (JSON), body (bytes)

Never pickles: what comes back was made beside a hostile document, and reading it must not run anything.
"""

import json
import struct
from collections.abc import Callable
from typing import Any

Header = dict[str, Any]
LENGTHS = struct.Struct("<IQ")
LONGEST_HEADER = 16 << 20


class BrokenFrameError(Exception):
    """It is not what a worker sends, or more than it may."""


def packed(header: Header, body: bytes) -> list[bytes]:
    """As pieces, so that a long body is not copied."""
    head = json.dumps(header).encode()
    return [LENGTHS.pack(len(head), len(body)) + head, body]


def unpack_from(take: Callable[[int], bytes], *, longest: int) -> tuple[Header, bytes] | None:
    """One frame; `take` gives exactly so many bytes, or fewer at the end. None: the end."""
    lengths = take(LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < LENGTHS.size:
        raise EOFError
    head, body = LENGTHS.unpack(lengths)
    if head > LONGEST_HEADER or body > longest:
        raise BrokenFrameError(f"{body:,} bytes at once, over the limit of {longest:,}")
    start, rest = take(head), take(body)
    if len(start) < head or len(rest) < body:
        raise EOFError
    try:
        header = json.loads(start.decode())  # of bytes the encoding would be guessed
    except ValueError as error:
        raise BrokenFrameError("no frame") from error
    if not isinstance(header, dict):
        raise BrokenFrameError("no frame")
    return header, rest
