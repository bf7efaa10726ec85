"""Signing again what a scan did not read but must compare, from the kept texts.

Texts made canonical in another way, and contents signed by another scheme or format, are stale: they are made anew,
never compared as they are.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from nearkin.engine import scan_files
from nearkin.engine.threads import in_order
from nearkin.errors import UsageError
from nearkin.scheme import Scheme
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import lengths_of, other_canons, texts_of, unsigned_contents
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import Renewed, in_parts, is_any_other, renewable, renewed_before
from nearkin.store.text_writer import SignatureRow
from nearkin.text.canon import Canon

Of = TypeVar("Of")
Result = TypeVar("Result")


def refuse_other_canons(connection: sqlite3.Connection, canon: Canon, *, scope: int, below: tuple[bytes, ...]) -> None:
    """Refuse, before anything is read, to make a store whose documents cannot all be compared."""
    if number := other_canons(connection, canon.spec, scope, below):
        raise UsageError(
            f"{number:,} documents of this store were read with other text settings and cannot be compared with these;"
            " scan them in the same way, or use another --store."
        )


@dataclass(frozen=True)
class StaleContents:
    """Makes stale contents anew, some texts at a time, on threads, and writes them as files are written: a kill loses
    what is in flight, and the next scan goes on."""

    writer: Writer
    scheme: Scheme
    canon: Canon
    jobs: int
    memory: int

    def renew_texts(self) -> int:
        """Make kept texts canonical as this scan does, where another way was taken; how many contents that gave."""
        writer = self.writer
        if not is_any_other(writer.connection, writer.canon):
            return 0
        done = renewed_before(writer.connection, writer.canon)
        writer.adopt_renewed([row[:2] for row in done])
        writer.flush()
        renewed: set[bytes | None] = {content for _, _, content in done}
        how = scan_files.recipe(self.scheme, self.canon, max_size=1 << 50)

        def work(part: tuple[list[Renewed], list[bytes]]) -> tuple[list[Renewed], DocumentBatch]:
            versions, texts = part
            return versions, scan_files.ingest_again(texts, versions, how)

        parts = renewable(writer.connection, writer.canon)
        for versions, readings in self._spread(work, parts, size=lambda done: done[1].held):
            writer.renew(versions, readings)
            renewed.update(readings.contents)
        writer.flush()
        return len(renewed)

    def sign(self) -> int:
        """Sign contents that another scan signed in another way; how many there were."""
        writer, connection = self.writer, self.writer.connection
        wanted = unsigned_contents(connection, writer.scheme, writer.canon)
        how = scan_files.recipe(self.scheme, self.canon, max_size=1 << 50)

        def work(part: tuple[list[int], list[bytes]]) -> list[SignatureRow]:
            contents, texts = part
            return scan_files.sign_again(contents, texts, how)

        # Read to the end each time: a question left open would bar the writer, once others have written.
        parts = (list(texts_of(connection, part)) for part in in_parts(wanted, lengths_of(connection, wanted)))
        kept = (([content for content, _ in part], [text for _, text in part]) for part in parts)
        for rows in self._spread(work, kept, size=lambda rows: sum(len(row[2]) for row in rows)):
            writer.sign(rows)
        writer.flush()
        if wanted and (left := unsigned_contents(connection, writer.scheme, writer.canon)):
            raise UsageError(
                f"{len(left):,} texts of this store were signed with another scheme and not kept;"
                " scan their folders too, or use another --store."
            )
        return len(wanted)

    def _spread(
        self,
        work: Callable[[tuple[Of, list[bytes]]], Result],
        parts: Iterator[tuple[Of, list[bytes]]],
        size: Callable[[Result], int],
    ) -> Iterator[Result]:
        return in_order(
            work,
            parts,
            jobs=self.jobs,
            room=self.memory // 8,
            weight=lambda part: sum(map(len, part[1])),
            size=size,
            idle=self.writer.rest,
        )
