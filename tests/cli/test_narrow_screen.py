"""What a person sees on a terminal of 80 columns, and what they are told when they mistype."""

import json
from pathlib import Path

import pytest

from cli.world import Called, edited, prose, write
from nearkin.cli.wording import cells, fold
from nearkin.wording import count

LONG = "a-folder-with-a-rather-long-name/and-another-one-below-it-that-is-no-shorter"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    base = prose(3, 900)
    files = {
        f"{LONG}/one.txt": base,
        f"{LONG}/two.txt": edited(base, 9),
        f"{LONG}/below/copy of two.txt": edited(base, 9),
        f"other/{LONG}/three.txt": edited(base, 12) + " and more",
        "same/one.txt": base,
        "lines.txt": base.replace(" ", "\n"),
    }
    folder = write(tmp_path / "tree", {name.encode(): text for name, text in files.items()})
    path = tmp_path / "store.db"
    assert Called("scan", folder, "--store", path).code == 0
    return path


@pytest.mark.parametrize("command", ["keep", "families", "folders", "lineage", "identical", "matches"])
def test_no_line_is_wider_than_the_screen(store: Path, command: str) -> None:
    family = Called("families", "--store", store, "--format", "jsonl").records[0]["id"]
    done = Called(command, *([family] if command == "lineage" else []), "--store", store, "--format", "table")
    assert done.code == 0, done.err
    assert done.out.strip()
    assert [line for line in done.out.splitlines() if cells(line) > 80] == []


def test_no_line_of_what_was_done_is_wider_than_the_screen(store: Path, tmp_path: Path) -> None:
    one, other = f"{LONG}/one.txt", f"other/{LONG}/three.txt"
    plan, folder = tmp_path / "plan.csv", store.parent / "tree"
    family = Called("families", "--store", store, "--format", "jsonl").records[0]["id"]
    for words in (
        ["verdict", "set", one, other, "version"],
        ["verdict", "set", one, other, "keep", other],
        ["verdict", "set", family, "keep", one],
        ["check", folder / one, folder / other],
        ["trace", one],
        ["sign", one, "--digest"],
        ["sign", "--digest"],
        ["keep", "--plan", plan],
        ["keep", "--apply", plan, "--action", "quarantine"],
        ["keep", "--undo", f"{plan}.journal"],
    ):
        done = Called(*words, "--store", store, "--format", "table")
        assert done.code == 0, done.err
        assert done.out.strip()
        assert [line for line in done.out.splitlines() if cells(line) > 80] == [], words


def test_no_line_of_a_suggestion_is_wider_than_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the families that would change, three of them at the most."""
    monkeypatch.setenv("COLUMNS", "80")
    licence = prose(1, 300)
    pairs = {
        f"{two}-{one}.txt": f"{prose(10 + two, 100)} {prose(100 + 2 * two + one, 60)}"
        for two in range(4)
        for one in (0, 1)
    }
    others = {f"{one}.txt": prose(200 + one, 400) for one in range(12)}
    write(tmp_path / "tree", {name.encode(): f"{text} {licence}" for name, text in (pairs | others).items()})
    monkeypatch.chdir(tmp_path)
    assert Called("scan", "tree").code == 0
    suggest = ["template", "suggest"]
    assert max(one["families_changed"] for one in Called(*suggest).records) > 2
    shown = Called(*suggest, "--format", "table").out
    assert [line for line in shown.splitlines() if cells(line) > 80] == []


def test_reasons_are_told_in_whole(store: Path) -> None:
    record = Called("families", "--store", store, "--format", "jsonl").records[0]
    shown = Called("families", "--store", store, "--format", "table").out
    assert record["reason"] in " ".join(shown.split())


NOTE = "because the second one was signed by all three parties in the spring of that year"


@pytest.mark.parametrize("command", ["audit", "verdict list"])
def test_what_was_decided_is_told_in_whole(store: Path, command: str) -> None:
    pair = [f"{LONG}/one.txt", f"other/{LONG}/three.txt"]
    assert Called("verdict", "set", *pair, "version", "--note", NOTE, "--store", store).code == 0
    done = Called(*command.split(), "--store", store, "--format", "table")
    assert f"“{NOTE}”" in " ".join(done.out.split())
    assert "one.txt\n" in done.out
    assert "three.txt\n" in done.out
    assert [line for line in done.out.splitlines() if cells(line) > 80] == []


def test_what_is_stale_and_what_to_do_is_told_in_whole(store: Path) -> None:
    folder = store.parent / "tree"
    assert Called("scan", folder, "--scheme", "mod:window=24,n=8", "--store", store).code == 0
    folder.rename(store.parent / "elsewhere")
    done = Called("store", "info", "--store", store, "--format", "table")
    stale = json.loads(Called("store", "info", "--store", store, "--format", "json").out)["stale"]
    told = " ".join(done.out.split())
    assert any(one["what"].startswith("signatures by") for one in stale)
    assert all(f"{one['what']} {one['remedy']}" in told for one in stale)
    commands = [line.strip() for line in done.out.splitlines() if "nearkin scan" in line or "store drop" in line]
    assert [line.removesuffix(" \\").split(" --")[0] for line in commands] == [
        "nearkin scan NEWPLACE",
        "nearkin store drop tree",
    ]


def test_why_documents_were_not_read_is_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    folder = write(tmp_path / "tree", {b"a.txt": "a text"})
    for name in ("a.pdf", "b.docx", "c.zip"):
        (folder / name).write_bytes(b"%PDF-1.4 nothing" if name == "a.pdf" else b"PK\3\4" + b"broken" * 9)
    (folder / "d.xml").write_bytes(b"<a/>")
    shown = Called("scan", folder, "--store", tmp_path / "kin.db", "--format", "table").out
    head = shown[shown.index("Not read") :].split("problem ")[0]
    assert "could not be read (" in " ".join(head.split())
    assert [line for line in head.splitlines() if cells(line) > 44] == []


def test_how_many_families_there_are_is_folded(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = {f"{name}.txt".encode(): "twice the same, and like nothing else at all" for name in "ab"}
    write(store.parent / "tree", copies)
    assert Called("scan", store.parent / "tree", "--store", store).code == 0
    monkeypatch.setenv("COLUMNS", "60")
    last = Called("families", "--store", store, "--format", "table").out.splitlines()[-2:]
    assert " ".join(" ".join(last).split()).startswith("2 families with ")
    assert all(cells(line) <= 60 for line in last)


def test_line_breaks_are_no_lost_text(store: Path) -> None:
    rows = {row["path"]: row for row in Called("keep", "--prefer", "folder:same", "--store", store).records}
    row = rows["lines.txt"]
    assert row["missing"] > 0
    assert row["respaced"] == row["missing"]
    assert row["residue"] == 0
    shown = Called("keep", "--prefer", "folder:same", "--store", store, "--format", "table").out
    assert "differing only in spacing, line breaks or Unicode forms" in " ".join(shown.split())


@pytest.mark.parametrize("width", [20, 33, 80])
def test_folding_breaks_between_words_only(width: int) -> None:
    text = "  two  words, then a-very-long-hyphenated-word-that-has-no-room and 漢字 漢字 " * 3
    lines = fold(text, width, width - 4)
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert all(cells(line) <= width or " " not in line.strip() for line in lines)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(("famlies",), "families"), (("keep", "--aply", "x"), "--apply"), (("template", "sugest"), "suggest")],
)
def test_what_was_meant(arguments: tuple[str, ...], meant: str) -> None:
    done = Called(*arguments)
    assert done.code == 2
    assert "Did you mean" in done.err
    assert f"'{meant}'" in done.err
    assert done.err.count("\n") == 1


def test_nothing_near_is_not_guessed() -> None:
    assert "mean" not in Called("xyzzy").err


def test_one_is_no_plural() -> None:
    assert [count(1, what) for what in ("families", "matches", "sets of identical files", "files or folders")] == [
        *("1 family", "1 match", "1 set of identical files", "1 file or folder")
    ]


def test_pictures_are_compared_by_their_bytes(tmp_path: Path) -> None:
    for name, end in (("a.png", b"\1"), ("b.png", b"\2"), ("c.png", b"\1")):
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" + end)
    other = Called("compare", tmp_path / "a.png", tmp_path / "b.png", "--format", "table").out
    same = Called("compare", tmp_path / "a.png", tmp_path / "c.png", "--format", "table").out
    assert "canonical" not in other + same
    assert "Their bytes differ" in other
    assert "All 12 bytes are the same" in same


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("plan.json", '{"format": "nearkin keep plan 1", "rows": [', "cut off or changed"),
        ("plan.json", '["a"]', "it has no rows"),
        ("plan.json", '{"format": "x", "rows": []}', "its format is 'x'"),
        ("plan.json", '{"format": "nearkin keep plan 1", "rows": [{"group": "a"}]}', "row 1 has no kind"),
        ("plan.json", '{"format": "nearkin keep plan 1", "rows": [3]}', "cut off or changed"),
        ("plan.csv", "group,kind\na,b\n", "it has no column action"),
    ],
)
def test_a_bad_plan_is_told_in_our_words(store: Path, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    done = Called("keep", "--apply", tmp_path / name, "--action", "quarantine", "--store", store)
    assert done.code == 3
    assert said in done.err
    for python in ("Expecting", "NoneType", "argument", "object", "__init__"):
        assert python not in done.err
