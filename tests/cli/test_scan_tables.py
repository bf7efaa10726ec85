"""Tables scanned row by row, as a user does it: every row is a document or failed, and rescans read what changed."""

import json
import os
from pathlib import Path

import pytest

from cli.table_files import ROWS, WRITERS, as_csv, as_jsonl, ask, scan
from cli.world import Called, listed, paths, prose
from nearkin.api.store import Store
from store.world import is_sound


@pytest.mark.parametrize("name", WRITERS)
def test_rows_are_documents_of_their_own(name: str, tmp_path: Path) -> None:
    table, store = tmp_path / name, tmp_path / "kin.db"
    table.write_bytes(WRITERS[name](ROWS))
    summary = scan(store, table, "--id-column", "id")
    assert summary["documents"] == 6
    assert summary["failed"] == 0
    assert paths(store) == [name, *(f"{name}!/{row['id']}" for row in ROWS)]
    assert ask(store, "SELECT count(*) FROM document r JOIN document t ON r.parent = t.id AND t.parent IS NULL") == [
        (5,)
    ]
    (pair,) = [m for m in listed("matches", store) if m["resemblance"] > 0.7]
    assert {pair["a"], pair["b"]} == {f"{name}!/a", f"{name}!/b"}
    tiers = {one["tier"]: one["paths"] for one in listed("identical", store)}
    assert tiers["bytes"] == [f"{name}!/a", f"{name}!/d"]
    assert tiers["words"] == [f"{name}!/c", f"{name}!/e/f"]
    assert Called("compare", f"{name}!/a", f"{name}!/b", "--store", store).code == 0
    assert is_sound(Store(store))


def test_the_same_rows_are_found_in_every_format(tmp_path: Path) -> None:
    found = []
    for name, write in WRITERS.items():
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        (folder / name).write_bytes(write(ROWS))
        store = tmp_path / f"{name}.db"
        scan(store, folder, "--id-column", "id")
        rows = ask(store, "SELECT substr(path, instr(path, '!/')), digest, size, media FROM document WHERE parent > 0")
        found.append(sorted(rows))
    assert all(rows == found[0] for rows in found)
    assert len(found[0]) == 5


def test_a_folder_of_tables_and_files(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    (folder / "note.txt").write_text(prose(1))
    (folder / "one.jsonl").write_bytes(as_jsonl(ROWS))
    (folder / "two.csv").write_bytes(as_csv(ROWS[:2]))
    (folder / "other.csv").write_text("x,y\n1,2\n")
    summary = scan(store, folder)
    assert (summary["documents"], summary["failed"]) == (1 + 1 + 5 + 1 + 2, 1)
    (failed,) = listed("documents", store, "--failed")
    assert failed["path"] == "other.csv"
    assert "has no column 'text'; it has: x, y" in failed["detail"]
    assert "one.jsonl!/#3" in paths(store)


def test_html_told_and_sniffed(tmp_path: Path) -> None:
    table = tmp_path / "t.jsonl"
    table.write_bytes(as_jsonl([{"text": "a <b>bold</b> word"}, {"text": "<!doctype html><p>page</p>"}]))
    for more, lengths in [((), [18, 4]), (("--html",), [11, 4])]:
        store = tmp_path / f"{len(more)}.db"
        scan(store, table, *more)
        assert [n for (n,) in ask(store, "SELECT characters FROM text ORDER BY id")] == lengths


def test_strings_with_odd_characters_are_text(tmp_path: Path) -> None:
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    odd = ["a\0b" * 40, "\ud800 half", "", "\x01\x02\x03"]
    table.write_bytes(as_jsonl([{"text": text} for text in odd]))
    assert scan(store, table)["failed"] == 0
    assert ask(store, "SELECT count(*) FROM document WHERE parent > 0 AND text IS NULL") == [(0,)]


def test_a_folder_named_like_the_rows(tmp_path: Path) -> None:
    (tmp_path / "d" / "t.jsonl!").mkdir(parents=True)
    (tmp_path / "d" / "t.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "d" / "t.jsonl!" / "a").write_text("a file")
    assert scan(tmp_path / "kin.db", tmp_path / "d", "--id-column", "id")["documents"] == 1
    (failed,) = listed("documents", tmp_path / "kin.db", "--failed")
    assert "rename" in failed["detail"]


def test_rescans_read_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    table = folder / "t.jsonl"
    table.write_bytes(as_jsonl(ROWS))
    (folder / "u.jsonl").write_bytes(as_jsonl(ROWS[:1]))
    how = (folder, "--id-column", "id")
    assert scan(store, *how)["new"] == 8
    before = ask(store, "SELECT id, path, parent FROM document")
    unchanged = scan(store, *how)
    assert [unchanged[name] for name in ("new", "changed", "moved", "gone")] == [0, 0, 0, 0]
    os.utime(table)
    assert scan(store, *how)["changed"] == 0
    assert ask(store, "SELECT id, path, parent FROM document") == before
    table.write_bytes(as_jsonl([*ROWS[:2], {"id": "c", "text": prose(9)}, {"id": "new", "text": prose(8)}]))
    summary = scan(store, *how)
    assert [summary[name] for name in ("new", "changed", "moved", "gone")] == [1, 2, 0, 2]  # the table and c; d, e/f
    assert paths(store) == ["t.jsonl", *(f"t.jsonl!/{i}" for i in ("a", "b", "c", "new")), "u.jsonl", "u.jsonl!/a"]
    stayed = {(i, path) for i, path in ask(store, "SELECT id, path FROM document WHERE gone IS NULL")}
    same = {path for i, path, _ in before if (i, path) in stayed and b"t.jsonl!" in path}
    assert same == {b"t.jsonl!/a", b"t.jsonl!/b"}
    parents = "SELECT DISTINCT t.gone FROM document r JOIN document t ON t.id = r.parent WHERE r.gone IS NULL"
    assert ask(store, parents) == [(None,)]
    table.rename(folder / "renamed.jsonl")
    summary = scan(store, *how)
    assert [summary[name] for name in ("new", "changed", "moved", "gone")] == [0, 0, 5, 0]
    (folder / "renamed.jsonl").unlink()
    summary = scan(store, *how)
    assert [summary[name] for name in ("new", "changed", "moved", "gone")] == [0, 0, 0, 5]
    assert paths(store) == ["u.jsonl", "u.jsonl!/a"]
    assert is_sound(Store(store))


def test_other_columns_and_no_columns_read_it_again(tmp_path: Path) -> None:
    table, store = tmp_path / "t.csv", tmp_path / "kin.db"
    table.write_text("id,text,more\n1,some text,other text\n2,some text,and more\n")
    assert scan(store, table, "--id-column", "id")["documents"] == 3
    assert scan(store, table)["documents"] == 3
    assert paths(store) == ["t.csv", "t.csv!/#1", "t.csv!/#2"]
    assert Called("scan", table, "--store", store, "--text-column", "more", "-q").code == 0
    assert len(listed("identical", store)) == 0
    assert Called("scan", table, "--store", store, "-q").code == 0
    assert paths(store) == ["t.csv"]
    assert listed("documents", store)[0]["media"] == "text/plain"
    assert scan(store, table)["documents"] == 3
    assert is_sound(Store(store))


def test_who_forgets_the_column_is_told(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    for name in ("t.parquet", "t.jsonl", "t.csv"):
        (folder / name).write_bytes(WRITERS[f"corpus.{name[2:]}"](ROWS))
        store = tmp_path / f"{name}.db"
        whole = f"{name} was read as one document; to read it row by row: --text-column NAME (one of: id, text"
        for form in ("json", "table"):
            done = Called("scan", folder / name, "--store", store, "--format", form)
            assert (done.code, whole in " ".join((done.out + done.err).split())) == (0, True)
        assert "whole" not in Called("scan", folder / name, "--store", store, "--text-column", "text").err
        done = Called("scan", folder / name, "--store", store, "--format", "json")
        assert json.loads(done.out)["gone"] == 5
        assert "5 rows of tables count as gone: this scan had no --text-column" in done.err
        assert "gone" not in Called("scan", folder / name, "--store", store, "--format", "json").err
    (folder / "u.parquet").write_bytes((folder / "t.parquet").read_bytes())
    done = Called("scan", folder, "--store", tmp_path / "all.db", "--format", "json")
    assert "2 tables were read as one document each; to read them row by row: --text-column NAME" in done.err
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text("words")
    assert "whole" not in Called("scan", folder / "sub", "--store", tmp_path / "sub.db", "--format", "json").err


def test_another_scheme_signs_kept_rows_and_reads_those_not_kept(tmp_path: Path) -> None:
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    table.write_bytes(as_jsonl(ROWS))
    kept = scan(store, table)
    again = scan(store, table, "--scheme", "min:window=20,n=50")
    assert again["resigned"] == 3
    assert again["documents"] == kept["documents"]
    bare = tmp_path / "bare.db"
    scan(bare, table, "--no-text")
    again = scan(bare, table, "--no-text", "--scheme", "min:window=20,n=50")
    assert again["documents"] == kept["documents"]
    assert again["resigned"] > 0
    assert is_sound(Store(bare))


def test_raw_rows(tmp_path: Path) -> None:
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    table.write_bytes(as_jsonl(ROWS))
    assert scan(store, table, "--raw", "--id-column", "id")["contents"] == 4
    assert is_sound(Store(store))
