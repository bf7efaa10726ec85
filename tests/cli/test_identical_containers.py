"""Archives that are copies of one another: their members are copies, too, and must not hide what else is."""

import zipfile
from pathlib import Path

import pytest

from cli.world import Called, listed, prose, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write(tmp_path / "docs", {b"x.txt": prose(41), b"y.txt": prose(41)})
    for name in ("a.zip", "b.zip"):
        with zipfile.ZipFile(folder / name, "w") as box:
            for number in (1, 2, 3):
                box.writestr(zipfile.ZipInfo(f"{number}.txt"), prose(number))
                box.writestr(zipfile.ZipInfo(f"{number}.html"), f"<p>{prose(number)}</p>")
    with zipfile.ZipFile(folder / "other.zip", "w") as box:
        box.writestr("one.txt", prose(3))
    return folder


def test_their_members_come_last(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scan = Called("scan", folder, "--store", store, "--format", "table")
    assert "… 7 more; all: nearkin identical" in scan.words
    groups = listed("identical", store)
    assert {tuple(group) for group in groups} == {("tier", "size", "overhead", "paths")}
    first, last = groups[:4], groups[4:]
    assert {path for group in first for path in group["paths"]} >= {"x.txt", "a.zip", "other.zip!/one.txt"}
    assert len(last) == 7, "five of the same bytes, and the words of 1 and of 2"
    assert {path.partition("!/")[0] for group in last for path in group["paths"]} == {"a.zip", "b.zip"}
    shown = Called("identical", "--store", store, "--format", "table").words
    assert "7 more groups lie within containers that are copies; --format csv lists all." in shown
    assert "1.txt" not in shown
    assert "other.zip!/one.txt" in shown


def test_members_of_archives_that_differ_are_shown(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(folder / "b.zip", "a") as box:
        box.writestr("more.txt", prose(4))
    store = tmp_path / "kin.db"
    assert Called("scan", folder, "--store", store, "-q").code == 0
    shown = Called("identical", "--store", store, "--format", "table").words
    assert "more groups" not in shown
    assert "a.zip!/1.txt" in shown
