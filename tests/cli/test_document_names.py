"""By which names a document of a store can be called: one rule for every command."""

import json
from pathlib import Path

import pytest

from cli import containers
from cli.world import Called, edited, prose


@pytest.fixture
def store(tmp_path: Path) -> Path:
    a, b = prose(1).encode(), edited(prose(1), 9).encode()
    containers.write(tmp_path / "docs", {"a.txt": a, "box.zip": containers.zipped({"in/b.txt": b})})
    containers.write(tmp_path / "more", {"a.txt": prose(2).encode()})
    for name in ("docs", "more"):
        containers.scan(tmp_path / "kin.db", tmp_path / name)
    return tmp_path / "kin.db"


@pytest.mark.parametrize("member", ["box.zip!/in/b.txt", "docs:box.zip!/in/b.txt", "{}/docs/box.zip!/in/b.txt"])
def test_what_lies_in_a_container(store: Path, tmp_path: Path, member: str) -> None:
    name = member.format(tmp_path)
    compared = Called("compare", tmp_path / "docs" / "a.txt", name, "--store", store, "--format", "json")
    assert compared.code == 0, compared.err
    assert 0.7 < json.loads(compared.out)["resemblance"] < 1
    said = Called("verdict", "set", "docs:a.txt", name, "version", "--store", store)
    assert said.code == 0, said.err


def test_a_file_that_is_gone_by_its_path_on_disk(store: Path, tmp_path: Path) -> None:
    gone = tmp_path / "docs" / "a.txt"
    gone.unlink()
    assert Called("compare", gone, "box.zip!/in/b.txt", "--store", store, "--format", "json").code == 0
    wrong = Called("compare", "a.txt", "box.zip!/in/b.txt", "--store", store)
    assert (wrong.code, "a.txt is in several scopes; name one: docs:a.txt or more:a.txt" in wrong.err) == (2, True)
