from pathlib import Path

from nearkin.api.store import Store

from .world import Called, edited, prose, write


def test_two_trees_that_hold_the_same(tmp_path: Path) -> None:
    files = {f"old/{n % 3}/{n}.txt".encode(): prose(n) for n in range(16)}
    files |= {f"moved/there/{n}.txt".encode(): prose(n) for n in range(15)}
    files[b"moved/there/15.txt"] = edited(prose(15), 7)
    files |= {f"moved/there/own-{n}.txt".encode(): prose(50 + n) for n in range(2)}
    files[b"other/a.txt"] = prose(80)
    root, store = write(tmp_path / "tree", files), tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    (pair,) = Called("folders", "--store", store, "--format", "jsonl").records
    assert (pair["b"], pair["b_documents"], pair["b_same"], pair["b_near"], pair["b_only"]) == ("old", 16, 15, 1, 0)
    assert (pair["a"], pair["a_only"], pair["b_in_a"]) == ("moved", 2, 1.0)
    assert pair["a_in_b"] == 16 / 18
    shown = Called("folders", "--store", store, "--format", "table").out
    assert "93 % of old is byte for byte in moved; with near copies 100 %" in shown
    told = " ".join(shown.split())
    assert (
        "old: 16 documents; 15 have the same bytes there, 1 has only near copies there, whose text may differ moved:"
        in told
    )
    assert "2 have neither" in told
    table = Store.open(store).folders().to_pylist()
    assert table == [pair]
    assert Called("folders", "--store", store, "--min-documents", "19", "--format", "jsonl").records == []
    assert Called("folders", "--store", store, "--min-share", "0").code == 2


def test_an_archive_beside_what_it_holds(tmp_path: Path) -> None:
    import zipfile

    root = write(tmp_path / "tree", {f"notes/{n}.txt".encode(): prose(n) for n in range(3)})
    with zipfile.ZipFile(root / "notes.zip", "w") as box:
        for n in range(3):
            box.writestr(f"{n}.txt", prose(n))
    store = tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    (pair,) = Called("folders", "--store", store, "--format", "jsonl").records
    assert {pair["a"], pair["b"]} == {"notes", "notes.zip!"}
    assert pair["b_in_a"] == 1.0


def test_nothing_in_common(tmp_path: Path) -> None:
    root, store = write(tmp_path / "tree", {b"a/1.txt": prose(1), b"b/2.txt": prose(2)}), tmp_path / "store.db"
    assert Called("scan", root, "--store", store, "-q").code == 0
    assert "No two" in Called("folders", "--store", store, "--format", "table").out
    assert Called("folders", "--store", tmp_path / "none.db").code == 4
