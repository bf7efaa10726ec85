"""Names that end as a format's do: a hint that is asked for every file, so a cheap one."""

from nearkin.formats.registry import FORMATS
from nearkin.text.kind import TextKind

UNKNOWN = "none/3"  # reader of what was looked at and is of no format; the number is raised when more are known
UNSEEN = "none/0"  # of what was written to since it was looked at: the next scan looks
# Who has looked at what the kernels have read: of text that needs no reader, nobody.
READERS: dict[int, str | None] = {
    **dict.fromkeys(TextKind),
    TextKind.BINARY: UNKNOWN,
    TextKind.UNREAD: UNKNOWN,
}
ENDINGS = frozenset(ending.encode() for form in FORMATS for ending in form.extensions)


def has_ending(name: bytes) -> bool:
    dot = name.rfind(b".", -6)
    return dot >= 0 and name[dot:].lower() in ENDINGS
