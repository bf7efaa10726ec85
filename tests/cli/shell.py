"""Lines as people type them into a shell, most of them answered in this process."""

import re
import shlex
import subprocess
from pathlib import Path

from cli.world import Called

SHELL = re.compile(r"[|&<>$`*;]")
INNER, KEPT, QUOTED = re.compile(r"\$\(([^()]*)\)"), re.compile(r" > (\S+)$"), re.compile("'[^']*'")


def typed(line: str) -> tuple[int, str, str]:
    """What comes of it. To start a nearkin takes 0.4 s, and the longest page would start 50: where a shell would only
    join commands, insert what one says or keep it in a file, that is done here. All else is left to a shell."""
    if "nearkin" not in line or not (line.startswith("nearkin ") or " && " in line):
        return shell(line)
    if " && " in line:
        first, _, then = line.partition(" && ")
        code, out, err = typed(first)
        if code:
            return code, out, err
        code, more, complaint = typed(then)
        return code, out + more, err + complaint
    if inner := INNER.search(line):
        code, out, err = typed(inner[1])
        return (code, out, err) if code else typed(line[: inner.start()] + out.strip() + line[inner.end() :])
    if file := KEPT.search(line):
        code, out, err = typed(line[: file.start()])
        Path(file[1]).write_text(out, encoding="utf-8", errors="surrogateescape")
        return code, "", err
    said, _, then = line.partition(" | ")
    if SHELL.search(QUOTED.sub("", said)):
        return shell(line)
    called = Called(*shlex.split(said)[1:])
    if called.code or not then:
        return called.code, called.out, called.err
    return shell(then, called.raw)


def shell(line: str, given: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run(line, shell=True, input=given, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode()
