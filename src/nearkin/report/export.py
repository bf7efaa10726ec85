"""Reports, by the ending of their file's name; each is written whole, or not at all."""

import json
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import InputError, UsageError
from nearkin.query.totals import Totals
from nearkin.report.beside import written_beside
from nearkin.report.snapshot import Snapshot, snapshot

FLAT = (".csv", ".jsonl", ".parquet")
ENDINGS = (".xlsx", ".html", *FLAT, ".dat")
TABLE_NAMES = ("documents", "matches", "families", "identical", "failed")
DEFAULT_TABLE = "matches"


@dataclass(frozen=True)
class Written:
    path: Path
    table: str | None  # of flat ones
    rows: int  # records of a flat one, documents of a load file; otherwise all that is listed
    totals: Totals


def refuse_unknown(path: Path, *, table: str | None, links: bool) -> None:
    """Before anything is done: an ending that nobody knows, a table where there is none, a folder that is not there."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f'Do not know how to write "{path}"; a report ends with {", ".join(ENDINGS)}.')
    if table is not None and ending not in FLAT:
        raise UsageError(f"A {ending} report has all tables; --table goes with {', '.join(FLAT)}.")
    if table is not None and table not in TABLE_NAMES:
        raise UsageError(f"There is no table {table!r}; known are: {', '.join(TABLE_NAMES)}.")
    if links and ending not in (".xlsx", ".html"):
        raise UsageError("Links to files go with .xlsx and .html only; leave out --links.")
    if not path.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}.")


def write_report(store: Path, path: Path, *, table: str | None = None, links: bool = False) -> Written:
    refuse_unknown(path, table=table, links=links)
    from nearkin.query.totals import count_all

    with snapshot(store) as taken, written_beside(path) as part:
        totals = count_all(taken)
        rows = _write(taken, totals, part, path, table or DEFAULT_TABLE, links=links)
    flat = path.suffix.lower() in FLAT
    return Written(path, (table or DEFAULT_TABLE) if flat else None, rows, totals)


def _write(taken: Snapshot, totals: Totals, part: Path, path: Path, table: str, *, links: bool) -> int:
    from nearkin.report.about import about
    from nearkin.report.flat import write_csv, write_json_lines, write_parquet

    told = about(taken, totals)
    match path.suffix.lower():
        case ".xlsx":
            from nearkin.report.workbook import write_workbook

            return write_workbook(taken, totals, told, part, links=links)
        case ".html":
            from nearkin.report.page import write_page

            return write_page(taken, totals, told, part, links=links)
        case ".parquet":
            return write_parquet(taken, table, part, told | {"table": table})
        case ".dat":
            from nearkin.report.concordance import write_concordance

            rows = write_concordance(taken, part)
            told |= {"table": "load file"}
        case ending:
            rows = (write_csv if ending == ".csv" else write_json_lines)(taken, table, part)
            told |= {"table": table}
    with written_beside(path.with_name(f"{path.name}.about.json")) as beside:
        beside.write_text(json.dumps(told | {"rows": rows}, indent=2) + "\n", encoding="ascii")
    return rows
