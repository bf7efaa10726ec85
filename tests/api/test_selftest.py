"""The selftest sees what is wrong."""

from pathlib import Path

import pytest

from nearkin.api import selftest
from nearkin.api.selftest import Check, Status
from nearkin.engine.sandbox_selftest import ATTEMPTS, ON_OPEN
from nearkin.scheme.golden import GOLDEN
from store.world import hide_sqlite


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """To sign with all 30 takes longer than all else, and one test does."""
    for spec in list(GOLDEN)[2:]:
        monkeypatch.delitem(GOLDEN, spec)


def run(folder: Path) -> dict[str, Check]:
    return {check.name: check for check in selftest.selftest(folder)}


def test_all_is_well(tmp_path: Path) -> None:
    found = run(tmp_path)
    sandbox = [f"sandbox: {what}" for what in (*ATTEMPTS, *ON_OPEN)]
    assert list(found) == ["sha256", "kernels", *GOLDEN, *sandbox, "store", "bulk insert", "file system"]
    assert {check.status for name, check in found.items() if name != "file system"} == {Status.OK}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few")
def test_a_scheme_that_signs_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GOLDEN, "exact:window=20", "0" * 32)
    found = run(tmp_path)
    assert [name for name, check in found.items() if check.status is Status.FAILED] == ["exact:window=20"]


@pytest.mark.usefixtures("few")
def test_a_python_that_hides_its_sqlite_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_sqlite(monkeypatch)
    check = run(tmp_path)["bulk insert"]
    assert check.status is Status.NOTE
    assert check.detail.startswith("not active")


@pytest.mark.usefixtures("few")
def test_digests_that_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlike = {"native": b"1", "portable": b"2"}
    monkeypatch.setattr(selftest, "digests", lambda data: unlike if len(data) == 64 else {"native": b"1"})
    check = run(tmp_path)["sha256"]
    assert (check.status, check.detail) == (Status.FAILED, "unlike ways give unlike digests of 64 bytes")


@pytest.mark.usefixtures("few")
def test_kernels_that_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "kernels_agree", lambda: False)
    assert run(tmp_path)["kernels"].status is Status.FAILED


@pytest.mark.usefixtures("few")
def test_a_folder_that_cannot_hold_a_store(tmp_path: Path) -> None:
    check = run(tmp_path / "missing")["store"]
    assert check.status is Status.FAILED
    assert check.detail.endswith("no such file or directory")


@pytest.mark.usefixtures("few")
def test_a_store_that_forgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nearkin.api.store import Store

    empty = Store.documents
    monkeypatch.setattr(Store, "matches", lambda self: empty(self, failed=True))
    assert run(tmp_path)["store"].status is Status.FAILED


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("kind", "status"), [("ext4", Status.OK), ("nfs4", Status.NOTE), (None, Status.NOTE)])
def test_where_a_store_would_lie(
    kind: str | None, status: Status, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftest, "file_system", lambda _: kind)
    assert run(tmp_path)["file system"].status is status
