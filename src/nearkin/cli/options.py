"""Options that commands share, and results in the format asked for.

JSON is ASCII, so that names which are not UTF-8 survive as lone surrogates. CSV holds the names' own bytes, but on a
terminal they are escaped: a name must not steer it. No cell of CSV is a formula to a spreadsheet.
"""

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nearkin.cli import ReaderLeftError
from nearkin.errors import StoreError, UsageError
from nearkin.settings import IGNORABLE
from nearkin.wording import cell, safe

if TYPE_CHECKING:
    from nearkin.api.listing import Listing

DEFAULT_STORE = "nearkin.db"
FORMATS = ("table", "json", "jsonl", "csv")
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

# A file that cannot be read is no wrong usage: it is refused when it is opened.
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
    """The option that names the store in a command that someone may type next."""
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
    """--limit: list only so many."""
    return click.option("--limit", type=click.IntRange(1), metavar="N", help=f"Show only the {what}.")


def followed(path: Path) -> Path:
    """The store that a link leads to: what stands beside a store stands beside the file itself."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114  it fails where a folder is shut


def size_of(text: str) -> int:
    """A size such as 512M or 2G, in bytes."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    if parts is None:
        raise click.BadParameter(f"{text!r} is not a size like 512M or 2G.")
    return int(float(parts[1]) * UNITS[parts[2].upper()])


def ignored(text: str) -> tuple[str, ...]:
    """Differences to ignore, as a list in one word: case,punctuation. An empty one ignores none."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in IGNORABLE:
            raise click.BadParameter(f"{name!r} cannot be ignored; choose from: {', '.join(IGNORABLE)}.")
    return names


def text_options(command: Command) -> Command:
    """--raw and --ignore: how texts are made canonical."""
    command = click.option(
        "--ignore",
        type=ignored,
        metavar="LIST",
        help="Differences to ignore: any of case,punctuation,digits,accents.  [default: case,punctuation]",
    )(command)
    return click.option("--raw", is_flag=True, help="Compare the bytes as they are; extract no text.")(command)


Record = dict[str, Any]


def chosen(form: str | None) -> str:
    """The format asked for, or the one that suits where the output goes."""
    return form or ("table" if sys.stdout.isatty() else "jsonl")


def emit(
    records: Iterable[Record],
    form: str,
    *,
    columns: list[str],
    rows: Callable[[Record], Iterable[Record]] = lambda record: [record],
    paths: frozenset[str] = frozenset(),
) -> None:
    """Print many records. `rows` says which rows of CSV a record makes, `paths` which columns name files."""
    match form:
        case "json":
            before = "[\n"
            for record in records:
                _write(before + json.dumps(record))
                before = ",\n"
            _write("[]\n" if before == "[\n" else "\n]\n")
        case "jsonl":
            for record in records:
                _write(json.dumps(record) + "\n")
        case "csv":
            _write_csv((row for record in records for row in rows(record)), columns, paths)


Item = TypeVar("Item")


def emit_listing(listing: "Listing[Item]", items: Iterable[Item], form: str) -> None:
    """Print items of a listing: all, or the first."""
    records = listing.records(items)
    emit(records, form, columns=listing.columns, rows=listing.to_rows, paths=listing.path_columns)


def emit_one(record: Record, form: str, *, paths: frozenset[str] = frozenset()) -> None:
    """Print one record; as JSON on several lines."""
    if form == "json":
        _write(json.dumps(record, indent=2) + "\n")
    else:
        emit([record], form, columns=list(record), paths=paths)


def write_lines(lines: Iterable[str]) -> None:
    """Plain lines as they come; a screen that looks for colours in each takes a quarter of a millisecond a line."""
    for line in lines:
        _write(line + "\n")


def _write_csv(rows: Iterable[Record], columns: list[str], paths: frozenset[str]) -> None:
    import csv

    shown = _escaped if sys.stdout.isatty() else str
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([shown(cell(row.get(column), is_path=column in paths)) for column in columns])
        if buffer.tell() > 1 << 16:
            _write(buffer.getvalue())
            buffer.seek(0)
            buffer.truncate()
    _write(buffer.getvalue())


def _escaped(text: str) -> str:
    return safe(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def _write(text: str) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    except BrokenPipeError as error:
        raise ReaderLeftError from error
