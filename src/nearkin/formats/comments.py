"""Comments on cells of Excel files: old ones, and threads, which are written once more as old ones for old programs.

Of xlsb the old ones are records: a number and a size of seven bits a byte, then the data ([MS-XLSB] §2.1.4). A
comment's text is one of them, a byte of flags before it and its length.
"""

from collections.abc import Iterator

from nearkin.formats.ooxml import Relation, add_drawn_text
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import without
from nearkin.formats.zip_parts import Parts

OF_THREAD = "tc="  # how the authors of such copies are named ([MS-XLSX] §2.1.15)
TEXT_RECORD = 637


def add_comments(parts: Parts, kin: list[Relation], prose: Prose) -> None:
    threads = [relation.target for relation in kin if relation.type == "threadedComment"]
    for part in threads:
        add_drawn_text(parts, part, prose)
    told = bool(threads) and not any(map(parts.lacks, threads))  # else their copies say it
    for part in (relation.target for relation in kin if relation.type == "comments"):
        if not parts.there(part):
            continue
        with parts.spared(part, prose.mark()):
            if part.lower().endswith(".bin"):
                for text in _texts(parts.data(part)):
                    prose.line(text)
            else:
                _add_old(parts, part, prose, _copies(parts, part) if told else set())
        prose.end()


def _add_old(parts: Parts, part: str, prose: Prose, copies: set[str]) -> None:
    in_run = 0
    others = without(parts.events(part), lambda event, _: event.name == "comment" and event.get("authorId") in copies)
    for event in others:
        if event.kind == "text":
            prose.add(event.name if in_run else "")
        elif event.name == "t":
            in_run += 1 if event.kind == "start" else -1
        elif event.kind == "end" and event.name == "text":
            prose.end()


def _copies(parts: Parts, part: str) -> set[str]:
    """Numbers of the authors whose comments are copies of threads."""
    found: set[str] = set()
    number, fresh = -1, False
    for event in parts.events(part):
        if event.kind == "text":
            if fresh and event.name.startswith(OF_THREAD):
                found.add(str(number))
            fresh = False
        elif event.kind == "start" and event.name == "author":
            number, fresh = number + 1, True
        elif event.kind == "end" and event.name == "authors":
            break
    return found


def _texts(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        size, at = _number(data, at, 4)
        if kind == TEXT_RECORD:
            length = int.from_bytes(data[at + 1 : at + 5], "little")
            yield data[at + 5 : at + min(5 + 2 * length, size)].decode("utf-16-le", "replace")
        at += size


def _number(data: bytes, at: int, longest: int) -> tuple[int, int]:
    value = 0
    for place in range(longest):
        byte = data[at] if at < len(data) else 0
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return value, at
