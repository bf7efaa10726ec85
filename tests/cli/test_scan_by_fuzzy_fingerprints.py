"""A day with fuzzy-fingerprints on the command line: scan, list, compare, learn."""

import random
from pathlib import Path
from string import ascii_lowercase

import pytest

import nearkin as library
from cli.world import Called, write

FUZZY = "fuzzy:classes=18,intervals=3,variants=3"


def essay(seed: int, words: int = 400) -> list[str]:
    dice = random.Random(seed)
    lexicon = [f"{dice.choice(ascii_lowercase)}{dice.choice('aeiou')}{number}q" for number in range(80)]
    return dice.choices(lexicon, [1 / (1 + rank) for rank in range(80)], k=words)


def reworded(words: list[str], share: float) -> list[str]:
    dice = random.Random(share)
    return [dice.choice(words) if dice.random() < share else word for word in words]


def files() -> dict[bytes, str]:
    text = essay(1)
    shuffled = random.Random(2).sample(text, len(text))
    return {
        b"essay.txt": " ".join(text),
        b"essay-2.txt": " ".join(reworded(text, 0.05)),
        b"essay-shuffled.txt": " ".join(shuffled),
        b"essay-copy.txt": " ".join(text),
        b"other.txt": " ".join(essay(3)),
        b"short.txt": " ".join(text[:30]),
        b"russian-1.txt": "война и мир " * 200,
        b"russian-2.txt": "мир и война " * 200,
        b"empty.txt": "",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("essays"), files())


@pytest.fixture(scope="module")
def kin(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("kin") / "kin.db"
    scanned = Called("scan", folder, "--store", store, "--scheme", "fuzzy", "--threshold", "0.8", "--format", "json")
    assert scanned.code == 0, scanned.err
    return store


def test_families_hang_together_by_cosine(kin: Path) -> None:
    (family,) = Called("families", "--store", kin).records
    paths = {document["path"] for document in family["documents"]}
    # Order does not count, so the shuffled essay is one of them; short and Russian texts have no fingerprint.
    assert paths == {"essay.txt", "essay-2.txt", "essay-shuffled.txt", "essay-copy.txt"}
    assert family["weakest"]["resemblance"] >= 0.8
    assert all(document["role"] == "member" for document in family["documents"])
    assert all(document["to_pivot"] >= 0.8 for document in family["documents"])


def test_matches_are_cosines_and_say_nothing_of_containment(kin: Path) -> None:
    found = {(match["a"], match["b"]): match for match in Called("matches", "--store", kin).records}
    assert set(found) == {
        ("essay-2.txt", "essay-copy.txt"),
        ("essay-2.txt", "essay-shuffled.txt"),
        ("essay-copy.txt", "essay-shuffled.txt"),
    }
    texts = {name.decode(): text for name, text in files().items()}
    for (a, b), match in found.items():
        assert match["resemblance"] == pytest.approx(library.resemblance(texts[a], texts[b], FUZZY))
        assert [match[key] for key in ("a_in_b", "b_in_a", "shared_bytes", "low", "high")] == [None] * 5
        assert match["exact"] is True
    assert found["essay-copy.txt", "essay-shuffled.txt"]["resemblance"] == 1.0
    table = Called("matches", "--store", kin, "--format", "table").out
    header = table.splitlines()[0].split()
    assert header[0] == "cosine"
    assert "resemblance" not in table
    assert "a in b" not in table
    assert "mean cosine of all links 0." in Called("families", "--store", kin, "--format", "table").out
    csv = Called("matches", "--store", kin, "--format", "csv").out.splitlines()
    assert csv[0] == (
        "a,b,resemblance,a_in_b,b_in_a,payload,shared_bytes,exact,low,high,verdict,template,"
        "payload_exact,payload_low,payload_high"
    )
    assert csv[1].endswith(",,,,,true,,,,with,,,")


def test_the_page_after_a_scan_calls_the_score_cosine(folder: Path, tmp_path: Path) -> None:
    scanned = Called("scan", folder, "--store", tmp_path / "kin.db", "--scheme", "fuzzy", "--format", "table")
    assert scanned.code == 0
    assert "mean cosine" in scanned.out
    assert "  cosine  measured" in scanned.out
    assert "resemblance" not in scanned.out


def test_another_threshold_needs_no_new_join(kin: Path) -> None:
    (family,) = Called("families", "--store", kin, "--threshold", "0.9999").records
    assert {document["path"] for document in family["documents"]} == {
        "essay.txt",
        "essay-copy.txt",
        "essay-shuffled.txt",
    }


def test_scanning_again_after_another_scheme_signs_the_rest(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    assert Called("scan", folder / "other.txt", folder / "essay.txt", "--store", store).code == 0
    again = Called("scan", folder, "--store", store, "--scheme", "fuzzy")
    assert again.code == 0, again.err
    assert len(Called("matches", "--store", store).records) == 3


def test_what_a_cosine_cannot_tell_is_refused(folder: Path, kin: Path, tmp_path: Path) -> None:
    for options, said in (
        (["matches", "--store", kin, "--min-containment", "0.9"], "does not tell containment"),
        (["scan", folder, "--store", tmp_path / "x.db", "--scheme", "fuzzy", "--no-text"], "measures the texts"),
        (
            ["scan", folder, "--store", tmp_path / "x.db", "--scheme", "fuzzy", "--min-shared-bytes", "9"],
            "does not tell shared bytes",
        ),
    ):
        refused = Called(*options)
        assert refused.code == 2
        assert said in refused.err
    assert not (tmp_path / "x.db").exists()


def test_compare_gives_the_cosine_beside_the_resemblance(folder: Path) -> None:
    a, b = folder / "essay.txt", folder / "essay-shuffled.txt"
    (plain,) = Called("compare", a, b).records
    assert plain["cosine"] == 1.0
    assert plain["resemblance"] < 0.1
    assert plain["relation"] == "unrelated"
    (fuzzy,) = Called("compare", a, b, "--scheme", "fuzzy").records
    assert fuzzy["relation"] == "similar"
    for key in ("cosine", "resemblance", "a_in_b", "b_in_a", "shared_bytes", "exact"):
        assert fuzzy[key] == plain[key]
    assert "cosine        1.000  exact" in Called("compare", a, b, "--format", "table").out
    (copies,) = Called("compare", a, folder / "essay-copy.txt").records
    assert copies["cosine"] == 1.0
    (empty,) = Called("compare", a, folder / "empty.txt").records
    assert empty["cosine"] is None  # it has no words


def test_sign_prints_one_code_a_variant(folder: Path) -> None:
    codes = Called("sign", folder / "essay.txt", "--scheme", "fuzzy").records
    assert [record["feature"][0] for record in codes] == ["0", "1", "2"]
    assert {(record["weight"], record["offset"]) for record in codes} == {(1, 0)}
    assert Called("sign", folder / "russian-1.txt", "--scheme", "fuzzy").out == ""


def test_a_reference_is_learnt_from_a_folder_a_file_and_a_store(folder: Path, kin: Path) -> None:
    learnt = Called("schemes", "--learn", folder).out.strip()
    assert learnt.startswith(f"{FUZZY},reference=")
    assert Called("schemes", "--learn", kin).out.strip() == learnt
    assert Called("schemes", "--learn", folder, "--format", "json").out.count(learnt) == 1
    texts = [text for name, text in files().items() if name != b"essay-copy.txt"]
    assert library.learn_reference(texts) == learnt  # copies weigh nothing
    one = Called("schemes", "--learn", folder / "essay.txt").out.strip()
    assert one == library.learn_reference({"essay": files()[b"essay.txt"]})
    assert one != learnt


def test_a_learnt_reference_is_a_scheme_like_any_other(folder: Path, tmp_path: Path) -> None:
    spec = Called("schemes", "--learn", folder).out.strip()
    store = tmp_path / "kin.db"
    assert Called("scan", folder, "--store", store, "--scheme", spec, "--threshold", "0.8").code == 0
    assert ("essay-copy.txt", "essay-shuffled.txt") in {
        (match["a"], match["b"]) for match in Called("matches", "--store", store).records
    }


def test_learning_is_not_planning(folder: Path) -> None:
    both = Called("schemes", "--learn", folder, "--plan")
    assert (both.code, both.out) == (2, "")
    assert both.err == "nearkin: Use either --learn or --plan, not both.\n"
    planned = Called("schemes", "--learn", folder, "--error", "0.1")
    assert (planned.code, planned.out) == (2, "")
    assert "--error goes with --plan" in planned.err


def test_what_nothing_can_be_learnt_from(tmp_path: Path) -> None:
    assert Called("schemes", "--learn", tmp_path / "nowhere").code == 3
    (tmp_path / "empty").mkdir()
    nothing = Called("schemes", "--learn", tmp_path / "empty")
    assert nothing.code == 2
    assert "There are no words in Latin letters" in nothing.err
    with pytest.raises(library.UsageError, match="no reference to learn"):
        library.learn_reference(["some text"], "mod")


def test_matches_and_families_of_texts_in_memory() -> None:
    texts = {name.decode(): text for name, text in files().items()}
    pairs = library.match(texts, scheme="fuzzy", threshold=0.8)
    rows = {(row["a"], row["b"]): row for row in pairs.to_pylist()}
    assert rows["essay.txt", "essay-copy.txt"]["a_in_b"] == 1.0  # equal texts contain each other
    reordered = rows["essay.txt", "essay-shuffled.txt"]
    assert (reordered["resemblance"], reordered["a_in_b"], reordered["shared_bytes"]) == (1.0, None, None)
    (family,) = library.families(pairs, threshold=0.8).to_pylist()
    assert len(family["documents"]) == 4
    assert family["kind"] == "versions"
    with pytest.raises(library.UsageError, match="shared bytes"):
        library.match(texts, scheme="fuzzy", min_shared_bytes=1)


def test_shared_bytes_are_refused_when_matches_are_listed_as_when_they_are_made(folder: Path, kin: Path) -> None:
    listed = Called("matches", "--store", kin, "--min-shared-bytes", "1")
    assert (listed.code, listed.out) == (2, "")
    assert listed.err == f"nearkin: {FUZZY} does not tell shared bytes; leave out --min-shared-bytes.\n"
    made = Called("scan", folder, "--store", kin, "--scheme", "fuzzy", "--min-shared-bytes", "1")
    assert (made.code, made.err) == (2, listed.err)
    with pytest.raises(library.UsageError, match="shared bytes"):
        library.Store.open(kin).matches(min_shared_bytes=1)
    assert Called("matches", "--store", kin, "--min-shared-bytes", "0").records


def test_resemblance_under_fuzzy_is_the_cosine_and_containment_is_refused() -> None:
    assert library.resemblance("cat dog", "dog cat bird", "fuzzy") == pytest.approx((2 / 3) ** 0.5)
    assert library.resemblance("the of", "and to", "fuzzy") is None
    assert library.resemblance("война и мир", "мир, война", "fuzzy") == 1.0
    with pytest.raises(library.UsageError, match="does not tell containment"):
        library.containment("cat dog", "dog cat", "fuzzy")


def test_check_ranks_what_collides_by_its_cosine(kin: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text(" ".join(reworded(essay(1), 0.1)))
    found = Called("check", draft, "--store", kin).records
    assert {one["path"] for one in found} == {"essay-2.txt", "essay-copy.txt", "essay-shuffled.txt"}  # one a content
    texts = {name.decode(): text for name, text in files().items()}
    for one in found:
        assert one["resemblance"] == pytest.approx(library.resemblance(draft.read_text(), texts[one["path"]], FUZZY))
        assert (one["tier"], one["exact"], one["query_in_doc"], one["doc_in_query"]) == ("near", True, None, None)
    assert [one["resemblance"] for one in found] == sorted((one["resemblance"] for one in found), reverse=True)
    table = Called("check", draft, "--store", kin, "--format", "table").out.splitlines()
    assert table[0].split() == ["tier", "cosine", "measured", "document"]


def test_check_of_what_is_there_and_of_what_has_no_fingerprint(folder: Path, kin: Path, tmp_path: Path) -> None:
    known = Called("check", folder / "essay.txt", "--store", kin, "--limit", "2").records
    assert {one["tier"] for one in known} == {"bytes"}
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("война или мир " * 200)
    assert Called("check", foreign, "--store", kin).records == []
    refused = Called("check", foreign, "--store", kin, "--min-containment", "0.5")
    assert refused.code == 2
    assert "does not tell containment" in refused.err
