"""Options that commands share."""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from nearkin.errors import StoreError, UsageError
from nearkin.settings import IGNORABLE

DEFAULT_STORE = "nearkin.db"
FORMATS = ("table", "json", "jsonl", "csv")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

# That a file cannot be read is no wrong usage: it is found out, and said, when it is opened.
FILE = click.Path(path_type=Path, readable=False)
NAME = click.Path(readable=False)
NAME_OR_DASH = click.Path(readable=False, allow_dash=True)

Command = Callable[..., Any]


class Share(click.ParamType[float]):
    """Between 0 and 1; not NaN, which click lets through because it is neither below the one nor above the other."""

    name = "share"

    def __init__(self, *, above_zero: bool = False) -> None:
        self._above_zero = above_zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            share = float(value)
        except ValueError:
            share = -1.0
        if 0.0 <= share <= 1.0 and (share > 0.0 or not self._above_zero):
            return share
        option = param.opts[0] if param is not None else "A share"
        bounds = "greater than 0 and at most 1" if self._above_zero else "between 0 and 1"
        raise UsageError(f"{option} must be {bounds}, not {value}.")


def store_option(store: Path) -> str:
    """For a command that someone may type next."""
    return "" if store == Path(DEFAULT_STORE) else f" --store {shlex.quote(str(store))}"


def _store(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    try:
        path.exists()
    except OSError as error:  # as in a folder that may not be looked into
        if str(path) != DEFAULT_STORE:
            why = (error.strerror or str(error)).lower()
            raise StoreError(f"Cannot open the store {path}: {why}; name another with --store.") from error
    return followed(path)


def common(command: Command) -> Command:
    """--store, --format and --quiet: every command has them."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Print results only: no progress, no notes."),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            help="Output format.  [default: table on a terminal, jsonl into a pipe]",
        ),
        click.option(
            "--store",
            type=FILE,
            callback=_store,
            default=DEFAULT_STORE,
            show_default=True,
            metavar="FILE",
            help="The store: nearkin's database file.",
        ),
    ):
        command = option(command)
    return command


def limited(what: str) -> Callable[[Command], Command]:
    """--limit, which lists only so many."""
    return click.option("--limit", type=click.IntRange(1), metavar="N", help=f"Show only the {what}.")


def followed(path: Path) -> Path:
    """What stands beside a store stands beside the file itself, not beside a link to it."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114  it fails where a folder is shut


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
            raise click.BadParameter(f"{name!r} cannot be ignored; choose from: {', '.join(IGNORABLE)}.")
    return names


def text_options(command: Command) -> Command:
    """How texts are made canonical."""
    command = click.option(
        "--ignore",
        type=ignored,
        metavar="LIST",
        help="Differences to ignore: any of case,punctuation,digits,accents.  [default: case,punctuation]",
    )(command)
    return click.option("--raw", is_flag=True, help="Compare the bytes as they are; extract no text.")(command)
