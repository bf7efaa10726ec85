"""Every listing, report, store and segment is what it was: tools/freeze.py has their digests in tests/frozen.json."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools" / "freeze.py"


def freeze(*options: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: it changes the current folder, the time zone and the width of the screen."""
    return subprocess.run([sys.executable, TOOL, *options], capture_output=True, text=True, check=False)


def test_no_listing_has_changed() -> None:
    done = freeze("--quick")
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_no_listing_of_larger_repositories_has_changed(jobs: str) -> None:
    done = freeze("--jobs", jobs)
    assert done.returncode == 0, done.stderr
