"""`nearkin`: the table of commands, and what becomes of errors.

Commands are imported when they are called, and what they need only when they run: `nearkin --help` must answer before
anyone notices.
"""

import gc
import io
import os
import sys
from importlib import import_module

import click

from nearkin.cli import ReaderLeftError
from nearkin.errors import NearkinError

COMMANDS = {
    "scan": "nearkin.cli.scan:scan",
    "identical": "nearkin.cli.matches:identical",
    "matches": "nearkin.cli.matches:matches",
    "families": "nearkin.cli.families:families",
    "documents": "nearkin.cli.documents:documents",
    "check": "nearkin.cli.check:check",
    "compare": "nearkin.cli.compare:compare",
    "trace": "nearkin.cli.trace:trace",
    "report": "nearkin.cli.report:report",
    "keep": "nearkin.cli.keep:keep",
    "folders": "nearkin.cli.kinship:folders",
    "lineage": "nearkin.cli.kinship:lineage",
    "custodians": "nearkin.cli.kinship:custodians",
    "sign": "nearkin.cli.schemes:sign",
    "schemes": "nearkin.cli.schemes:schemes",
    "verdict": "nearkin.cli.verdict:verdict",
    "template": "nearkin.cli.template:template",
    "audit": "nearkin.cli.audit:audit",
    "store": "nearkin.cli.store:store",
    "demo": "nearkin.cli.demo:demo",
    "selftest": "nearkin.cli.demo:selftest",
}
SUMMARIES = {  # what --help says of each, on one line of 80 columns
    "scan": "Read documents, find copies, versions and parts, group them.",
    "identical": "List groups of identical documents.",
    "matches": "List scored pairs, strongest first.",
    "families": "List families of documents, largest first.",
    "documents": "List what is in the store.",
    "check": "Do we have this already? List what equals or resembles a file.",
    "compare": "Show how much two documents have in common, and which text.",
    "trace": "List every document that contains a passage of a file.",
    "report": "Write a report: workbook, page, table or load file.",
    "keep": "Suggest which document of each family to keep, with proof.",
    "folders": "List folders that hold the same documents.",
    "lineage": "Show which version probably came from which.",
    "custodians": "List who holds copies of a document.",
    "sign": "Show the signature of a document.",
    "schemes": "List the schemes that sign documents, and when to use each.",
    "verdict": "Record lasting decisions about a pair or a family.",
    "template": "Leave boilerplate out of every comparison.",
    "audit": "List who changed what, and when.",
    "store": "Look after the store: contents, integrity, removal.",
    "demo": "Write a sample repository to try nearkin on.",
    "selftest": "Check that nearkin works on this machine as elsewhere.",
}
INTERRUPTED = 130

EPILOG = """\b
Try it:
  nearkin demo sample && nearkin scan sample --exclude truth.json
\b
Shell completion for bash (for zsh, fish: replace "bash"):
  eval "$(_NEARKIN_COMPLETE=bash_source nearkin)"
"""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them: that took a third of the time."""
        with formatter.section("Commands"):
            formatter.write_dl([*SUMMARIES.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest what may have been meant: click does so only for options, and for commands that are imported."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            meant = " or ".join(f"'{command}'" for command in get_close_matches(name, COMMANDS, n=2))
            ctx.fail(f"No such command '{name}'." + (f" Did you mean {meant}?" if meant else ""))
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"nearkin {version('nearkin')}")
        ctx.exit()


@click.group(cls=Commands, epilog=EPILOG, invoke_without_command=True)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find copies, versions, parts and containers among documents, with proof."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: list[str]) -> int:
    """Run a command and return its exit code. Every error becomes one sentence on stderr."""
    try:
        code = cli.main(arguments, prog_name="nearkin", standalone_mode=False)
        sys.stdout.flush()
    except NearkinError as error:
        return _complain(error.sentence, error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _complain(_sentence(error, arguments), 2)
    except (click.Abort, KeyboardInterrupt):
        return _complain("Interrupted.", INTERRUPTED)
    except (ReaderLeftError, BrokenPipeError):
        return _reader_left()
    except MemoryError:
        return _complain("Not enough memory; try a smaller --memory, fewer --jobs or a smaller --max-size.", 5)
    except OSError as error:
        what = "read or write" + (f" {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else "")
        return _complain(f"Cannot {what}: {(error.strerror or str(error)).lower()}.", 3)
    except Exception as error:
        if os.environ.get("NEARKIN_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return _complain(f"Unexpected error: {what} (set NEARKIN_DEBUG=1 for details).", NearkinError.exit_code)
    return code if isinstance(code, int) else 0


def _sentence(error: click.ClickException, arguments: list[str]) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (see: {_command_of(arguments)} --help)."


def _command_of(arguments: list[str]) -> str:
    """The command that was called. Click does not name it where an option lacks its argument; commands come first on
    the line."""
    path = "nearkin"
    group: click.Group = cli
    for argument in arguments:
        command = group.get_command(click.Context(group), argument)
        if command is None:
            break
        path = f"{path} {argument}"
        if not isinstance(command, click.Group):
            break
        group = command
    return path


def _complain(message: str, code: int) -> int:
    from nearkin.cli.wording import complain  # here: `nearkin --help` needs none of it

    complain(message)
    return code


def _reader_left() -> int:
    """End well: `nearkin matches | head` has all it wanted. Python must not find the pipe broken when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run() -> None:
    # Otherwise Python looks for garbage 37 times while a scan is imported, for 5 ms: modules are none. What a command
    # makes is mostly in arrays, so that there is little garbage later.
    gc.set_threshold(100_000)
    # NumPy would start a thread for each processor, which spin: 40 ms of CPU for matrix products that nobody needs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that knows no "…" must not end a report with a traceback.
            stream.reconfigure(errors="backslashreplace")
    code = main(sys.argv[1:])
    gc.freeze()  # otherwise Python looks through all objects before it ends: a tenth of the time of a short command
    sys.exit(code)
