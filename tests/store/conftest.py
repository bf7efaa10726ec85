"""A small repository, a store of it, a small disk and little memory, for whoever asks."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nearkin.api.store import Store
from store.world import hide_sqlite, repository


@pytest.fixture(params=["bulk", "bound"])
def either_insert(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come into a store as whole columns, and then bound one by one. For modules that write to a store in this
    process; test_batch_insert, test_bulk_columns and test_bulk_rows compare the two ways themselves."""
    if request.param == "bound":
        hide_sqlite(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "docs")


@pytest.fixture
def store(tmp_path: Path, folder: Path) -> Store:
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    return store


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2400k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little memory that no join fits, and bins hold a few contents."""
    monkeypatch.setattr("nearkin.matching.bounded_join.POSTING_BYTES", 1 << 40)
    monkeypatch.setattr("nearkin.matching.matcher.Resources.for_join", 1 << 18)
