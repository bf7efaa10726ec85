"""Taking files in: walk, leave out what is known, read and sign the rest, store it batch by batch."""

from collections.abc import Callable, Iterator
from os import fsencode
from pathlib import Path

from nearkin import _native
from nearkin.engine import local
from nearkin.model import Readings
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import Settings
from nearkin.store.scopes import Scope
from nearkin.store.writer import Writer


def take_in(
    writer: Writer,
    scope: Scope,
    starts: tuple[Path, ...],
    how: _native.Recipe,
    settings: Settings,
    *,
    leave_out: frozenset[bytes],
    remember: Callable[[Readings], None],
    progress: Callable[[int, int], None],
) -> None:
    """`progress` is told how many files and bytes were read so far."""
    unreadable: list[Unreadable] = []
    base = fsencode(scope.root)

    def files() -> Iterator[bytes]:
        for met in walk(scope.root, starts, settings.walk, leave_out=leave_out):
            if isinstance(met, Unreadable):
                unreadable.append(met)
            elif writer.known.meet(met, base + b"/" + met).reads:
                yield met

    done = size = 0
    for batch in local.ingest(base, files(), how, jobs=settings.run.jobs, keep=settings.text.keep):
        done += len(batch)
        size += sum(batch.sizes)
        remember(batch)
        writer.add(batch)
        progress(done, size)
    for met in unreadable:
        writer.add(Readings.failed(met.path, met.detail))
        writer.known.met.add(met.path)
