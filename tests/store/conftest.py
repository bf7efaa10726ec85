"""A small repository, and a store of it, for whoever asks."""

from pathlib import Path

import pytest

from nearkin.api.store import Store
from store.world import repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "docs")


@pytest.fixture
def store(tmp_path: Path, folder: Path) -> Store:
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    return store
