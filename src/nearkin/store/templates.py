"""Templates: boilerplate that is left out of every comparison (Forman 2005 §4), as canonical passages.

From passages the features of any scheme can be made; those made are kept beside them. A template of a store without
texts has the features of one scheme only, and no passages.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.store.audit import now, record
from nearkin.store.compression import pack_all, unpack

Features = NDArray[np.uint64]


@dataclass(frozen=True)
class Template:
    id: int
    name: str
    source: str  # family, file, text or suggestion
    tolerance: float | None
    canon: str  # how its passages were made canonical
    passages: tuple[bytes, ...]
    by: str
    note: str | None
    at: str


def all_templates(connection: sqlite3.Connection) -> list[Template]:
    """In the order in which they were added."""
    rows = connection.execute(
        """SELECT template.id, name, source, tolerance, spec, passages, by, note, at
           FROM template JOIN canon ON canon.id = template.canon ORDER BY template.id"""
    )
    return [
        Template(number, name, source, tolerance, canon, _passages(blob), by, note, at)
        for number, name, source, tolerance, canon, blob, by, note, at in rows
    ]


def add_template(
    connection: sqlite3.Connection,
    *,
    name: str,
    source: str,
    tolerance: float | None,
    canon: int,
    passages: Sequence[bytes],
    by: str,
    note: str | None,
) -> int:
    # Passages end between characters or not: surrogate escapes hold any bytes.
    texts = json.dumps([passage.decode("utf-8", "surrogateescape") for passage in passages])
    cursor = connection.execute(
        "INSERT INTO template (name, source, tolerance, canon, passages, by, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (name, source, tolerance, canon, pack_all([texts.encode()])[0], by, note, now()),
    )
    about = {"source": source, "tolerance": tolerance, "bytes": sum(map(len, passages)), "note": note}
    record(connection, by=by, action="template add", subject=name, after=about)
    return int(cursor.lastrowid or 0)


def remove_template(connection: sqlite3.Connection, template: Template, *, by: str) -> None:
    connection.execute("DELETE FROM template_features WHERE template = ?", (template.id,))
    connection.execute("DELETE FROM template WHERE id = ?", (template.id,))
    # What it was can be had again from the audit.
    passages = [passage.decode("utf-8", "surrogateescape") for passage in template.passages]
    before = {"source": template.source, "by": template.by, "note": template.note, "at": template.at}
    record(connection, by=by, action="template remove", subject=template.name, before={**before, "passages": passages})


def stored_features(connection: sqlite3.Connection, scheme: int) -> dict[int, Features]:
    """Of the templates for which they were made."""
    rows = connection.execute("SELECT template, features FROM template_features WHERE scheme = ?", (scheme,))
    return {template: np.frombuffer(blob, "<u8").astype(np.uint64) for template, blob in rows}


def store_features(connection: sqlite3.Connection, template: int, scheme: int, features: Features) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO template_features (template, scheme, features) VALUES (?, ?, ?)",
        (template, scheme, features.astype("<u8").tobytes()),
    )


def _passages(blob: bytes) -> tuple[bytes, ...]:
    return tuple(text.encode("utf-8", "surrogateescape") for text in json.loads(unpack(blob)))


def template_ids(connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(number for (number,) in connection.execute("SELECT id FROM template ORDER BY id"))
