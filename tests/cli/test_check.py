"""`check`: a user's day at the door of a repository."""

import csv
import io
import json
from pathlib import Path

import pytest

import nearkin as library
from cli.world import FILES, Called, edited, nearkin, prose, write

FIELDS = ["path", "tier", "resemblance", "query_in_doc", "doc_in_query", "exact", "low", "high", "template"]
SI = "si:method=1,stream=word,variation=A,k=4"


@pytest.fixture(scope="module")
def si_store(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("si") / "si.db"
    assert Called("scan", docs, "--store", path, "--scheme", SI, "--format", "json").code == 0
    return path


def test_the_same_bytes_the_same_words_then_the_near(docs: Path, store: Path) -> None:
    called = Called("check", docs / "manual-1.txt", "--store", store)
    assert (called.code, called.err) == (0, "")
    assert [list(record) for record in called.records] == [FIELDS] * 5
    assert [(record["path"], record["tier"]) for record in called.records] == [
        ("copies/manual-1.txt", "bytes"),
        ("manual-1.txt", "bytes"),
        ("copies/manual-1.html", "words"),
        ("manual-2.txt", "near"),
        ("manual-3.txt", "near"),
    ]
    for record in called.records:
        text = (docs / record["path"]).read_bytes()
        assert record["resemblance"] == library.resemblance(prose(1), text)
        assert record["query_in_doc"] == library.containment(prose(1), text)
        assert record["doc_in_query"] == library.containment(text, prose(1))
        assert (record["exact"], record["low"], record["high"]) == (True, None, None)


def test_copies_of_what_is_near_are_named_once_unless_asked(tmp_path: Path, store: Path) -> None:
    (tmp_path / "draft.txt").write_text(edited(prose(1), 200))
    once = Called("check", tmp_path / "draft.txt", "--store", store).records
    assert [record["path"] for record in once] == ["copies/manual-1.html", "manual-2.txt", "manual-3.txt"]
    named = Called("check", tmp_path / "draft.txt", "--store", store, "--all-copies").records
    assert {record["path"] for record in named} == {
        *(record["path"] for record in once),
        "copies/manual-1.txt",
        "manual-1.txt",
    }


def test_parts_and_containers(tmp_path: Path, store: Path) -> None:
    (tmp_path / "part").write_text(" ".join(prose(3, 400).split()[100:250]))
    (inside,) = Called("check", tmp_path / "part", "--store", store).records
    assert (inside["path"], inside["query_in_doc"]) == ("whole.txt", 1.0)
    (tmp_path / "around").write_text(f"{prose(90, 300)} {prose(5)} {prose(91, 300)}")
    (around,) = Called("check", tmp_path / "around", "--store", store).records
    assert (around["path"], around["doc_in_query"]) == ("single.txt", 1.0)
    assert Called("check", tmp_path / "around", "--store", store, "--min-resemblance", 0.7).records == []


def test_thresholds_and_limit(tmp_path: Path, store: Path) -> None:
    (tmp_path / "draft.txt").write_text(edited(prose(1), 200))
    draft = ("check", tmp_path / "draft.txt", "--store", store)
    shares = [record["resemblance"] for record in Called(*draft).records]
    assert shares == sorted(shares, reverse=True)
    strict = Called(*draft, "--min-resemblance", shares[1]).records
    assert [record["resemblance"] for record in strict] == shares[:2]
    assert Called(*draft, "--limit", 1).records == Called(*draft).records[:1]
    assert Called(*draft, "--min-resemblance", 1).records == []
    refused = Called(*draft, "--min-resemblance", 1.5)
    assert (refused.code, refused.out) == (2, "")
    assert Called(*draft, "--limit", 0).code == 2


def test_exit_code_says_whether_something_is_similar(tmp_path: Path, docs: Path, store: Path) -> None:
    (tmp_path / "new.txt").write_text(prose(70))
    known, new = ("check", docs / "single.txt", "--store", store), ("check", tmp_path / "new.txt", "--store", store)
    assert Called(*known).code == 0
    assert Called(*known, "--exit-code").code == 1
    assert Called(*known, "--exit-code", "--format", "table").code == 1
    assert Called(*new, "--exit-code").code == 0
    assert Called("check", tmp_path / "new.txt", docs / "single.txt", "--store", store, "--exit-code").code == 1
    shell = nearkin("check", "-", "--store", store, "--exit-code", input=prose(5).encode())
    assert shell.returncode == 1
    assert shell.stderr == b""
    assert json.loads(shell.stdout)["path"] == "single.txt"
    # Errors keep their codes.
    assert Called("check", tmp_path / "missing.txt", "--store", store, "--exit-code").code == 3
    assert Called("check", tmp_path, "--store", store).code == 3
    assert Called("check", docs / "single.txt", "--store", tmp_path / "none.db", "--exit-code").code == 4
    assert Called("check", docs / "single.txt", "--store", store, "--scheme", "no").code == 2
    assert Called("check", "--store", store).code == 2


def test_several_files_are_told_apart(docs: Path, store: Path) -> None:
    names = [str(docs / "single.txt"), str(docs / "part.txt")]
    records = Called("check", *names, "--store", store).records
    assert [list(record) for record in records] == [["query", *FIELDS]] * 3
    assert [(record["query"], record["path"]) for record in records] == [
        (names[0], "single.txt"),
        (names[1], "part.txt"),
        (names[1], "whole.txt"),
    ]
    table = Called("check", *names, "--store", store, "--format", "table").out
    assert table.index("single.txt  1 document") < table.index("part.txt  2 documents")


def test_formats(docs: Path, store: Path, tmp_path: Path) -> None:
    query = ("check", docs / "manual-1.txt", "--store", store)
    records = Called(*query).records
    assert json.loads(Called(*query, "--format", "json").out) == records
    rows = list(csv.DictReader(io.StringIO(Called(*query, "--format", "csv").out)))
    assert list(rows[0]) == FIELDS
    assert [row["path"] for row in rows] == [record["path"] for record in records]
    table = Called(*query, "--format", "table").out
    assert "manual-3.txt" in table
    assert "near" in table
    (tmp_path / "new.txt").write_text(prose(70))
    nothing = Called("check", tmp_path / "new.txt", "--store", store, "--format", "table")
    assert nothing.out == "Nothing in the store resembles it.\n"
    assert Called("check", tmp_path / "new.txt", "--store", store, "--format", "json").out == "[]\n"


def test_empty_binary_and_tiny_files(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"empty.txt": "", b"a.txt": "a", b"b.txt": "B!"})
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 4)
    store = tmp_path / "kin.db"
    Called("scan", folder, "--store", store)
    assert Called("check", folder / "empty.txt", "--store", store).records == []
    (same,) = Called("check", folder / "binary.bin", "--store", store).records
    assert (same["path"], same["tier"]) == ("binary.bin", "bytes")
    (tmp_path / "b2.txt").write_text("b")
    (words,) = Called("check", tmp_path / "b2.txt", "--store", store).records
    assert (words["path"], words["tier"]) == ("b.txt", "words")


def test_the_query_is_read_as_the_store_was(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"page.html": f"<p>{prose(1)}</p>"})
    for options, tier in (([], "words"), (["--raw"], "near")):
        store = tmp_path / f"kin{len(options)}.db"
        Called("scan", folder, "--store", store, *options)
        (tmp_path / "text.txt").write_text(prose(1))
        (found,) = Called("check", tmp_path / "text.txt", "--store", store).records
        assert found["tier"] == tier


def test_documents_that_are_gone_are_not_found(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": prose(2)})
    store = tmp_path / "kin.db"
    for scheme in ("mod", SI):
        (folder / "a.txt").write_text(prose(1))
        Called("scan", folder, "--store", store, "--scheme", scheme)
        (folder / "a.txt").unlink()
        Called("scan", folder, "--store", store, "--scheme", scheme)
        (tmp_path / "draft.txt").write_text(edited(prose(1), 9))
        found = Called("check", tmp_path / "draft.txt", "--store", store, "--min-resemblance", 0).records
        assert "a.txt" not in {record["path"] for record in found}


def test_several_scopes(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    for name in ("one", "two"):
        Called("scan", write(tmp_path / name, {b"a.txt": prose(1)}), "--store", store)
    (tmp_path / "draft.txt").write_text(prose(1))
    found = Called("check", tmp_path / "draft.txt", "--store", store).records
    assert [(record["scope"], record["path"]) for record in found] == [("one", "a.txt"), ("two", "a.txt")]


# Schemes.


def test_the_default_scheme_is_the_last_scans(tmp_path: Path, docs: Path) -> None:
    store = tmp_path / "kin.db"
    Called("scan", docs, "--store", store, "--scheme", "exact:window=20")
    Called("scan", docs, "--store", store, "--scheme", SI)
    assert "SELECT * FROM documents" in Called("check", docs / "single.txt", "--store", store, "--sql").out
    exact = Called("check", docs / "manual-1.txt", "--store", store, "--scheme", "exact")
    assert [record["path"] for record in exact.records][-2:] == ["manual-2.txt", "manual-3.txt"]


def test_a_scheme_without_signatures_is_refused_with_what_to_run(docs: Path, store: Path) -> None:
    refused = Called("check", docs / "single.txt", "--store", store, "--scheme", "si:tracking=43")
    assert (refused.code, refused.out) == (2, "")
    spec = "si:method=3,stream=soundex,variation=B,k=40"
    assert refused.err == (
        f"nearkin: This store has no signatures of {spec}, only of mod:window=20,sample=200,most=64;"
        f" run: nearkin scan FOLDER --scheme {spec} --store {store}\n"
    )


def test_contents_not_signed_by_the_scheme_are_counted(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1)})
    store = tmp_path / "kin.db"
    Called("scan", folder, "--store", store, "--scheme", SI)
    (folder / "b.txt").write_text(prose(2))
    Called("scan", folder, "--store", store)
    called = Called("check", folder / "a.txt", "--store", store, "--scheme", SI)
    assert called.code == 0
    assert called.err.startswith(f"nearkin: 1 text was not compared, having no signature by {SI};")
    assert Called("check", folder / "a.txt", "--store", store, "--scheme", SI, "--quiet").err == ""


def test_si_prints_its_query_for_another_database(docs: Path, si_store: Path, tmp_path: Path) -> None:
    called = Called("check", docs / "manual-1.txt", docs / "single.txt", "--store", si_store, "--sql")
    assert (called.code, called.err) == (0, "")
    statements = called.out.splitlines()
    assert len(statements) == 2
    (tmp_path / "empty.txt").write_text("...")
    nothing = Called("check", tmp_path / "empty.txt", "--store", si_store, "--sql")
    assert (nothing.code, nothing.out) == (0, "")
    assert "has no similarity index" in nothing.err
    assert Called("check", docs / "single.txt", "--store", si_store, "--sql", "--format", "json").code == 2


def test_only_si_is_a_query(docs: Path, store: Path) -> None:
    refused = Called("check", docs / "single.txt", "--store", store, "--sql")
    assert (refused.code, refused.out) == (2, "")
    assert "Only scheme si is one SQL query" in refused.err


def test_si_end_to_end(docs: Path, si_store: Path, store: Path) -> None:
    scored = {(match["a"], match["b"]): match["resemblance"] for match in Called("matches", "--store", store).records}
    found = {(match["a"], match["b"]): match["resemblance"] for match in Called("matches", "--store", si_store).records}
    assert found  # what is in range and confirmed; never more than the default scheme finds
    assert found.items() <= scored.items()
    (copies,) = [
        record
        for record in Called("check", docs / "manual-2.txt", "--store", si_store).records
        if record["tier"] == "bytes"
    ]
    assert copies["path"] == "manual-2.txt"
    summary = Called("scan", docs, "--store", si_store, "--scheme", SI, "--no-text")
    assert summary.code == 2
    assert "measures the texts themselves" in summary.err


def test_sign_prints_the_number(docs: Path, tmp_path: Path) -> None:
    query = ("sign", docs / "manual-1.txt", "--scheme", SI)
    (record,) = Called(*query).records
    assert list(record) == ["number"]
    assert Called(*query, "--format", "table").out == f"{record['number']}\n"
    assert Called(*query, "--format", "csv").out == f"number\n{record['number']}\n"
    assert json.loads(Called(*query, "--format", "json").out) == record
    (feature,) = library.sign(FILES[b"manual-1.txt"], SI).features.tolist()
    assert record["number"] % 2**64 == feature
    (tmp_path / "none.txt").write_text("")
    assert Called("sign", tmp_path / "none.txt", "--scheme", SI).records == [{"number": None}]
    assert Called("sign", tmp_path / "none.txt", "--scheme", SI, "--format", "table").out == "none\n"


def test_sign_prints_the_number_of_every_content_of_a_store(docs: Path, store: Path, si_store: Path) -> None:
    # One store has the numbers, of the other they are made from the texts.
    records = Called("sign", "--store", si_store).records
    assert Called("sign", "--store", store, "--scheme", SI).records == records
    assert [list(record) for record in records] == [["number", "path"]] * len(records)
    assert len(records) == len(FILES) - 2  # of three copies one is named
    for record in records:
        (one,) = Called("sign", f"./{record['path']}", "--store", si_store, "--scheme", SI).records
        assert record["number"] == one["number"]
    numbers = {record["path"]: record["number"] for record in records}
    assert numbers["empty.txt"] is None
    assert any(number is not None and number < 0 for number in numbers.values())
    whole = ("sign", "--store", si_store, "--format")
    assert json.loads(Called(*whole, "json").out) == records
    rows = csv.DictReader(io.StringIO(Called(*whole, "csv").out, newline=""))
    assert rows.fieldnames == ["number", "path"]
    assert [row["number"] for row in rows] == [str(number or "") for number in numbers.values()]
    head, *lines = Called(*whole, "table").out.splitlines()
    assert head.split() == ["number", "path"]
    assert [line.split()[0] for line in lines] == [str(number or "none") for number in numbers.values()]


# Files of which nothing can be said.


def test_a_file_without_text_is_no_all_clear(tmp_path: Path, docs: Path, store: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    said = "nearkin: {} has no readable text; only its bytes were looked up.\n"
    query = ("check", tmp_path / "x.png", docs / "single.txt", "--store", store)
    for form in ("table", "json", "jsonl", "csv"):
        assert Called(*query, "--format", form).err == said.format(tmp_path / "x.png")
    assert Called(*query, "--quiet").err == ""
    piped = nearkin("check", "-", "--store", store, input=(tmp_path / "x.png").read_bytes())
    assert (piped.returncode, piped.stdout, piped.stderr.decode()) == (0, b"", said.format("standard input"))
    for option in ([], ["--digest"], ["--scheme", SI], ["--format", "csv"]):
        signed = Called("sign", tmp_path / "x.png", *option)
        assert signed.code == 0
        unsigned = f"nearkin: {tmp_path / 'x.png'} has no readable text, so it has no signature.\n"
        assert signed.err == unsigned
    assert Called("sign", tmp_path / "x.png", "--quiet").err == ""
    assert Called("sign", tmp_path / "x.png", "--raw").err == ""  # there the bytes are the text


@pytest.mark.parametrize(
    "scheme", ["fuzzy:classes=18,intervals=3,variants=3", "si:method=3,stream=soundex,variation=B,k=40"]
)
def test_sign_says_that_a_text_is_too_short_for_the_scheme(tmp_path: Path, docs: Path, scheme: str) -> None:
    (tmp_path / "short.txt").write_text("Hello.")
    signed = Called("sign", tmp_path / "short.txt", "--scheme", scheme)
    assert (signed.code, signed.err) == (0, f"nearkin: {tmp_path / 'short.txt'} has no signature under {scheme}.\n")
    assert Called("sign", tmp_path / "short.txt", "--scheme", scheme, "--quiet").err == ""
    assert Called("sign", docs / "manual-1.txt", "--scheme", SI).err == ""


@pytest.fixture
def own_store(docs: Path, tmp_path: Path) -> Path:
    """One that a test may add to."""
    path = tmp_path / "own.db"
    assert Called("scan", docs, "--store", path, "--format", "json").code == 0
    return path


def test_what_is_added_is_found_by_the_next_check(tmp_path: Path, own_store: Path) -> None:
    (tmp_path / "draft.txt").write_text(prose(700))
    first = Called("check", tmp_path / "draft.txt", "--store", own_store, "--add", "--by", "ann")
    assert (first.code, first.records) == (0, [])
    assert "draft.txt added as added:" in first.err
    (again,) = Called("check", tmp_path / "draft.txt", "--store", own_store).records
    assert (again["scope"], again["tier"]) == ("added", "bytes")
    assert again["path"] == str(tmp_path / "draft.txt")[1:]
    twice = Called("check", tmp_path / "draft.txt", "--store", own_store, "--add")
    assert "is already in the store, unchanged, as added:" in twice.err
    assert len(twice.records) == 1
    quiet = Called("check", tmp_path / "draft.txt", "--store", own_store, "--add", "--quiet")
    assert quiet.err == ""
    document = Called("check", again["path"], "--store", own_store, "--add")
    assert "is already a document of the store" in document.err


def test_standard_input_is_added_under_a_name(own_store: Path) -> None:
    text = prose(701).encode()
    done = nearkin("check", "-", "--store", own_store, "--add", "--name", "notes/a.txt", input=text)
    assert done.returncode == 0
    assert b"standard input added as added:notes/a.txt" in done.stderr
    (found,) = map(json.loads, nearkin("check", "-", "--store", own_store, input=text).stdout.splitlines())
    assert (found["scope"], found["path"]) == ("added", "notes/a.txt")


@pytest.mark.parametrize(
    "options",
    [
        ["-", "--add"],
        ["a", "--name", "x"],
        ["a", "--by", "ann"],
        ["a", "--add", "--name", "x"],
        ["a", "--add", "--scheme", "exact"],
        ["a", "--add", "--sql"],
    ],
)
def test_adding_in_a_wrong_way_is_refused(own_store: Path, options: list[str]) -> None:
    called = Called("check", *options, "--store", own_store)
    assert called.code == 2
    assert called.err.count("\n") == 1


def test_an_empty_file_is_like_nothing(tmp_path: Path, store: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    called = Called("check", tmp_path / "empty.txt", "--store", store, "--format", "table")
    assert (called.code, called.out) == (0, "")
    assert called.err == f"nearkin: {tmp_path / 'empty.txt'} is empty, so nothing resembles it.\n"


def test_a_store_without_texts_says_so(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "a.txt").write_text(prose(1))
    Called("scan", tmp_path / "none", "--store", tmp_path / "kin.db", "-q")
    called = Called("check", tmp_path / "a.txt", "--store", tmp_path / "kin.db")
    assert called.code == 2
    assert called.err.startswith("nearkin: This store has no texts yet")


def test_one_bad_file_keeps_no_answer_from_the_others(tmp_path: Path, docs: Path, store: Path) -> None:
    missing = tmp_path / "nope.txt"
    called = Called("check", docs / "part.txt", missing, "--store", store, "--exit-code", "-q")
    assert called.code == 3
    assert called.err == f'nearkin: No file "{missing}", and no document with that path in {store}.\n'
    assert {record["query"] for record in called.records} == {f"{docs / 'part.txt'}"}
    neither = Called("check", missing, tmp_path / "nor.txt", "--store", store)
    assert (neither.code, neither.out, neither.err.count("\n")) == (3, "", 2)


def test_other_bytes_under_a_known_name_replace_what_was_there(tmp_path: Path, own_store: Path) -> None:
    file = tmp_path / "loose" / "x.txt"
    file.parent.mkdir()
    told = []
    for text in (prose(80), prose(81), prose(81)):
        file.write_text(text)
        told.append(Called("check", file, "--add", "--store", own_store).err)
    assert " added as added:" in told[0]
    assert " replaced added:" in told[1]
    assert "which had other bytes" in told[1]
    assert "is already in the store, unchanged" in told[2]
