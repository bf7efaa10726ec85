"""Templates as a person uses them: a form is left out, and what is alike inside it stays together."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, nearkin, prose, write
from nearkin import Store
from nearkin.sample.judge import judge
from nearkin.sample.repository import TRUTH, write_sample
from nearkin.sample.truth import RelationKind, Truth
from nearkin.store.database import connect

FORM = prose(1, 300)


def filled(seed: int) -> str:
    words = FORM.split()
    return " ".join([*words[:150], prose(1000 + seed, 30), *words[150:]])


FILES = {
    **{f"form-{i}.txt".encode(): filled(i) for i in range(8)},
    b"form-3-again.txt": edited(filled(3), 160),
    b"book-1.txt": prose(50, 600),
    b"book-2.txt": edited(prose(50, 600), 80),
    b"single.txt": prose(60),
}
TRUE_KIN = [["book-1.txt", "book-2.txt"], ["form-3-again.txt", "form-3.txt"]]


def scanned(tmp_path: Path, *options: object) -> Path:
    store = tmp_path / "store.db"
    docs = write(tmp_path / "docs", FILES)
    assert Called("scan", docs, "--store", store, *options).code == 0
    return store


def run(*arguments: object) -> list[dict[str, Any]]:
    called = Called(*arguments)
    assert called.code == 0, called.err
    return called.records


def groups(store: Path) -> list[list[str]]:
    families = run("families", "--store", store)
    return sorted(sorted(member["path"] for member in family["documents"]) for family in families)


def form_family(store: Path) -> str:
    return str(max(run("families", "--store", store), key=lambda one: len(one["documents"]))["id"])


SCHEMES = [
    "mod:window=20,sample=200,most=64",
    "mod:window=20,n=10,seed=3,bits=48",
    "exact:window=20",
    "exact:window=20,label=yes",
    "exact:window=4,unit=word",
    "bsw:window=20,n=10",
    "min:window=20,n=100",
    "sketch:window=20,n=100",
]


def signatures(store: Path) -> list[tuple[int, bytes]]:
    with closing(connect(store)) as connection:
        return connection.execute("SELECT content, features FROM signature ORDER BY content").fetchall()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_suggestion_parts_the_form_and_keeps_true_kin(tmp_path: Path, scheme: str) -> None:
    store = scanned(tmp_path, "--scheme", scheme)
    before = groups(store)
    assert [len(group) for group in before] == [2, 9]
    signed = signatures(store)
    (suggested,) = run("template", "suggest", "--store", store)
    assert suggested["documents"] == 9
    assert suggested["families"] == [form_family(store)]
    assert suggested["excerpt"][:60] in f"{FORM} {FORM}"
    run("template", "add", "--suggestion", 1, "--store", store)
    assert groups(store) == TRUE_KIN
    assert signatures(store) == signed, "nothing was signed again"
    assert {one["template"] for one in run("matches", "--store", store)} == {"without"}
    assert {one["template"] for one in run("families", "--store", store)} == {"without"}
    (listed,) = run("template", "list", "--store", store)
    assert run("template", "remove", listed["name"], "--store", store) == [{"removed": listed["name"]}]
    assert groups(store) == before
    assert {one["template"] for one in run("families", "--store", store)} == {"with"}


@pytest.mark.parametrize("scheme", ["tttd:mean=40", "chunk:mean=40"])
def test_whole_chunks_in_common_are_left_out(tmp_path: Path, scheme: str) -> None:
    store = scanned(tmp_path, "--scheme", scheme)
    assert [len(group) for group in groups(store)] == [2, 9]
    run("template", "add", "--suggestion", 1, "--store", store)
    assert TRUE_KIN[0] in groups(store)
    assert all(len(group) == 2 for group in groups(store))


def test_a_store_without_texts(tmp_path: Path) -> None:
    store = scanned(tmp_path, "--no-text")
    run("template", "add", "--family", form_family(store), "--tolerance", 0.9, "--store", store)
    assert TRUE_KIN[0] in groups(store)
    assert all(len(group) == 2 for group in groups(store)), "by estimates: the small payload of a form may be missed"
    (listed,) = run("template", "list", "--store", store)
    assert (listed["passages"], listed["excerpt"], listed["documents"]) == (0, "", 9)


@pytest.mark.parametrize("scheme", ["fuzzy", "si"])
def test_numbers_of_whole_texts_have_no_templates(tmp_path: Path, scheme: str) -> None:
    store = scanned(tmp_path, "--scheme", scheme)
    for arguments in (["suggest"], ["add", "--text", FORM]):
        called = Called("template", *arguments, "--store", store)
        assert called.code == 2
        assert "Templates do not apply" in called.err


def test_sizes_and_scores_shrink_to_the_payload(tmp_path: Path) -> None:
    store = scanned(tmp_path, "--scheme", "exact:window=20")
    pair = ("form-3-again.txt", "form-3.txt")

    def match() -> dict[str, Any]:
        return next(one for one in run("matches", "--store", store) if (one["a"], one["b"]) == pair)

    with_form = match()
    run("template", "add", "--text", FORM, "--name", "form", "--by", "ann", "--note", "of the office", "--store", store)
    without = match()
    assert without["resemblance"] < with_form["resemblance"]
    assert without["shared_bytes"] < 300 < with_form["shared_bytes"]
    compared = run("compare", *pair, "--store", store)[0]
    assert (compared["template"], compared["payload"]) == ("with", without["resemblance"])
    assert compared["resemblance"] == with_form["resemblance"]
    (listed,) = run("template", "list", "--store", store)
    assert (listed["name"], listed["source"], listed["by"], listed["note"]) == ("form", "text", "ann", "of the office")
    for command in ("families", "matches"):
        assert "1 template left out" in Called(command, "--store", store, "--format", "table").out
    assert "1 template left out" in Called("compare", *pair, "--store", store, "--format", "table").out


@pytest.mark.parametrize("threshold", [0.7, 0.65])
def test_how_far_from_the_pivot_is_said_without_the_form_too(tmp_path: Path, threshold: float) -> None:
    """Of rows that match their pivot, and of those that only hang on by others; grouped by the scan or anew."""
    words, files = prose(80, 200).split(), {}
    for step in range(5):
        words[step * 25 : step * 25 + 25] = prose(90 + step, 25).split()
        files[f"step-{step}.txt".encode()] = f"{FORM} {' '.join(words)}"
    store = tmp_path / "store.db"
    assert Called("scan", write(tmp_path / "docs", files), "--store", store).code == 0
    run("template", "add", "--text", FORM, "--store", store)
    (family,) = run("families", "--store", store, "--threshold", threshold)
    pivot, *others = family["documents"]
    assert len(others) == 4
    assert min(one["to_pivot"] for one in others) < 0.65
    for one in others:
        assert one["to_pivot"] == run("compare", pivot["path"], one["path"], "--store", store)[0]["payload"]


def test_later_scans_and_other_schemes_leave_it_out_too(tmp_path: Path) -> None:
    store = scanned(tmp_path)
    blank = tmp_path / "blank.html"
    blank.write_text(f"<html><p>{FORM.upper()}</p></html>")
    run("template", "add", "--file", blank, "--store", store)
    (tmp_path / "docs" / "form-8.txt").write_text(filled(8))
    for options in ([], ["--scheme", "exact:window=15"], ["--scheme", "tttd:mean=30"], ["--ignore", "case,digits"]):
        assert Called("scan", tmp_path / "docs", "--store", store, *options).code == 0
        assert all("form-8.txt" not in group for group in groups(store)), options
    assert run("template", "list", "--store", store)[0]["name"] == "blank.html"


def test_the_same_payload_in_unlike_forms_comes_to_light(tmp_path: Path) -> None:
    """Forman 2005 §4: templates "can mask true duplication of content in different templates"."""
    other, story = prose(2, 300), prose(70, 200)
    docs = write(tmp_path / "docs", {b"a.txt": f"{FORM} {story}", b"b.txt": f"{other} {story}"})
    store = tmp_path / "store.db"
    assert Called("scan", docs, "--store", store).code == 0
    assert groups(store) == []
    for text in (FORM, other):
        run("template", "add", "--text", text, "--store", store)
    assert groups(store) == [["a.txt", "b.txt"]]


def test_documents_that_are_all_template(tmp_path: Path) -> None:
    store = scanned(tmp_path)
    copies = {b"blank-1.txt": FORM, b"blank-2.txt": FORM.upper(), b"blank-3.txt": FORM[:-40]}
    write(tmp_path / "docs", copies)
    run("template", "add", "--text", FORM, "--store", store)
    assert Called("scan", tmp_path / "docs", "--store", store).code == 0
    assert ["blank-1.txt", "blank-2.txt"] in groups(store), "equal words stay equal"
    assert not any("blank-3.txt" in group for group in groups(store))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Give one of --family, --file, --text and --suggestion"),
        (["--text", "x", "--suggestion", "1"], 2, "Give one of"),
        (["--text", "too short"], 2, "Nothing to leave out"),
        (["--text", FORM, "--tolerance", "0.9"], 2, "--tolerance belongs to --family"),
        (["--text", FORM, "--name", "7"], 2, "must not be empty or a number"),
        (["--suggestion", "9"], 2, "There is no suggestion 9, only 1"),
        (["--suggestion", "one"], 2, "--suggestion must be a number"),
        (["--suggestion", "1", "--suggestion", "all"], 2, "--suggestion all already includes every one"),
        (["--suggestion", "0"], 2, "There is no suggestion 0: they are 1 to 20 at most"),
        (["--suggestion", "21"], 2, "There is no suggestion 21: they are 1 to 20 at most"),
        (["--file", "nowhere.txt"], 3, 'No file "nowhere.txt"'),
        (["--family", "0000000000"], 3, "There is no family"),
        (["--family", "FORMS", "--tolerance", "1.5"], 2, "A tolerance is a share"),
    ],
)
def test_what_cannot_be_added(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    store = scanned(tmp_path)
    given = [form_family(store) if one == "FORMS" else one for one in arguments]
    called = Called("template", "add", *given, "--store", store)
    assert called.code == code
    assert message in called.err
    assert called.err.count("\n") == 1
    assert run("template", "list", "--store", store) == []


def test_other_mistakes(tmp_path: Path) -> None:
    assert Called("template", "add", "--text", FORM, "--store", tmp_path / "no.db").code == 4
    store = scanned(tmp_path)
    assert Called("template", "remove", "none", "--store", store).code == 3
    run("template", "add", "--text", FORM, "--name", "form", "--store", store)
    assert (
        "There is a template form already"
        in Called("template", "add", "--text", FORM, "--name", "form", "--store", store).err
    )
    assert run("template", "add", "--text", filled(1), "--store", store) == [{"name": "text"}]
    assert run("template", "add", "--text", filled(2), "--store", store) == [{"name": "text-2"}]
    assert run("template", "remove", 1, "--store", store) == [{"removed": "1"}]
    removed = run("audit", "--action", "template remove", "--store", store)[0]
    assert (removed["subject"], removed["before"]["passages"]) == ("form", [FORM])


def test_text_from_standard_input(tmp_path: Path) -> None:
    store = scanned(tmp_path)
    called = nearkin("template", "add", "--text", "-", "--store", store, input=FORM.encode())
    assert (called.returncode, called.stderr) == (0, b"")
    assert TRUE_KIN[1] in groups(store)


def test_templates_that_were_not_applied_are_told(tmp_path: Path) -> None:
    store = scanned(tmp_path)
    run("template", "add", "--text", FORM, "--store", store)
    with closing(connect(store, write=True)) as connection:
        connection.execute("DELETE FROM template_features")
        connection.execute("DELETE FROM template")
    assert "Templates have changed" in Called("families", "--store", store).err
    assert Called("scan", tmp_path / "docs", "--store", store).code == 0
    assert Called("families", "--store", store).err == ""


def test_from_python(tmp_path: Path) -> None:
    with Store.open(scanned(tmp_path)) as store:
        assert store.suggest_templates().to_pylist()[0]["families_changed"] == 1
        assert store.add_template(suggestions=[1]) == ["suggestion"]
        assert store.templates().to_pylist()[0]["documents"] == 9
        assert store.matches().to_pylist()[0]["template"] == "without"
        store.remove_template("suggestion")
        assert store.templates().num_rows == 0


@pytest.mark.parametrize("seed", [1, 4])
def test_the_sample_repository(tmp_path: Path, seed: int) -> None:
    """One suggest and one add: every same-form family is gone, every other one is as it was, and none is wrong."""
    folder, store = tmp_path / "sample", tmp_path / "store.db"
    write_sample(folder, documents=600, seed=seed, plain=True)
    run("scan", folder, "--exclude", TRUTH, "--store", store)
    truth = Truth.load(folder / TRUTH)
    before = {score.kind: score for score in judge(store, truth).scores}
    assert before[RelationKind.SAME_FORM].recall == 1.0
    run("template", "suggest", "--store", store)
    run("template", "add", "--suggestion", "all", "--store", store)
    after = {score.kind: score for score in judge(store, truth).scores}
    assert after[RelationKind.SAME_FORM].found == 0
    forms = before[RelationKind.SAME_FORM].expected
    assert after["families"].wrong == 0
    assert after["families"].found == before["families"].found - forms
    for kind in (RelationKind.VERSIONS, RelationKind.RENAMED, RelationKind.CONTAINS, RelationKind.LOOK_ALIKE):
        assert after[kind] == before[kind]


def test_a_taken_name_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = scanned(tmp_path)
    run("template", "add", "--text", FORM, "--name", "form", "--store", store)

    def work(*_: object, **__: object) -> None:
        raise AssertionError("there was no need to work")

    monkeypatch.setattr("nearkin.query.templates.list_suggestions", work)
    called = Called("template", "add", "--suggestion", 1, "--name", "form", "--store", store)
    assert called.code == 2
    assert "There is a template form already" in called.err
