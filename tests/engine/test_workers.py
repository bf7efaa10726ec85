"""Whatever a document does to its reader costs that document, and nothing else."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.fake_formats import DEED
from nearkin.engine import workers as engine_workers
from nearkin.engine.workers import AT_ONCE, FRAME, Request, Workers
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason
from nearkin.settings import WorkerSettings

TESTS = str(Path(__file__).parents[1])


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    if TESTS not in sys.path:
        monkeypatch.syspath_prepend(TESTS)


def some_workers(*, timeout: float = 1) -> Workers:
    return Workers(WorkerSettings(timeout=timeout, document_memory=256 << 20), Limits(characters=1_000_000))


@pytest.fixture
def workers(fakes: None) -> Iterator[Workers]:
    with some_workers() as some:
        yield some


def asked(deed: str) -> Request:
    return Request(b"x.deed", data=DEED + deed.encode())


def answers(workers: Workers, deed: str) -> tuple[list[str], Reason | None, str]:
    """What was answered, and how it failed."""
    kinds: list[str] = []
    try:
        for header, _ in workers.ask(asked(deed)):
            kinds.append(header["kind"])
            if header["kind"] == "problem":
                return kinds, Reason(header["reason"]), header["detail"]
    except Problem as problem:
        return kinds, problem.reason, problem.detail
    return kinds, None, ""


def running(workers: Workers) -> list[int]:
    return [worker.process.pid for worker in workers._idle if worker.is_alive]


DEEDS = {
    "exit": (Reason.CRASHED, "ended with code 7"),
    "segfault": (Reason.CRASHED, "SIGSEGV"),
    "abort": (Reason.CRASHED, "SIGABRT"),
    "hang": (Reason.TIMED_OUT, "1 seconds"),
    "spin": (Reason.TIMED_OUT, "1 seconds"),
    "eat": (Reason.TOO_LARGE, "memory"),
    "grow": (Reason.TOO_LARGE, "memory"),
    "recurse": (Reason.TOO_LARGE, "nested too deeply"),
    "raise": (Reason.CORRUPT, "ValueError: no such thing"),
    "encrypted": (Reason.ENCRYPTED, "a password is needed"),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_it_costs_the_document_and_the_next_is_read(fakes: None, deed: str) -> None:
    ends = DEEDS[deed][0] is not Reason.TIMED_OUT  # by itself, however busy the machine
    with some_workers(timeout=60 if ends else 1) as workers:
        assert answers(workers, "hello")[1] is None
        _, reason, said = answers(workers, deed)
        assert reason is DEEDS[deed][0]
        assert DEEDS[deed][1] in said
        assert answers(workers, "hello") == (["kind", "document"], None, "")


def test_what_libraries_print_is_not_among_the_answers(workers: Workers) -> None:
    assert answers(workers, "print") == (["kind", "document"], None, "")


def test_more_than_may_be_said_is_too_large(fakes: None) -> None:
    limits = Limits(characters=1000, unpacked=4000)
    with Workers(WorkerSettings(), limits) as workers:
        found = list(workers.ask(Request(b"x.deed", data=DEED + b"say " + b"x" * 3000)))
        assert found[-1][0]["kind"] == "document"
        with pytest.raises(Problem, match="over the limit of 4,000") as raised:
            list(workers.ask(Request(b"x.deed", data=DEED + b"say " + b"x" * 5000)))
        assert raised.value.reason is Reason.TOO_LARGE


def test_nothing_is_written(workers: Workers, tmp_path: Path) -> None:
    texts = [body for header, body in workers.ask(asked(f"write {tmp_path}/out")) if header["kind"] == "document"]
    assert texts[0].startswith(b"refused")
    assert not (tmp_path / "out").exists() or not (tmp_path / "out").stat().st_size


@pytest.mark.parametrize("length", [1, FRAME - 300, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, AT_ONCE + FRAME])
def test_answers_come_whole_however_long(workers: Workers, length: int) -> None:
    """In as many pieces as the pipe makes of them."""
    for _ in range(2):
        told = [(header["kind"], body) for header, body in workers.ask(asked("say " + length * "x"))]
        assert told == [("kind", b""), ("document", b"say " + length * b"x")]


def test_members_come_whole_however_long(workers: Workers) -> None:
    members = [(f"{number}", bytes([65 + number]) * (number * FRAME // 3)) for number in range(8)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    told = [*workers.ask(Request(b"a.zip", data=packed.getvalue()))]
    assert [header["kind"] for header, _ in told] == ["kind", "document", *["member"] * len(members)]
    assert [(bytes.fromhex(header["name"]).decode(), body) for header, body in told[2:]] == members


def test_threads_can_be_started(workers: Workers) -> None:
    assert answers(workers, "thread") == (["kind", "document"], None, "")


def test_members_before_a_crash_are_told(workers: Workers) -> None:
    assert answers(workers, "halfway")[:2] == (["kind", "document", "member"], Reason.CRASHED)


def test_nothing_is_started_before_it_is_needed_and_one_is_enough(workers: Workers) -> None:
    assert running(workers) == []
    for _ in range(3):
        answers(workers, "hello")
    assert len(running(workers)) == 1


def test_whoever_waits_long_can_do_something_meanwhile(
    fakes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_workers, "IDLE", 0.01)
    done = tmp_path / "done"
    with some_workers(timeout=5) as workers:
        list(workers.ask(Request(b"x.deed", data=DEED + b"until " + bytes(done), idle=done.touch)))
    assert done.exists()


def test_one_that_died_while_idle_is_replaced_unnoticed(workers: Workers) -> None:
    answers(workers, "hello")
    os.kill(running(workers)[0], signal.SIGKILL)
    assert answers(workers, "hello") == (["kind", "document"], None, "")


def test_what_is_not_heard_out_is_stopped(workers: Workers) -> None:
    for _ in workers.ask(asked("halfway")):
        break
    assert running(workers) == []
    assert answers(workers, "hello")[1] is None


def test_whoever_waits_is_freed_when_all_is_over(fakes: None) -> None:
    with Workers(WorkerSettings(timeout=1000)) as workers:
        said: list[Reason | None] = []
        waiting = threading.Thread(target=lambda: said.append(answers(workers, "hang")[1]))
        waiting.start()
        while not workers._busy:
            time.sleep(0.01)
        workers.abort()
        waiting.join(20)
        assert said == [Reason.CRASHED]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


ORPHANS = """
import sys, threading, time
sys.path.insert(0, sys.argv[1])
from nearkin.engine import workers
from nearkin.settings import WorkerSettings
from engine.fake_formats import DEED

workers.FORMATS = "engine.fake_formats"
some = workers.Workers(WorkerSettings(timeout=1000))
list(some.ask(workers.Request(b"x", data=DEED + b"hello")))
idle = some._idle[0].process.pid
for deed in (b"hang", b"spin"):
    threading.Thread(target=lambda: list(some.ask(workers.Request(b"x", data=DEED + deed))), daemon=True).start()
    time.sleep(0.5)
print(idle, *(worker.process.pid for worker in some._busy), flush=True)
time.sleep(1000)
"""


def test_a_killed_parent_leaves_no_workers() -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHANS, TESTS], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        pids = {int(pid) for pid in parent.stdout.readline().split()}
    assert len(pids) == 2
    assert all(map(is_alive, pids))
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(is_alive, pids))
