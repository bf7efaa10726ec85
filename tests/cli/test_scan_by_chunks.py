"""A repository scanned, listed and compared by chunks, as Forman 2005 does it."""

import csv
import io
import json
import os
import sqlite3
from contextlib import closing
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

import nearkin as library
from cli.world import FILES, Called, edited, prose, write
from nearkin.scheme import Signature, parse_scheme, place
from nearkin.scheme.signature import Estimate

SCHEMES = pytest.mark.parametrize("scheme", ["tttd:mean=50", "chunk:mean=50"])


def scanned(tmp_path: Path, files: dict[bytes, str], *options: object) -> Path:
    store = tmp_path / "kin.db"
    called = Called("scan", write(tmp_path / "docs", files), "--store", store, "--format", "json", *options)
    assert called.code == 0, called.err
    return store


@SCHEMES
def test_a_scan_by_chunks_end_to_end(tmp_path: Path, scheme: str) -> None:
    store = scanned(tmp_path, FILES, "--scheme", scheme)
    matches = Called("matches", "--store", store).records
    pairs = {(match["a"], match["b"]) for match in matches}
    assert ("copies/manual-1.html", "manual-2.txt") in pairs
    for match in matches:
        assert match["exact"] is True
        assert match["low"] is match["high"] is None
        (by_hand,) = Called("compare", "--store", store, "--scheme", scheme, "--", match["a"], match["b"]).records
        for field in ("resemblance", "a_in_b", "b_in_a", "shared_bytes"):
            assert by_hand[field] == match[field]
        # A lower bound: shingles see what chunks cut in two.
        assert match["shared_bytes"] <= by_hand["shingle_shared_bytes"]
    kinds = {family["kind"] for family in Called("families", "--store", store).records}
    assert {"versions", "pair"} <= kinds


def test_copies_handled_apart_reduce_links_from_21_to_4(tmp_path: Path) -> None:
    # Forman 2005 Figure 7: two clusters, of two and of three files, each with a copy in another directory. All pairs of
    # 4 and of 6 files are 6 + 15 links, all pairs of 2 and of 3 contents 1 + 3.
    pair = [prose(1, 700), edited(prose(1, 700), 40)]
    triple = [prose(2, 700), edited(prose(2, 700), 40), edited(prose(2, 700), 200)]
    files = {
        b"%s/%d.txt" % (folder, number): text
        for folder in (b"here", b"there")
        for number, text in enumerate(pair + triple)
    }
    store = scanned(tmp_path, files, "--scheme", "tttd:mean=100")
    apart = Called("matches", "--store", store).records
    among_contents = Called("matches", "--store", store, "--all-copies").records
    of_copies = sum(comb(len(group["paths"]), 2) for group in Called("identical", "--store", store).records)
    assert len(among_contents) + of_copies == 21
    assert len(apart) == 4
    families = Called("families", "--store", store).records
    assert [(family["kind"], family["links"], len(family["documents"])) for family in families] == [
        ("versions", 3, 6),
        ("pair", 1, 4),
    ]


def test_clusters_are_pairs_and_archives(tmp_path: Path) -> None:
    # The types of Figure 5. An archive holds several other documents, here with text of its own between them.
    parts = [prose(seed, 400) for seed in (1, 2, 3)]
    files = {
        b"a.txt": prose(9),
        b"b.txt": edited(prose(9), 100),
        b"all.txt": " ".join([prose(5, 300), *parts, prose(6, 300)]),
        **{b"part-%d.txt" % number: text for number, text in enumerate(parts)},
    }
    store = scanned(tmp_path, files, "--scheme", "tttd:mean=50", "--containment", 0.8)
    families = Called("families", "--store", store).records
    assert [family["kind"] for family in families] == ["archive", "pair"]
    assert families[0]["documents"][0]["path"] == "all.txt"


def test_what_shares_less_than_asked_for_is_left_out(tmp_path: Path) -> None:
    short, long = prose(1, 60), prose(2, 600)
    files = {b"s1.txt": short, b"s2.txt": edited(short, 50), b"l1.txt": long, b"l2.txt": edited(long, 300)}
    options = ("--scheme", "tttd:mean=50")
    store = scanned(tmp_path, files, *options)
    everything = Called("matches", "--store", store).records
    assert {(match["a"], match["b"]) for match in everything} == {("s1.txt", "s2.txt"), ("l1.txt", "l2.txt")}
    (small,) = [match["shared_bytes"] for match in everything if match["a"] == "s1.txt"]
    for at_least in (small, small + 1):
        expected = [match for match in everything if match["shared_bytes"] >= at_least]
        assert len(expected) == (2 if at_least == small else 1)
        listed = Called("matches", "--store", store, "--min-shared-bytes", at_least).records
        assert listed == expected
        table = library.Store.open(store).matches(min_shared_bytes=at_least)
        assert table.num_rows == len(expected)
        folder = tmp_path / f"at-least-{at_least}"
        folder.mkdir()
        again = scanned(folder, files, *options, "--min-shared-bytes", at_least)
        assert Called("matches", "--store", again).records == expected
    assert Called("matches", "--store", store, "--min-shared-bytes", -1).code == 2


@pytest.mark.parametrize("command", ["matches", "compare"])
def test_help_says_that_shared_bytes_are_a_lower_bound(command: str) -> None:
    assert "lower bound" in " ".join(Called(command, "--help").out.split())


def test_shared_bytes_are_said_to_be_a_lower_bound_on_the_screen(docs: Path) -> None:
    sides = (docs / "manual-1.txt", docs / "manual-2.txt")
    table = Called("compare", *sides, "--scheme", "tttd:mean=50", "--format", "table").out
    assert table.count("shared        at least") == 2  # of chunks, and of shingles beside them
    assert "exact:window=20" in table
    assert "\n  similar  " in table


def test_compare_by_chunks_shows_exact_shingles_beside_them(docs: Path) -> None:
    sides = (docs / "manual-1.txt", docs / "manual-3.txt")
    (chunks,) = Called("compare", *sides, "--scheme", "tttd:mean=50").records
    (shingles,) = Called("compare", *sides).records
    for field in ("resemblance", "a_in_b", "b_in_a", "shared_bytes"):
        assert chunks[f"shingle_{field}"] == shingles[field]
    assert chunks["shared_bytes"] < chunks["shingle_shared_bytes"]
    assert chunks["similar"] == max(chunks["a_in_b"], chunks["b_in_a"])
    assert not any(field.startswith("shingle_") for field in shingles)


def test_per_cent_similar_is_of_the_smaller() -> None:
    # Figure 5, cluster 1002: 671 and 3,305 bytes are 54 % similar, so they share some 362 bytes.
    def signed(chunks: dict[int, int]) -> Signature:
        features, weights = zip(*sorted(chunks.items()), strict=True)
        return Signature(np.array(features, np.uint64), np.array(weights, np.uint32), "tttd:mean=100", 1, sampled=False)

    small, large = signed({1: 200, 2: 162, 3: 309}), signed({1: 200, 2: 162, 4: 2943})
    a_in_b, b_in_a = small.containment(large), large.containment(small)
    assert isinstance(a_in_b, Estimate)
    assert isinstance(b_in_a, Estimate)
    assert (int(small.weights.sum()), int(large.weights.sum())) == (671, 3305)
    assert round(100 * max(a_in_b.value, b_in_a.value)) == 54


@SCHEMES
def test_sign_prints_length_and_hash_of_every_chunk(docs: Path, scheme: str) -> None:
    text = (docs / "manual-1.txt").read_bytes()
    lines = Called("sign", docs / "manual-1.txt", "--scheme", scheme, "--raw").records
    assert [(line["weight"], int(line["feature"], 16), line["offset"]) for line in lines] == place(
        text, parse_scheme(scheme)
    )
    assert sum(line["weight"] for line in lines) == len(text)


def listed(called: Called) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for record in called.records:
        assert list(record) == ["weight", "feature", "path"]
        found.setdefault(record["path"], []).append((record["weight"], record["feature"]))
    return found


# Of equal contents only the first is listed; empty ones have no features.
NAMED = sorted(
    name.decode("utf-8", "surrogateescape")
    for name in FILES
    if name not in (b"copies/manual-1.txt", b"manual-1.txt", b"empty.txt")
)


@pytest.mark.parametrize("scheme", ["mod:window=20,sample=200,most=64", "tttd:mean=100", "chunk:mean=50", "mod:n=4"])
def test_sign_lists_the_whole_store(docs: Path, store: Path, scheme: str) -> None:
    # The first is the scheme of the scan, taken from the store; the others are signed from the kept texts.
    found = listed(Called("sign", "--store", store, "--scheme", scheme))
    assert sorted(found) == NAMED
    assert list(found) == sorted(found, key=lambda path: path.encode("utf-8", "surrogateescape"))
    for path, features in found.items():
        signature = library.sign((docs / path).read_bytes(), scheme)
        assert [(weight, int(feature, 16)) for weight, feature in features] == list(
            zip(signature.weights.tolist(), signature.features.tolist(), strict=True)
        )


def test_sign_takes_the_scheme_of_the_scan_and_signs_alike_from_store_and_text(tmp_path: Path, store: Path) -> None:
    by_chunks = scanned(tmp_path, FILES, "--scheme", "tttd:mean=100")
    from_signatures = Called("sign", "--store", by_chunks).out
    assert from_signatures == Called("sign", "--store", store, "--scheme", "tttd:mean=100").out
    assert from_signatures


def test_sign_lists_the_store_in_every_format(store: Path) -> None:
    command = ("sign", "--store", store, "--scheme", "tttd:mean=100")
    lines = Called(*command).records
    assert json.loads(Called(*command, "--format", "json").out) == lines
    in_csv = csv.DictReader(io.StringIO(Called(*command, "--format", "csv").out, newline=""))
    assert in_csv.fieldnames == ["weight", "feature", "path"]
    assert [row["feature"] for row in in_csv] == [line["feature"] for line in lines]
    table = Called(*command, "--format", "table").out.splitlines()
    assert table[0].split() == ["weight", "feature", "path"]
    assert [row.split()[1] for row in table[1:]] == [line["feature"] for line in lines]
    assert not any("\x1b" in row for row in table)


def test_digests_name_contents_without_their_texts(docs: Path, store: Path) -> None:
    listed = Called("sign", "--store", store, "--scheme", "tttd:mean=100", "--digest").records
    assert [list(record) for record in listed] == [["path", "digest", "features", "weight"]] * len(listed)
    by_path = {record["path"]: record for record in listed}
    assert sorted(by_path) == sorted([*NAMED, "empty.txt"])
    assert len({record["digest"] for record in listed}) == len(listed)
    for path, record in by_path.items():
        signature = library.sign((docs / path).read_bytes(), "tttd:mean=100")
        assert record["digest"] == signature.digest
        assert (record["features"], record["weight"]) == (len(signature), int(signature.weights.sum()))
    (one,) = Called("sign", docs / "manual-1.txt", "--scheme", "tttd:mean=100", "--digest").records
    assert one["digest"] == by_path["copies/manual-1.html"]["digest"]  # the same words
    table = Called("sign", docs / "manual-1.txt", "--scheme", "tttd:mean=100", "--digest", "--format", "table").out
    assert one["digest"] in table


def test_digests_of_other_texts_and_other_schemes_differ() -> None:
    texts = [prose(1), edited(prose(1), 9), prose(1)[:-1], ""]
    specs = ["tttd:mean=100", "tttd:mean=100,seed=1", "chunk:mean=100", "exact:window=20"]
    digests = {library.sign(text, spec).digest for text in texts for spec in specs}
    assert len(digests) == len(texts) * len(specs)
    for a, b in combinations(specs, 2):
        assert library.sign("x", a).digest != library.sign("x", b).digest


def test_sign_refuses_what_it_cannot_list(tmp_path: Path, store: Path) -> None:
    assert Called("sign", "--store", tmp_path / "none.db").code == 4
    assert Called("sign", "--store", store, "--scheme", "no").code == 2
    refused = Called("sign", "--store", store, "--raw")
    assert (refused.code, refused.out) == (2, "")
    assert "--raw" in refused.err
    bare = scanned(tmp_path, FILES, "--no-text", "--scheme", "tttd:mean=100")
    assert listed(Called("sign", "--store", bare))
    other = Called("sign", "--store", bare, "--scheme", "chunk:mean=100")
    assert (other.code, other.out) == (2, "")
    assert other.err.endswith("scan their folders with that --scheme.\n")


def test_sign_names_the_scope_where_a_store_has_several(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    for name in ("left", "right"):
        Called("scan", write(tmp_path / name, {b"a.txt": prose(len(name))}), "--store", store)
    records = Called("sign", "--store", store, "--digest").records
    assert [(record["scope"], record["path"]) for record in records] == [("left", "a.txt"), ("right", "a.txt")]
    assert {record["scope"] for record in Called("sign", "--store", store).records} == {"left", "right"}
    assert "left:a.txt" in Called("sign", "--store", store, "--format", "table").out


def test_coarse_then_fine_in_one_store(tmp_path: Path) -> None:
    """Forman 2005 §3.1: long chunks first, short ones for what deserves a closer look; nothing is read twice."""
    letter = prose(1, 1500)
    words = letter.split()
    scattered = " ".join("altogether" if at % 100 == 50 else word for at, word in enumerate(words))
    files = {b"a.txt": letter, b"b.txt": edited(letter, 700), b"c.txt": scattered, b"d.txt": prose(2, 1500)}
    coarse = scanned(tmp_path, files, "--scheme", "tttd:mean=1000")
    first = {(one["a"], one["b"]): one["resemblance"] for one in Called("matches", "--store", coarse).records}
    assert first["a.txt", "b.txt"] > 0.5
    assert ("a.txt", "c.txt") not in first
    folder = tmp_path / "docs"
    for name in files:  # their texts were kept: that they cannot be read any more is no matter
        stat = (folder / name.decode()).stat()
        (folder / name.decode()).write_bytes(b"?" * stat.st_size)
        os.utime(folder / name.decode(), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with closing(sqlite3.connect(coarse)) as connection, connection:  # nobody can set that time back
        connection.execute("UPDATE document SET ctime_ns = 0")
    done = Called("scan", folder, "--store", coarse, "--scheme", "tttd:mean=100", "--format", "json")
    assert json.loads(done.out)["resigned"] == 4
    fine = {(one["a"], one["b"]): one["resemblance"] for one in Called("matches", "--store", coarse).records}
    assert fine["a.txt", "b.txt"] > first["a.txt", "b.txt"]
    assert fine.keys() >= first.keys()
    assert Called("check", folder / "a.txt", "--store", coarse, "--scheme", "tttd:mean=1000").code == 0
