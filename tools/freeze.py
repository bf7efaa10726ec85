"""Freeze what must not change: a digest of every listing, report, store and segment, of two repositories.

python tools/freeze.py             compare with tests/frozen.json; exit 1 and name the listings that differ
python tools/freeze.py --quick     the same of small repositories, in a few seconds
python tools/freeze.py --write     renew the digests (with --quick or --only: these alone)
python tools/freeze.py --only made/exact --keep DIR    some listings, kept as files below DIR to be compared by diff

It asks nearkin as users do: by its command line, the names of `import nearkin`, and SQL on the store. So it runs
unchanged before and after any change inside. A digest is renewed only in a commit that names the listing in the
changelog.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from freeze_repository import write_repository
from freeze_scenarios import (
    FULL,
    QUICK,
    Form,
    Freezer,
    frozen_changes,
    frozen_python,
    frozen_repository,
    frozen_tables,
    frozen_words,
)

FROZEN = Path(__file__).resolve().parents[1] / "tests" / "frozen.json"


def freeze(freezer: Freezer) -> Iterator[tuple[str, float]]:
    """Runs every scenario; yields its name and the CPU seconds it took."""
    demo = freezer.call("demo", "sample", "--documents", freezer.form.sample, "--quiet")
    freezer.add("sample/demo", demo + Path("sample/truth.json").read_bytes())
    write_repository(Path("made"), freezer.form.made)
    sample = _sample_probes()
    made = (
        "made/versions/000/draft-0.txt",
        "made/versions/000/draft-1.txt",
        "made/parts/000-a.txt",
        "made/boxes/0.zip",
    )
    scenarios: dict[str, Callable[[], None]] = {
        "words": lambda: frozen_words(freezer),
        "sample": lambda: frozen_repository(freezer, "sample", sample),
        "made": lambda: frozen_repository(freezer, "made", made),
        "tables": lambda: frozen_tables(freezer),
        "python": lambda: frozen_python(freezer),
        "changes": lambda: frozen_changes(freezer),  # last: it changes the made repository
    }
    for name, run in scenarios.items():
        begun = _cpu()
        run()
        yield name, _cpu() - begun


def _cpu() -> float:
    """Seconds, with those of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _sample_probes() -> tuple[str, ...]:
    """A few documents from all over the sample."""
    texts = sorted(path.as_posix() for path in Path("sample").rglob("*.txt"))
    return tuple(texts[:: max(1, len(texts) // 5)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small repositories, a few seconds")
    parser.add_argument("--write", action="store_true", help="renew the committed digests")
    parser.add_argument("--only", metavar="NAME", help="listings whose names begin so, or match a glob")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the listings below DIR")
    parser.add_argument("--jobs", type=int, default=2, help="threads of each scan; no digest depends on them")
    arguments = parser.parse_args()
    form = QUICK if arguments.quick else FULL
    os.environ.update(COLUMNS="100", LINES="40", TERM="dumb", TZ="UTC")
    for name in ("NO_COLOR", "FORCE_COLOR", "NEARKIN_DEBUG"):
        os.environ.pop(name, None)
    time.tzset()
    keep = arguments.keep.resolve() if arguments.keep else None
    before = Path.cwd()
    folder = tempfile.mkdtemp(prefix="freeze-")
    try:
        os.chdir(folder)
        freezer = Freezer(form, arguments.jobs, arguments.only, keep)
        for name, seconds in freeze(freezer):
            sys.stderr.write(f"{form.name}/{name}: {seconds:.1f} s of CPU\n")
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
    made = {f"{form.name}/{name}": digest for name, digest in freezer.digests.items()}
    for name, digest in sorted(made.items()):
        sys.stdout.write(f"{name} {digest}\n")
    frozen: dict[str, str] = json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}
    if arguments.write:
        others = {name: digest for name, digest in frozen.items() if arguments.only or not name.startswith(form.name)}
        FROZEN.write_text(json.dumps(others | made, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return _compare(frozen, made, form, whole=arguments.only is None)


def _compare(frozen: dict[str, str], made: dict[str, str], form: Form, *, whole: bool) -> int:
    changed = [name for name, digest in sorted(made.items()) if name in frozen and frozen[name] != digest]
    added = sorted(made.keys() - frozen.keys())
    missing = sorted(name for name in frozen.keys() - made.keys() if whole and name.startswith(form.name + "/"))
    for what, names in (("differs", changed), ("is not frozen", added), ("is missing", missing)):
        for name in names:
            sys.stderr.write(f"{name} {what}\n")
    wrong = len(changed) + len(added) + len(missing)
    same = len(made) - len(changed) - len(added)
    sys.stderr.write(f"{same} listings as frozen, {wrong} not\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
