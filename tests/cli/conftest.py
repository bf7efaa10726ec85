from pathlib import Path

import pytest

from cli.world import FILES, Called, write


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("world") / "docs", FILES)


@pytest.fixture(scope="session")
def store(docs: Path) -> Path:
    path = docs.parent / "kin.db"
    assert Called("scan", docs, "--store", path, "--format", "json").code == 0
    return path
