"""Which files are handed over to workers: those that may be of a format of the table.

A known ending, a known mark, or the beginning of a mail, a mailbox or XML. The kernels ask of every file while they
have its bytes (native/kernels/suspect.hpp), so that plain files cost nothing, and leave those of a known ending to the
worker at once. What begins as a format does is looked at here; a worker decides for good.
"""

import os
from typing import NamedTuple

from nearkin import _native
from nearkin.formats.endings import ENDINGS, has_ending
from nearkin.formats.registry import HEAD, MARKS
from nearkin.text.kind import TextKind

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
    from nearkin.formats.plain_marks import told_by_text  # few files need its many patterns

    return head.startswith(MAGIC) or told_by_text(head, "") is not None


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
