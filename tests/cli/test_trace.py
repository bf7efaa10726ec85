"""`trace`: where the passages of a file went."""

import json
from pathlib import Path

import pytest

import nearkin as library
from cli.world import Called, nearkin, prose, write

SECRET = prose(100, 40)
OTHER = prose(101, 40)
FILE = f"{SECRET}. {OTHER}!"
DOCS = {
    b"all.txt": FILE,
    b"copies/all.txt": FILE,
    b"half.txt": f"{prose(1, 3000)} {SECRET.upper()} {prose(2, 3000)}",
    b"page.html": f"<html><body><p>{prose(3, 500)}</p><p>{OTHER}</p></body></html>",
    b"bit.txt": f"{prose(4, 3000)} {SECRET[50:130]} {prose(5, 100)}",
    b"none.txt": prose(6, 2000),
    b"short.txt": SECRET[:150],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trace")
    write(folder / "docs", DOCS)
    (folder / "file.txt").write_text(FILE)
    assert Called("scan", folder / "docs", "--store", folder / "kin.db").code == 0
    return folder / "kin.db"


def test_every_holder_is_named_with_its_passages(store: Path) -> None:
    traced = Called("trace", store.parent / "file.txt", "--store", store)
    paths = [one["path"] for one in traced.records]
    assert paths[:2] == ["all.txt", "copies/all.txt"]
    assert sorted(paths) == ["all.txt", "copies/all.txt", "half.txt", "page.html", "short.txt"]
    for one in traced.records:
        for place in one["passages"]:
            assert place["a_end"] - place["a_start"] >= 100
    half = next(one for one in traced.records if one["path"] == "half.txt")
    (place,) = half["passages"]
    assert FILE[place["a_start"] : place["a_end"]] == SECRET
    assert DOCS[b"half.txt"][place["b_start"] : place["b_end"]] == SECRET.upper()
    assert half["share"] == pytest.approx(len(SECRET) / (len(FILE) - 2), abs=0.01)
    assert {one["share_of_all"] for one in traced.records} == {1.0}
    assert "5 documents together contain 100.0% of it." in traced.err


def test_shorter_passages_are_found_when_asked_for(store: Path) -> None:
    found = Called("trace", store.parent / "file.txt", "--store", store, "--min-length", 60).records
    assert "bit.txt" in [one["path"] for one in found]
    assert Called("trace", store.parent / "file.txt", "--store", store, "--min-length", 5).code == 2


def test_all_together_hold_what_any_of_them_holds(store: Path, tmp_path: Path) -> None:
    half, page = prose(1, 60), prose(3, 60)
    (tmp_path / "new.txt").write_text(f"{half} {prose(77, 60)} {page}")
    found = Called("trace", tmp_path / "new.txt", "--store", store).records
    assert [one["path"] for one in found] == sorted(
        ["half.txt", "page.html"], key=lambda p: -len(half if p[0] == "h" else page)
    )
    assert found[0]["share_of_all"] == pytest.approx(sum(one["share"] for one in found))


@pytest.mark.parametrize("scheme", ["exact:window=20", "tttd:mean=100", "mod:window=20,n=50,unit=word", "fuzzy", "si"])
def test_every_scheme_finds_the_same(store: Path, tmp_path: Path, scheme: str) -> None:
    other = tmp_path / "kin.db"
    Called("scan", store.parent / "docs", "--store", other, "--scheme", scheme)
    file = store.parent / "file.txt"
    assert Called("trace", file, "--store", other).out == Called("trace", file, "--store", store).out


def test_templates_hide_nothing(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "kin.db"
    Called("scan", store.parent / "docs", "--store", other)
    (tmp_path / "form.txt").write_text(SECRET)
    assert Called("template", "add", "--file", tmp_path / "form.txt", "--store", other).code == 0
    file = store.parent / "file.txt"
    assert Called("trace", file, "--store", other).out == Called("trace", file, "--store", store).out


def test_quick_reads_what_features_point_at(store: Path) -> None:
    quick = Called("trace", store.parent / "file.txt", "--store", store, "--quick").records
    full = Called("trace", store.parent / "file.txt", "--store", store).records
    assert {one["path"] for one in quick} <= {one["path"] for one in full}
    assert "all.txt" in {one["path"] for one in quick}


def test_exit_codes_and_formats(store: Path, tmp_path: Path) -> None:
    file = store.parent / "file.txt"
    assert Called("trace", file, "--store", store, "--exit-code").code == 1
    (tmp_path / "strange.txt").write_text(prose(55))
    strange = Called("trace", tmp_path / "strange.txt", "--store", store, "--exit-code")
    assert (strange.code, strange.out) == (0, "")
    assert Called("trace", tmp_path / "nowhere.txt", "--store", store).code == 3
    assert Called("trace", file, "--store", tmp_path / "none.db").code == 4
    in_json = json.loads(Called("trace", file, "--store", store, "--format", "json").out)
    assert in_json == Called("trace", file, "--store", store).records
    assert Called("trace", file, "--store", store, "--format", "csv").out.startswith(
        "path,share,share_of_all,passages\n"
    )
    piped = nearkin("trace", "-", "--store", store, input=FILE.encode())
    assert piped.stdout.decode() == Called("trace", file, "--store", store).out


def test_no_all_clear_where_only_features_were_asked(store: Path, tmp_path: Path) -> None:
    """A short passage in a long document may have no feature in the store at all."""
    (tmp_path / "bit.txt").write_text(SECRET[60:120])
    found = Called("trace", tmp_path / "bit.txt", "--min-length", 40, "--exit-code", "--store", store)
    assert (found.code, len(found.records)) == (1, 5)
    (tmp_path / "new.txt").write_text(prose(77, 40))
    asked = ("trace", tmp_path / "new.txt", "--exit-code", "--store", store)
    assert Called(*asked).code == 0
    quick = Called(*asked, "--quick")
    assert quick.code == 3
    assert "that share no stored feature with it were not read and may hold some" in quick.err
    assert "No text that could be searched contains" in Called(*asked, "--quick", "--format", "table").out


def test_a_note_shorter_than_a_passage_is_looked_for_whole(store: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text(SECRET[20:66])
    traced = Called("trace", note, "--exit-code", "--store", store)
    assert traced.code == 1
    assert "half.txt" in {one["path"] for one in traced.records}
    shown = Called("trace", note, "--store", store, "--format", "table").words
    assert "in passages of at least 45 characters" in shown
    note.write_text("too short")
    traced = Called("trace", note, "--exit-code", "--store", store)
    assert (traced.code, "shorter than 20 characters" in traced.err) == (3, True)
    root = write(tmp_path / "tree", {b"a.txt": "too short", b"b.txt": "Too  short"})
    assert Called("scan", root, "--store", tmp_path / "kin.db", "-q").code == 0
    traced = Called("trace", note, "--exit-code", "--store", tmp_path / "kin.db")
    assert (traced.code, [one["path"] for one in traced.records]) == (1, ["a.txt", "b.txt"])


def test_on_the_screen(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = Called("trace", store.parent / "file.txt", "--store", store, "--format", "table").out
    assert shown.startswith("5 documents together contain 1.000 of it, in passages of at least 100 characters")
    assert max(map(len, shown.splitlines())) <= 80


@pytest.fixture(scope="module")
def textless(store: Path) -> Path:
    other = store.parent / "textless.db"
    assert Called("scan", store.parent / "docs", "--store", other, "--no-text").code == 0
    return other


def test_without_kept_texts_copies_are_named_and_the_rest_is_counted(store: Path, textless: Path) -> None:
    traced = Called("trace", store.parent / "file.txt", "--store", textless, "--exit-code")
    kept = Called("trace", store.parent / "file.txt", "--store", store)
    assert traced.code == 1
    assert traced.records == [one for one in kept.records if one["path"].endswith("all.txt")]
    assert "may hold some, but the store did not keep them" in traced.err


def test_without_kept_texts_the_same_words_are_named_but_no_places(textless: Path, tmp_path: Path) -> None:
    (tmp_path / "loud.txt").write_text(f"*** {FILE.upper()}")
    traced = Called("trace", tmp_path / "loud.txt", "--store", textless)
    assert [(one["path"], one["share"], one["passages"]) for one in traced.records] == [
        ("all.txt", 1.0, []),
        ("copies/all.txt", 1.0, []),
    ]
    shown = Called("trace", tmp_path / "loud.txt", "--store", textless, "--format", "table").words
    assert "2 documents together contain 1.000 of it" in shown
    assert "the same words; no text is stored to show their places" in shown


def test_no_all_clear_for_texts_that_were_not_kept(textless: Path, tmp_path: Path) -> None:
    (tmp_path / "strange.txt").write_text(prose(55))
    asked = ("trace", tmp_path / "strange.txt", "--store", textless, "--quiet")
    assert Called(*asked, "--exit-code").code == 3
    assert Called(*asked).code == 0
    shown = Called(*asked, "--format", "table").words
    assert "No document" not in shown
    assert "5 texts may hold some, but the store did not keep them" in shown
    told = Called("trace", tmp_path / "strange.txt", "--store", textless).err
    assert "No document contains" not in told
    assert "No text that could be searched contains a passage of it" in told
    with library.Store.open(textless) as kin:
        assert b"5 texts may hold some" in kin.trace(prose(55)).schema.metadata[b"nearkin.partial"]


def test_the_api_says_what_the_command_says(store: Path) -> None:
    with library.Store.open(store) as kin:
        table = kin.trace(FILE)
        assert table.to_pylist() == Called("trace", store.parent / "file.txt", "--store", store).records
        with pytest.raises(library.UsageError):
            kin.trace(FILE, min_length=3)
