"""A scan in bounded memory: what it finds, stores and shows is that of a scan with plenty, byte for byte."""

import errno
import os
from pathlib import Path

import pytest

from cli.world import Called
from nearkin import _native
from nearkin.api.store import Store
from nearkin.sample.repository import write_sample
from store.world import is_sound, listings, rows

pytestmark = pytest.mark.usefixtures("either_insert")

SPECS = ("mod:window=20,sample=200,most=64", "exact:window=20", "min:window=20,n=100", "tttd:mean=100", "bsw:n=50")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "docs"
    write_sample(folder, documents=150, seed=5, plain=True)  # who reads them is no matter here
    return folder


@pytest.mark.parametrize("spec", SPECS)
def test_the_result_is_the_same(spec: str, sample: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    plenty = Store(tmp_path / "plenty.db")
    plenty.scan(sample, scheme=spec, hot=20)
    request.getfixturevalue("little")
    tight = Store(tmp_path / "tight.db")
    tight.scan(sample, scheme=spec, hot=20)
    assert listings(tight) == listings(plenty)
    assert len(listings(tight)["matches"]) > 10
    what = "SELECT * FROM match ORDER BY 1, 2, 3", "SELECT * FROM family_content ORDER BY 1, 2"
    assert all(rows(tight, query) == rows(plenty, query) for query in what)
    assert is_sound(tight)
    assert sorted(path.name for path in tmp_path.iterdir() if "tight" in path.name) == sorted(
        path.name.replace("plenty", "tight") for path in tmp_path.iterdir() if "plenty" in path.name
    )


def test_templates_are_left_out_as_ever(sample: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found = []
    for name in ("plenty", "tight"):
        store = Store(tmp_path / f"{name}.db")
        store.scan(sample, scheme="min:window=20,n=100")
        text = (sample / listings(store)["matches"][0]["a"]).read_text(errors="replace")
        if name == "tight":
            request.getfixturevalue("little")
        store.add_template(name="boilerplate", text=text[: len(text) // 2])
        found.append(listings(store))
    assert found[0] == found[1]


@pytest.mark.usefixtures("little")
def test_a_full_disk_is_said_and_nothing_is_lost(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(_native.BoundedJoin):
        def work(self, stage: object, start: int, stop: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = tmp_path / "store.db"
    monkeypatch.setattr(_native, "BoundedJoin", Full)
    failed = Called("scan", sample, "--store", store)
    assert failed.code == 5
    assert failed.err == (
        f"nearkin: There is no room left in {tmp_path} for the temporary files of a join that does not fit into"
        " memory; free some, or give it more memory with --memory.\n"
    )
    monkeypatch.undo()
    again = Called("scan", sample, "--store", store, "--format", "json")
    assert again.code == 0
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(sample)
    assert listings(Store(store)) == listings(fresh)
