"""kill -9 between any two system calls of a step: the journal tells, undo and a second run both work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keep.world import Tree

# Dies at the n-th call of one of these, before or after it did its work.
KILLED = """
import os, signal, sys
left, after = int(sys.argv[1]), sys.argv[2] == "after"
def deadly(call):
    def wrapped(*given, **more):
        global left
        left -= 1
        if left == 0 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*given, **more)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return wrapped
from nearkin.cli.main import main
import nearkin.keep.apply
for name in ("rename", "link", "symlink", "unlink", "write"):
    setattr(os, name, deadly(getattr(os, name)))
sys.exit(main(sys.argv[3:]))
"""


def killed(tree: Tree, call: int, when: str, *arguments: object) -> int:
    command = [sys.executable, "-c", KILLED, str(call), when, "keep", "--store", str(tree.store)]
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, timeout=60, check=False)
    return done.returncode


@pytest.mark.parametrize("action", ["hardlink", "symlink", "quarantine"])
def test_killed_while_applying(tmp_path: Path, action: str) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    deaths = 0
    for call in (1, 2, 3, 4, 5):
        when = "after" if call % 2 else "before"
        code = killed(tree, call, when, "--apply", tree.plan, "--action", action)
        deaths += code < 0
        if call % 2:
            undone = tree.undo()
            assert undone.code == 0, undone.err
            assert tree.state() == before, (call, when)
    assert deaths >= 4
    done = tree.apply(action)  # goes on where the last one was killed
    assert done.code == 0, done.err
    assert tree.undo().code == 0
    assert tree.state() == before
    assert not list(tree.quarantine.iterdir())


def test_killed_while_undoing(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    for call in (1, 2, 3, 4):
        assert tree.apply("hardlink").code == 0
        killed(tree, call, "after", "--undo", tree.journal)
        assert tree.undo().code == 0
        assert tree.state() == before


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    before = tree.state()
    tree.apply("quarantine")
    with open(tree.journal, "ab") as file:
        file.write(b'{"number": 99, "state": "beg')
    assert tree.undo().code == 0
    assert tree.state() == before
    os.truncate(tree.journal, 0)
    assert tree.undo().records == []
    tree.journal.write_text("something else\n")
    assert tree.undo().code == 3
