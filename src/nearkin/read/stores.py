"""Any store of nearkin in a scanned folder, and the files beside it, are left out like the scan's own.

The header of a file tells whether it is a store. It is read where the name suggests it: the name ends as those of
databases do, or a file such as SQLite and nearkin put beside a store is there. A store by any other name is recognised
when the scan reads it (native/kernels/store_file.hpp).
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from nearkin._native import STORE_HEADER, is_store_header

BESIDE = (b"-wal", b"-shm", b"-journal", b".lock", b".turn", b".segments")  # what stands beside a store
DATABASES = (b".db", b".db3", b".sqlite", b".sqlite3")
HINTS = [*BESIDE, *DATABASES]


def files_of_stores(paths: Iterable[bytes]) -> frozenset[bytes]:
    """All files of the stores that some of these absolute paths belong to, by how their names end."""
    stores = {main for path in paths if path.endswith((*BESIDE, *DATABASES)) for main in _mains(path)}
    return frozenset(store + end for store in stores if is_store(store) for end in (b"", *BESIDE))


def is_store(path: bytes) -> bool:
    """Told without closing a file that this process has open, or SQLite would lose its locks on it."""
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        for file in _opened(info):
            return is_store_header(os.pread(file, STORE_HEADER, 0))
        # A path that has become a FIFO by now must not hang the scan.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return is_store_header(os.read(file, STORE_HEADER))
        finally:
            if _opened(info) == [file]:  # else another thread has just opened it, and this one stays open
                os.close(file)
    except OSError:
        return False


def _opened(info: os.stat_result) -> list[int]:
    """Where this process has a file open."""
    found = []
    for file in map(int, os.listdir("/dev/fd")):  # noqa: PTH208
        with suppress(OSError):  # such as the folder just listed
            if os.path.samestat(info, os.fstat(file)):
                found.append(file)
    return found


def _mains(path: bytes) -> list[bytes]:
    """The database that it is, or stands beside."""
    return [path] if path.endswith(DATABASES) else [path.removesuffix(end) for end in BESIDE if path.endswith(end)]
