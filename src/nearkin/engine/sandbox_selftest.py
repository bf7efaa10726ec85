"""The selftest of the sandbox: a worker tries what it must not be able to do. Every attempt is made in earnest.

An attempt is refused if it fails for want of permission, or as if the kernel had no such call. Any other error means
that the kernel has considered it: so an attempt may name what does not exist, and does no harm where nothing bars it.
Files are tried on one that was made for the purpose, open or by its name, other processes on the parent, in ways that
change nothing.
"""

import ctypes
import errno
import os
import resource
import socket
from collections.abc import Callable
from functools import partial

REFUSED = frozenset((errno.EACCES, errno.EPERM, errno.ENOSYS))
NOWHERE, HERE = ("192.0.2.1", 9), ("127.0.0.1", 9)  # TEST-NET-1; loopback: nothing is sent
CLONE_NEWUSER, PTRACE_PEEKDATA, TIOCSTI, IO_URING_SETUP = 0x10000000, 2, 0x5412, 425
NO_KEY = 0x6E656B69  # of no shared memory


def tried(file: bytes, handle: int) -> dict[str, bool]:
    """Make every attempt; by name, whether it was refused."""
    by_name = {name: _is_refused(partial(attempt, file)) for name, attempt in ATTEMPTS.items()}
    return by_name | {name: _is_refused(partial(attempt, handle)) for name, attempt in ON_OPEN.items()}


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as error:
        return error.errno in REFUSED
    except AttributeError:  # this system has no such thing
        return True
    return False


def _connect(_: bytes) -> None:
    """In a network namespace of its own there is no way even to this machine; a machine without a network has that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
        for place in (NOWHERE, HERE):
            try:
                return endpoint.connect(place)
            except OSError as error:
                if error.errno != errno.ENETUNREACH:
                    raise
    raise OSError(errno.EACCES, "no network")


def _pair(_: bytes) -> None:
    for endpoint in socket.socketpair():
        endpoint.close()


def _fork(_: bytes) -> None:
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)


def _spawn(file: bytes) -> None:
    os.execv(file + b".missing", [b"missing"])


def _write(file: bytes) -> None:
    handle = os.open(file + b".new", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.write(handle, b"x")
    except OSError as error:
        raise OSError(errno.EACCES if error.errno == errno.EFBIG else error.errno, "") from error  # RLIMIT_FSIZE
    finally:
        os.close(handle)


def _append(file: bytes) -> None:
    os.close(os.open(file, os.O_WRONLY | os.O_APPEND))


def _open(file: bytes) -> None:
    os.close(os.open(file, os.O_RDONLY))


def _of_parent(what: str) -> Callable[[bytes], None]:
    return lambda _: _open(f"/proc/{os.getppid()}/{what}".encode())


def _lock(handle: int) -> None:
    import fcntl

    fcntl.lockf(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _flock(handle: int) -> None:
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _own(handle: int) -> None:
    import fcntl

    fcntl.fcntl(handle, fcntl.F_SETOWN, os.getpid())


def _type(handle: int) -> None:
    import fcntl

    fcntl.ioctl(handle, TIOCSTI, b"x")


def _in_c(name: str, *arguments: object) -> Callable[[bytes], None]:
    """A call that Python does not offer."""

    def attempt(_: bytes) -> None:
        function = getattr(ctypes.CDLL(None, use_errno=True), name)
        function.restype = ctypes.c_int
        values = [argument() if callable(argument) else argument for argument in arguments]
        if function(*values) == -1:
            raise OSError(ctypes.get_errno(), name)

    return attempt


def _share_cores(_: bytes) -> None:
    os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0))


def _outlive(_: bytes) -> None:
    _in_c("prctl", 1, 9, 0, 0, 0)(b"")  # PR_SET_PDEATHSIG, SIGKILL: as it is


ATTEMPTS: dict[str, Callable[[bytes], object]] = {
    "network": _connect,
    "sockets": _pair,
    "other programs": _spawn,
    "new processes": _fork,
    "signals to others": lambda _: os.kill(os.getppid(), 0),
    "signals by handle": lambda _: os.close(os.pidfd_open(os.getppid())),
    "tracing": _in_c("ptrace", PTRACE_PEEKDATA, os.getppid, None, None),
    "memory of others by file": _of_parent("mem"),
    "environment of others": _of_parent("environ"),
    "memory of others by call": _in_c("process_vm_readv", os.getppid, None, 0, None, 0, 0),
    "limits of others": lambda _: resource.prlimit(os.getppid(), resource.RLIMIT_CORE),
    "priority of others": lambda _: os.setpriority(os.PRIO_PROCESS, os.getppid(), os.getpriority(os.PRIO_PROCESS, 0)),
    "cores of others": _share_cores,
    "outliving nearkin": _outlive,
    "files it was not handed": _open,
    "files of the system": lambda _: _open(b"/etc/passwd"),
    "names of files": lambda file: os.listdir(os.path.dirname(file)),  # noqa: PTH120, PTH208
    "new files": _write,
    "writing to files": _append,
    "truncating": lambda file: os.truncate(file, 0),
    "modes": lambda file: os.chmod(file, 0o600),  # noqa: PTH101
    "owners": lambda file: os.chown(file, -1, -1),
    "times": lambda file: os.utime(file, (1, 1)),
    "attributes": lambda file: os.setxattr(file, b"user.nearkin", b"x"),
    "links": lambda file: os.link(file, file + b".link"),
    "symbolic links": lambda file: os.symlink(file, file + b".symlink"),  # noqa: PTH211
    "folders": lambda file: os.mkdir(file + b".folder"),  # noqa: PTH102
    "pipes with names": lambda file: os.mkfifo(file + b".pipe"),
    "renaming": lambda file: os.rename(file, file + b".renamed"),  # noqa: PTH104
    "removing": lambda file: os.unlink(file + b".renamed"),  # noqa: PTH108
    "files in memory": lambda _: os.close(os.memfd_create("nearkin")),
    "mounting": _in_c("mount", None, None, None, 0, None),
    "namespaces": _in_c("unshare", CLONE_NEWUSER),
    "shared memory": _in_c("shmget", NO_KEY, 4096, 0o600),
    "queues of calls": _in_c("syscall", IO_URING_SETUP, 0, None),
}

ON_OPEN: dict[str, Callable[[int], object]] = {
    "signals by a file": _own,
    "locks": _lock,
    "whole-file locks": _flock,
    "typing into terminals": _type,
}
