"""A ZIP archive that is given up says nothing on the screen."""

import gc
import sys
import zipfile
from pathlib import Path

import pytest

from nearkin.report.workbook import ZipTarget


def test_an_archive_given_up_is_collected_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    with ZipTarget(tmp_path / "book.xlsx") as target:
        archive = zipfile.ZipFile(target, "w")
        archive.writestr("a.xml", "<a/>")
    del archive
    gc.collect()
    assert complaints == []


def test_an_archive_that_is_closed_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with ZipTarget(path) as target, zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.xml", "<a/>")
    with zipfile.ZipFile(path) as archive:
        assert archive.read("a.xml") == b"<a/>"
