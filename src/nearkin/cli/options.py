"""Options that commands share."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from nearkin.settings import IGNORABLE

FORMATS = ("table", "json", "jsonl", "csv")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

Command = Callable[..., Any]


def store_option(store: Path) -> str:
    """For a command that someone may type next."""
    return "" if store == Path("nearkin.db") else f" --store {shlex.quote(str(store))}"


def common(command: Command) -> Command:
    """--store, --format and --quiet: every command has them."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Nothing but results: no progress, no notes."),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            help="How to print; table on a terminal, jsonl into a pipe.",
        ),
        click.option(
            "--store",
            type=click.Path(path_type=Path, readable=False),  # one that is not is no wrong usage
            callback=lambda _context, _option, path: followed(path),
            default="nearkin.db",
            show_default=True,
            metavar="FILE",
            help="Where nearkin keeps what it knows.",
        ),
    ):
        command = option(command)
    return command


def limited(what: str) -> Callable[[Command], Command]:
    """--limit, which lists only so many."""
    return click.option("--limit", type=click.IntRange(1), metavar="N", help=f"Only the {what}.")


def followed(path: Path) -> Path:
    """What stands beside a store stands beside the file itself, not beside a link to it."""
    return path.resolve() if path.is_symlink() else path


def size_of(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise click.BadParameter(f"{text!r} is not a size like 512M or 2G.")
    return int(float(found[1]) * UNITS[found[2].upper()])


def ignored(text: str) -> tuple[str, ...]:
    """case,punctuation: a list in one word; nothing is ignored with an empty one."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in IGNORABLE:
            raise click.BadParameter(f"{name!r} cannot be ignored; known are: {', '.join(IGNORABLE)}.")
    return names


def text_options(command: Command) -> Command:
    """How texts are made canonical."""
    command = click.option(
        "--ignore",
        type=ignored,
        metavar="LIST",
        help="What to ignore in texts, of case,punctuation,digits,accents.  [default: case,punctuation]",
    )(command)
    return click.option("--raw", is_flag=True, help="Take bytes as they are.")(command)
