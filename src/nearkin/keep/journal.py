"""The journal of a plan: each step is recorded before it is taken and again when it is done, one line on disk at a
time.

So a run that is killed leaves at most one step begun and not done, and the journal names it. Only complete lines count:
a last line without its end was never acted on.
"""

import fcntl
import json
import os
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from nearkin.errors import BusyError, InputError
from nearkin.read.walk import explain

FORMAT = "nearkin keep journal 1"
HEAD = json.dumps({"format": FORMAT}).encode()


@dataclass(frozen=True)
class Step:
    """One document that is moved to the quarantine, and the link that may replace it."""

    number: int
    action: str  # hardlink, symlink, quarantine
    root: str
    path: str
    sha256: str
    device: int
    inode: int
    kept_root: str
    kept_path: str
    kept_device: int
    kept_inode: int
    target: str | None  # of a symbolic link
    quarantine: str  # folder, absolute
    moved: str  # name in it

    @property
    def key(self) -> tuple[str, str]:
        return self.root, self.path


class Journal:
    """An open journal, locked by one process at a time. Its steps and their states are read at once."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self._create = create
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | (os.O_CREAT if create else 0)
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            why = "it is a link" if path.is_symlink() else explain(error)
            raise InputError(f"Cannot open the journal {path}: {why}.") from error
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            os.close(self._file)
            raise InputError(f"Cannot use the journal {path}: it is no file of your own.")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise BusyError(f"Another process is at work by the journal {path}.") from None
        self.steps: dict[int, Step] = {}
        self.states: dict[int, str] = {}  # begun, done, undone
        try:
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def _read(self) -> None:
        data = self._read_file()
        whole, newline, rest = data.rpartition(b"\n")
        lines = whole.splitlines() if newline else []
        if not lines and self._create and HEAD.startswith(data):  # an empty file, or its writer was killed at once
            os.ftruncate(self._file, 0)
            self._write({"format": FORMAT})
            self._sync_folder()
            return
        try:
            head, *records = [json.loads(line) for line in lines]
            if head["format"] != FORMAT:
                raise ValueError
            for record in records:
                if "step" in record:
                    step = Step(**record["step"])
                    if "/" in step.moved or step.moved in ("", ".", ".."):
                        raise ValueError
                    self.steps[step.number] = step
                self.states[record["number"]] = record["state"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{self.path} is no journal of `nearkin keep --apply`.") from error
        if rest:  # a line that was cut off when its writer was killed; a file that is no journal is not cut
            os.ftruncate(self._file, len(whole) + len(newline))

    def begin(self, step: Step) -> None:
        self.steps[step.number] = step
        self._write({"number": step.number, "state": "begun", "step": asdict(step)})
        self.states[step.number] = "begun"

    def end(self, number: int, state: str) -> None:
        self._write({"number": number, "state": state})
        self.states[number] = state

    def standing(self) -> list[Step]:
        """Return the steps that were begun or done and not undone, in their order."""
        return [self.steps[number] for number in sorted(self.steps) if self.states[number] != "undone"]

    @property
    def next_number(self) -> int:
        return max(self.steps, default=0) + 1

    def _write(self, record: dict[str, Any]) -> None:
        """Append a record. InputError where that fails: then nothing more is done, as nothing would record it."""
        data = json.dumps(record).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise InputError(
                f"Cannot write the journal {self.path}: {explain(error)}; what it names can be undone."
            ) from error

    def _read_file(self) -> bytes:
        data = b""
        while block := os.pread(self._file, 1 << 20, len(data)):
            data += block
        return data

    def _sync_folder(self) -> None:
        with suppress(OSError):  # some file systems cannot
            folder = os.open(self.path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
