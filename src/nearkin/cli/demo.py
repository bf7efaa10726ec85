"""`demo`: a sample repository to try nearkin on; `selftest`: whether nearkin works here as elsewhere."""

import shlex
from functools import partial
from pathlib import Path

import click

from nearkin.cli.options import FILE, chosen, common, emit, emit_one
from nearkin.cli.wording import fold
from nearkin.errors import EngineError, InputError
from nearkin.wording import count, safe


@click.command(epilog="Example: nearkin demo sample && nearkin scan sample --exclude truth.json")
@click.argument("folder", type=FILE, metavar="DIR")
@common
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    metavar="N",
    default=600,
    show_default=True,
    help="Number of documents to write.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=1,
    show_default=True,
    help="Each seed gives another sample.",
)
def demo(folder: Path, store: Path, form: str | None, quiet: bool, documents: int, seed: int) -> None:
    """Write a sample repository to try nearkin on.

    It has copies, versions, parts, forms and unrelated documents in several languages and encodings. truth.json lists
    how they are related.
    """
    from nearkin.cli.progress import progress
    from nearkin.sample.repository import TRUTH, write_sample

    try:
        with progress("write", quiet=quiet) as report:
            follow = partial(report, "write") if report else lambda _done, _of: None
            truth = write_sample(folder, documents=documents, seed=seed, progress=follow)
    except FileExistsError as error:
        raise InputError(f"{folder} is not an empty folder; name a new or empty one.") from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        left = "; it has only a part of the sample, so remove it" if _has_something(folder) else ""
        raise InputError(f"Cannot write to {folder}: {why}{left}.") from error
    form = chosen(form)
    if form != "table":
        emit_one({"documents": truth.documents, "seed": seed, "path": str(folder)}, form, paths=frozenset({"path"}))
    elif not quiet:
        from nearkin.cli.screen import Screen

        screen = Screen()
        written = count(truth.documents, "documents")
        where = safe(str(folder)).rstrip("/")
        screen.folded(f"Wrote {written} to {where}; {where}/{TRUTH} lists how they are related.")
        screen.command("Next", f"nearkin scan {shlex.quote(safe(str(folder)))} --exclude {TRUTH}")


def _has_something(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:  # it could not be made, or is no folder
        return False


STYLES = {"ok": "green", "note": "yellow", "failed": "bold red"}


@click.command(epilog="Example: nearkin selftest --store shared/nearkin.db")
@common
def selftest(store: Path, form: str | None, quiet: bool) -> None:
    """Check that nearkin gives the same results on this machine as everywhere else.

    Every scheme signs a few hundred generated texts and must produce known digests. A small store is created in the
    folder of --store, read back and removed. Exit code 5 if anything failed.
    """
    from nearkin.api.selftest import Check, Status
    from nearkin.api.selftest import selftest as run

    checks: list[Check] = []
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        screen = Screen()
        for check in run(store.absolute().parent):
            checks.append(check)
            if not quiet or check.status is Status.FAILED:
                room = screen.width - 10 - len(check.name)
                detail, *more = fold(safe(check.detail), room, screen.width - 8)
                screen.line((f"{check.status:<6}", STYLES[check.status]), f"  {check.name}  ", (detail, "dim"))
                for line in more:
                    screen.line((f"{'':<8}{line}", "dim"))
        if not quiet:
            screen.line(f"{count(len(checks), 'checks')} made")
    else:
        checks = list(run(store.absolute().parent))
        records = ({"check": check.name, "status": str(check.status), "detail": check.detail} for check in checks)
        emit(records, form, columns=["check", "status", "detail"])
    failed = [check.name for check in checks if check.status is Status.FAILED]
    if failed:
        raise EngineError(f"{len(failed)} of {len(checks)} checks failed: {', '.join(failed)}; see above.")
