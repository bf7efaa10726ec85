"""The docs are true: every example in them runs, every link leads somewhere, and every command is in them."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from cli.shell import typed
from nearkin.cli.main import COMMANDS
from nearkin.sample.repository import write_sample

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", DOCS / "formats.md", DOCS / "schemes.md", *sorted((DOCS / "howto").glob("*.md"))]
LINKING = [*PAGES, DOCS / "howto.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.glob("decisions/*.md")]


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of each, as they follow one another."""
    return re.findall(r"^```(console|python)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def examples(block: str) -> list[tuple[str, str]]:
    """Command lines, each with the output shown for it; most show none."""
    found = []
    for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
        line, _, shown = piece.partition("\n")
        found.append((line, shown.strip("\n")))
    return found


def commands(page: Path) -> list[str]:
    return [line for language, block in blocks(page) if language == "console" for line, _ in examples(block)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in a folder of the page's own. Its sample is plain: a scan starts workers for office documents, 0.5 s
    each time, and formats.md scans those."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    write_sample(tmp_path / "sample", documents=200, seed=1, plain=True)
    assert commands(page)
    for language, block in blocks(page):
        if language == "python":
            exec(compile(block, page.name, "exec"), {})
            continue
        for line, shown in examples(block):
            try_out(line, shown)


def try_out(line: str, shown: str) -> None:
    if line == "nearkin demo sample":
        return  # it is there already, and a folder that is not empty is refused
    if line.startswith("nearkin scan another"):
        shutil.rmtree("another", ignore_errors=True)
        write_sample(Path("another"), documents=60, seed=7)
    code, out, err = typed(line)
    assert code == 0, f"{line}\n{err}"
    if shown:
        assert out.strip("\n") == shown, line


def test_every_command_is_in_the_docs() -> None:
    shown = "\n".join(line for page in PAGES for line in commands(page))
    for name in COMMANDS:
        assert f"nearkin {name}" in shown, name


def test_readme_names_the_two_commands() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_answer_is_in_the_index() -> None:
    index = (DOCS / "howto.md").read_text(encoding="utf-8")
    for page in sorted((DOCS / "howto").glob("*.md")):
        for heading in re.findall(r"^## (.*)", page.read_text(encoding="utf-8"), re.M):
            slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            assert f"(howto/{page.name}#{slug})" in index, heading


def test_every_file_that_the_docs_name_exists() -> None:
    pages = [ROOT / "CONTRIBUTING.md", DOCS / "architecture.md", *sorted(DOCS.glob("decisions/*.md"))]
    homes = (ROOT, ROOT / "src" / "nearkin", ROOT / "native", ROOT / "native" / "kernels")
    named = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|pyi|hpp|cpp|json|sh))`")
    missing = [
        f"{page.name}: {path}"
        for page in pages
        for path in named.findall(page.read_text(encoding="utf-8"))
        if "NAME" not in path and not any((home / path).exists() for home in homes)
    ]
    assert missing == []


def test_no_page_has_a_merge_left_open() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    assert [page.name for page in pages if re.search(r"^(<{7}|>{7}) ", page.read_text(encoding="utf-8"), re.M)] == []
