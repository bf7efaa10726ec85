"""Landlock (Linux 5.13): a process gives up all files but those below some paths, and these it may only read.

So a worker cannot open what it was not handed: documents come to it as open files, and what is left is what reading
loads, Python and packages, libraries of the system, fonts that PDFium measures by. Memory and environment of other
processes are files of /proc: they are given up too. Newer kernels also bar signals and sockets to others, which the
filter of system calls has barred already. That a file exists, and how large it is, can still be asked (stat).
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from importlib.util import find_spec

CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on all machines
VERSION = 1  # flag: tell it
PATH_BENEATH = 1  # kind of rule
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
FILES = {1: 13, 2: 14, 3: 15, 5: 16}  # from which version on so many kinds of access to files are known …
NETWORK = 4  # … two to the network …
SCOPES = 6  # … and two of other processes: sockets without a file, signals
SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/usr/share/fonts",
    "/usr/share/X11/fonts",
    "/usr/local/share/fonts",
    "/dev/null",
    "/dev/urandom",
)


def needed(modules: Iterable[str]) -> set[str]:
    """Where these modules and what they import lie: found, not imported. Other folders of sys.path stay closed, as the
    one that nearkin was called in."""
    found = {os.path.dirname(os.path.dirname(os.__file__)), *SYSTEM}  # noqa: PTH120
    for name in modules:
        if (spec := find_spec(name)) is not None and spec.origin:
            inner = spec.submodule_search_locations is not None or "." in name
            folder = os.path.dirname(spec.origin)  # noqa: PTH120
            found.add(os.path.dirname(folder) if inner else folder)  # noqa: PTH120
    return found


def give_up_files(libc: ctypes.CDLL, but: Iterable[str]) -> bool:
    """From here on, in this thread and those it starts; False: this kernel has no Landlock."""
    version = libc.syscall(CREATE, None, ctypes.c_size_t(0), VERSION)
    if version < 1:
        return False
    rights = ruleset(version)
    rules = libc.syscall(CREATE, rights, ctypes.c_size_t(len(rights)), 0)
    if rules < 0:
        return False
    try:
        for path in but:
            _allow(libc, rules, path)
        return bool(libc.syscall(RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def ruleset(version: int) -> bytes:
    """All that this version knows is given up; a kernel refuses what it does not know."""
    files = (1 << FILES[max(known for known in FILES if known <= version)]) - 1
    if version < NETWORK:
        return struct.pack("=Q", files)
    return struct.pack("=QQ", files, 3) if version < SCOPES else struct.pack("=QQQ", files, 3, 3)


def _allow(libc: ctypes.CDLL, rules: int, path: str) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not on this system
        return
    try:
        rights = READ_FILE | (READ_FOLDER if stat.S_ISDIR(os.fstat(handle).st_mode) else 0)
        libc.syscall(ADD, rules, PATH_BENEATH, struct.pack("=Qi", rights, handle), 0)
    finally:
        os.close(handle)
