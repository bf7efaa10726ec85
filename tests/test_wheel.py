"""What must be in a wheel besides Python files is where the build takes it from.

Building a wheel takes minutes. A file is left out of it if the settings say so, if git ignores it (the build asks), or
if it is not there.
"""

import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "nearkin"
NEEDED = {"_native.pyi", "py.typed", "report/page.css", "report/page.js"}


def data_files() -> list[Path]:
    """All that is no module and was not made by running it."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file())
    return sorted(path for path in files if path.suffix not in (".py", ".pyc", ".so"))


def test_what_is_read_at_run_time_is_there() -> None:
    assert {path.relative_to(PACKAGE).as_posix() for path in data_files()} == NEEDED


def test_the_build_leaves_none_out() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    assert settings.get("wheel", {}).get("packages", ["src/nearkin"]) == ["src/nearkin"]
    left_out = [*settings.get("wheel", {}).get("exclude", []), *settings.get("sdist", {}).get("exclude", [])]
    for path in data_files():
        names = (path.name, path.relative_to(ROOT).as_posix(), path.relative_to(PACKAGE.parent).as_posix())
        assert not [rule for rule in left_out for name in names if fnmatch(name, rule.removeprefix("**/"))], path


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository of git")
def test_git_ignores_none() -> None:
    asked = "\n".join(path.relative_to(ROOT).as_posix() for path in data_files())
    done = subprocess.run(
        ["git", "check-ignore", "--stdin"], input=asked, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
