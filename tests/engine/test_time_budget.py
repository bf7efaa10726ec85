"""Members have the time of a document each, all that lies in one file has no more than its size earns."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from engine.fake_formats import DEED
from nearkin.api.store import Store
from nearkin.engine import worker_protocol
from nearkin.engine import workers as engine_workers
from nearkin.engine.container import DocumentReader
from nearkin.engine.worker_protocol import Budget
from nearkin.engine.workers import Request, Workers
from nearkin.formats.adapter import Problem
from nearkin.model import Reason
from nearkin.settings import WorkerSettings

NAP = 0.2
SAID = WorkerSettings(timeout=10).container_timed_out
MAIL = f"From: a@b\nMessage-ID: <%d@b>\nSubject: slow\nX-Nap: {NAP}\n\na mail that is slow to read, number %d\n"


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.setattr(worker_protocol, "IDLE", 1)  # sleeping counts like working
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))


def archive(members: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(whole := BytesIO(), "w") as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return whole.getvalue()


def test_it_grows_with_the_size() -> None:
    settings = WorkerSettings(timeout=30)
    assert Budget.of(settings, 0).seconds == 300
    assert Budget.of(settings, 64 << 20).seconds == 900


def test_work_counts_and_an_eighth_of_waiting() -> None:
    some = Budget(10, "no more time")
    some.spend(waited=8, worked=0.5)
    some.spend(waited=8, worked=6)
    assert some.seconds == 3
    some.check()
    some.spend(waited=30, worked=0)
    with pytest.raises(Problem, match="no more time"):
        some.check()


def test_the_work_of_a_worker_is_seen(fakes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_protocol, "IDLE", 1e9)  # waiting counts for nothing
    with Workers(WorkerSettings(timeout=60)) as workers:
        for spent in (0.0, 0.5):
            some = Budget(100, "no more time")
            list(workers.ask(Request(b"x", data=DEED + f"work {spent}".encode(), budget=some)))
            assert 100 - some.seconds > 0.9 * spent  # its clock went on a little between the two


def test_members_that_come_slowly_come_to_an_end(fakes: None) -> None:
    with Workers(WorkerSettings(timeout=20)) as workers:
        list(workers.ask(Request(b"x", data=DEED + b"hello")))  # its start takes time too
        with pytest.raises(Problem, match="no more time") as raised:
            list(workers.ask(Request(b"x", data=DEED + b"drip", budget=Budget(0.3, "no more time"))))
        assert raised.value.reason is Reason.TIMED_OUT
        assert list(workers.ask(Request(b"x", data=DEED + b"hello")))[-1][0]["kind"] == "document"


@pytest.mark.parametrize(("jobs", "held"), [(1, 1000), (2, 3)])
@pytest.mark.parametrize("depth", [1, 2])
def test_an_archive_of_slow_members_costs_itself(
    jobs: int, held: int, depth: int, fakes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they lie in archives in it; taken as a whole or one by one."""
    monkeypatch.setattr(Budget, "of", lambda settings, size: Budget(1.0 if size > 1000 else 100.0, SAID))
    monkeypatch.setattr("nearkin.engine.container.HELD_MEMBERS", held)
    many = {f"{number}.eml": (MAIL % (number, number)).encode() for number in range(30)}
    whole = many if depth == 1 else {f"{name}.zip": archive({name: mail}) for name, mail in many.items()}
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    (folder / "slow.zip").write_bytes(archive(whole))
    (folder / "z.eml").write_text((MAIL % (99, 99)).replace(str(NAP), "0"))
    summary = store.scan(folder, jobs=jobs, timeout=10)
    there = [one["path"] for one in store.documents().to_pylist()]
    failed = {one["path"]: one["reason"] for one in store.documents(failed=True).to_pylist()}
    assert (summary.documents, summary.failed) == (len(there), len(failed))
    assert "z.eml" in there
    assert set(failed.values()) == {"timed out"}
    assert 1 <= sum(path.endswith(".eml") for path in there) <= 1 + jobs * 1.0 / NAP + jobs
    assert len(there) < 25
    monkeypatch.setattr(DocumentReader, "read", None)  # nothing is read again
    again = store.scan(folder, jobs=jobs, timeout=10)
    assert (again.documents, again.failed) == (summary.documents, summary.failed)
