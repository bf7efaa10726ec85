"""Long lines on a terminal of 80 columns: broken between words, and commands so that a shell still takes them."""

import shlex
import subprocess
from pathlib import Path

import pytest

from cli.terminal import Typed
from cli.world import NEARKIN, Called, edited, prose, write
from nearkin.cli.wording import cells, fold_command, fold_sentence

DEEP = "a folder with a rather long name/and another one below it/that is no shorter"


@pytest.mark.parametrize("width", [40, 60, 79])
def test_a_folded_command_is_the_same_to_a_shell(width: int) -> None:
    words = ["nearkin", "compare", f"{DEEP}/one's.txt", 'two "2".txt', "--store", "/some/where/my store.db"]
    command = shlex.join(words)
    lines = fold_command(command, width)
    assert len(lines) > 1
    assert all(line.endswith(" \\") for line in lines[:-1])
    script = "\n".join(lines).replace("nearkin", "printf '%s\\n'", 1)
    told = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == words[1:]
    assert fold_command("nearkin keep", width) == ["nearkin keep"]


def test_a_command_in_a_sentence_is_folded_as_one() -> None:
    text = f"nothing was found where it was looked for; see: nearkin documents --failed --store '{DEEP}/kin.db'"
    lines = fold_sentence(text, 60, 58)
    assert lines[0].startswith("nothing was found where it was looked for; see:")
    assert lines[-2] == "nearkin documents --failed \\"
    assert lines[-1] == f"  --store '{DEEP}/kin.db'"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = prose(3, 900)
    texts = {"one.txt": base, "two.txt": edited(base, 9), "copy.txt": base}
    files = {f"{DEEP}/{name}".encode(): text for name, text in texts.items()}
    folder = tmp_path_factory.mktemp("wide")
    write(folder / "tree", files)
    return folder


def test_what_to_type_next_is_folded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(place)
    store = place / "a store with a rather long name, which is named in every command.db"
    shown = Called("scan", "tree", "--store", store, "--format", "table").out
    following = shown[shown.index("Next ") :].splitlines()
    commands = "\n".join(following).removeprefix("Next ").replace("\\\n", " ").splitlines()
    assert [command.split()[1] for command in commands] == ["compare", "families", "identical", "keep"]
    quoted = shlex.quote(str(store))
    assert all(cells(line) <= 80 for line in following if quoted not in line and DEEP not in line)
    for command in (commands[0], commands[1], commands[3]):
        assert Called(*shlex.split(command)[1:]).code == 0
    again = Called("scan", "tree", "--store", store, "--format", "table").out
    assert all(cells(line) <= 80 for line in again.splitlines() if quoted not in line)


def test_notes_and_errors_are_folded_on_a_terminal_only(place: Path) -> None:
    command = ("check", f"tree/{DEEP}/there is no such file.txt", "--store", "and no such store in this folder.db")
    shown = Typed(*command, cwd=place)
    assert shown.code == 4
    assert len(shown.lines) > 1
    assert [line for line in shown.lines if len(line) > 80] == []
    assert shown.lines[0].startswith("nearkin: ")
    assert all(line.startswith("  ") for line in shown.lines[1:])
    piped = subprocess.run(
        ["sh", "-c", 'exec "$0" "$@" 2>&1 | cat', *NEARKIN, *command], cwd=place, capture_output=True, check=False
    )
    assert piped.stdout.count(b"\n") == 1
    assert " ".join(shown.text.split()) == " ".join(piped.stdout.decode().split())


def test_numbers_of_a_signature_stand_below_one_another(place: Path) -> None:
    shown = Called("sign", f"{place}/tree/{DEEP}/one.txt", "--format", "table").out.splitlines()
    assert len({len(line) for line in shown}) == 1
    assert shown[0].endswith("  offset")


def test_a_command_with_odd_quotes_is_not_changed() -> None:
    command = """nearkin store drop 'it'"'"'s a long name with ; a semicolon' --store 'another place/kin.db'"""
    folded = " ".join(line.removesuffix("\\").strip() for line in fold_command(command, 40))
    assert shlex.split(folded) == shlex.split(command)
    lone = "nearkin store drop it's a name that is much too long for the line"
    assert fold_command(lone, 40) == [lone]
    told = "if it is gone: nearkin store drop 'a; b' --store kin.db; else nothing"
    assert "'a; b'" in " ".join(fold_sentence(told, 30))
