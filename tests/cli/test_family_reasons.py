from pathlib import Path

from .world import Called, edited, prose, write


def test_families_say_why_they_are_of_their_kind(tmp_path: Path) -> None:
    files = {
        b"copy/1.txt": prose(1),
        b"copy/2.txt": prose(1),
        b"pair/1.txt": prose(2),
        b"pair/2.txt": edited(prose(2), 9),
        b"versions/1.txt": prose(3),
        b"versions/2.txt": edited(prose(3), 9),
        b"versions/3.txt": edited(edited(prose(3), 9), 90),
        b"contains/part.txt": prose(4),
        b"contains/whole.txt": f"{prose(5, 400)} {prose(4)} {prose(6, 400)}",
    }
    root, store = write(tmp_path / "tree", files), tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    found = {one["kind"]: one for one in Called("families", "--store", store, "--format", "jsonl").records}
    assert found["identical"]["reason"] == "All documents have the same words."
    assert found["pair"]["reason"] == "Two texts resemble each other by at least 0.7."
    assert found["versions"]["reason"] == "3 texts each resemble another by at least 0.7."
    assert found["contains"]["reason"].startswith("At least 90 % of one text is inside another, ")
    shown = Called("families", "--store", store, "--format", "table").out
    assert "All documents have the same words." in shown
