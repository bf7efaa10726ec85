"""Inodes of 64 bits, which the store holds with a sign."""

import os
from pathlib import Path

import pytest

from nearkin import _native
from nearkin.read.walk import stored_inode


@pytest.mark.parametrize(
    ("number", "stored"), [(0, 0), (5, 5), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**64 - 1, -1)]
)
def test_as_it_is_stored(number: int, stored: int) -> None:
    assert stored_inode(number) == stored


def test_files_are_asked_for_by_what_is_stored(tmp_path: Path) -> None:
    found = tmp_path.stat()
    stamp = [os.fsencode(tmp_path)], [found.st_size], [found.st_mtime_ns], [found.st_ctime_ns]
    assert _native.unchanged(*stamp, [stored_inode(found.st_ino)], 1) == b"\1"
    assert _native.unchanged(*stamp, [-1], 1) == b"\0"


def test_a_time_of_change_that_is_not_known_is_not_compared(tmp_path: Path) -> None:
    found = tmp_path.stat()
    stamp = [os.fsencode(tmp_path)], [found.st_size], [found.st_mtime_ns]
    inode = [stored_inode(found.st_ino)]
    assert _native.unchanged(*stamp, [0], inode, 1) == b"\1"
    assert _native.unchanged(*stamp, [found.st_ctime_ns - 1], inode, 1) == b"\0"
