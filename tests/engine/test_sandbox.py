"""The filter of system calls, judged by a textbook interpreter of its program, and by workers that try."""

import re
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from engine.fake_formats import DEED
from nearkin.engine import workers
from nearkin.engine.sandbox import (
    ALLOW,
    ALLOWED,
    ALLOWED_OLD,
    CONDITIONS,
    MACHINES,
    MYSELF,
    REFUSE,
    UNKNOWN,
    Only,
    filter_for,
    give_up_files,
    ruleset,
)
from nearkin.engine.sandbox_selftest import ATTEMPTS, ON_OPEN
from nearkin.engine.workers import Request, Workers

ME = 4711
HEADERS = {
    0: (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), r"#define __NR_(\w+) (\d+)"),
    1: (Path("/usr/include/asm-generic/unistd.h"), r"#define __NR(?:3264)?_(\w+) (\d+)"),
}


def run(program: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, *[0] * (6 - len(arguments))))
    code = list(struct.iter_unpack("<HBBI", program))
    at = held = 0
    while True:
        what, yes, no, k = code[at]
        at += 1
        match what:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, k)
            case 0x06:
                return int(k)
            case 0x15:
                at += yes if held == k else no
            case 0x35:
                at += yes if held >= k else no
            case 0x45:
                at += yes if held & k else no


def is_allowed(only: Only, value: int) -> bool:
    if only.no_bit:
        return not value & only.no_bit
    return bool(value & only.some_bit) or value in [ME if one == MYSELF else one for one in only.values]


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_are_refused_or_allowed(machine: str) -> None:
    program = filter_for(machine, ME)
    assert program is not None
    calls = MACHINES[machine]
    for number in set(range(600)) - set(calls.conditions):
        refused = UNKNOWN if number >= 424 else REFUSE
        assert run(program, calls.architecture, number) == (ALLOW if number in calls.allowed else refused), number
    assert run(program, 0x40000003, 0) == REFUSE  # 32 bits
    assert run(program, calls.architecture, 0x40000000) == REFUSE  # x32


VALUES = [*range(40), ME, 1030, 1026, 0o100, 0o1001, 0o2000, 0o2000000, 0x10000, 0x3D0F00, 0x01200011]
VALUES += [0x5401, 0x5412, 0x5413, 0x541C, 0x5421, 0x5451, 0x802C542A, 0x53564D41]


@pytest.mark.parametrize("machine", MACHINES)
def test_by_their_arguments(machine: str) -> None:
    program = filter_for(machine, ME)
    assert program is not None
    calls = MACHINES[machine]
    for number, only in calls.conditions.items():
        for value in VALUES:
            said = run(program, calls.architecture, number, (*(0,) * only.argument, value))
            assert said == (ALLOW if is_allowed(only, value) else REFUSE), (number, value)


def test_files_are_opened_to_be_read_and_threads_are_no_processes() -> None:
    program = filter_for("x86_64", ME)
    assert program is not None

    def said(name: str, *arguments: int) -> int:
        number = CONDITIONS[name][0][0]
        return run(program, MACHINES["x86_64"].architecture, number, arguments)

    assert said("openat", 0, 0, 0o2000000) == ALLOW  # O_RDONLY | O_CLOEXEC
    assert {said("openat", 0, 0, flags) for flags in (1, 2, 0o100, 0o1001, 0o2000)} == {REFUSE}
    assert said("clone", 0x3D0F00) == ALLOW  # what pthread_create asks for
    assert said("clone", 0x01200011) == REFUSE  # what fork asks for
    assert (said("kill", ME, 6), said("kill", ME + 1, 6), said("kill", 0xFFFFFFFF, 9)) == (ALLOW, REFUSE, REFUSE)


@pytest.mark.parametrize("column", HEADERS)
def test_numbers_are_those_of_the_kernel(column: int) -> None:
    header, line = HEADERS[column]
    if not header.exists():
        pytest.skip("the headers of the kernel are not here")
    known: dict[str, int] = {}
    for name, number in re.findall(line, header.read_text()):
        known.setdefault("newfstatat" if column and name == "fstatat" else name, int(number))
    told = {name: both[column] for name, both in [*ALLOWED.items(), *((n, c[0]) for n, c in CONDITIONS.items())]}
    told |= {} if column else ALLOWED_OLD
    assert {name: known[name] for name, number in told.items() if number is not None} == {
        name: number for name, number in told.items() if number is not None
    }


def test_other_machines_have_none() -> None:
    assert filter_for("riscv64", ME) is None


BY_LANDLOCK = {
    "files it was not handed",
    "files of the system",
    "names of files",
    "memory of others by file",
    "environment of others",
}


def not_refused() -> tuple[set[str], str]:
    with Workers() as some:
        told = some.probe()
    assert set(told["refused"]) == {*ATTEMPTS, *ON_OPEN}
    return {what for what, refused in told["refused"].items() if not refused}, told["by"]


def test_a_worker_is_refused_all_it_tries() -> None:
    what, by = not_refused()
    if "seccomp" not in by:
        pytest.skip("this system has no seccomp")
    assert what == (set() if "landlock" in by else BY_LANDLOCK)


def test_a_kernel_without_landlock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Says so, and reads all the same."""
    monkeypatch.setattr(workers, "FORMATS", "engine.without_landlock")
    what, by = not_refused()
    assert "landlock" not in by
    assert "files it was not handed" in what <= BY_LANDLOCK
    (tmp_path / "a.deed").write_bytes(DEED + b"say it")
    with Workers() as some:
        said = [body for _, body in some.ask(Request(b"a.deed", path=bytes(tmp_path / "a.deed")))]
    assert b"say it" in said


def test_a_network_that_a_namespace_bars_is_barred(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no way from it, which is another error than being refused."""
    monkeypatch.setattr(workers, "FORMATS", "engine.without_seccomp")
    what, by = not_refused()
    if "namespace" not in by:
        pytest.skip("this system gives users no namespaces")
    assert "network" not in what
    assert "new processes" in what  # and that is all that it bars


@pytest.mark.parametrize(("version", "files", "size"), [(1, 13, 8), (2, 14, 8), (3, 15, 8), (4, 15, 16), (5, 16, 16)])
def test_all_that_a_kernel_knows_is_given_up(version: int, files: int, size: int) -> None:
    assert ruleset(version) == ((1 << files) - 1).to_bytes(8, sys.byteorder) + (3).to_bytes(8, sys.byteorder) * (
        size // 8 - 1
    )
    assert len(ruleset(6)) == len(ruleset(9)) == 24


@pytest.mark.parametrize("answers", [[-1], [0], [7, -1], [7, 3, *[0] * 99, -1]])
def test_landlock_that_does_not_take_hold_is_not_claimed(answers: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Libc:
        def syscall(self, *_: object) -> int:
            return answers.pop(0)

    monkeypatch.setattr("nearkin.engine.sandbox.os.close", lambda _: None)
    paths = ["/"] * (len(answers) - 3) if len(answers) > 3 else []
    assert not give_up_files(Libc(), paths)  # type: ignore[arg-type]


def test_files_that_nobody_takes_hold_nobody_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reader that was taken over may leave them where they are."""
    monkeypatch.setattr(workers, "PATIENCE", 0.1)
    (tmp_path / "a.txt").write_bytes(b"x")
    with Workers() as some, (tmp_path / "a.txt").open() as file:
        list(some.ask(Request(b"a.txt", path=bytes(tmp_path / "a.txt"))))
        (worker,) = some._idle
        with suppress(BlockingIOError):
            while True:
                socket.send_fds(worker._files, [b"f"], [file.fileno()])
        list(some.ask(Request(b"a.txt", path=bytes(tmp_path / "a.txt"))))
        assert some._idle != [worker]


UNCONFINED = """
import os, sys
from nearkin.engine.sandbox_selftest import tried
file = os.fsencode(sys.argv[1])
print(*(what for what, refused in tried(file, os.open(file, os.O_RDONLY)).items() if refused), sep=",")
"""


def test_the_same_is_not_refused_elsewhere(tmp_path: Path) -> None:
    """Else the attempts would tell nothing. Some need rights that a user, or a system, may not have."""
    (tmp_path / "file").write_bytes(b"x")
    command = [sys.executable, "-c", UNCONFINED, str(tmp_path / "file")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    privileged = {
        "mounting",
        "namespaces",
        "memory of others by call",
        "memory of others by file",
        "tracing",
        "queues of calls",
        "priority of others",
    }
    assert set(filter(None, said.split(","))) <= privileged
