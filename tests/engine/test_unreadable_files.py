"""Files that cannot be opened: what their folder tells of them is recorded, and nothing is made up."""

import errno
import fcntl
import os
import signal
import socket
from pathlib import Path

import pytest

from nearkin import _native
from nearkin.engine.threads import recipe
from nearkin.model import NO_OWNER
from nearkin.scheme import parse_scheme
from nearkin.settings import DEFAULT_SCHEME, TextSettings
from nearkin.store.batch import DocumentBatch
from nearkin.text.canon import Canon
from nearkin.text.kind import TextKind


def ingested(folder: Path, *names: str) -> _native.Batch:
    how = recipe(parse_scheme(DEFAULT_SCHEME), Canon.of(TextSettings()), max_size=1 << 20)
    return _native.ingest_files(os.fsencode(folder) + b"/", [os.fsencode(name) for name in names], how)


def test_what_the_folder_tells_of_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even root can open a socket."""
    monkeypatch.chdir(tmp_path)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("closed")
        if os.geteuid() == 0:
            os.chown("closed", 54321, -1)
        os.utime("closed", ns=(5, 7_000_000_001))
        batch = ingested(tmp_path, "closed")
        told = os.lstat("closed")
    assert batch.errors == [errno.ENXIO]
    assert (batch.sizes, batch.mtimes) == ([told.st_size], [7_000_000_001])
    assert (batch.ctimes, batch.inodes, batch.owners) == ([told.st_ctime_ns], [told.st_ino], [told.st_uid])
    assert (batch.kinds, batch.digests, batch.contents) == ([TextKind.UNREAD], [None], [None])


def test_nothing_is_known_of_a_file_that_is_gone(tmp_path: Path) -> None:
    batch = ingested(tmp_path, "gone")
    assert (batch.errors, batch.sizes, batch.mtimes, batch.ctimes, batch.inodes) == ([errno.ENOENT], [0], [0], [0], [0])
    assert batch.owners == [NO_OWNER]
    assert _native.NO_OWNER == NO_OWNER


def test_nobody_owns_a_folder_that_could_not_be_looked_into() -> None:
    assert DocumentBatch.failed(b"folder", "permission denied").owners == [NO_OWNER]


def test_a_file_that_another_process_holds_fails_alone_and_is_not_taken_for_a_large_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a file that somebody has a lease of fails with EAGAIN, where it may not wait."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)  # what the holder is asked with
    held = os.open(tmp_path / "b", os.O_RDONLY)
    try:
        try:
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            pytest.skip("this file system has no leases")
        batch = ingested(tmp_path, "a", "b", "c")
    finally:
        os.close(held)
        signal.signal(signal.SIGIO, before)
    assert batch.errors == [0, errno.EAGAIN, 0]
