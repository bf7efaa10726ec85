"""The docs are true: every example in them runs, and every command is in them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nearkin.cli.main import COMMANDS
from nearkin.lab.sample import write_sample

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "howto.md", ROOT / "docs" / "schemes.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def commands(page: Path) -> list[str]:
    return [line[2:] for block in blocks(page, "console") for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    write_sample(folder / "sample", documents=200, seed=1)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_in_the_docs_works(page: Path, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lines = commands(page)
    assert lines
    for line in lines:
        shutil.rmtree(folder / "another", ignore_errors=True)
        if line == "nearkin demo sample":
            continue  # it is there already, and a folder that is not empty is refused
        if line.startswith("nearkin scan another"):
            write_sample(folder / "another", documents=60, seed=7)
        done = subprocess.run(
            line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_piece_of_python_in_the_docs_works(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
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
