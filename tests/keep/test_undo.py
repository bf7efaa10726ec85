"""Undoing takes nobody's work away, and touches nothing that is no journal; mails go with their attachments or not."""

from pathlib import Path

import pytest

from cli.world import Called
from keep.world import Tree


def hardlinked(tmp_path: Path) -> tuple[Tree, Path]:
    """A tree whose plan was carried out, and one document that became a link; its other names are gone since."""
    tree = Tree(tmp_path)
    tree.planned()
    done = [one for one in tree.apply("hardlink").records if one["outcome"] == "done"]
    path = tree.root / done[0]["path"]
    for one in list(tree.root.rglob("*")):
        if one != path and one.is_file() and one.samefile(path):
            one.unlink()
    return tree, path


def test_what_was_written_to_a_link_whose_other_name_is_gone_stays(tmp_path: Path) -> None:
    tree, path = hardlinked(tmp_path)
    with path.open("ab") as file:
        file.write(b" a day's work")
    assert tree.undo().code == 3
    assert path.read_bytes().endswith(b" a day's work")


def test_another_document_in_the_place_of_a_link_stays(tmp_path: Path) -> None:
    tree, path = hardlinked(tmp_path)
    path.unlink()
    path.write_bytes(b"new")
    assert tree.undo().code == 3
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("data", [b"notes without an end", b"first line\nlast line", b""])
def test_a_file_that_is_no_journal_is_not_touched(tmp_path: Path, data: bytes) -> None:
    tree = Tree(tmp_path)
    tree.planned()
    notes = tmp_path / "notes.txt"
    notes.write_bytes(data)
    assert Called("keep", "--undo", notes, "--store", tree.store).code == 3
    assert notes.read_bytes() == data


def test_a_mail_with_an_attachment_of_its_own_stays(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    mail = (
        "From: a@example.org\r\nSubject: the report\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="cut"\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\n'
        "Please find the report of this year attached, as we have agreed upon in our last meeting.\r\n--cut\r\n"
        'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="report.txt"\r\n\r\n%s\r\n--cut--\r\n'
    )
    for name, text in (("1.eml", "figures of the north"), ("2.eml", "what the south has sold, by month")):
        (folder / name).write_text(mail % text)
    assert Called("scan", folder, "--store", store).code == 0
    rows = Called("keep", "--near", "0.5", "--store", store).records
    assert {row["action"] for row in rows if row["tier"] != "kept"} == {"none"}
    assert any("attachments" in row["why"] for row in rows)
