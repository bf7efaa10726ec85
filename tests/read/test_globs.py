"""Globs of --include and --exclude, beside an oracle that reads them letter by letter, and beside git."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearkin.read.globs import Glob, Globs, PathFilter
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import WalkSettings
from oracle.globs import is_covered, is_meant

FILES = ["2.txt", "a/1.txt", "a/b/2.txt", "a/b/3.log", "b/c/a/4.txt", "[x].txt", "x.txt"]
PIECES = [
    "a",
    "b",
    "*",
    "**",
    "***",
    "?",
    "/",
    "./",
    "[ab]",
    "[!a]",
    "[a-c]",
    "[]a]",
    "[^b",
    "[b-a]",
    "[a/]",
    "\\*",
    "-",
    "é",
]
GLOBS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
NAMES = st.text("abé-*[\n\udcff", min_size=1, max_size=4)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def met(folder: Path, **choices: tuple[str, ...]) -> set[str]:
    found = set()
    for one in walk(folder, (folder,), WalkSettings(**choices)):  # type: ignore[arg-type]
        assert not isinstance(one, Unreadable)
        found.add(os.fsdecode(one))
    return found


@example(glob="**/a", path="a", folder=False)
@example(glob="a/**", path="a", folder=True)
@example(glob="a/**/b", path="a/b", folder=False)
@given(glob=GLOBS, path=PATHS, folder=...)
def test_as_letter_by_letter(glob: str, path: str, folder: bool) -> None:
    name = os.fsencode(path)
    assert Globs((glob,)).match(name, folder=folder) == is_meant(glob, path, folder=folder)
    assert Globs((glob,)).cover(name) == is_covered(glob, path)


@pytest.mark.parametrize(
    ("glob", "excluded"),
    [
        ("a/", {"a/1.txt", "a/b/2.txt", "a/b/3.log", "b/c/a/4.txt"}),
        ("a/b/", {"a/b/2.txt", "a/b/3.log"}),
        ("b/", {"a/b/2.txt", "a/b/3.log", "b/c/a/4.txt"}),
        ("/b/", {"b/c/a/4.txt"}),
        ("./a", {"a/1.txt", "a/b/2.txt", "a/b/3.log"}),
        ("./a/b/", {"a/b/2.txt", "a/b/3.log"}),
        ("./2.txt", {"2.txt"}),
        ("2.txt", {"2.txt", "a/b/2.txt"}),
        ("2.txt/", set()),
        ("a/*.txt", {"a/1.txt"}),
        ("a/?/2.txt", {"a/b/2.txt"}),
        ("**/2.txt", {"2.txt", "a/b/2.txt"}),
        ("a/**", {"a/1.txt", "a/b/2.txt", "a/b/3.log"}),
        ("a/**/2.txt", {"a/b/2.txt"}),
        ("a/**/1.txt", {"a/1.txt"}),
        ("[0-2].txt", {"2.txt", "a/1.txt", "a/b/2.txt"}),
        ("[!0-2].*", {"a/b/3.log", "b/c/a/4.txt", "x.txt"}),
        ("[[]x].txt", {"[x].txt"}),
        ("\\[x].txt", {"[x].txt"}),
        ("[x].txt", {"x.txt"}),
    ],
)
def test_what_is_excluded(folder: Path, glob: str, excluded: set[str]) -> None:
    assert set(FILES) - met(folder, exclude=(glob,)) == excluded


@pytest.mark.parametrize(
    ("glob", "included"),
    [
        ("*.log", {"a/b/3.log"}),
        ("a/", {"a/1.txt", "a/b/2.txt", "a/b/3.log", "b/c/a/4.txt"}),
        ("a/b/", {"a/b/2.txt", "a/b/3.log"}),
        ("./a/b", {"a/b/2.txt", "a/b/3.log"}),
        ("a/*", {"a/1.txt", "a/b/2.txt", "a/b/3.log"}),
        ("a/*.txt", {"a/1.txt"}),
        ("a*", set()),
    ],
)
def test_what_is_included(folder: Path, glob: str, included: set[str]) -> None:
    assert met(folder, include=(glob,)) == included


def test_a_question_mark_is_one_character_or_one_byte_that_is_none(tmp_path: Path) -> None:
    for name in (b"caf\xc3\xa9", b"caf\xe9", b"cafee"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    assert met(tmp_path, exclude=("caf?",)) == {"cafee"}
    assert met(tmp_path, exclude=("caf[é]",)) == {"cafee", os.fsdecode(b"caf\xe9")}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
@pytest.mark.parametrize(
    "glob",
    [
        *("a/", "b/", "a/b/", "/b/", "2.txt", "/2.txt", "a/*.txt", "*/*.txt", "**/2.txt", "a/**", "a/**/2.txt"),
        *("**/b/**", "[0-2].txt", "[!0-2].*", "[[]x].txt", "\\[x].txt", "[]x].txt", "?.txt", "a*", "**", "***/2.txt"),
    ],
)
def test_as_git_ignores(folder: Path, glob: str) -> None:
    git = ["git", "-c", "core.excludesFile=/dev/null", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True, capture_output=True)
    (folder / ".git/info/exclude").write_text(glob + "\n")
    asked = "\0".join(FILES).encode()
    ask = [*git, "check-ignore", "--no-index", "-z", "--stdin"]
    said = subprocess.run(ask, input=asked, capture_output=True, check=False)
    assert said.returncode in (0, 1), said.stderr
    assert set(FILES) - met(folder, exclude=(glob,)) == {*said.stdout.decode().split("\0")} - {""}


def test_globs_that_matched_nothing_are_known_after_the_walk(folder: Path) -> None:
    settings = WalkSettings(include=("*.txt", "*.doc"), exclude=("a/b/", "a/b", "folder/a/", "*.log"))
    choice = PathFilter(settings)
    assert choice.idle != ()
    assert b"2.txt" in set(walk(folder, (folder,), settings, choice=choice))
    assert choice.idle == ("--include *.doc", "--exclude folder/a/", "--exclude *.log")  # 3.log lies in a/b


def test_a_walk_without_globs_has_no_idle_ones(folder: Path) -> None:
    choice = PathFilter(WalkSettings())
    assert len(list(walk(folder, (folder,), WalkSettings(), choice=choice))) == len(FILES)
    assert choice.idle == ()


def test_many_stars_and_a_long_name_take_no_time() -> None:
    glob = Glob("*-*-*-*-*-*-*-*.txt")
    assert glob.match("a-" * 120 + ".txt", folder=False)
    assert not glob.match("a-" * 120 + ".log", folder=False)  # tried at all places this takes hours
