"""What a store holds, in every format."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.terminal import Typed
from cli.world import FILES, Called, edited, listed, prose, write
from nearkin.sample.languages import ENGLISH
from nearkin.sample.office import as_docx
from nearkin.sample.page import Page, PageBlock, Shape

MATCH_FIELDS = [
    "a",
    "b",
    "resemblance",
    "a_in_b",
    "b_in_a",
    "payload",
    "shared_bytes",
    "exact",
    "low",
    "high",
    "verdict",
    "template",
    "payload_exact",
    "payload_low",
    "payload_high",
]
FAMILY_FIELDS = ["id", "kind", "view", "documents", "links", "weakest", "mean_resemblance", "mean_exact", "bytes"]
FAMILY_FIELDS += ["verdict", "keep", "template", "reason"]
CHAIN_FIELDS = [*FAMILY_FIELDS, "most_distant"]


def cells(called: Called) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(called.raw.decode("utf-8", "surrogateescape"), newline="")))


def test_identical(store: Path) -> None:
    groups = Called("identical", "--store", store).records
    assert [list(group) for group in groups] == [["tier", "size", "overhead", "paths"]] * 2
    words, same = groups
    assert (words["tier"], same["tier"]) == ("words", "bytes")
    assert words["paths"] == ["copies/manual-1.html", "copies/manual-1.txt", "manual-1.txt"]
    assert same["paths"] == ["copies/manual-1.txt", "manual-1.txt"]
    assert same["overhead"] == same["size"] == len(prose(1))
    assert words["overhead"] == 2 * len(prose(1))


@pytest.mark.parametrize(
    ("listing", "said"),
    [("identical", "largest group"), ("matches", "strongest match"), ("documents", "first document")],
)
def test_no_more_than_asked_for(store: Path, listing: str, said: str) -> None:
    whole = Called(listing, "--store", store)
    one = Called(listing, "--store", store, "--limit", 1)
    assert one.records == whole.records[:1]
    assert f"Showing the {said} only" in one.err
    everything = Called(listing, "--store", store, "--limit", len(whole.records))
    assert (everything.records, everything.err) == (whole.records, whole.err)
    assert Called(listing, "--store", store, "--limit", 0).code == 2


def test_matches(store: Path) -> None:
    matches = Called("matches", "--store", store).records
    assert [list(match) for match in matches] == [MATCH_FIELDS] * len(matches)
    pairs = {(match["a"], match["b"]) for match in matches}
    assert ("copies/manual-1.html", "manual-2.txt") in pairs
    assert ("caf\udce9.txt", "esc\x1b[31m\n.txt") in pairs
    assert ("part.txt", "whole.txt") in pairs
    part = next(match for match in matches if match["a"] == "part.txt")
    assert part["a_in_b"] == 1.0
    assert part["exact"] is True
    strengths = [match["resemblance"] for match in matches]
    assert strengths == sorted(strengths, reverse=True)


def test_matches_above_other_thresholds(store: Path) -> None:
    everything = Called("matches", "--store", store).records
    strong = Called("matches", "--store", store, "--min-resemblance", 0.9)
    assert strong.records == [match for match in everything if match["resemblance"] >= 0.9]
    assert strong.err == ""
    parts = Called("matches", "--store", store, "--min-containment", 0.99).records
    assert [(match["a"], match["b"]) for match in parts] == [("part.txt", "whole.txt")]
    copies = Called("matches", "--store", store, "--all-copies").records
    assert len(copies) > len(everything)
    assert {match["a"] for match in copies} >= {"manual-1.txt", "copies/manual-1.txt"}


def test_a_view_below_the_scans_thresholds_says_that_it_is_partial(store: Path) -> None:
    for command in (["matches", "--min-resemblance", 0.6], ["families", "--threshold", 0.6]):
        called = Called(*command, "--store", store)
        assert called.code == 0
        assert called.err.startswith("nearkin: Incomplete below 0.7")
        assert called.err.count("\n") == 1
        assert Called(*command, "--store", store, "--quiet").err == ""


def test_families(store: Path) -> None:
    families = Called("families", "--store", store).records
    assert [list(family) for family in families] == [CHAIN_FIELDS] * len(families)
    largest = families[0]
    assert {document["path"] for document in largest["documents"]} == {
        name.decode() for name in FILES if b"manual" in name
    }
    assert [list(document) for document in largest["documents"]] == [["path", "pivot", "to_pivot", "role", "exact"]] * 5
    assert {document["exact"] for document in largest["documents"]} == {True}
    assert sum(document["pivot"] for document in largest["documents"]) == 1
    assert list(largest["weakest"]) == ["a", "b", "resemblance", "exact"]
    assert largest["weakest"]["exact"] is largest["mean_exact"] is True
    assert largest["kind"] == "versions"
    contains = next(family for family in families if family["kind"] == "contains")
    assert [(document["path"], document["role"]) for document in contains["documents"]] == [
        ("whole.txt", "member"),
        ("part.txt", "part"),
    ]
    assert contains["weakest"] is None
    at_one = Called("families", "--store", store, "--threshold", 1).records
    assert "versions" not in {family["kind"] for family in at_one}


def test_families_below_the_floor_are_refused(store: Path) -> None:
    called = Called("families", "--store", store, "--threshold", 0.4)
    assert called.code == 2
    assert called.err == "nearkin: Below 0.5 the scan kept no matches; scan again with --floor 0.4.\n"


def greedy(store: Path, *more: object) -> Called:
    return Called("families", "--view", "greedy", "--store", store, *more)


def test_the_greedy_view(store: Path) -> None:
    families = greedy(store).records
    assert [list(family) for family in families] == [FAMILY_FIELDS] * len(families)
    assert {family["view"] for family in families} == {"greedy"}
    largest = families[0]
    paths = [document["path"] for document in largest["documents"]]
    assert set(paths) == {name.decode() for name in FILES if b"manual" in name}
    # The longest is the first, and so the pivot.
    (pivot,) = (document for document in largest["documents"] if document["pivot"])
    longest = max(paths, key=lambda path: len(FILES[path.encode()]) if path.endswith(".txt") else 0)
    assert FILES[pivot["path"].encode()] == FILES[longest.encode()]
    assert largest["links"] == 2
    assert largest["kind"] == "versions"
    values = {document["to_pivot"] for document in largest["documents"]} - {1.0}
    assert largest["weakest"]["resemblance"] == min(values)
    assert largest["mean_resemblance"] == pytest.approx(sum(values) / 2)
    assert {document["exact"] for document in largest["documents"]} == {True}
    # What is contained is attached to nothing here.
    assert "part.txt" not in str(families)
    assert greedy(store, "--format", "json").out.count("greedy") == len(families)
    assert list(cells(greedy(store, "--format", "csv"))[0])[3:8] == ["path", "pivot", "to_pivot", "role", "exact"]


def test_the_greedy_view_measures_on_the_texts_what_the_chain_measures(store: Path) -> None:
    def between(called: Called) -> dict[tuple[str, str], float]:
        return {
            (family["documents"][0]["path"], document["path"]): document["to_pivot"]
            for family in called.records
            for document in family["documents"]
        }

    chained = between(Called("families", "--store", store))
    for pair, value in between(greedy(store)).items():
        assert value == chained.get(pair, chained.get(pair[::-1], value))


def test_the_greedy_view_knows_any_threshold(store: Path) -> None:
    for threshold in (0.05, 0.4, 1):
        called = greedy(store, "--threshold", threshold)
        assert (called.code, called.err) == (0, "")
    assert {family["kind"] for family in greedy(store, "--threshold", 1).records} == {"identical"}
    assert greedy(store, "--threshold", 0).code == 2


def test_popular_representatives(store: Path) -> None:
    families = greedy(store, "--representative", "popular").records
    assert [len(family["documents"]) for family in families] == [len(f["documents"]) for f in greedy(store).records]
    refused = Called("families", "--store", store, "--representative", "popular")
    assert (refused.code, refused.out) == (2, "")
    assert "--view greedy" in refused.err


def test_families_of_copies_only_are_counted_apart(store: Path) -> None:
    table = greedy(store, "--threshold", 1, "--format", "table").out
    assert table.endswith("1 family with 3 documents; 1 of them contains only copies (3 documents)\n")
    assert greedy(store, "--format", "table").out.endswith("3 families with 9 documents\n")


def test_estimates_of_the_greedy_view_are_marked(tmp_path: Path) -> None:
    long = prose(1, 9000)
    folder = write(tmp_path / "docs", {b"a.txt": long, b"b.txt": edited(long, 900)})
    store = tmp_path / "kin.db"
    Called("scan", folder, "--store", store, "--no-text")
    (family,) = greedy(store).records
    assert [document["exact"] for document in family["documents"]] == [True, False]
    assert family["documents"][1]["to_pivot"] > 0.9
    assert "         ~0.9" in greedy(store, "--format", "table").out


def test_documents(store: Path) -> None:
    documents = Called("documents", "--store", store).records
    assert [document["path"] for document in documents] == [
        name.decode("utf-8", "surrogateescape") for name in sorted(FILES)
    ]
    by_path = {document["path"]: document for document in documents}
    assert by_path["copies/manual-1.html"]["media"] == "text/html"
    assert by_path["single.txt"]["size"] == len(prose(5))
    assert Called("documents", "--store", store, "--failed").out == ""
    assert Called("documents", "--store", store, "--failed", "--format", "json").out == "[]\n"


@pytest.mark.parametrize("command", ["identical", "matches", "families", "documents"])
def test_json_and_jsonl_say_the_same(store: Path, command: str) -> None:
    lines = Called(command, "--store", store, "--format", "jsonl")
    assert json.loads(Called(command, "--store", store, "--format", "json").out) == lines.records
    assert lines.records == Called(command, "--store", store).records
    assert lines.out.isascii()


def test_csv_has_full_numbers_and_no_formulas(store: Path) -> None:
    matches = Called("matches", "--store", store).records
    rows = cells(Called("matches", "--store", store, "--format", "csv"))
    assert list(rows[0]) == MATCH_FIELDS
    assert [float(row["resemblance"]) for row in rows] == [match["resemblance"] for match in matches]
    assert {row["exact"] for row in rows} == {"true"}
    names = [name for row in rows for name in (row["a"], row["b"])]
    assert "./-dash.txt" in names
    assert "./=formula.txt" in names
    assert "caf\udce9.txt" in names
    assert not any(name[0] in "=+-@" for name in names)


def test_csv_of_groups_has_a_row_a_document(store: Path) -> None:
    families = Called("families", "--store", store).records
    rows = cells(Called("families", "--store", store, "--format", "csv"))
    assert len(rows) == sum(len(family["documents"]) for family in families)
    assert {row["id"] for row in rows} == {family["id"] for family in families}
    groups = cells(Called("identical", "--store", store, "--format", "csv"))
    assert [row["path"] for row in groups if row["tier"] == "bytes"] == [
        "copies/manual-1.txt",
        "manual-1.txt",
    ]


@pytest.mark.parametrize("command", ["identical", "matches", "families", "documents"])
def test_the_screen_is_plain_narrow_and_safe(store: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = Called(command, "--store", store, "--format", "table").out
    assert "\x1b" not in shown
    assert shown.count("\n") > 3
    assert all(len(line) <= 80 and line == line.rstrip() for line in shown.splitlines())
    if command != "identical":
        assert "caf\\xe9.txt" in shown
        assert "esc\\x1b[31m\\n.txt" in shown


def test_more_than_one_scope(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    for name, at in (("left", 10), ("right", 20)):
        folder = write(tmp_path / name, {b"a.txt": edited(prose(1), at), b"same.txt": prose(9)})
        assert Called("scan", folder, "--store", store, "--format", "json").code == 0
    (match,) = Called("matches", "--store", store).records
    assert (match["a_scope"], match["a"], match["b_scope"], match["b"]) == ("left", "a.txt", "right", "a.txt")
    (group,) = Called("identical", "--store", store).records
    assert group["scopes"] == ["left", "right"]
    family = Called("families", "--store", store).records[0]
    assert {document["scope"] for document in family["documents"]} == {"left", "right"}
    assert {document["scope"] for document in Called("documents", "--store", store).records} == {
        "left",
        "right",
    }
    assert "left:a.txt" in Called("matches", "--store", store, "--format", "table").out
    assert cells(Called("matches", "--store", store, "--format", "csv"))[0]["a_scope"] == "left"
    compared = Called("compare", "left:a.txt", "right:a.txt", "--store", store).records[0]
    assert compared["resemblance"] == match["resemblance"]
    ambiguous = Called("compare", "a.txt", "left:a.txt", "--store", store)
    assert ambiguous.code == 2
    assert "left:a.txt or right:a.txt" in ambiguous.err


def test_the_table_of_documents_names_formats_shortly(tmp_path: Path) -> None:
    """Word's media type has 71 letters: it left no room for paths."""
    page = Page(ENGLISH, "A title", (PageBlock(Shape.PARAGRAPH, ("Turn the lever to the left.",)),))
    folder = tmp_path / "docs"
    (folder / "letters").mkdir(parents=True)
    (folder / "letters" / "a letter to Ann.docx").write_bytes(as_docx(page))
    Called("scan", folder, "--store", tmp_path / "kin.db")
    shown = Called("documents", "--store", tmp_path / "kin.db", "--format", "table").out
    assert shown.splitlines()[1].split()[2:] == ["docx", "–", "letters/a", "letter", "to", "Ann.docx"]


def test_names_of_one_file_cost_nothing(tmp_path: Path) -> None:
    text = prose(1)
    folder = write(tmp_path / "docs", {b"a.txt": text, b"b.txt": text, b"page.html": f"<p>{text}</p>"})
    (folder / "c.txt").hardlink_to(folder / "a.txt")
    (folder / "linked.html").hardlink_to(folder / "page.html")
    store = tmp_path / "kin.db"
    assert Called("scan", folder, "--store", store, "-q").code == 0
    groups = {len(group["paths"]): group["overhead"] for group in listed("identical", store)}
    assert groups == {3: len(text), 2: 0, 5: 2 * len(text)}, "bytes of a.txt and b.txt; pages; words of all"
    (folder / "b.txt").unlink()
    (folder / "b.txt").hardlink_to(folder / "a.txt")
    assert Called("scan", folder, "--store", store, "-q").code == 0
    groups = {len(group["paths"]): group["overhead"] for group in listed("identical", store)}
    assert groups == {3: 0, 2: 0, 5: len(text)}, "as after keep --apply --action hardlink"


def test_files_of_two_devices_may_have_the_same_inode(tmp_path: Path) -> None:
    text = prose(1)
    folder = write(tmp_path / "docs", {b"a.txt": text, b"b.txt": text})
    store = tmp_path / "kin.db"
    assert Called("scan", folder, "--store", store, "-q").code == 0
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE document SET inode = 7, mtime_ns = 1, ctime_ns = id")
    (group,) = listed("identical", store)
    assert group["overhead"] == len(text)
    assert sorted(row["action"] for row in listed("keep", store)) == ["keep", "replace"]


def test_names_in_csv_are_escaped_on_a_terminal_only(tmp_path: Path) -> None:
    name = b"esc\x1b[31m\n caf\xe9.txt"
    write(tmp_path / "tree", {name: prose(1)})
    assert Called("scan", tmp_path / "tree", "--store", tmp_path / "kin.db").code == 0
    listing = ["documents", "--format", "csv", "--store", tmp_path / "kin.db"]
    (piped,) = cells(Called(*listing))
    assert piped["path"].encode("utf-8", "surrogateescape") == name
    shown = Typed(*listing, cwd=tmp_path)
    assert "\x1b" not in shown.raw
    assert r"esc\x1b[31m\n caf\xe9.txt" in shown.text
