"""A reference for fuzzy-fingerprints from a repository: a folder that was never scanned, or the texts a store keeps."""

import os
from collections.abc import Iterator
from pathlib import Path

from nearkin.engine import scan_files
from nearkin.query.store_view import opened
from nearkin.read.walk import Unreadable, check_starts, walk
from nearkin.scheme.fuzzy import Fuzzy
from nearkin.settings import RunSettings, WalkSettings
from nearkin.store.contents import HERE, texts_of
from nearkin.text.canon import Canon

SQLITE = b"SQLite format 3\0"


def learn_from(path: Path, scheme: Fuzzy, canon: Canon) -> Fuzzy:
    """Every distinct text weighs alike: copies say nothing new."""
    (start,) = check_starts((path,))
    if start.is_file() and _is_database(start):
        return scheme.learnt(_kept(start, canon))
    return scheme.learnt(_below(start, scheme, canon))


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _kept(store: Path, canon: Canon) -> Iterator[bytes]:
    with opened(store) as connection:
        contents = [content for (content,) in connection.execute(f"SELECT DISTINCT t.content {HERE}")]
        for _, text in texts_of(connection, contents):
            yield canon.apply(text)


def _below(start: Path, scheme: Fuzzy, canon: Canon) -> Iterator[bytes]:
    root = start if start.is_dir() else start.parent
    files = (met for met in walk(root, (start,), WalkSettings()) if not isinstance(met, Unreadable))
    how = scan_files.recipe(scheme, canon, max_size=WalkSettings().max_size)
    met: set[bytes] = set()
    for readings in scan_files.ingest(os.fsencode(root), files, how, jobs=RunSettings().jobs):
        for batch in readings.batches:
            for digest, text in zip(batch.contents, batch.take_canonical(), strict=True):
                if digest is not None and digest not in met:
                    met.add(digest)
                    yield text
