"""The docs are true: every example in them runs, and every command is in them."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from cli.shell import typed
from nearkin.cli.main import COMMANDS
from nearkin.lab.sample import write_sample

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("howto.md", "formats.md", "schemes.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def examples(page: Path) -> list[tuple[str, str]]:
    """Command lines, each with what is shown to come of it; nothing is shown of most."""
    found = []
    for block in blocks(page, "console"):
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, shown = piece.partition("\n")
            found.append((line, shown.strip("\n")))
    return found


def commands(page: Path) -> list[str]:
    return [line for line, _ in examples(page)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a plain sample: a scan starts workers for office documents, 0.5 s each time, and formats.md scans those."""
    folder = tmp_path_factory.mktemp("docs")
    write_sample(folder / "sample", documents=200, seed=1, plain=True)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_in_the_docs_works(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert commands(page)
    for line, shown in examples(page):
        shutil.rmtree(folder / "another", ignore_errors=True)
        if line == "nearkin demo sample":
            continue  # it is there already, and a folder that is not empty is refused
        if line.startswith("nearkin scan another"):
            write_sample(folder / "another", documents=60, seed=7)
        code, out, err = typed(line)
        assert code == 0, f"{line}\n{err}"
        if shown:
            assert out.strip("\n") == shown, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_piece_of_python_in_the_docs_works(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    if not Path("nearkin.db").exists():  # where another process has typed the commands
        assert typed("nearkin scan sample --exclude truth.json")[0] == 0
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), {})


def test_every_command_is_in_the_docs() -> None:
    shown = "\n".join(line for page in PAGES for line in commands(page))
    for name in COMMANDS:
        assert f"nearkin {name}" in shown, name


def test_readme_names_the_two_commands() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text
