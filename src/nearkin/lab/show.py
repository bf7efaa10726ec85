"""`make demo`: write a sample, scan it with the real command line, and say how right that was.

The sample goes to ./demo-repository, the store beside it. A folder of that name is replaced only if it is a
sample that was made here.
"""

import shutil
import sys
from pathlib import Path

from nearkin.cli.main import main
from nearkin.cli.screen import Screen
from nearkin.errors import InputError
from nearkin.lab.judge import Score, Verdict, judge
from nearkin.lab.sample import TRUTH, write_sample

FOLDER = Path("demo-repository")
STORE = Path("demo-repository.db")
MARKER = ".nearkin-demo"


def show(folder: Path = FOLDER, store: Path = STORE, *, documents: int = 600) -> int:
    clear(folder)
    truth = write_sample(folder, documents=documents)
    (folder / MARKER).touch()
    for end in ("", "-wal", "-shm", ".lock"):
        store.with_name(store.name + end).unlink(missing_ok=True)
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


def _print(verdict: Verdict, screen: Screen) -> None:
    screen.heading("How right was that?", "pairs of documents, beside the truth of the sample")
    screen.columns(["relation", "expected", "found", "recall", "precision"], map(_row, verdict.scores), right=(1, 2, 3))
    screen.note("– : a family does not say what made it; its precision is that of families")
    screen.heading("And what families are called?", "found whole, and called what they are")
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
        screen.heading("Try it", f'{near} is the command; for this shell: export PATH="{near.parent.resolve()}:$PATH"')


def _row(score: Score) -> list[str]:
    shares = [f"{share:.3f}" if share is not None else "–" for share in (score.recall, score.precision)]
    return [score.kind, f"{score.expected:,}", f"{score.found:,}", *shares]


if __name__ == "__main__":
    try:
        sys.exit(show())
    except InputError as error:
        print(f"nearkin: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
