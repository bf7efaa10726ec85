"""The system calls that reading a document needs, by name and by number. Whatever is not here is refused.

A list of what is allowed, not of what is not: calls that nobody thought of, and those that kernels will have one day,
are refused too. Some are allowed with certain arguments only:

    open, openat        for reading
    clone               of a thread; processes are not
    kill, tgkill        of itself: `abort` ends so
    prlimit64           of itself
    fcntl, ioctl, prctl what Python and libc ask of files, pipes and threads. Not: locks and leases (they could hold a
                        store up), owners of signals (SIGIO could end others), keys pressed in a terminal (TIOCSTI),
                        outliving the parent (PR_SET_PDEATHSIG)
"""

from dataclasses import dataclass

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
    """What one kind of machine calls them."""

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
