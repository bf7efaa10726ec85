"""The signatures of a whole store (Forman 2005 §2.5 step 1): every content, named by its first document.

Stored ones are given as they are; contents that no scan signed in this way are signed now from their kept texts. One
content at a time: memory does not grow with the store. A reference for fuzzy-fingerprints is learnt from a repository:
a folder that was never scanned, or the texts a store keeps.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from nearkin.engine import scan_files
from nearkin.errors import UsageError
from nearkin.model import Location
from nearkin.query.store_view import opened
from nearkin.read.walk import Unreadable, check_starts, walk
from nearkin.scheme import FORMAT, Scheme, Signature, parse_scheme, sign, signed
from nearkin.scheme.fuzzy import Fuzzy
from nearkin.settings import RunSettings, WalkSettings
from nearkin.store import runs
from nearkin.store.contents import HERE, count_without_source, named_contents, scheme_of, texts_of
from nearkin.store.signatures import signature_of
from nearkin.text.canon import Canon


def stored_signatures(
    connection: sqlite3.Connection, spec: str | None
) -> tuple[Scheme, Iterator[tuple[Location, Signature]]]:
    """The signatures under the scheme of the last scan unless one is given, in byte order of the paths.

    Some have no features.
    """
    run = runs.last(connection)
    scheme = parse_scheme(run.spec if spec is None else spec)
    canon = Canon.parse(runs.canon_of(connection, run))
    number = scheme_of(connection, scheme.spec, canon.spec, FORMAT)
    if missing := count_without_source(connection, number):
        raise UsageError(
            f"{missing:,} texts of this store were not kept and never signed with {scheme.spec};"
            " scan their folders with that --scheme."
        )
    return scheme, _signed(connection, scheme, canon, number)


def _signed(
    connection: sqlite3.Connection, scheme: Scheme, canon: Canon, number: int | None
) -> Iterator[tuple[Location, Signature]]:
    for location, content in named_contents(connection):
        stored = None if number is None else signature_of(connection, number, content)
        if stored is None:
            ((_, text),) = texts_of(connection, [content])
            yield location, sign(canon.apply(text), scheme)
        else:
            modulus, features, weights = stored
            yield location, signed(scheme, modulus, features, weights)


SQLITE = b"SQLite format 3\0"


def learn_from(path: Path, scheme: Fuzzy, canon: Canon) -> Fuzzy:
    """Learn a reference from a store or a folder. Every distinct text weighs alike: copies say nothing new."""
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
    files = (entry for entry in walk(root, (start,), WalkSettings()) if not isinstance(entry, Unreadable))
    how = scan_files.recipe(scheme, canon, max_size=WalkSettings().max_size)
    seen: set[bytes] = set()
    for readings in scan_files.ingest(os.fsencode(root), files, how, jobs=RunSettings().jobs):
        for batch in readings.batches:
            for digest, text in zip(batch.contents, batch.take_canonical(), strict=True):
                if digest is not None and digest not in seen:
                    seen.add(digest)
                    yield text
