"""Tables as people write them: encodings, ids, columns and damage. Every row is a document or fails with its reason."""

import csv
import gzip
import json
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from cli.table_files import ROWS, WRITERS, Table, as_csv, as_jsonl, ask, scan
from cli.world import Called, edited, listed, paths, prose
from nearkin.api.store import Store
from store.world import is_sound


def test_ids_missing_or_repeated_lose_no_row(tmp_path: Path) -> None:
    rows: Table = [
        {"id": "x", "text": "one"},
        {"id": "x", "text": "two"},
        {"id": None, "text": "three"},
        {"id": "#5", "text": "four"},
        {"text": "five"},
        {"id": 7, "text": "six"},
        {"id": [1], "text": "seven"},
        {"id": "", "text": "eight"},
        {"id": "\ud800", "text": "nine"},
    ]
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    table.write_bytes(as_jsonl(rows))
    assert scan(store, table, "--id-column", "id")["documents"] == 10
    names = {one.partition("!/")[2] for one in paths(store)}
    assert names == {"", "x", "#2", "#3", "#5", "#5#", "7", "#7", "#8", "\\ud800"}


def test_ids_keep_the_spelling_of_json(tmp_path: Path) -> None:
    spelled = ["true", "false", "1.50", "1e400", "-0", "12345678901234567890123", "NaN", "1E5", "9" * 5000]
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    table.write_text("".join(f'{{"id": {one}, "text": "one"}}\n' for one in spelled))
    assert scan(store, table, "--id-column", "id")["failed"] == 0
    assert paths(store) == ["t.jsonl", *sorted(f"t.jsonl!/{one}" for one in spelled)]
    pq.write_table(pa.table({"id": [True, False], "text": ["one", "two"]}), tmp_path / "t.parquet")
    scan(store, tmp_path / "t.parquet", "--id-column", "id")
    assert {"t.parquet!/true", "t.parquet!/false"} < set(paths(store))


@pytest.mark.parametrize("name", ["corpus.parquet", "corpus.jsonl", "corpus.csv"])
def test_ids_of_odd_characters_break_nothing(name: str, tmp_path: Path) -> None:
    """No path holds a NUL, nor can it be typed; a line end it may, as in names of files."""
    odd = ["a\0b", "\0", "c\nd", "e\\x00", "\x1b[31m", "../up", "/root"]
    table, store = tmp_path / name, tmp_path / "kin.db"
    table.write_bytes(WRITERS[name]([{"id": one, "text": edited(prose(1), at)} for at, one in enumerate(odd)]))
    assert scan(store, table, "--id-column", "id")["documents"] == 1 + len(odd)
    written = [f"{name}!/{one}" for one in ("a\\x00b", "\\x00", "c\nd", "e\\x00", "\x1b[31m", "../up", "/root")]
    assert sorted(paths(store)) == sorted([name, *written])
    for command in (
        *(("matches",), ("families",), ("keep",), ("folders",), ("families", "--view", "clique")),
        *(("compare", written[0], written[2]), ("custodians", written[0]), ("lineage", written[1])),
        *(("store", "check"), ("check", tmp_path / name)),
    ):
        for form in ("table", "jsonl"):
            done = Called(*command, "--store", store, "--format", form)
            assert done.code == 0, (command, done.err)
    for ending in ("xlsx", "html", "csv", "parquet", "dat"):
        assert Called("report", tmp_path / f"r.{ending}", "--store", store).code == 0
    assert Called("store", "forget", written[0], "--yes", "--store", store).code == 0


def test_bad_rows_fail_with_their_reason(tmp_path: Path) -> None:
    lines = [
        b'{"id": 1, "text": "fine"}',
        b'{"id": 2, "text": null}',
        b'{"id": 3, "text": 12}',
        b'{"id": 4}',
        b"",
        b'{"id": 5, "text": "cut',
        b"[1, 2]",
        b'{"id": 8, "text": "' + b"x" * 2000 + b'"}',
        b'{"id": 9, "text": "fine too"}',
    ]
    table, store = tmp_path / "t.jsonl", tmp_path / "kin.db"
    table.write_bytes(b"\n".join(lines))
    summary = scan(store, table, "--id-column", "id", "--max-size", "1K")
    assert (summary["documents"], summary["failed"]) == (3, 6)
    failed = {
        one["path"].partition("!/")[2]: (one["reason"], one["detail"]) for one in listed("documents", store, "--failed")
    }
    assert failed["2"] == ("empty", "column 'text' is null")
    assert failed["3"] == ("unsupported", "column 'text' is a number, not text")
    assert failed["4"] == ("empty", "there is no column 'text'")
    assert failed["#6"][0] == "corrupt"
    assert failed["#7"] == ("corrupt", "a list where a JSON object should be")
    assert failed["8"][0] == "too large"


def test_parquet_without_strings(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    texts = pa.array([prose(1).encode(), "Größe ".encode("latin-1") * 30, bytes(range(256)) * 8, None], pa.binary())
    columns = {
        "text": texts,
        "number": pa.array([1, 2, 3, None]),
        "kind": pa.array(["p", "q", "p", None]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert scan(store, tmp_path / "t.parquet")["failed"] == 1  # bytes that are no text are a document without
    assert Called("scan", tmp_path / "t.parquet", "--store", store, "--text-column", "number", "-q").code == 3
    assert {one["detail"] for one in listed("documents", store, "--failed")} == {
        "column 'number' is null",
        "column 'number' is of type int64, not text",
    }
    assert Called("scan", tmp_path / "t.parquet", "--store", store, "--text-column", "kind", "-q").code == 0
    assert len(paths(store)) == 4


def test_reasons_fit_and_are_in_plain_words(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    deep = '{"text": ' + "[" * 100_000 + "]" * 100_000 + "}"
    lines = [deep, '{"text": true}', '{"text": ["a"]}', '{"text": {"a": 1}}', '{"text": "a" "b"}', "{", '{"text": 1e5}']
    (folder / "rows.jsonl").write_text("\n".join(lines))
    (folder / "empty.csv").write_bytes(b"")
    (folder / "blank.csv").write_bytes(b"\n \n")
    (folder / "empty.parquet").write_bytes(b"")
    (folder / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    (folder / "other.csv").write_text("x,y\n1,2\n")
    pq.write_table(pa.table({"text": [["a", "b"], None]}), folder / "lists.parquet")
    pq.write_table(pa.table({"text": ["some text"]}), folder / "good.parquet")
    assert scan(store, folder)["failed"] == 14
    assert planned_code(folder) == 0
    failed = {one["path"]: (one["reason"], one["detail"]) for one in listed("documents", store, "--failed")}
    nothing = "there is nothing in it, not even the names of columns"
    broken = failed.pop("broken.parquet")
    assert broken[0] == "corrupt"
    assert broken[1].startswith("no Parquet: ")
    assert failed == {
        "rows.jsonl!/#1": ("unsupported", "the JSON is nested too deeply to be read"),
        "rows.jsonl!/#2": ("unsupported", "column 'text' is true or false, not text"),
        "rows.jsonl!/#3": ("unsupported", "column 'text' is a list, not text"),
        "rows.jsonl!/#4": ("unsupported", "column 'text' is an object, not text"),
        "rows.jsonl!/#5": ("corrupt", "no JSON: expecting ',' delimiter at character 14"),
        "rows.jsonl!/#6": ("corrupt", "no JSON: expecting property name enclosed in double quotes at character 3"),
        "rows.jsonl!/#7": ("unsupported", "column 'text' is a number, not text"),
        "lists.parquet!/#1": ("unsupported", "column 'text' is of type list<element: string>, not text"),
        "lists.parquet!/#2": ("empty", "column 'text' is null"),
        "empty.csv": ("empty", nothing),
        "blank.csv": ("empty", nothing),
        "empty.parquet": ("empty", "there is nothing in it"),
        "other.csv": ("unsupported", "other.csv has no column 'text'; it has: x, y"),
    }


def planned_code(folder: Path) -> int:
    return Called("scan", folder, "--plan", "--text-column", "text").code


def test_csv_as_people_write_it(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    (tmp_path / "t.csv").write_bytes(
        '\ufeffid;text\n1;"zwei\nZeilen; und ein Semikolon"\n2;Größe\n\n3;zu;viel\n4;'.encode() + b"Gr\xf6\xdfe " * 30
    )
    summary = scan(store, tmp_path / "t.csv", "--id-column", "id")
    assert (summary["documents"], summary["failed"]) == (4, 1)
    (failed,) = listed("documents", store, "--failed")
    assert failed["path"] == "t.csv!/#3"
    assert failed["detail"] == "3 fields where the first line names 2"
    encodings = {one["path"]: one["encoding"] for one in listed("documents", store)}
    assert encodings["t.csv!/4"] == "windows-1252"


FRENCH = "Le café est fermé à midi, le garçon revient après. " * 20
GREEK = "Η γρήγορη καφέ αλεπού πηδά πάνω από το τεμπέλικο σκυλί. " * 20
JAPANESE = "表示する機能は予約の能力に十分ではない。ソフトの構成を貼り付ける。" * 20


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [(FRENCH, "latin-1", "windows-1252"), (GREEK, "cp1253", "cp1253"), (JAPANESE, "cp932", "cp932")],
)
def test_rows_are_decoded_as_files_are(text: str, encoding: str, told: str, ending: str, tmp_path: Path) -> None:
    """One byte that is not UTF-8 lost a row of .jsonl; characters of cp932 may end with a backslash."""
    rows = [{"id": "a", "text": FRENCH}, {"id": "b", "text": text}, {"id": "c", "text": "\ud800 half"}]
    lines = [json.dumps(row, ensure_ascii=row["id"] == "c") for row in rows]
    plain = {"jsonl": "\n".join(lines), "csv": as_csv(rows[:2]).decode()}[ending]
    at = plain.index(FRENCH) + len(FRENCH)
    table, store = tmp_path / f"t.{ending}", tmp_path / "kin.db"
    table.write_bytes(plain[:at].encode() + plain[at:].encode(encoding))
    assert scan(store, table, "--id-column", "id")["failed"] == 0
    encodings = {one["path"].partition("!/")[2]: one["encoding"] for one in listed("documents", store)}
    assert encodings["a"] == "utf-8"
    assert encodings["b"] == ("utf-8" if ending == "jsonl" and told == "cp932" else told)  # decoded with its line
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "b.txt").write_bytes(text.encode())
    done = Called("compare", f"t.{ending}!/b", alone / "b.txt", "--store", store, "--format", "json")
    assert json.loads(done.out)["resemblance"] == 1.0, done.err


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz", "corpus.csv"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_tables_in_wide_characters(name: str, encoding: str, tmp_path: Path) -> None:
    rows = [*ROWS, {"id": "g", "text": GREEK}]
    plain = (as_csv if name.endswith("csv") else as_jsonl)(rows).decode().encode(encoding)
    table, store = tmp_path / name, tmp_path / "kin.db"
    table.write_bytes(gzip.compress(plain) if name.endswith("gz") else plain)
    summary = scan(store, table, "--id-column", "id")
    assert (summary["contents"], summary["failed"]) == (4, 0)
    assert paths(store) == [name, *(f"{name}!/{row['id']}" for row in rows)]
    assert ask(store, "SELECT size FROM document WHERE CAST(path AS TEXT) LIKE '%!/g'") == [(len(GREEK.encode()),)]


@pytest.mark.parametrize(
    "name", ["corpus.jsonl.gz", "corpus.jsonl.zst", "corpus.csv", "corpus.parquet", "corpus.csv.gz"]
)
def test_a_truncated_table_keeps_what_was_read(name: str, tmp_path: Path) -> None:
    many = [{"id": str(i), "text": prose(i)} for i in range(400)]
    if name == "corpus.jsonl.zst":
        whole = zstandard.ZstdCompressor().compress(as_jsonl(many))
    elif name == "corpus.csv":
        whole = as_csv(many) + b'1000,"never closed'
        whole += b"x" * len(whole)
    else:
        whole = WRITERS[name](many)
    table, store = tmp_path / name, tmp_path / "kin.db"
    table.write_bytes(whole[: len(whole) // 2])
    done = Called("scan", table, "--store", store, "--format", "json", "--text-column", "text", "--id-column", "id")
    assert done.code == (3 if name == "corpus.parquet" else 0), done.err
    (failed,) = [one for one in listed("documents", store, "--failed") if one["path"] == name]
    assert failed["reason"] == "corrupt"
    if name == "corpus.parquet":  # what is where stands at its end
        assert paths(store) == []
    else:
        assert 100 < len(paths(store)) <= 400
        assert "rows were read" in failed["detail"] or name == "corpus.csv"
    table.write_bytes(WRITERS.get(name, as_csv)(many))
    assert scan(store, table, "--id-column", "id")["failed"] == 0
    assert len(paths(store)) == 401
    assert is_sound(Store(store))


@pytest.mark.parametrize("name", ["corpus.jsonl.gz", "corpus.csv.gz"])
@pytest.mark.parametrize("count", [8, 300])
def test_no_row_before_the_break_is_lost(name: str, count: int, tmp_path: Path) -> None:
    many = [{"id": str(i), "text": prose(i, 60)} for i in range(count)]
    whole = WRITERS[name](many)
    table, store = tmp_path / name, tmp_path / "kin.db"
    table.write_bytes(whole[: len(whole) * 2 // 3])
    lines = zlib.decompressobj(31).decompress(table.read_bytes()).count(b"\n")
    scan(store, table, "--id-column", "id")
    assert len(paths(store)) == (lines - 1 if name == "corpus.csv.gz" else lines)


def test_what_is_named_and_cannot_be_read_at_all_ends_with_3(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing more")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(as_jsonl(ROWS))[:40])
    (tmp_path / "bad.jsonl").write_text("{\n[1]\n")
    (tmp_path / "good.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "part.jsonl").write_bytes(b"{\n" + as_jsonl(ROWS))
    how = ("--text-column", "text", "--format", "json", "--store", tmp_path / "kin.db")
    for _ in range(2):  # also where nothing has changed
        for name in ("broken.parquet", "empty.parquet", "cut.jsonl.gz", "bad.jsonl"):
            done = Called("scan", tmp_path / name, *how)
            assert done.code == 3
            assert f"Nothing of {tmp_path / name} could be read: " in done.err
            assert f"see: nearkin documents --failed --store {tmp_path / 'kin.db'}" in done.err
            assert "kin.db.\n" not in done.err  # it can be copied
            assert json.loads(done.out)["failed"] > 0
    both = Called("scan", tmp_path / "bad.jsonl", tmp_path / "empty.parquet", *how)
    assert both.code == 3
    assert "could be read: 2 corrupt, 1 empty; see: nearkin" in both.err
    for some in (("bad.jsonl", "good.jsonl"), ("part.jsonl",), (".",)):
        done = Called("scan", *(tmp_path / name for name in some), *how)
        assert done.code == 0
        assert "could not be read" in done.err


def test_wrong_columns_are_one_sentence_and_make_no_store(tmp_path: Path) -> None:
    table, store = tmp_path / "t.csv", tmp_path / "kin.db"
    table.write_bytes(as_csv(ROWS))
    for more, said in [
        (("--text-column", "body"), "t.csv has no column 'body'; it has: id, text."),
        (("--text-column", "text", "--id-column", "key"), "t.csv has no column 'key'; it has: id, text."),
        (("--id-column", "id"), "--id-column is for tables only"),
        (("--html",), "--html is for tables only"),
    ]:
        for where in (table, tmp_path):
            done = Called("scan", where, "--store", store, *more)
            assert done.code == 2
            assert said in done.err
    (tmp_path / "plain").mkdir()
    done = Called("scan", tmp_path / "plain", "--store", store, "--text-column", "text")
    assert done.code == 2
    assert "no table" in done.err
    assert not store.exists()


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_two_columns_of_one_name_are_refused(name: str, tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    if name == "t.csv":
        (folder / name).write_text("id,text,text\n1,one,two\n")
    else:
        pq.write_table(pa.table([["1"], ["one"], ["two"]], names=["id", "text", "text"]), folder / name)
    said = f"{name} has 2 columns 'text'; give each a name of its own"
    for where in (folder, folder / name):
        done = Called("scan", where, "--store", store, "--text-column", "text")
        assert (done.code, f"{said}." in done.err) == (2, True)
    (folder / "good.csv").write_text("text\nwords\n")
    assert scan(store, folder)["documents"] == 2
    (failed,) = listed("documents", store, "--failed")
    assert (failed["path"], failed["reason"], failed["detail"]) == (name, "unsupported", said)
    assert Called("scan", folder / name, "--store", store, "--text-column", "id", "-q").code == 0


def test_other_readers_of_csv_in_the_process_keep_their_limit(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,text\n1,some words\n")
    before = csv.field_size_limit()
    Store(tmp_path / "kin.db").scan(table, text_column="text", max_size=1000)
    assert csv.field_size_limit() == before
