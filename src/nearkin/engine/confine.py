"""A process gives up what parsing a document does not need: the network, other programs, writing, much memory.

    limits      RLIMIT_AS (memory), RLIMIT_CPU, RLIMIT_FSIZE 0 (no byte into a file), no core files
    seccomp     a filter of system calls (Linux, x86-64 and arm64): no sockets, no other programs, nothing opened to be
                written, renamed or removed. Refused calls fail with EACCES; nobody is killed by a curious library.
    namespace   where there is no seccomp, a network namespace of its own: no network but a loopback that is down
    orphans     the kernel kills a worker whose parent dies

What the system allowed is said, not assumed: `nearkin selftest` shows it.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
import sys

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 13  # errno EACCES
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of classic BPF
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
WRITES = 0o3 | 0o100 | 0o1000 | 0o2000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND
OPENAT2, IO_URING_SETUP, X32 = 437, 425, 0x40000000

# By machine: AUDIT_ARCH, what is refused, and which argument of which call says how a file is opened.
REFUSED = {
    "x86_64": (
        0xC000003E,
        # socket connect socketpair ptrace execve execveat fork vfork
        {41, 42, 53, 101, 59, 322, 57, 58}
        # creat truncate rename mkdir rmdir link unlink symlink chmod fchmod chown mknod and their -at forms
        | {85, 76, 82, 83, 84, 86, 87, 88, 90, 91, 92, 133, 258, 259, 260, 263, 264, 265, 266, 268, 316, 452},
        {2: 1, 257: 2},
    ),
    "aarch64": (
        0xC00000B7,
        {198, 203, 199, 117, 221, 281} | {33, 34, 35, 36, 37, 38, 45, 52, 53, 54, 276, 452},
        {56: 2},
    ),
}


def confine(*, memory: int, parent: int) -> str:
    """What bars the network from here on: `seccomp`, `namespace` or `nothing`."""
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
    if _filter_calls(libc):
        return "seccomp"
    return "namespace" if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 else "nothing"


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


def filter_for(machine: str) -> bytes | None:
    """The program of the filter; None: this machine's numbers of system calls are not known here."""
    if machine not in REFUSED or sys.byteorder != "little":
        return None
    architecture, refused, opening = REFUSED[machine]
    code: list[tuple[int, int, int, int]] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),  # the same calls by other numbers
        (RETURN, 0, 0, REFUSE),
    ]
    for number in sorted(refused | {OPENAT2, IO_URING_SETUP}):
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    for number, argument in sorted(opening.items()):
        code += [
            (EQUAL, 0, 4, number),
            (LOAD, 0, 0, ARGUMENTS + 8 * argument),
            (ANY_BIT, 0, 1, WRITES),
            (RETURN, 0, 0, REFUSE),
            (RETURN, 0, 0, ALLOW),
        ]
    code.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _filter_calls(libc: ctypes.CDLL) -> bool:
    program = filter_for(platform.machine())
    if program is None:
        return False
    held = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(whole, len(whole))) == 0)


def is_barred(number: int = 0) -> dict[str, bool]:
    """What can no longer be done here, tried out."""
    import socket

    def fails(what: object) -> bool:
        try:
            what()  # type: ignore[operator]
        except OSError:
            return True
        return False

    def write() -> None:
        handle = os.open(f"/tmp/nearkin-{os.getpid()}-{number}", os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.write(handle, b"x")
        finally:
            os.close(handle)
            os.unlink(f"/tmp/nearkin-{os.getpid()}-{number}")  # noqa: PTH108

    def connect() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect(("192.0.2.1", 9))  # TEST-NET-1: nothing is sent

    return {"network": fails(connect), "writing": fails(write)}
