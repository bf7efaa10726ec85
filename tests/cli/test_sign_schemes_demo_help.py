"""`compare`, `sign`, `schemes`, `demo`, help, version and completion."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import nearkin as library
from cli.world import FILES, Called, edited, nearkin, no_file_longer_than, prose, write
from nearkin.cli.main import COMMANDS, SUMMARIES, cli
from nearkin.scheme import SCHEMES
from nearkin.scheme.golden import GOLDEN


@pytest.mark.parametrize(
    ("a", "b", "relation", "tier"),
    [
        ("manual-1.txt", "copies/manual-1.txt", "identical", "bytes"),
        ("manual-1.txt", "copies/manual-1.html", "same words", "words"),
        ("whole.txt", "part.txt", "B is contained in A", None),
        ("part.txt", "whole.txt", "A is contained in B", None),
        ("manual-1.txt", "manual-3.txt", "similar", None),
        ("single.txt", "part.txt", "unrelated", None),
    ],
)
def test_compare_says_the_relation(docs: Path, store: Path, a: str, b: str, relation: str, tier: str | None) -> None:
    (stored,) = Called("compare", a, b, "--store", store).records
    assert (stored["relation"], stored["tier"]) == (relation, tier)
    (on_disk,) = Called("compare", docs / a, docs / b).records
    assert {**on_disk, "a": a, "b": b} == stored
    one, other = ((docs / name).read_bytes() for name in (a, b))
    assert stored["resemblance"] == library.resemblance(one, other)
    assert stored["a_in_b"] == library.containment(one, other)
    assert stored["b_in_a"] == library.containment(other, one)
    assert relation in Called("compare", a, b, "--store", store, "--format", "table").out


SCORES = ("resemblance", "a_in_b", "b_in_a", "similar", "cosine", "payload", "exact")


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("...!!!---", "???", ["a.txt has no words to compare", "b.txt has no words to compare"]),
        ("...", "", ["a.txt has no words to compare", "b.txt is empty"]),
        ("", "some words of a text", ["a.txt is empty"]),
        ("some words of a text", " \n!", ["b.txt has no words to compare"]),
    ],
)
def test_what_has_no_words_has_no_scores(
    tmp_path: Path, a: str, b: str, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {b"a.txt": a, b"b.txt": b, b"other.txt": "a template of some words"})
    assert Called("scan", "other.txt").code == 0
    assert Called("template", "add", "--text", "a template of some words, and others still").code == 0
    (pair,) = Called("compare", "a.txt", "b.txt").records
    assert (pair["relation"], pair["tier"], pair["relation_details"]) == ("no text", None, [])
    assert [pair[score] for score in SCORES] == [None] * len(SCORES)
    assert library.compare(a, b).relation == "no text"
    assert library.compare(a, b).resemblance is None
    shown = Called("compare", "a.txt", "b.txt", "--html", "pair.html", "--format", "table").out
    assert shown.startswith("no text  by their bytes\n")
    assert [line.strip().rstrip(".") for line in shown.splitlines() if " no words" in line or "empty" in line] == said
    assert not re.search(r"\d\.\d{3}|%", shown)
    assert "that nearkin can compare" in (tmp_path / "pair.html").read_text()


def test_the_same_bytes_without_words_are_identical(tmp_path: Path) -> None:
    write(tmp_path, {b"a.txt": "...", b"b.txt": "..."})
    (pair,) = Called("compare", tmp_path / "a.txt", tmp_path / "b.txt").records
    assert (pair["relation"], pair["tier"]) == ("identical", "bytes")
    shown = Called("compare", tmp_path / "a.txt", tmp_path / "b.txt", "--format", "table").out
    assert "All 3 bytes are the same." in shown
    assert "canonical" not in shown


def test_check_says_that_there_are_no_words(docs: Path, store: Path, tmp_path: Path) -> None:
    (tmp_path / "dots.txt").write_text("...")
    done = Called("check", tmp_path / "dots.txt", "--store", store)
    assert done.records == []
    assert "dots.txt has no words to compare; only its bytes were looked up." in done.err


def test_compare_agrees_with_matches(store: Path) -> None:
    for match in Called("matches", "--store", store).records:
        (pair,) = Called("compare", "--store", store, "--", match["a"], match["b"]).records
        for field in ("resemblance", "a_in_b", "b_in_a", "shared_bytes", "exact"):
            assert pair[field] == match[field]


def test_compare_by_another_scheme(docs: Path) -> None:
    by_sample = Called("compare", docs / "part.txt", docs / "whole.txt", "--scheme", "mod:n=8").records[0]
    assert by_sample["exact"] is False
    assert by_sample["low"] <= by_sample["resemblance"] <= by_sample["high"]
    by_chunks = Called("compare", docs / "manual-1.txt", docs / "manual-2.txt", "--scheme", "tttd:mean=50").records[0]
    assert 0 < by_chunks["shared_bytes"] < len(prose(1))
    raw = Called("compare", docs / "manual-1.txt", docs / "copies/manual-1.html", "--raw").records[0]
    assert raw["tier"] is None
    assert raw["relation"] == "similar"


def test_compare_what_is_not_there(tmp_path: Path, store: Path) -> None:
    missing = Called("compare", "nowhere.txt", "manual-1.txt", "--store", store)
    assert (missing.code, missing.out) == (3, "")
    assert "nowhere.txt" in missing.err
    assert Called("compare", "nowhere.txt", "x", "--store", tmp_path / "none.db").code == 3
    assert Called("compare", tmp_path, tmp_path).code == 3
    assert Called("compare", "a").code == 2


def test_compare_documents_whose_text_was_not_kept(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": edited(prose(1), 9)})
    store = tmp_path / "kin.db"
    Called("scan", folder, "--store", store, "--no-text")
    assert Called("compare", "a.txt", "b.txt", "--store", store).records[0]["relation"] == "similar"
    (folder / "a.txt").unlink()
    gone = Called("compare", "a.txt", "b.txt", "--store", store)
    assert gone.code == 3
    assert "keeps no text" in gone.err


def test_sign_lists_the_features_of_the_signature(docs: Path) -> None:
    lines = Called("sign", docs / "manual-1.txt", "--scheme", "mod:window=20,n=10").records
    assert [list(line) for line in lines] == [["weight", "feature", "offset"]] * len(lines)
    signature = library.sign((docs / "manual-1.txt").read_bytes(), "mod:window=20,n=10")
    assert sorted(int(line["feature"], 16) for line in lines) == signature.features.tolist()
    assert all(len(line["feature"]) == 16 for line in lines)
    offsets = [line["offset"] for line in lines]
    assert offsets == sorted(offsets)
    table = Called("sign", docs / "manual-1.txt", "--scheme", "mod:window=20,n=10", "--format", "table").out
    assert lines[0]["feature"] in table
    in_csv = Called("sign", docs / "manual-1.txt", "--scheme", "mod:window=20,n=10", "--format", "csv").out
    assert in_csv.startswith(f"weight,feature,offset\n10,{lines[0]['feature']},")


def test_sign_reads_standard_input(docs: Path) -> None:
    piped = nearkin("sign", "-", input=(docs / "manual-1.txt").read_bytes())
    assert piped.stdout.decode() == Called("sign", docs / "manual-1.txt").out
    assert Called("sign", docs / "nowhere.txt").code == 3
    assert Called("sign", docs / "manual-1.txt", "--scheme", "no").code == 2


def test_schemes_lists_all() -> None:
    assert [scheme["name"] for scheme in Called("schemes").records] == list(SCHEMES)
    table = Called("schemes", "--format", "table").out
    for name, known in SCHEMES.items():
        assert name in table
        assert known.paper in table
    assert Called("schemes", "--format", "csv").out.count("\n") == len(SCHEMES) + 1


def test_every_line_of_the_list_of_schemes_fits_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in (["schemes"], ["schemes", "--plan"], ["schemes", "--plan", "--bytes", "50K"]):
        table = Called(*arguments, "--format", "table").out
        assert max(map(len, table.splitlines())) <= 80, arguments


def test_schemes_plans_a_sample() -> None:
    (plan,) = Called("schemes", "--plan", "--error", "0.1", "--bytes", "50K").records
    assert plan["sample"] == library.plan_sample(error=0.1)
    assert plan["min"] == f"min:window=20,n={plan['sample']}"
    assert plan["mod"] == f"mod:window=20,n={(51200 - 19) // plan['sample']}"
    assert (plan["rule"], plan["rule_entries"]) == ("mod:window=20,n=500", 102)
    table = Called("schemes", "--plan", "--error", "0.1", "--bytes", "50K", "--format", "table").out
    assert plan["mod"] in table
    assert plan["adaptive"] in table
    assert f"{plan['sample']:,} samples" in table
    assert Called("schemes", "--plan", "--format", "csv").out.startswith("error,resemblance,confidence,sample,")
    assert "all shingles" in Called("schemes", "--plan", "--bytes", "100", "--format", "table").out


def test_schemes_refuses_what_cannot_be_planned() -> None:
    assert Called("schemes", "--plan", "--error", "0").code == 2
    assert Called("schemes", "--plan", "--bytes", "lots").code == 2
    alone = Called("schemes", "--bytes", "50K")
    assert (alone.code, alone.out) == (2, "")
    assert "--bytes goes with --plan" in alone.err


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schemes to be tried; tests/test_selftest.py tries all."""
    for spec in list(GOLDEN)[2:]:
        monkeypatch.delitem(GOLDEN, spec)


@pytest.mark.usefixtures("few")
def test_selftest(tmp_path: Path) -> None:
    checks = Called("selftest", "--store", tmp_path / "kin.db")
    assert checks.code == 0
    assert [list(check) for check in checks.records] == [["check", "status", "detail"]] * len(checks.records)
    assert {check["status"] for check in checks.records} <= {"ok", "note"}
    assert {"sha256", "exact:window=20", "store", "file system"} <= {check["check"] for check in checks.records}
    assert list(tmp_path.iterdir()) == []
    table = Called("selftest", "--store", tmp_path / "kin.db", "--format", "table").out
    assert table.startswith("ok      sha256  ")
    assert table.endswith(f"{len(checks.records)} checks made\n")
    assert json.loads(Called("selftest", "--store", tmp_path / "kin.db", "--format", "json").out) == checks.records


@pytest.mark.usefixtures("few")
def test_a_failed_selftest_ends_with_5(tmp_path: Path) -> None:
    failed = Called("selftest", "--store", tmp_path / "missing" / "kin.db", "--quiet", "--format", "table")
    assert failed.code == 5
    assert failed.words.startswith(f"failed store cannot be made in {tmp_path / 'missing'}: ")
    assert "checks failed: store" in failed.err


def test_schemes_shows_cherkasovas_table_1() -> None:
    shown = {scheme["name"]: scheme for scheme in Called("schemes").records}
    four = [shown[name] for name in ("mod", "min", "sketch", "bsw")]
    assert [scheme["size"] for scheme in four] == ["variable", "fixed", "fixed", "variable"]
    assert [scheme["containment"] for scheme in four] == [True, False, False, True]
    assert [scheme["intervals"] for scheme in four] == [True, True, True, False]
    assert "no containment, intervals, signatures of fixed size" in Called("schemes", "--format", "table").out


def test_a_sample_that_was_cut_short_is_called_so(tmp_path: Path) -> None:
    with no_file_longer_than(2000):
        done = Called("demo", tmp_path / "sample")
    assert done.code == 3
    assert done.err.endswith("it has only a part of the sample, so remove it.\n")
    assert any((tmp_path / "sample").iterdir())


def test_demo(tmp_path: Path) -> None:
    assert Called("demo", tmp_path / "sample", "--documents", 30).records == [
        {"documents": 30, "seed": 1, "path": str(tmp_path / "sample")}
    ]
    assert json.loads((tmp_path / "sample" / "truth.json").read_text())["documents"] == 30
    again = Called("demo", tmp_path / "sample")
    assert again.code == 3
    assert "is not an empty folder" in again.err
    (tmp_path / "file").write_text("")
    assert Called("demo", tmp_path / "file").code == 3
    assert Called("demo", tmp_path / "x", "--documents", 0).code == 2
    assert "nearkin scan" in Called("demo", tmp_path / "y", "--documents", 5, "--format", "table").out


def every_command() -> list[str]:
    """With those of groups."""
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    return [
        whole
        for name, command in commands.items()
        for whole in ([f"{name} {one}" for one in command.commands] if isinstance(command, click.Group) else [name])
    ]


@pytest.mark.parametrize("command", every_command())
def test_every_command_has_help_with_an_example(command: str) -> None:
    called = Called(*command.split(), "--help")
    assert called.code == 0
    assert f"Example: nearkin {command}" in called.out
    for option in ("--store FILE", "--format", "--quiet"):
        assert option in called.out


def test_help_has_a_line_for_every_command_and_imports_none() -> None:
    assert list(SUMMARIES) == list(COMMANDS)
    shown = Called("--help").out
    for name, summary in SUMMARIES.items():
        assert f"  {name:<10}  {summary}\n" in shown, "it is folded or cut on 80 columns"
    asked = "import sys; from nearkin.cli.main import main; main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    modules = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    needed = {f"nearkin.{one}" for one in ("cli", "cli.main", "errors")}
    assert {one for one in modules if one.startswith("nearkin.")} == needed
    assert not modules & {"json", "csv", "numpy", "rich", "sqlite3", "importlib.metadata"}


def test_help_and_version() -> None:
    for arguments in ([], ["--help"]):
        called = Called(*arguments)
        assert called.code == 0
        assert all(command in called.out for command in COMMANDS)
        assert "_NEARKIN_COMPLETE=bash_source nearkin" in called.out
    assert Called("--version").out == f"nearkin {library.__version__}\n"


def test_completion() -> None:
    import os
    import sys

    script = [
        sys.executable,
        "-c",
        "import sys; sys.argv[0] = 'nearkin'; from nearkin.cli.main import run; run()",
    ]
    import subprocess

    for shell in ("bash", "zsh", "fish"):
        env = {**os.environ, "_NEARKIN_COMPLETE": f"{shell}_source"}
        made = subprocess.run(script, env=env, capture_output=True, text=True, check=True)
        assert "_NEARKIN_COMPLETE" in made.stdout
    env = {**os.environ, "_NEARKIN_COMPLETE": "bash_complete", "COMP_WORDS": "nearkin fam", "COMP_CWORD": "1"}
    completed = subprocess.run(script, env=env, capture_output=True, text=True, check=True)
    assert completed.stdout == "plain,families\n"


def test_the_small_world_is_what_the_tests_say() -> None:
    assert len(FILES) == 14
