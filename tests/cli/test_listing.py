"""What a store holds, in every format."""

import csv
import io
import json
from pathlib import Path

import pytest

from cli.world import FILES, Called, edited, prose, write

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
]
FAMILY_FIELDS = ["id", "kind", "view", "documents", "links", "weakest", "mean_resemblance", "bytes"]


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
        assert called.err.startswith("nearkin: partial below 0.7")
        assert called.err.count("\n") == 1
        assert Called(*command, "--store", store, "--quiet").err == ""


def test_families(store: Path) -> None:
    families = Called("families", "--store", store).records
    assert [list(family) for family in families] == [FAMILY_FIELDS] * len(families)
    largest = families[0]
    assert {document["path"] for document in largest["documents"]} == {
        name.decode() for name in FILES if b"manual" in name
    }
    assert [list(document) for document in largest["documents"]] == [["path", "pivot", "to_pivot", "role"]] * 5
    assert sum(document["pivot"] for document in largest["documents"]) == 1
    assert list(largest["weakest"]) == ["a", "b", "resemblance"]
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
