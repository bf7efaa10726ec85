"""Files and folders that may not be read: exit code 3 and one sentence, also for users who are not root."""

import ctypes
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.world import NEARKIN, Called, prose, write

DROP, READ = 24, 23  # prctl: PR_CAPBSET_DROP, PR_CAPBSET_READ
OVERRIDE, SEARCH = 1, 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what lets root read everything


def as_anyone() -> None:
    """In the process that becomes nearkin: without what lets root read what it may not."""
    system = ctypes.CDLL(None, use_errno=True)
    for capability in (OVERRIDE, SEARCH):
        if os.geteuid() == 0 and system.prctl(READ, capability, 0, 0, 0) == 1:
            assert system.prctl(DROP, capability, 0, 0, 0) == 0


def nearkin(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*NEARKIN, *map(str, arguments)], cwd=cwd, capture_output=True, timeout=60, check=False, preexec_fn=as_anyone
    )


@pytest.fixture(scope="module")
def shut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = write(
        tmp_path_factory.mktemp("shut"),
        {b"docs/a.txt": prose(1), b"secret.txt": prose(1), b"secret.csv": "text\n", b"locked/b.txt": prose(2)},
    )
    assert Called("scan", folder / "docs", "--store", folder / "nearkin.db").code == 0
    for name in ("secret.txt", "secret.csv", "locked"):
        (folder / name).chmod(0)
    try:
        tried = subprocess.run(
            ["cat", "secret.txt"], cwd=folder, capture_output=True, check=False, preexec_fn=as_anyone
        )
    except subprocess.SubprocessError:
        pytest.skip("root's rights cannot be dropped here")
    if tried.returncode == 0:
        pytest.skip("here everything can be read")
    yield folder
    (folder / "locked").chmod(0o700)


@pytest.mark.parametrize("name", ["secret.txt", "locked"])
@pytest.mark.parametrize(
    "command",
    [
        "scan {} --store new.db",
        "scan {} --plan",
        "check {}",
        "compare {} docs/a.txt",
        "compare docs/a.txt {}",
        "trace {}",
        "sign {}",
        "schemes --learn {}",
        "template add --file {}",
        "keep --apply {} --action quarantine",
        "keep --undo {}",
        "custodians {}",
        "scan docs --custodian {} --store new.db",
    ],
)
def test_what_may_not_be_read_is_wrong_input(shut: Path, command: str, name: str) -> None:
    if name == "locked" and command.startswith(("custodians", "scan docs", "keep --undo")):
        pytest.skip("a folder is nothing that these read")
    done = nearkin(*command.format(name).split(), cwd=shut)
    told = done.stderr.decode()
    assert done.returncode == 3, told
    assert told.startswith("nearkin: ")
    assert told.count("\n") == 1, told
    assert f"{name}" in told
    assert "permission denied" in told


@pytest.mark.parametrize("command", ["report locked/kin.csv", "report locked/kin.html", "demo locked"])
def test_what_may_not_be_written_is_no_wrong_usage(shut: Path, command: str) -> None:
    done = nearkin(*command.split(), cwd=shut)
    assert done.returncode == 3, done.stderr
    assert b"permission denied" in done.stderr


def test_a_file_that_may_be_written_only_can_be_written(shut: Path) -> None:
    done = nearkin("scan", "docs", "--store", "other.db", "--report", "secret.csv", cwd=shut)
    assert done.returncode == 0, done.stderr
    assert b"secret.csv" in done.stderr


def test_a_store_in_a_folder_that_is_shut(shut: Path) -> None:
    done = nearkin("matches", "--store", "locked/kin.db", cwd=shut)
    assert done.returncode == 4, done.stderr
    assert done.stderr.count(b"\n") == 1


def test_what_may_no_longer_be_read_has_failed(shut: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": prose(2)})
    assert nearkin("scan", "docs", cwd=tmp_path).returncode == 0
    (folder / "a.txt").chmod(0)
    done = nearkin("scan", "docs", cwd=tmp_path)
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["failed"], summary["changed"]) == (1, 1, 1)
    assert b"1 file or folder could not be read" in done.stderr
    (folder / "a.txt").chmod(0o600)
    summary = json.loads(nearkin("scan", "docs", cwd=tmp_path).stdout)
    assert (summary["documents"], summary["failed"], summary["changed"]) == (2, 0, 1)


def test_a_folder_that_may_not_be_read_is_no_document(shut: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"sub/b.txt": prose(2), b"sub/c.txt": prose(3)})

    def scanned() -> tuple[dict[str, int], str]:
        done = nearkin("scan", "docs", cwd=tmp_path)
        summary = json.loads(done.stdout)
        names = ("documents", "failed", "new", "changed", "moved", "gone")
        return {name: summary[name] for name in names if summary[name]}, done.stderr.decode()

    def changes() -> list[str]:
        return [one["path"] for one in Called("documents", "--changes", "--store", tmp_path / "nearkin.db").records]

    assert scanned()[0] == {"documents": 3, "new": 3}
    (folder / "sub").chmod(0)
    try:
        counts, told = scanned()
        assert counts == {"documents": 3, "failed": 1}
        assert changes() == []
        assert "2 documents are in folders that could not be read, and stay as they were." in told
        shown = nearkin("scan", "docs", "--format", "table", cwd=tmp_path).stdout.decode()
        assert "2 documents are in folders that could not be read" in " ".join(shown.split())
        assert [one["path"] for one in Called("documents", "--failed", "--store", tmp_path / "nearkin.db").records] == [
            "sub"
        ]
    finally:
        (folder / "sub").chmod(0o700)
    counts, told = scanned()
    assert (counts, told) == ({"documents": 3}, "")
    assert changes() == []
    (info,) = Called("store", "info", "--store", tmp_path / "nearkin.db").records
    assert (info["documents"], info["gone"]) == (3, 0)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for more in (["--plan"], ["--store", tmp_path / "kin.db"]):
        called = Called("scan", tmp_path / "pipe", *more)
        assert called.code == 3
        assert "neither a file nor a folder" in called.err


def test_what_was_skipped_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "tree", {b"a.txt": "a text"})
    store = tmp_path / "kin.db"
    (folder / "one").symlink_to("a.txt")
    assert "1 link was skipped." in Called("scan", folder, "--store", store, "--format", "table").words
    (folder / "two").symlink_to("a.txt")
    os.mkfifo(folder / "fifo")
    again = Called("scan", folder, "--store", store, "--format", "table").words
    assert "2 links and 1 special file were skipped." in again
    (told,) = Called("scan", folder, "--store", store).records
    assert (told["skipped_links"], told["skipped_special"], told["documents"], told["failed"]) == (2, 1, 1, 0)
