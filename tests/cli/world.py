"""A small repository and the real command line, for the tests here."""

import io
import json
import os
import random
import resource
import string
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from nearkin.cli.main import main

NEARKIN = [sys.executable, "-c", "from nearkin.cli.main import run; run()"]


def nearkin(*arguments: object, cwd: Path | None = None, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """In a process of its own, as a shell starts it."""
    return subprocess.run(
        [*NEARKIN, *map(str, arguments)], cwd=cwd, capture_output=True, timeout=60, check=False, **more
    )


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """As on a disk that fills up: what is written beyond is an error of the system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Called:
    """In this process: faster, and all that matters is the same."""

    def __init__(self, *arguments: object) -> None:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            self.code = main([str(argument) for argument in arguments])
        self.raw = _written(out)
        self.out = self.raw.decode("utf-8", "surrogateescape")
        self.err = _written(err).decode()

    @property
    def words(self) -> str:
        """What the screen says, wherever its lines end."""
        return " ".join(self.out.replace(" \\\n", "\n").split())

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def listed(command: str, store: Path, *more: object) -> list[dict[str, Any]]:
    done = Called(command, "--store", store, "--format", "jsonl", *more)
    assert done.code == 0, done.err
    return done.records


def paths(store: Path, *more: object) -> list[str]:
    return [one["path"] for one in listed("documents", store, *more)]


def prose(seed: int, words: int = 250) -> str:
    dice = random.Random(seed)
    return " ".join("".join(dice.choices(string.ascii_lowercase, k=dice.randint(2, 9))) for _ in range(words))


def edited(text: str, at: int) -> str:
    words = text.split()
    words[at] = "altogether"
    return " ".join(words)


FILES: dict[bytes, str] = {
    b"manual-1.txt": prose(1),
    b"manual-2.txt": edited(prose(1), 40),
    b"manual-3.txt": edited(edited(prose(1), 40), 120),
    b"copies/manual-1.txt": prose(1),
    b"copies/manual-1.html": f"<html><body><p>{prose(1)}</p></body></html>",
    b"part.txt": prose(2),
    b"whole.txt": f"{prose(3, 400)} {prose(2)} {prose(4, 400)}",
    b"single.txt": prose(5),
    b"=formula.txt": prose(6),
    b"-dash.txt": edited(prose(6), 9),
    b"caf\xe9.txt": prose(7),
    b"esc\x1b[31m\n.txt": edited(prose(7), 9),
    b"empty.txt": "",
    b"[bold]markup[/].txt": prose(8),
}


def write(folder: Path, files: dict[bytes, str]) -> Path:
    for name, text in files.items():
        path = Path(os.fsdecode(os.path.join(os.fsencode(folder), name)))  # noqa: PTH118
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def scanned(folder: Path, store: Path, *options: str) -> dict[str, Any]:
    called = Called("scan", folder, "--store", store, *options)
    assert called.code == 0, called.err
    (record,) = called.records
    return record
