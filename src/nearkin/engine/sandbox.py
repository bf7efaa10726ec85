"""The sandbox of a worker: it gives up what parsing needs not, the network, other programs and files, much memory.

    limits      RLIMIT_AS (memory), RLIMIT_FSIZE 0 (no byte into a file), no core files; RLIMIT_CPU too, which a hostile
                reader could lift again: the parent's clock ends that one
    seccomp     a filter of system calls (Linux, x86-64 and arm64). Refused calls fail with EACCES, those that only
                newer kernels have with ENOSYS; no worker is killed because of a curious library
    landlock    no files but what reading loads (Linux 5.13); documents come as open files
    namespace   without seccomp, a network namespace of its own: no network but a loopback that is down
    orphans     the kernel kills a worker whose parent dies

The process says what the system allowed, and nobody assumes it: `nearkin selftest` has a worker try what it must not
(`engine.sandbox_selftest`).

The filter lists what is allowed, not what is forbidden: calls that nobody thought of, and those that kernels will have
one day, are refused too. Some are allowed with certain arguments only:

    open, openat        for reading
    clone               of a thread; processes are not
    kill, tgkill        of itself: `abort` ends so
    prlimit64           of itself
    fcntl, ioctl, prctl what Python and libc ask of files, pipes and threads. Not: locks and leases (they could hold a
                        store up), owners of signals (SIGIO could end others), keys pressed in a terminal (TIOCSTI),
                        outliving the parent (PR_SET_PDEATHSIG)

Landlock leaves what reading loads: Python and packages, libraries of the system, fonts that PDFium measures by. Memory
and environment of other processes are files of /proc: they are given up too. Newer kernels also bar signals and sockets
to others, which the filter of system calls has barred already. That a file exists, and how large it is, can still be
asked (stat).
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import stat
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec

WRITES = 0o3 | 0o100 | 0o1000 | 0o2000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
CLONE_THREAD = 0x10000
MYSELF = -1  # stands for the number of the process
FCNTL = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
# TCGETS, TCGETS2 (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
IOCTL = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA: names of threads and of memory
UNIFIED = 424  # from here on numbers are the same on all machines …
# … and libc does without them where the kernel has none (ENOSYS): threads are then made by clone, whose arguments the
# filter can see, not by clone3


@dataclass(frozen=True)
class Only:
    """Allowed if the argument is one of some values, has one of some bits, or none of them."""

    argument: int
    values: tuple[int, ...] = ()
    some_bit: int = 0
    no_bit: int = 0


# name: (x86-64, arm64)
ALLOWED = {
    "read": (0, 63),
    "write": (1, 64),
    "lseek": (8, 62),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "close": (3, 57),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "preadv2": (327, 286),
    "fadvise64": (221, 223),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup3": (292, 24),
    "statx": (332, 291),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "getcwd": (79, 17),
    "ppoll": (271, 73),
    "pselect6": (270, 72),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "set_tid_address": (218, 96),
    "membarrier": (324, 283),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "setrlimit": (160, 164),
    "times": (100, 153),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "gettimeofday": (96, 169),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "getrandom": (318, 278),
    "recvmsg": (47, 212),  # documents come by a socket that has no other use
}
# Older names of the same on x86-64.
ALLOWED_OLD = {
    "stat": 4,
    "lstat": 6,
    "poll": 7,
    "access": 21,
    "select": 23,
    "dup2": 33,
    "getdents": 78,
    "readlink": 89,
    "getpgrp": 111,
    "arch_prctl": 158,
    "time": 201,
}
CONDITIONS: dict[str, tuple[tuple[int, int | None], Only]] = {
    "open": ((2, None), Only(1, no_bit=WRITES)),
    "openat": ((257, 56), Only(2, no_bit=WRITES)),
    "clone": ((56, 220), Only(0, some_bit=CLONE_THREAD)),
    "kill": ((62, 129), Only(0, values=(MYSELF,))),
    "tgkill": ((234, 131), Only(0, values=(MYSELF,))),
    "prlimit64": ((302, 261), Only(0, values=(0, MYSELF))),
    "fcntl": ((72, 25), Only(1, values=FCNTL)),
    "ioctl": ((16, 29), Only(1, values=IOCTL)),
    "prctl": ((157, 167), Only(0, values=PRCTL)),
}


@dataclass(frozen=True)
class Calls:
    """The numbers of the system calls on one kind of machine."""

    architecture: int  # AUDIT_ARCH
    allowed: tuple[int, ...]  # the frequent ones first
    conditions: dict[int, Only]


MACHINES = {
    "x86_64": Calls(
        0xC000003E,
        (*(x86 for x86, _ in ALLOWED.values()), *ALLOWED_OLD.values()),
        {x86: only for (x86, _), only in CONDITIONS.values()},
    ),
    "aarch64": Calls(
        0xC00000B7,
        tuple(arm for _, arm in ALLOWED.values()),
        {arm: only for (_, arm), only in CONDITIONS.values() if arm is not None},
    ),
}


CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on all machines
VERSION = 1  # flag: return the version
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
    """Folders of these modules and of what they import; nothing is imported. Other folders of sys.path stay closed,
    such as the one that nearkin was called in."""
    folders = {os.path.dirname(os.path.dirname(os.__file__)), *SYSTEM}  # noqa: PTH120
    for name in modules:
        if (spec := find_spec(name)) is not None and spec.origin:
            inner = spec.submodule_search_locations is not None or "." in name
            folder = os.path.dirname(spec.origin)  # noqa: PTH120
            folders.add(os.path.dirname(folder) if inner else folder)  # noqa: PTH120
    return folders


def give_up_files(libc: ctypes.CDLL, but: Iterable[str]) -> bool:
    """Give up all other files, in this thread and those it starts; False: this kernel has no Landlock."""
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
    """Rights to give up: all that this version of Landlock knows; a kernel refuses what it does not know."""
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


Instruction = tuple[int, int, int, int]  # code, how far to jump if so, and if not, value

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EACCES, 0x00050000 | errno.ENOSYS
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of classic BPF
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000  # the same calls by other numbers


def confine(*, memory: int, parent: int, readable: Iterable[str]) -> str:
    """Confine this process; return what bars it: `landlock`, and `seccomp` or `namespace`; or `nothing`."""
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    if libc is not None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before it was asked for
        os._exit(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write then fails, and kills nobody
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, 0)
    lower(resource.RLIMIT_AS, memory)
    if libc is None:
        return "nothing"
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    barred = ["landlock"] if give_up_files(libc, readable) else []
    if _filter_calls(libc):
        barred.append("seccomp")
    elif libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0:
        barred.append("namespace")
    return ", ".join(barred) or "nothing"


def lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def allow_seconds(seconds: float) -> None:
    """Allow so many seconds of processor time from now on; the kernel ends a process that needs more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def filter_for(machine: str, process: int) -> bytes | None:
    """The program of the filter; None: this machine's numbers of system calls are not known here."""
    if machine not in MACHINES or sys.byteorder != "little":
        return None
    calls = MACHINES[machine]
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, calls.architecture),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, REFUSE),
    ]
    for number in calls.allowed:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    for number, only in calls.conditions.items():
        judged = _judged(only, process)
        code += [(EQUAL, 0, len(judged), number), *judged]
    code += [(AT_LEAST, 0, 1, UNIFIED), (RETURN, 0, 0, UNKNOWN), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _judged(only: Only, process: int) -> list[Instruction]:
    """Instructions that judge an argument by its lower half: the kernel takes no more of these."""
    code: list[Instruction] = [(LOAD, 0, 0, ARGUMENTS + 8 * only.argument)]
    if only.no_bit:
        code += [(ANY_BIT, 0, 1, only.no_bit), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
        return code
    if only.some_bit:
        code += [(ANY_BIT, 0, 1, only.some_bit), (RETURN, 0, 0, ALLOW)]
    for value in only.values:
        code += [(EQUAL, 0, 1, process if value == MYSELF else value), (RETURN, 0, 0, ALLOW)]
    return [*code, (RETURN, 0, 0, REFUSE)]


def _filter_calls(libc: ctypes.CDLL) -> bool:
    program = filter_for(platform.machine(), os.getpid())
    if program is None:
        return False
    held = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(whole, len(whole))) == 0)
