"""A terminal of so many columns, for what people see only on one."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from cli.world import NEARKIN

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\[\?25[hl]")


class Typed:
    """What a terminal receives; into a pipe goes nothing."""

    def __init__(
        self,
        *arguments: object,
        cwd: Path,
        columns: int = 80,
        code: str | None = None,
        shell: list[str] | None = None,
    ) -> None:
        """`code`: of Python, instead of nearkin's; `shell`: another command than nearkin."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        known = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        command = NEARKIN if code is None else [NEARKIN[0], "-c", code]
        with subprocess.Popen(
            shell or [*command, *map(str, arguments)],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env={**known, "TERM": "xterm-256color"},
        ) as process:
            os.close(theirs)
            self.raw = b"".join(iter(lambda: _read(ours), b"")).decode()
            self.code = process.wait(timeout=60)
        os.close(ours)

    @property
    def text(self) -> str:
        return CONTROLS.sub("", self.raw).replace("\r\n", "\n")

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # as Linux says that nobody writes any more
        return b""
