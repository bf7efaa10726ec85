"""A container is asked about as a whole: what lies in it is not looked up, and nobody is told that there is nothing."""

import zipfile
from pathlib import Path

from .world import Called, prose, write


def test_what_lies_in_an_archive_is_no_all_clear(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {b"known.txt": prose(1)})
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    with zipfile.ZipFile(tmp_path / "box.zip", "w") as box:
        box.writestr("known.txt", prose(1))
    asked = Called("check", tmp_path / "box.zip", "--store", store, "--format", "table")
    assert asked.code == 0
    assert "as a whole" in asked.out
    assert "contains other documents, which were not looked up" in asked.err
    for command in ("check", "trace"):
        unopened = Called(command, tmp_path / "box.zip", "--store", store, "--exit-code")
        assert unopened.code == 3
        assert "which were not looked up" in unopened.err
    (tmp_path / "mail.eml").write_bytes(
        b"From: a@b\nTo: c@d\nSubject: hello\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n"
        + prose(1).encode()
        + b"\n--x\nContent-Disposition: attachment; filename=k.txt\n\nattached words\n--x--\n"
    )
    mail = Called("check", tmp_path / "mail.eml", "--store", store, "--exit-code")
    assert mail.code == 1, "its own text is like a document"
    assert "contains other documents" in mail.err


def test_what_cannot_be_read_is_no_all_clear(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {b"known.txt": prose(1)})
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    for command in ("check", "trace"):
        assert Called(command, tmp_path / "broken.zip", "--store", store).code == 0
        assert Called(command, tmp_path / "broken.zip", "--store", store, "--exit-code").code == 3
        assert Called(command, tmp_path / "picture.png", "--store", store, "--exit-code").code == 0
