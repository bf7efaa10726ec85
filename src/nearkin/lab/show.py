"""`make demo`: write a sample, scan it with the real command line, and say how accurate that was.

The sample goes to ./demo-repository, the store beside it. A folder of that name is replaced only if it is a
sample that was made here.
"""

import os
import shutil
import sys
from pathlib import Path

from nearkin.cli.main import main
from nearkin.cli.screen import Screen
from nearkin.errors import InputError
from nearkin.sample.judge import ATTACHED, FORMATS, Score, Verdict, judge
from nearkin.sample.sample import TRUTH, write_sample
from nearkin.sample.truth import RelationKind
from nearkin.store.database import own_files

FOLDER = Path("demo-repository")
STORE = Path("demo-repository.db")
MARKER = ".nearkin-demo"
# Rows of the table that are not called what they are counted as.
NAMES = {
    str(RelationKind.LOOK_ALIKE): "look-alikes kept apart",
    f"identical {ATTACHED}": "identical, in mails and archives",
    f"same-words {FORMATS}": "same-words, across formats",
    f"versions {FORMATS}": "versions, across formats",
}


def show(folder: Path = FOLDER, store: Path = STORE, *, documents: int = 600) -> int:
    clear(folder)
    truth = write_sample(folder, documents=documents)
    (folder / MARKER).touch()
    clear_store(store)
    code = main(["scan", str(folder), "--store", str(store), "--exclude", TRUTH, "--format", "table"])
    if code:
        return code
    screen = Screen()
    _print(judge(store, truth), screen)
    _say_where(screen)
    return 0


def clear(folder: Path) -> None:
    """Delete the last demo. Whatever else is there was not made here, and stays."""
    if not folder.exists():
        return
    if not (folder / TRUTH).is_file() or not (folder / MARKER).is_file():
        raise InputError(f"{folder} is in the way and was not made by this demo; move it elsewhere.")
    shutil.rmtree(folder)


def clear_store(store: Path) -> None:
    """With all that stands beside it."""
    for file in map(Path, map(os.fsdecode, own_files(store))):
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def _print(verdict: Verdict, screen: Screen) -> None:
    screen.heading("How accurate was that?", "document pairs, compared with the known answers")
    screen.columns(["relation", "expected", "found", "recall", "precision"], map(_row, verdict.scores), right=(1, 2, 3))
    screen.note("–: precision is measured for families as a whole, in the last row")
    screen.heading("Were families given the right kind?", "whole families, compared with the known answers")
    screen.columns(
        ["kind", "expected", "found", "recall", "precision"],
        (_row(score) for score in verdict.kinds),
        right=(1, 2, 3),
    )


def _say_where(screen: Screen) -> None:
    """The commands above are to be typed: say where nearkin is, if typing its name would not find it."""
    here = Path(sys.executable).with_name("nearkin")
    if shutil.which("nearkin") is None and here.exists():
        near = here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here
        screen.heading("Try it", f"the command is {near}; to type just nearkin in this shell:")
        screen.line(f'  export PATH="{near.parent.resolve()}:$PATH"')


def _row(score: Score) -> list[str]:
    shares = [f"{share:.3f}" if share is not None else "–" for share in (score.recall, score.precision)]
    return [NAMES.get(score.kind, score.kind), f"{score.expected:,}", f"{score.found:,}", *shares]


if __name__ == "__main__":
    try:
        sys.exit(show())
    except InputError as error:
        print(f"nearkin: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
