"""Workers as nearkin sees them: started when first needed, asked one document at a time, replaced when lost.

Each is a new process, not a fork of this one, which has threads. Whatever a worker does costs the document it was asked
about: it may die, hang, want too much memory or say too much. Time counts while nearkin waits for the next frame, so a
container of many members may take longer than one document, but not longer than its budget.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from nearkin.engine.threads import IDLE
from nearkin.engine.worker_protocol import BrokenFrameError, Budget, Header, packed, unpack_from
from nearkin.errors import EngineError
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import KILLED, Reason
from nearkin.settings import WorkerSettings

FORMATS = "nearkin.formats.registry"  # the module that knows them
CODE = """import json, sys
options = json.loads(sys.argv[1])
sys.path[:] = options["import"]
from nearkin.engine.worker import main
main(options)
"""
AT_ONCE = 1 << 20
FRAME = 1 << 16  # bytes; longer bodies are read by themselves
CPU_CLOCK = 2  # CPUCLOCK_SCHED
MEMBER_SHARE = 4  # of the memory of a worker: a member is held once, while others and the libraries need the rest
PATIENCE = 5.0  # seconds for a worker to end by itself
START = 60.0  # seconds more for the first answer: a busy machine starts programs slowly


@dataclass(frozen=True)
class Request:
    """A document to be taken apart: a file, or bytes that lie in another."""

    name: bytes
    path: bytes | None = None  # absolute
    data: bytes = b""
    budget: Budget | None = None  # of the file it lies in
    idle: Callable[[], None] = lambda: None  # called where an answer is long in coming


class Worker:
    """One process and the pipes to it."""

    def __init__(self, settings: WorkerSettings, limits: Limits, formats: str) -> None:
        self._files, theirs = socket.socketpair()
        options = {
            "import": [path for path in sys.path if os.path.isabs(path)],  # noqa: PTH117
            "formats": formats,
            "memory": settings.document_memory,
            "seconds": settings.timeout,
            "limits": asdict(limits) | {"member": min(limits.member, settings.document_memory // MEMBER_SHARE)},
            "parent": os.getpid(),
            "files": theirs.fileno(),
        }
        self._settings = settings
        # No text may be longer than its characters; no member than all of them together.
        self._longest = max(4 * limits.characters, limits.unpacked)
        self._fresh = True
        self._idle: Callable[[], None] = lambda: None
        self._worked = 0.0
        self._held, self._at = b"", 0  # what came of the next frames already, and how much of it was taken
        self.has_answered = False  # to the question it was asked last
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-c", CODE, json.dumps(options)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=[theirs.fileno()],
            )
        except BaseException:
            self._files.close()
            raise
        finally:
            theirs.close()
        self._files.setblocking(False)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to, self._from = self.process.stdin.fileno(), self.process.stdout.fileno()
        for pipe in (self._to, self._from):
            os.set_blocking(pipe, False)
            if sys.platform == "linux":
                with contextlib.suppress(OSError):  # users may have too many of them
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, AT_ONCE)
        self._polled = select.poll()
        self._polled.register(self._from, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._to, select.POLLOUT)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def ask(self, request: Request) -> Iterator[tuple[Header, bytes]]:
        """Yield its answers until the end; Problem: the worker was lost. A caller that does not hear it out loses it
        too."""
        self._idle = request.idle
        header: Header = {"kind": "read", "name": request.name.hex()}
        yield from self._answers(header, request.data, request.budget, file=request.path)

    def probe(self, file: bytes) -> Header:
        (answer,) = (header for header, _ in self._answers({"kind": "probe", "path": file.hex()}, b"", file=file))
        return answer

    def _answers(
        self, header: Header, body: bytes, budget: Budget | None = None, *, file: bytes | None = None
    ) -> Iterator[tuple[Header, bytes]]:
        """Send a request and yield the answers. A file is opened here and handed over: a worker may open none."""
        handles = [] if file is None else [_opened(file)]
        ended = self.has_answered = False
        try:
            if handles:
                socket.send_fds(self._files, [b"f"], handles)
                os.close(handles.pop())
            self._send(packed(header | {"file": file is not None}, body))
            while not ended:
                answer, text = self._next(budget)
                self.has_answered = True
                if answer.get("kind") == "lacking":
                    raise EngineError(f"The package {answer['package']} is missing; install nearkin again.")
                ended = answer.get("kind") == "end"
                if ended and answer.get("spent"):
                    self.kill()
                if not ended or "by" in answer:
                    yield answer, text
        except (EOFError, ConnectionError, BlockingIOError):  # it is gone, or has let many files wait
            raise self._lost() from None
        except BrokenFrameError as error:
            raise Problem(Reason.TOO_LARGE, str(error)) from None
        finally:
            for handle in handles:
                os.close(handle)
            if not ended:
                self.kill()

    def _deadline(self) -> float:
        more = START if self._fresh else 0.0
        return time.monotonic() + self._settings.timeout + more

    def _send(self, pieces: list[bytes]) -> None:
        deadline = self._deadline()
        for piece in pieces:
            view = memoryview(piece)
            while view:
                self._wait(self._writable, deadline)
                view = view[os.write(self._to, view[:AT_ONCE]) :]

    def _next(self, budget: Budget | None) -> tuple[Header, bytes]:
        if budget is not None:
            budget.check()
        begun, deadline = time.monotonic(), self._deadline()
        try:
            frame = unpack_from(lambda size: self._take(size, deadline), longest=self._longest)
        finally:
            waited, before = time.monotonic() - begun, self._worked
            self._worked = self._time_of_processors(before + waited)
            if budget is not None:
                budget.spend(waited=waited, worked=self._worked - before)
        self._fresh = False
        if frame is None:
            raise EOFError
        return frame

    def _time_of_processors(self, guessed: float) -> float:
        """Processor time that the worker has taken since it began; Linux gives that of any process
        (clock_getcpuclockid)."""
        try:
            return time.clock_gettime(~self.process.pid << 3 | CPU_CLOCK)
        except (AttributeError, OSError):  # another system, or it is gone
            return guessed

    def _take(self, size: int, deadline: float) -> bytes:
        """Take so many bytes. Most frames come whole, in one read; lengths, header and body each by itself took a turn
        of poll and read, and of the GIL."""
        if size > FRAME:
            whole = bytearray(self._held[self._at :])
            self._held, self._at = bytes(whole[size:]), 0
            del whole[size:]
            while len(whole) < size and (some := self._read(min(AT_ONCE, size - len(whole)), deadline)):
                whole += some
            return bytes(whole)
        while len(self._held) - self._at < size and (some := self._read(FRAME, deadline)):
            self._held, self._at = self._held[self._at :] + some, 0
        taken = self._held[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def _read(self, size: int, deadline: float) -> bytes:
        self._wait(self._polled, deadline)
        return os.read(self._from, size)

    def _wait(self, polled: "select.poll", deadline: float) -> None:
        left = deadline - time.monotonic()
        if left > IDLE:
            if polled.poll(IDLE * 1000):
                return
            self._idle()
            left -= IDLE
        if left <= 0 or not polled.poll(left * 1000):
            raise Problem(Reason.TIMED_OUT, self._settings.timed_out)

    def _lost(self) -> Problem:
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # it has closed its pipe and lives on
            self.process.kill()
            return Problem(Reason.CRASHED, "the worker reading it stopped answering")
        if code == -signal.SIGXCPU:
            return Problem(Reason.TIMED_OUT, self._settings.timed_out)
        if code == -signal.SIGKILL:
            return Problem(Reason.CRASHED, KILLED)
        if code < 0:
            named = -code in signal.valid_signals() and -code < signal.SIGRTMIN  # real-time ones have no names
            name = signal.Signals(-code).name if named else f"signal {-code}"
            return Problem(Reason.CRASHED, f"the worker reading it died of {name}")
        return Problem(Reason.CRASHED, f"the worker reading it ended with code {code}")

    def kill(self) -> None:
        self.process.kill()
        self._close()
        self.process.wait()

    @property
    def is_closed(self) -> bool:
        return self.process.stdin is None or self.process.stdin.closed

    def close_input(self) -> None:
        """Close its input: a worker ends when it sees the end of its pipe."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def end(self) -> None:
        self._close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def _close(self) -> None:
        self._files.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _opened(path: bytes) -> int:
    # A path that turned into a link or FIFO since the walk must neither lead elsewhere nor hang.
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Problem(Reason.UNREADABLE, (error.strerror or str(error)).lower()) from None


@dataclass
class Workers:
    """A pool of as many workers as are needed at once. None is started until the first document comes."""

    settings: WorkerSettings = field(default_factory=WorkerSettings)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._over = False
        self._lock = threading.Lock()
        # A worker dies with the thread that started it: one that lives as long as they may.
        self._starter: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        idle, self._idle = self._idle, []
        for worker in idle:
            worker.close_input()
        for worker in idle:
            worker.end()
        if self._starter is not None:
            self._starter.shutdown()
            self._starter = None

    def ask(self, request: Request) -> Generator[tuple[Header, bytes], None, None]:
        """Yield the answers of a worker that is free, or of a new one."""
        if request.budget is not None:
            request.budget.check()
        worker = self._free()
        if worker is not None:
            try:
                yield from self._answers(worker, request)
                return
            except Problem as problem:
                # It had died of something else before, unless it hung.
                if worker.has_answered or problem.reason is not Reason.CRASHED or self._over:
                    raise
        yield from self._answers(self._started(), request)

    def _answers(self, worker: Worker, request: Request) -> Iterator[tuple[Header, bytes]]:
        with self._lock:
            self._busy.add(worker)
            if self._over:
                worker.process.kill()
        try:
            yield from worker.ask(request)
        finally:
            self._give_back(worker)

    def probe(self) -> Header:
        """Have a worker try what it must not do: what bars it, and whether each attempt was refused."""
        with tempfile.TemporaryDirectory(prefix="nearkin-") as folder:
            file = Path(folder) / "file"
            file.write_bytes(b"x")
            worker = self._started()
            try:
                return worker.probe(os.fsencode(file))
            finally:
                worker.kill()  # where little is barred it may have changed itself

    def abort(self) -> None:
        """End all that are at work: nobody waits for their answers any longer."""
        with self._lock:
            self._over = True
            for worker in self._busy:
                worker.process.kill()

    def _free(self) -> Worker | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                worker = self._idle.pop()
            if worker.is_alive:
                return worker
            worker.kill()

    def _started(self) -> Worker:
        with self._lock:
            self._starter = starter = self._starter or ThreadPoolExecutor(1, "nearkin-workers")
        try:
            return starter.submit(Worker, self.settings, self.limits, FORMATS).result()
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise EngineError(f"No process can be started to read documents in: {why}.") from error

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if worker.is_alive and not worker.is_closed:
                self._idle.append(worker)
                return
        worker.kill()
