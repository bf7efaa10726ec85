"""A process gives up what parsing a document does not need: the network, other programs and files, much memory.

    limits      RLIMIT_AS (memory), RLIMIT_FSIZE 0 (no byte into a file), no core files; RLIMIT_CPU too, which a hostile
                reader could lift again: what ends that one is the parent's clock
    seccomp     a filter of system calls (Linux, x86-64 and arm64): those of `engine.calls` and no others. Refused calls
                fail with EACCES, those that only newer kernels have with ENOSYS; nobody is killed by a curious library.
    landlock    no files but what reading loads (`engine.landlock`); documents come as open files
    namespace   where there is no seccomp, a network namespace of its own: no network but a loopback that is down
    orphans     the kernel kills a worker whose parent dies

What the system allowed is said, not assumed: `nearkin selftest` has a worker try what it must not (`engine.attempts`).
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Iterable

from nearkin.engine.calls import MACHINES, MYSELF, UNIFIED, Only
from nearkin.engine.landlock import give_up_files

Instruction = tuple[int, int, int, int]  # code, how far to jump if so, and if not, value

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EACCES, 0x00050000 | errno.ENOSYS
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of classic BPF
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000  # the same calls by other numbers


def confine(*, memory: int, parent: int, readable: Iterable[str]) -> str:
    """What bars this process from here on: `landlock`, and `seccomp` or `namespace`; or `nothing`."""
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
    """Of processor time from now on; the kernel ends the process that needs more."""
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
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _judged(only: Only, process: int) -> list[Instruction]:
    """The lower half of the argument: the kernel takes no more of those that are judged here."""
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
