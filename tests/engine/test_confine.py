"""The filter of system calls, judged by a textbook interpreter of its program."""

import struct

import pytest

from nearkin.engine.confine import ALLOW, REFUSED, filter_for
from nearkin.engine.workers import Workers


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


@pytest.mark.parametrize("machine", REFUSED)
def test_calls_are_refused_or_allowed(machine: str) -> None:
    program = filter_for(machine)
    assert program is not None
    architecture, refused, opening = REFUSED[machine]
    for number in range(470):
        if number in opening:
            continue
        allowed = run(program, architecture, number) == ALLOW
        assert allowed == (number not in refused | {437, 425}), number
    for number, argument in opening.items():
        before = (0,) * argument
        assert run(program, architecture, number, (*before, 0o2000000)) == ALLOW  # O_RDONLY | O_CLOEXEC
        for flags in (1, 2, 0o100, 0o1001, 0o2000):
            assert run(program, architecture, number, (*before, flags)) != ALLOW
    assert run(program, 0x40000003, 0) != ALLOW  # 32 bits
    assert run(program, architecture, 0x40000000 + 41) != ALLOW


def test_other_machines_have_none() -> None:
    assert filter_for("riscv64") is None


def test_a_worker_says_what_bars_it() -> None:
    with Workers() as workers:
        told = workers.probe()
    assert told["by"] in ("seccomp", "namespace", "nothing")
    assert told["writing"]
    assert told["network"] == (told["by"] != "nothing")
