"""Which files a scan meets."""

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from nearkin._native import list_folder
from nearkin.api.store import Store
from nearkin.errors import InputError
from nearkin.pipeline import scan
from nearkin.read.walk import Unreadable, check_starts, walk, walk_by_runs
from nearkin.run import RunContext
from nearkin.settings import Settings, WalkSettings
from nearkin.store.database import connect
from nearkin.store.documents import present

TREE = [
    "a.txt",
    "b.html",
    "Ä.txt",
    ".hidden",
    ".git/config",
    ".git/objects/ab/cdef",
    "drafts/one.txt",
    "drafts/two.html",
    "drafts/old/three.txt",
    "drafts.txt",
    "final/drafts/four.txt",
    "final/.cache/five.txt",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in TREE:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return root


def met(root: Path, *starts: Path, leave_out: frozenset[bytes] = frozenset(), **choices: object) -> list[str]:
    settings = WalkSettings(**choices)  # type: ignore[arg-type]
    found = []
    for one in walk(root, starts or (root,), settings, leave_out=leave_out):
        assert not isinstance(one, Unreadable)
        found.append(os.fsdecode(one))
    return found


def visible() -> list[str]:
    return [name for name in TREE if not any(part.startswith(".") for part in name.split("/"))]


def test_all_but_hidden_in_byte_order_of_names(folder: Path) -> None:
    found = met(folder)
    assert sorted(found) == sorted(visible())
    assert found == [
        "a.txt",
        "b.html",
        "drafts/old/three.txt",
        "drafts/one.txt",
        "drafts/two.html",
        "drafts.txt",
        "final/drafts/four.txt",
        "Ä.txt",
    ]


def test_files_side_by_side_come_at_once(folder: Path) -> None:
    runs = [one for one in walk_by_runs(folder, (folder,), WalkSettings()) if one]
    assert runs == [
        [b"a.txt", b"b.html"],
        [b"drafts/old/three.txt"],
        [b"drafts/one.txt", b"drafts/two.html"],
        [b"drafts.txt"],
        [b"final/drafts/four.txt"],
        ["Ä.txt".encode()],
    ]


def test_hidden_ones_where_asked(folder: Path) -> None:
    assert sorted(met(folder, hidden=True)) == sorted(TREE)


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (("*.html",), (), ["b.html", "drafts/two.html"]),
        (("*.html", "a.*"), (), ["a.txt", "b.html", "drafts/two.html"]),
        (("drafts/*",), (), ["drafts/old/three.txt", "drafts/one.txt", "drafts/two.html"]),
        (("/drafts/*.html",), (), ["drafts/two.html"]),
        ((), ("*.txt",), ["b.html", "drafts/two.html"]),
        ((), ("drafts",), ["a.txt", "b.html", "drafts.txt", "Ä.txt"]),
        (
            (),
            ("/drafts/old", "Ä*", "final"),
            ["a.txt", "b.html", "drafts/one.txt", "drafts/two.html", "drafts.txt"],
        ),
        (("*.txt",), ("drafts/*", "final/*"), ["a.txt", "drafts.txt", "Ä.txt"]),
        (("nothing",), (), []),
        ((), ("*",), []),
    ],
)
def test_globs_of_names_and_of_paths(
    folder: Path, include: tuple[str, ...], exclude: tuple[str, ...], expected: list[str]
) -> None:
    assert met(folder, include=include, exclude=exclude) == expected


def test_links_are_not_followed(folder: Path) -> None:
    (folder / "link to a file").symlink_to(folder / "a.txt")
    (folder / "link to a folder").symlink_to(folder / "drafts")
    (folder / "link to itself").symlink_to(folder)
    (folder / "link to nowhere").symlink_to(folder / "nowhere")
    assert sorted(met(folder)) == sorted(visible())


def test_special_files_are_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "fifo")
    monkeypatch.chdir(folder)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert sorted(met(folder)) == sorted(visible())


def test_names_that_are_not_utf8(folder: Path) -> None:
    name = b"caf\xe9.txt"
    (folder / os.fsdecode(name)).write_text("x")
    assert name in walk(folder, (folder,), WalkSettings())
    assert met(folder, include=("caf*",)) == [os.fsdecode(name)]


def test_files_and_folders_as_starts(folder: Path) -> None:
    starts = check_starts((folder / "drafts", folder / "a.txt", folder / ".hidden", folder / "drafts" / "old"))
    assert met(folder, *starts) == [
        ".hidden",
        "a.txt",
        "drafts/old/three.txt",
        "drafts/one.txt",
        "drafts/two.html",
    ]


def test_starts_are_absolute_and_none_lies_in_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert check_starts((Path("drafts/old"), Path("drafts"), Path("./drafts"), Path("drafts.txt"))) == (
        folder / "drafts",
        folder / "drafts.txt",
    )
    (folder / "link").symlink_to("drafts")
    assert check_starts((Path("link"),)) == (folder / "drafts",)


def test_a_start_that_is_not_there(folder: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory") as missing:
        check_starts((folder, folder / "missing"))
    assert missing.value.exit_code == 3
    os.mkfifo(folder / "fifo")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        check_starts((folder / "fifo",))


def test_the_stores_own_files_are_left_out(folder: Path) -> None:
    own = frozenset({os.fsencode(folder / "a.txt"), os.fsencode(folder / "drafts/one.txt")})
    assert sorted(met(folder, leave_out=own)) == sorted(set(visible()) - {"a.txt", "drafts/one.txt"})


def test_a_store_inside_the_scanned_folder_is_no_document(folder: Path) -> None:
    store = folder / "nearkin.store"
    connection = connect(store, create=True, write=True)
    for _ in range(2):
        scan(RunContext(connection, store, Settings(), "test", lambda *_: None), (folder,))
    names = [document.location.name for document in present(connection)]
    connection.close()
    assert sorted(names) == sorted(visible())


def test_a_folder_that_vanished(folder: Path) -> None:
    found = walk(folder, (folder,), WalkSettings())
    next(found)
    for path in sorted((folder / "final").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (folder / "final").rmdir()
    failed = [one for one in found if isinstance(one, Unreadable)]
    assert failed == [Unreadable(b"final", "no such file or directory")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(folder: Path) -> None:
    (folder / "drafts").chmod(0)
    try:
        found = list(walk(folder, (folder,), WalkSettings()))
    finally:
        (folder / "drafts").chmod(0o700)
    assert Unreadable(b"drafts", "permission denied") in found
    assert b"final/drafts/four.txt" in found


def test_folders_a_thousand_deep(tmp_path: Path) -> None:
    here = os.getcwd()  # noqa: PTH109
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
        Path("deepest.txt").write_text("found")
    finally:
        os.chdir(here)
    try:
        assert len(met(tmp_path)) == 1
    finally:
        os.system(f"rm -rf '{tmp_path}/d'")  # shutil would recurse as deep


def test_a_scan_says_how_many_links_and_special_files_it_skipped(folder: Path) -> None:
    before = Store(folder.parent / "kin.db").scan(folder)
    (folder / "link").symlink_to(folder)
    (folder / "drafts" / "nowhere").symlink_to("missing")
    (folder / ".unseen").symlink_to("missing")  # as all that is hidden, it is not looked at
    os.mkfifo(folder / "fifo")
    for _ in range(2):  # nothing has changed, and they are still there
        found = Store(folder.parent / "kin.db").scan(folder)
        assert (found.skipped_links, found.skipped_special) == (before.skipped_links + 2, before.skipped_special + 1)
        assert (found.documents, found.failed) == (before.documents, before.failed)


@pytest.mark.parametrize("closed", ["drafts", "."])
def test_what_lies_in_a_folder_that_cannot_be_looked_into_is_not_gone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    """As on a share that is away for a moment, or by a user who may see less."""
    store = Store(folder.parent / "kin.db")
    known = store.scan(folder).documents

    def refused(path: bytes, prefix: bytes, **how: Any) -> object:
        if path == os.fsencode(folder / closed):
            raise OSError(errno.EIO, "Input/output error")
        return list_folder(path, prefix, **how)

    with monkeypatch.context() as patched:
        patched.setattr("nearkin.read.walk.list_folder", refused)
        found = store.scan(folder, custodian="owner")
    assert (found.documents, found.failed, found.gone) == (known, 1, 0)
    (failed,) = store.documents(failed=True).to_pylist()
    assert (failed["path"], failed["reason"], failed["detail"]) == (closed, "unreadable", "input/output error")
    assert (failed["owner"], failed["custodian"]) == (None, None)  # nothing is known of it
    again = store.scan(folder)
    assert (again.documents, again.failed, again.gone, again.new) == (known, 0, 0, 0), "the folder was no document"
