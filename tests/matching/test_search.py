"""The check-in question against every document of the store, measured by hand."""

import random
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.errors import UsageError
from nearkin.scheme import SCHEMES, Estimator, parse_scheme
from oracle import shingles, tttd
from oracle import similarity_index as oracle
from oracle.prose import prose
from oracle.terms import cosine

FIELDS = ["path", "tier", "resemblance", "query_in_doc", "doc_in_query", "exact", "low", "high", "template"]
SI = "si:method=1,stream=word,variation=A,k=4"


def edited(text: bytes, edits: int, seed: int) -> bytes:
    dice, words = random.Random(seed), text.split()
    for _ in range(edits):
        words[dice.randrange(len(words))] = b"altogether"
    return b" ".join(words)


def world() -> dict[str, bytes]:
    """Versions of all degrees, parts and containers, from a line to 60 KB, as canonical text."""
    texts = {
        f"{name}-{edits}": edited(prose(seed, size), edits, edits)
        for name, seed, size in [("long", 1, 30_000), ("page", 2, 4_000), ("note", 3, 600), ("line", 4, 90)]
        for edits in (0, 1, 5, 40)
    }
    for at in range(12):
        texts[f"other-{at}"] = b" ".join(prose(50 + at, 300 * (at + 1)).split())
    texts["archive"] = b" ".join([texts["page-0"], texts["note-0"], *prose(60, 9_000).split()])
    texts["excerpt"] = b" ".join(texts["long-0"].split()[2000:2300])
    return texts


TEXTS = world()
SETS = {name: shingles.shingles(text, 20) for name, text in TEXTS.items()}


def measures(query: set[bytes], text: set[bytes]) -> tuple[float, float, float]:
    """Resemblance, and containment each way; the sets are made once."""
    shared = len(query & text)
    return shared / len(query | text), shared / len(query), shared / len(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("query")
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text)
    return folder


def scanned(folder: Path, path: Path, scheme: str, **options: bool) -> Store:
    store = Store(path)
    store.scan(folder, scheme=scheme, **options)  # type: ignore[arg-type]
    return store


@pytest.mark.parametrize(
    "spec",
    ["exact:window=20", "exact:window=20,bits=16", "mod:window=20,sample=200,most=64", "mod:window=20,n=16"],
)
@pytest.mark.parametrize(("resemblance", "containment"), [(None, None), (0.3, None), (None, 0.5)])
def test_everything_that_reaches_a_threshold_is_found_and_measured(
    folder: Path, tmp_path: Path, spec: str, resemblance: float | None, containment: float | None
) -> None:
    store = scanned(folder, tmp_path / "store", spec)
    limits = (0.7, 0.9) if resemblance is containment is None else (resemblance or 2.0, containment or 2.0)
    for name in ("long-1", "page-5", "note-1", "line-0", "archive", "excerpt", "other-3"):
        query = TEXTS[name]
        found = store.check(query, min_resemblance=resemblance, min_containment=containment).to_pylist()
        assert [list(one) for one in found] == [FIELDS] * len(found)
        expected = {}
        for other in TEXTS:
            alike, inside, outside = measures(SETS[name], SETS[other])
            if alike >= limits[0] or max(inside, outside) >= limits[1]:
                expected[other] = (alike, inside, outside)
        named = {one["path"]: tuple(one[key] for key in FIELDS[2:5]) for one in found}
        if spec == "mod:window=20,n=16":  # short texts have a handful of features there: none shared, none found
            expected = {other: value for other, value in expected.items() if other in named or len(TEXTS[other]) > 3000}
        assert named == expected
        assert all(one["exact"] and one["low"] is None and one["high"] is None for one in found)
        shares = [one["resemblance"] for one in found]
        assert shares == sorted(shares, reverse=True)


def test_a_note_is_found_in_a_query_a_thousand_times_as_long(folder: Path, tmp_path: Path) -> None:
    # 500 bytes pasted into 500 KB: the note keeps all its shingles, and meets them among all of the query's.
    note = b" ".join(prose(77, 520).split())[:500].strip()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "note.txt").write_bytes(note)
    (tmp_path / "docs" / "other.txt").write_bytes(prose(78, 500))
    query = b" ".join([*prose(79, 250_000).split(), note, *prose(80, 250_000).split()])
    (found,) = scanned(tmp_path / "docs", tmp_path / "store", "mod").check(query).to_pylist()
    assert found["path"] == "note.txt"
    assert found["doc_in_query"] == 1.0
    assert found["exact"]


def test_a_long_part_is_found_in_a_longer_query(folder: Path, tmp_path: Path) -> None:
    # The stored text is sampled at a modulus of its own, the query is not.
    query = b" ".join([*prose(81, 100_000).split(), *TEXTS["long-0"].split()])
    found = scanned(folder, tmp_path / "store", "mod").check(query, min_containment=0.95).to_pylist()
    assert {"long-0", "long-1", "excerpt"} <= {one["path"] for one in found}
    mine = shingles.shingles(query, 20)
    for one in found:
        assert one["doc_in_query"] == measures(mine, SETS[one["path"]])[2]


@pytest.mark.parametrize("spec", ["mod:window=20,n=16", "mod:window=20,sample=200,most=64"])
def test_without_texts_the_signatures_estimate(folder: Path, tmp_path: Path, spec: str) -> None:
    store = scanned(folder, tmp_path / "store", spec, keep_text=False)
    found = {one["path"]: one for one in store.check(edited(TEXTS["long-0"], 3, 9)).to_pylist()}
    assert {"long-0", "long-1", "long-5"} <= set(found)
    for name, one in found.items():
        exact = shingles.resemblance(edited(TEXTS["long-0"], 3, 9), TEXTS[name], 20)
        if one["exact"]:
            assert one["resemblance"] == exact
        else:
            assert one["low"] <= exact <= one["high"]
    assert not found["long-0"]["exact"]


def test_chunks_are_measured_in_bytes(folder: Path, tmp_path: Path) -> None:
    from nearkin import _native

    store = scanned(folder, tmp_path / "store", "tttd:mean=50")
    query = edited(TEXTS["page-0"], 2, 5)
    found = {one["path"]: one for one in store.check(query, min_resemblance=0.2).to_pylist()}
    keys = tttd.Tttd(48, 23, 140, 28, 14, 27)
    mine = tttd.cut(query, keys, _native.fingerprint)
    for name, text in TEXTS.items():
        theirs = tttd.cut(text, keys, _native.fingerprint)
        shared = tttd.shared_bytes(mine, theirs)
        alike = shared / (len(query) + len(text) - shared)
        assert (name in found) == (alike >= 0.2)
        if name in found:
            assert found[name]["resemblance"] == pytest.approx(alike)
            assert found[name]["query_in_doc"] == pytest.approx(shared / len(query))
            assert found[name]["doc_in_query"] == pytest.approx(shared / len(text))


def number_of(text: bytes) -> int:
    number = oracle.similarity_index(text, oracle.Index(1, "word", "A", k=4), lambda _: None, lambda _: 0)
    assert number is not None
    return number


def test_si_asks_for_the_range_of_the_query(folder: Path, tmp_path: Path) -> None:
    store = scanned(folder, tmp_path / "store", SI)
    numbers = {name: number_of(text) for name, text in TEXTS.items()}
    for name in ("page-1", "note-1", "other-2", "archive"):
        query = TEXTS[name]
        # At a threshold of 0 the texts let everything pass: this is the paper's own answer.
        found = store.check(query, min_resemblance=0.0).to_pylist()
        assert {one["path"] for one in found} == {
            other for other, number in numbers.items() if oracle.similar(numbers[name], number)
        }
        for one in found:
            assert one["exact"]
            assert one["resemblance"] == shingles.resemblance(query, TEXTS[one["path"]], 20)
        # At the scan's thresholds what is unrelated is gone, however near its number.
        strict = {one["path"] for one in store.check(query).to_pylist()}
        assert strict == {one["path"] for one in found if one["resemblance"] >= 0.7}


def test_a_text_without_a_number_finds_only_identical_ones(folder: Path, tmp_path: Path) -> None:
    store = scanned(folder, tmp_path / "store", "si:method=3,stream=word,variation=B,k=8")
    text = next(text for text in (prose(seed, 30) for seed in range(200)) if b"the" not in text)
    assert store.check(text).to_pylist() == []
    first, *_ = store.check(TEXTS["line-0"]).to_pylist()
    assert (first["path"], first["tier"]) == ("line-0", "bytes")


EXAMPLES = [example for known in SCHEMES.values() for example in known.example.split(" or ")]


@pytest.mark.parametrize("spec", EXAMPLES)
def test_every_scheme_answers(folder: Path, tmp_path: Path, spec: str) -> None:
    scheme = parse_scheme(spec)
    store = scanned(folder, tmp_path / "store", spec)
    query = edited(TEXTS["page-0"], 2, 5)
    found = store.check(query).to_pylist()
    if scheme.estimator is not Estimator.RANGE:  # whose numbers may be anywhere
        assert {"page-0", "page-1"} <= {one["path"] for one in found}
    assert not any(one["path"].startswith(("other", "long")) for one in found if scheme.measure != "cosine")
    mine = shingles.shingles(query, 20)
    for one in found:
        assert one["tier"] == "near"
        assert one["exact"]
        if scheme.measure == "shingles":
            measured = measures(mine, SETS[one["path"]])
            assert (one["resemblance"], one["query_in_doc"], one["doc_in_query"]) == measured
        elif scheme.measure == "cosine":
            assert one["resemblance"] == pytest.approx(cosine(query.decode(), TEXTS[one["path"]].decode()))
            assert one["query_in_doc"] is one["doc_in_query"] is None
    shares = [one["resemblance"] for one in found]
    assert shares == sorted(shares, reverse=True)
    same, *_ = store.check(TEXTS["page-5"]).to_pylist()
    assert (same["path"], same["tier"], same["resemblance"]) == ("page-5", "bytes", 1.0)
    if not scheme.contains:
        with pytest.raises(UsageError, match="does not tell containment"):
            store.check(query, min_containment=0.5)


@pytest.mark.parametrize("spec", [spec for spec in EXAMPLES if not parse_scheme(spec).estimator.coded])
def test_check_finds_what_a_scan_finds(tmp_path: Path, spec: str) -> None:
    text = prose(5, 30_000)
    versions = {f"edits-{edits}": edited(text, edits, edits) for edits in range(0, 150, 10)}
    versions |= {f"part-{share}": text[: len(text) * share // 10] for share in (3, 6, 9)}
    (tmp_path / "docs").mkdir()
    for name, version in versions.items():
        (tmp_path / "docs" / name).write_bytes(version)
    store = scanned(tmp_path / "docs", tmp_path / "store", spec)
    pairs = {frozenset((match["a"], match["b"])) for match in store.matches().to_pylist()}
    assert len(pairs) > 10
    for name, version in versions.items():
        answers = {one["path"] for one in store.check(version).to_pylist()}
        assert {name} | {other for pair in pairs if name in pair for other in pair} <= answers
