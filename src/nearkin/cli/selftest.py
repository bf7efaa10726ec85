"""`selftest`: is this machine's nearkin the same as everybody's?"""

from pathlib import Path

import click

from nearkin.cli.options import common
from nearkin.cli.output import chosen, emit
from nearkin.errors import EngineError

STYLES = {"ok": "green", "note": "yellow", "failed": "bold red"}


@click.command(epilog="Example: nearkin selftest --store shared/nearkin.db")
@common
def selftest(store: Path, form: str | None, quiet: bool) -> None:
    """Check that nearkin gives the same results on this machine as everywhere else.

    Every scheme signs a few hundred generated texts and must produce known digests. A small store is created in the
    folder of --store, read back and removed. Exit code 5 if anything failed.
    """
    from nearkin.selftest import Check, Status
    from nearkin.selftest import selftest as run

    checks: list[Check] = []
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen
        from nearkin.cli.wording import count, fold, safe

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
        records = ({"check": one.name, "status": str(one.status), "detail": one.detail} for one in checks)
        emit(records, form, columns=["check", "status", "detail"])
    failed = [check.name for check in checks if check.status is Status.FAILED]
    if failed:
        raise EngineError(f"{len(failed)} of {len(checks)} checks failed: {', '.join(failed)}; see above.")
