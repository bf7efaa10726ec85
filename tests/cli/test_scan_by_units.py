"""Scans by other units, labels, bits, seeds and samples, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose, write


def verses(seed: int, count: int = 120) -> str:
    return "\n".join(prose(1000 * seed + i, 6) + "." for i in range(count))


FILES: dict[bytes, str] = {
    b"one.txt": prose(1, 600),
    b"one-again.txt": edited(edited(prose(1, 600), 40), 300),
    b"copy.txt": prose(1, 600),
    b"two.txt": prose(2, 600),
    b"poem.txt": verses(3),
    b"poem-again.txt": verses(3).replace(".", ";\r\n", 40),
    b"other-poem.txt": verses(4),
    b"short.txt": prose(5, 12),
    b"short-again.txt": prose(5, 12) + " end",
}
FAMILIES = {frozenset({"one.txt", "one-again.txt", "copy.txt"})}
POEMS = frozenset({"poem.txt", "poem-again.txt"})
SPECS = [
    "exact:window=5,unit=word",
    "mod:window=20,n=8,unit=char",
    "exact:window=2,unit=line",
    "exact:window=20,label=yes",
    "mod:window=20,n=10,bits=32",
    "mod:window=20,sample=200,most=64,seed=7",
    "exact:window=3,unit=soundex",
    "min:window=20,n=100",
    "min:window=20,n=100,mod=4",
    "min:window=5,n=60,unit=word,label=yes,bits=40,seed=3",
    "sketch:window=20,n=100",
    "sketch:window=5,n=60,unit=word,label=yes,bits=40,seed=3",
    "bsw:window=20,n=100",
    "bsw:window=5,n=20,unit=word,label=yes,bits=40,seed=3",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("units") / "docs", FILES)


def scanned(folder: Path, store: Path, *options: object) -> None:
    called = Called("scan", folder, "--store", store, *options)
    assert (called.code, called.err) == (0, "")


def listed(store: Path, command: str, *options: object) -> list[dict[str, Any]]:
    called = Called(command, "--store", store, "--format", "json", *options)
    assert called.code == 0, called.err
    records: list[dict[str, Any]] = json.loads(called.out)
    return records


@pytest.mark.parametrize("spec", SPECS)
def test_a_scan_by_any_shingles(spec: str, folder: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    scanned(folder, one, "--scheme", spec, "--jobs", 1)
    scanned(folder, two, "--scheme", spec, "--jobs", 2)
    families = [frozenset(member["path"] for member in family["documents"]) for family in listed(one, "families")]
    if spec.startswith("exact:window=2,unit=line"):  # the prose is one line each
        assert families == [POEMS, frozenset({"one.txt", "copy.txt"})]
    else:
        assert set(families) >= {*FAMILIES, POEMS}
        assert not any("two.txt" in family or "other-poem.txt" in family for family in families)
    matches = listed(one, "matches")
    assert matches == listed(two, "matches")
    assert listed(one, "families") == listed(two, "families")
    for match in matches:
        assert match["exact"]
        a, b = (FILES[match[side].encode()] for side in "ab")
        assert 0 < match["shared_bytes"] <= min(len(a), len(b))
        assert 0 < match["resemblance"] <= 1
        assert match["a_in_b"] is not None
        if match["a_in_b"] < 1:  # the scheme's own measure, as `compare` takes it
            exact = "exact:" + ",".join(
                key for key in spec.partition(":")[2].split(",") if key.split("=")[0] in ("window", "unit", "label")
            )
            called = Called("compare", folder / match["a"], folder / match["b"], "--scheme", exact, "--format", "json")
            assert json.loads(called.out)["resemblance"] == match["resemblance"]


def test_without_texts_min_tells_no_containment(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store, "--scheme", "min:window=20,n=100", "--no-text", "--threshold", "0.5")
    guessed = [match for match in listed(store, "matches") if not match["exact"]]
    assert {frozenset((match["a"], match["b"])) for match in guessed} == {frozenset({"copy.txt", "one-again.txt"})}
    for match in guessed:
        assert match["a_in_b"] is match["b_in_a"] is None
        assert match["low"] <= match["resemblance"] <= match["high"]
        assert match["shared_bytes"] > 0
    (exact,) = [match for match in listed(store, "matches") if match["exact"]]
    assert (exact["a"], exact["b"]) == ("short-again.txt", "short.txt"), "fewer than 100 shingles are all there are"
    assert exact["b_in_a"] == 1.0
    row = next(
        line
        for line in Called("matches", "--store", store, "--format", "csv").out.splitlines()
        if line.startswith("copy.txt,one-again.txt,")
    )
    assert row.split(",")[3:6] == ["", "", ""]
    shown = Called("matches", "--store", store, "--format", "table").out
    assert "–" in shown
    assert "est." in shown
    assert listed(store, "families", "--threshold", "0.6")


def test_without_texts_a_sketch_has_an_interval_and_bsw_has_none(folder: Path, tmp_path: Path) -> None:
    for name in ("sketch", "bsw"):
        store = tmp_path / f"{name}.db"
        scanned(folder, store, "--scheme", name, "--no-text", "--threshold", "0.5")
        matches = {frozenset((match["a"], match["b"])): match for match in listed(store, "matches")}
        match = matches[frozenset({"copy.txt", "one-again.txt"})]
        assert not match["exact"]
        told = [match[field] is not None for field in ("a_in_b", "b_in_a", "low", "high")]
        assert told == ([False, False, True, True] if name == "sketch" else [True, True, False, False])
        assert 0 < match["shared_bytes"] <= min(len(FILES[b"copy.txt"]), len(FILES[b"one-again.txt"]))


def test_containment_is_refused_where_it_cannot_be_told(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    called = Called("scan", folder, "--store", store, "--scheme", "min", "--containment", "0.8")
    assert called.code == 2
    assert "Scheme min does not tell containment; those that do are: exact, mod" in called.err
    assert not store.exists()
    scanned(folder, store, "--scheme", "min")
    called = Called("matches", "--store", store, "--min-containment", "0.8")
    assert called.code == 2
    assert "does not tell containment" in called.err
    assert Called("scan", folder, "--store", store, "--containment", "2").code == 2


def test_lines_and_words_do_not_mix_in_one_store(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scanned(folder, store, "--no-text")
    other = write(tmp_path / "other", {b"verses.txt": verses(3)})
    called = Called("scan", other, "--store", store, "--scheme", "exact:window=2,unit=line")
    assert called.code == 2
    assert "other text settings" in called.err
    scanned(folder, store, "--scheme", "exact:window=2,unit=line")
    assert POEMS in {
        frozenset(member["path"] for member in family["documents"]) for family in listed(store, "families")
    }


def test_compare_says_what_short_fingerprints_cost(folder: Path) -> None:
    files = folder / "one.txt", folder / "one-again.txt"
    record = json.loads(Called("compare", *files, "--scheme", "exact:bits=32", "--format", "json").out)
    assert 0 < record["collision_error"] < 0.01
    assert record["collision_chance"] == 160 / 2**31
    shown = Called("compare", *files, "--scheme", "exact:bits=32", "--format", "table").out
    assert "Fingerprints of 32 bits" in shown
    assert "Fingerprints" not in Called("compare", *files, "--format", "table").out
    chunks = json.loads(Called("compare", *files, "--scheme", "tttd", "--format", "json").out)
    assert chunks["collision_error"] is None


def test_compare_by_min_measures_containment_on_the_texts(folder: Path, tmp_path: Path) -> None:
    files = folder / "one.txt", folder / "one-again.txt"
    record, by_all = (
        json.loads(Called("compare", *files, "--scheme", spec, "--format", "json").out)
        for spec in ("min:n=50", "exact:window=20")
    )
    assert (record["a_in_b"], record["b_in_a"]) == (by_all["a_in_b"], by_all["b_in_a"])
    part = tmp_path / "part.txt"
    part.write_text(files[0].read_text()[:600])
    found = json.loads(Called("compare", files[0], part, "--scheme", "sketch", "--format", "json").out)
    assert found["relation"] == "B is contained in A"
    assert record["low"] <= record["resemblance"] <= record["high"]
    assert record["relation"] == "similar"
    assert record["shared_bytes"] > 2000


def test_sign_shows_units_where_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "rose.txt"
    file.write_text("A rose is a rose\nis a rose")
    records = Called("sign", file, "--scheme", "exact:window=1,unit=word").records
    assert [record["offset"] for record in records] == [0, 2, 7]
    records = Called("sign", file, "--scheme", "exact:window=1,unit=word,label=yes").records
    assert [record["offset"] for record in records] == [0, 2, 7, 10, 12, 17, 20, 22]
    records = Called("sign", file, "--scheme", "exact:window=1,unit=line").records
    assert [record["offset"] for record in records] == [0, 17]
