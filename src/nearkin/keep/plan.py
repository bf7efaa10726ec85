"""The plan: one row a document, to be read and edited by people before anything is done.

`action` says what may become of a document:

    keep          nothing
    replace       its bytes are those of `kept`; it may become a link to it, or be quarantined
    quarantine    it may be moved to the quarantine, and nothing else
    none          nothing; a person may write `quarantine` instead

Paths are the names' own bytes in CSV, and as Python names files in JSON. The same store gives the same plan as long as
its files are there.
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from nearkin.errors import InputError, UsageError
from nearkin.read.walk import explain
from nearkin.report.export import written_beside

FORMAT = "nearkin keep plan 1"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
PATHS = ("path", "root", "kept_path", "kept_root")
NUMBERS = ("size", "characters", "missing", "residue", "respaced")


class Act(StrEnum):
    """What may become of a document."""

    KEEP = "keep"
    REPLACE = "replace"
    QUARANTINE = "quarantine"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One document of a plan, and the document that is kept instead of it."""

    group: str  # the family's id, or `bytes:` and the digest of files without text
    kind: str
    action: Act
    path: str  # relative to the scope's root
    scope: str
    root: str
    size: int
    sha256: str  # of the bytes
    tier: str  # kept, bytes, text, words, near: what it has in common with the kept one
    kept_path: str
    kept_scope: str
    kept_root: str
    kept_sha256: str
    characters: int | None  # of its extracted text; None: it has none, or its text was not stored
    contained: float | None  # share of them that are in the kept one, in runs of 20 bytes and more
    missing: int | None  # characters that are not
    residue: int | None  # characters that are in no other text of the family, however spaced
    passages: list[dict[str, Any]]  # the residue: start, end, text
    why: str
    respaced: int | None = None  # missing characters that are in the kept one but for spacing and Unicode forms

    @property
    def kept(self) -> tuple[str, str]:
        return self.kept_root, self.kept_path

    @property
    def record(self) -> dict[str, Any]:
        """The row as JSON has it. dataclasses.asdict would copy every passage."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = [field.name for field in fields(PlanRow)]
LATER = ("respaced",)  # columns that older plans lack


def write_plan(rows: Sequence[PlanRow], path: Path) -> None:
    """Write CSV or JSON, by the ending of the path, completely or not at all. An existing file is not overwritten: a
    plan may have been edited."""
    data = _encoded(rows, path).encode("utf-8", "surrogateescape")
    with written_beside(path) as part:
        part.write_bytes(data)
        if os.path.lexists(path):
            raise UsageError(f"There is a file {path} already; choose another name for the plan.")


def _encoded(rows: Sequence[PlanRow], path: Path) -> str:
    if path.suffix == ".json":
        lines = ",\n".join(json.dumps(row.record) for row in rows)
        return f'{{"format": "{FORMAT}", "rows": [\n{lines}\n]}}\n'
    if path.suffix != ".csv":
        raise UsageError(f"A plan is a .csv or a .json file, not {path.name}.")
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(name, getattr(row, name)) for name in COLUMNS])
    return buffer.getvalue()


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    text = json.dumps(value) if isinstance(value, list) else str(value)
    if text.startswith(FORMULA):
        return f"./{text}" if name in PATHS else f"'{text}"
    return text


def read_plan(path: Path) -> list[PlanRow]:
    """Read a plan as it was written, or edited since. Refuse what nearkin would never plan."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {explain(error)}.") from error
    try:
        rows = list(_decoded(data, path))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error) as error:
        why = str(error) if type(error) is ValueError else "it was cut off or changed"
        raise InputError(f"{path} is no plan that `nearkin keep --plan` wrote: {why}.") from error
    _refuse_unsound(rows, path)
    return rows


def _decoded(data: bytes, path: Path) -> Iterable[PlanRow]:
    if path.suffix == ".json":
        tree = json.loads(data)
        if not isinstance(tree, dict) or not isinstance(tree.get("rows"), list):
            raise ValueError("it has no rows")
        if tree.get("format") != FORMAT:
            raise ValueError(f"its format is {tree.get('format')!r}, not {FORMAT!r}")
        for number, record in enumerate(tree["rows"], 1):
            if missing := [name for name in COLUMNS if name not in record and name not in LATER]:
                raise ValueError(f"row {number:,} has no {missing[0]}")
            row = PlanRow(**{name: record[name] for name in COLUMNS if name in record})
            yield replace(row, action=_act(row.action, number))
        return
    csv.field_size_limit(max(csv.field_size_limit(), len(data) + 1))  # the residue of many passages is one field
    text = io.StringIO(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"), newline="")
    head = text.readline()
    text.seek(0)
    # In half of the world spreadsheets write semicolons.
    reader = csv.DictReader(text, delimiter=";" if head.count(";") > head.count(",") else ",", strict=True)
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or []) and name not in LATER]:
        raise ValueError(f"it has no column {missing[0]}")
    for number, record in enumerate(reader, 1):
        values: dict[str, Any] = {name: record.get(name) or "" for name in COLUMNS}
        values |= {name: _number(values[name], name, number) for name in NUMBERS}
        values |= {name: values[name].removeprefix("./") for name in PATHS}
        values["contained"] = _number(values["contained"], "contained", number, float)
        values["passages"] = json.loads(values["passages"].removeprefix("'") or "[]")
        values["action"] = _act(values["action"], number)
        yield PlanRow(**values)


def _act(value: str, row: int) -> Act:
    try:
        return Act(value)
    except ValueError:
        raise ValueError(f"row {row:,} says {value!r}; an action is one of {', '.join(Act)}") from None


def _number(value: str, name: str, row: int, of: "type[int] | type[float]" = int) -> float | None:
    try:
        return of(value) if value else None
    except ValueError:
        raise ValueError(f"row {row:,}: {name} is {value!r}, which is no number") from None


def _refuse_unsound(rows: Sequence[PlanRow], path: Path) -> None:
    """Refuse an edited plan that would do what nearkin never plans."""
    going = {(row.root, row.path) for row in rows if row.action in (Act.REPLACE, Act.QUARANTINE)}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if row.action is Act.REPLACE and (row.sha256 != row.kept_sha256 or not row.sha256):
            raise UsageError(f"{path}: {row.path} is not of the bytes of {row.kept_path}, so it cannot be replaced.")
        if row.action in (Act.REPLACE, Act.QUARANTINE):
            if row.kept in going:
                raise UsageError(f"{path}: {row.kept_path} is kept instead of {row.path}, and yet it should go itself.")
            if (row.root, row.path) in seen:
                raise UsageError(f"{path} names {row.path} twice.")
            seen.add((row.root, row.path))
            for name, root in ((row.path, row.root), (row.kept_path, row.kept_root)):
                if not is_inside(name) or not os.path.isabs(root):  # noqa: PTH117  roots need not be UTF-8
                    raise UsageError(f"{path}: {name} does not lie below its scope's root {root!r}.")


def is_inside(path: str) -> bool:
    """Whether a relative path cannot leave its root, and is neither in a container nor a row of a table."""
    return bool(path) and all(part not in ("", ".", "..") for part in path.split("/")) and "!/" not in path
