"""Folders listed natively, beside an oracle that asks entry by entry."""

import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nearkin._native import FOLDER, WATCHED, list_folder
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import WalkSettings
from oracle.walk import walk as walk_slowly

NAMES = st.one_of(
    st.sampled_from(
        [b"a", b"a.txt", b"A", b"a b", b"a-", b"b", b".hidden", b"..", b"...", b"\xff", b"\xc3\xa4", b"\n"]
    ),
    st.binary(min_size=1, max_size=12).filter(lambda name: not set(name) & {0, ord("/")}),
)
GLOBS = st.lists(st.sampled_from(["*.txt", "a*", "?", "a/*", "/b", "*/a", "[!a]", ".*"]), max_size=2).map(tuple)
# A folder is what lies in it, everything else a word.
TREES = st.recursive(
    st.sampled_from(["file", "link", "link to a folder", "dead link", "fifo", "own", "closed"]),
    lambda below: st.dictionaries(NAMES, below, max_size=6),
    max_leaves=25,
)


def grow(tree: object, path: bytes, own: Path) -> None:
    make: dict[object, Callable[[bytes], object]] = {
        "file": lambda path: Path(os.fsdecode(path)).write_bytes(path),
        "link": partial(os.symlink, own),
        "link to a folder": partial(os.symlink, own.parent),
        "dead link": partial(os.symlink, b"nowhere"),
        "fifo": os.mkfifo,
        "own": partial(os.link, own),
        "closed": partial(os.mkdir, mode=0),
    }
    if isinstance(tree, dict):
        os.mkdir(path)  # noqa: PTH102
        for name, below in tree.items():
            if name not in (b".", b".."):
                grow(below, path + b"/" + name, own)
    else:
        make[tree](path)


@pytest.mark.parametrize("ask", [False, True], ids=["told", "asked"])
@example(
    tree={b"b": {b"a": "file", b"z": "own"}, b"b.txt": "file", b"b-": {}, b"c": "closed"},
    include=(),
    exclude=(),
    hidden=True,
)
@given(tree=st.dictionaries(NAMES, TREES, max_size=8), include=GLOBS, exclude=GLOBS, hidden=st.booleans())
@settings(max_examples=100)
def test_met_as_entry_by_entry(
    ask: bool, tree: dict[bytes, object], include: tuple[str, ...], exclude: tuple[str, ...], hidden: bool
) -> None:
    choice = WalkSettings(include=include, exclude=exclude, hidden=hidden)
    with TemporaryDirectory() as made, pytest.MonkeyPatch.context() as patched:
        patched.setattr("nearkin.read.walk.list_folder", partial(list_folder, ask=ask))
        root, own = Path(made) / "root", Path(made) / "store.db"
        own.write_bytes(b"")
        grow(tree, os.fsencode(root), own)
        leave_out = frozenset({os.fsencode(own), os.fsencode(root / "a"), os.fsencode(root / "b" / "a")})
        for starts in ((root,), tuple(sorted(root.iterdir(), key=os.fsencode))):
            met = list(walk(root, starts, choice, leave_out=leave_out))
            assert met == list(walk_slowly(root, starts, choice, leave_out=leave_out))


@pytest.mark.parametrize("ask", [False, True], ids=["told", "asked"])
def test_what_is_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: bool) -> None:
    for name in (b"b", b"caf\xe9", b"\xc3\xa4", b"B", b"watched", b".dot"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)  # a socket's path may have 107 bytes
    inode = (tmp_path / "watched").stat().st_ino
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        paths, apart, passed_over = list_folder(
            os.fsencode(tmp_path), b"in/", hidden=False, watched=[1, inode], ask=ask
        )
    assert paths == [b"in/" + name for name in (b"B", b"b", b"caf\xe9", b"folder", b"watched", b"\xc3\xa4")]
    assert apart == [(3, FOLDER), (4, WATCHED)]
    assert passed_over == (1, 2)
    shown, *_ = list_folder(os.fsencode(tmp_path), b"", hidden=True, watched=[], ask=ask)
    assert shown[0] == b".dot"


@pytest.mark.parametrize(
    ("name", "error"), [("missing", FileNotFoundError), ("file", NotADirectoryError), ("x" * 300, OSError)]
)
def test_what_cannot_be_looked_into_is_an_error_of_the_system(tmp_path: Path, name: str, error: type[OSError]) -> None:
    (tmp_path / "file").write_text("x")
    path = os.fsencode(tmp_path / name)
    with pytest.raises(error) as raised:
        list_folder(path, b"", hidden=False, watched=[])
    with pytest.raises(error) as expected:
        os.scandir(path)
    assert (raised.value.errno, raised.value.strerror) == (expected.value.errno, expected.value.strerror)


def test_what_cannot_be_told_is_told_by_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that gives no types, and then refuses one."""
    listing = ([b"a", b"b", b"c"], [(1, 5)], (0, 0))
    monkeypatch.setattr("nearkin.read.walk.list_folder", lambda *_, **__: listing)
    met = list(walk(tmp_path, (tmp_path,), WalkSettings(exclude=("b",))))
    assert met == [b"a", Unreadable(b"b", "input/output error"), b"c"]
