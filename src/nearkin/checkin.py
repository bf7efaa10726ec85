"""Checking in: a document is stored at once, and the next check finds it. Matches and families wait for the next scan.

A file inside a known scope becomes a document there, as a scan would have it, with its members if it is a container.
Any other goes to the scope `added`, under its absolute path or the name it is given.
"""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nearkin.engine.single_document import DocumentWithMembers, read_bytes, read_file, read_text
from nearkin.errors import InputError, UsageError
from nearkin.model import Location
from nearkin.scheme import Scheme, parse_scheme
from nearkin.store import audit, runs
from nearkin.store.container_writer import StoredContainer
from nearkin.store.database import explained, own_files, transaction, turn
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import FileVersions, ReadRules
from nearkin.store.scopes import Scope, relative_to, scope_around, scope_of_additions
from nearkin.text.canon import Canon
from nearkin.text.kind import Extracted

ACTION = "check --add"


@dataclass(frozen=True)
class Added:
    """Where a document is now, and whether it is new: not there before with the same bytes."""

    location: Location
    new: bool
    replaced: bool = False  # other bytes were there
    members: int = 0  # documents inside it, of a container


@dataclass(frozen=True)
class CheckIn:
    """Stores single documents, signed under the last scan's scheme. The connection must be one that may write."""

    connection: sqlite3.Connection
    store: Path
    version: str
    by: str

    def add_file(self, file: Path) -> Added:
        """Store a file."""
        absolute = file.absolute()
        place = Path(os.path.realpath(absolute.parent)) / absolute.name  # resolved as the roots of scopes are
        if os.fsencode(place) in own_files(self.store) or (place.exists() and place.samefile(self.store)):
            raise InputError(f"{file} belongs to the store itself.")
        scope = scope_around(self.connection, place)
        root = Path("/") if scope is None else scope.root
        path = relative_to(place, root)

        def read(scheme: Scheme, canon: Canon, keep: bool) -> DocumentWithMembers:
            return read_file(os.fsencode(root).rstrip(b"/"), path, scheme, canon, keep=keep)

        return self._add(scope, read)

    def add_text(self, name: str, data: bytes, extracted: Callable[[bool], Extracted]) -> Added:
        """Store bytes that are in no file, with the function that extracts their text, raw or not."""
        path = _path_of(name)

        def read(scheme: Scheme, canon: Canon, _keep: bool) -> DocumentWithMembers:
            return read_text(path, data, extracted(canon.raw), scheme, canon)

        return self._add(None, read)

    def add_bytes(self, name: str, data: bytes) -> Added:
        """Store bytes that are in no file, read as a file of this name would be."""
        path = _path_of(name)

        def read(scheme: Scheme, canon: Canon, keep: bool) -> DocumentWithMembers:
            return read_bytes(path, data, scheme, canon, keep=keep)

        return self._add(None, read)

    def _add(self, scope: Scope | None, read: Callable[[Scheme, Canon, bool], DocumentWithMembers]) -> Added:
        """Sign as the last scan did, and store; sign again where a scan that ended meanwhile signed otherwise."""
        while True:
            run = runs.last(self.connection)
            canon = Canon.parse(runs.canon_of(self.connection, run))
            keep = bool(run.settings["text"]["keep"])
            added = self._store(run, scope, read(parse_scheme(run.spec), canon, keep), canon=canon, keep=keep)
            if added is not None:
                return added

    def _store(
        self, run: runs.FinishedRun, scope: Scope | None, read: DocumentWithMembers, *, canon: Canon, keep: bool
    ) -> Added | None:
        """Store a document that was read; None: the last scan is another by now, under another scheme."""
        (path,), (digest,), (size,) = read.itself.paths, read.itself.digests, read.itself.sizes
        with explained(self.store), turn(self.store), transaction(self.connection):
            if runs.last(self.connection).scheme != run.scheme:
                return None
            target = scope or scope_of_additions(self.connection)
            canon_id = runs.canon_id(self.connection, canon.spec)
            rules = ReadRules(canon_id, canon.raw, keep)
            files = FileVersions.load_one(self.connection, target.id, path, rules)
            before = files.present.get(path)
            location = Location(target.name, path)
            if before is not None and before.reason is None and before.digest == digest:
                return Added(location, new=False)
            # Members that were added in the same run could not be told from those that come now.
            fresh = before is not None or read.inside is not None
            additions = runs.of_additions(self.connection, version=self.version, fresh=fresh)
            coded = parse_scheme(run.spec).estimator.coded
            writer = Writer(self.connection, target.id, additions, canon_id, run.scheme, keep, files, coded=coded)
            container = StoredContainer(writer, path)
            if read.inside is None and not container.had_members:
                writer.add(read.itself)
            else:
                container.write(read.itself, read.inside)
            audit.record(
                self.connection,
                by=self.by,
                action=ACTION,
                subject=os.fsdecode(path).encode("utf-8", "backslashreplace").decode(),
                after={"scope": target.name, "digest": (digest or b"").hex(), "size": size},
            )
        members = 0 if read.inside is None else len(read.inside)
        return Added(location, new=True, replaced=before is not None and before.reason is None, members=members)


def _path_of(name: str) -> bytes:
    """The path of a document under a name that somebody gave."""
    try:
        path = b"/".join(part for part in os.fsencode(name).split(b"/") if part not in (b"", b"."))
    except UnicodeEncodeError:
        path = b""
    if not path or b".." in path.split(b"/") or b"\0" in path:
        raise UsageError(f"{name!r} is no name for a document; give it one as: notes/draft.txt")
    return path
