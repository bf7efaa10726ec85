"""Stores as earlier versions of nearkin left them, for the tests of what becomes of them.

version_2.sql was written by that version's own scans of `files`: a whole one, one after `gone.txt` had gone, and one
that was killed when it had read `later.txt` and `other.txt` anew and not yet matched. Version 1 had the same rows in
tables of its own, version_1.sql.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from nearkin.store.schema import APPLICATION_ID
from oracle.prose import prose

HERE = Path(__file__).parent
VERSIONS = (1, 2)


def files(folder: Path) -> Path:
    """What the last scan met there."""
    folder.mkdir()
    first, second = prose(1, 900), prose(2, 1500)
    for name, content in {
        "first.txt": first,
        "first again.txt": first[:400] + b" altered here " + first[400:],
        "copy.txt": first,
        "page.html": b"<p>" + first + b"</p>",
        "part.txt": second,
        "whole.txt": second + prose(3, 1600),
        "other.txt": prose(9, 700) + b" changed",
        "later.txt": prose(10, 700),
        "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0",
        "empty": b"",
    }.items():
        (folder / name).write_bytes(content)
    return folder


def store_of(version: int, path: Path, folder: Path) -> Path:
    """A store of that version at the path, with the folder as it was then."""
    script = (HERE / "version_2.sql").read_text(encoding="utf-8")
    if version == 1:
        rows = [line for line in script.split(";\n") if line.startswith("INSERT")]
        script = (HERE / "version_1.sql").read_text(encoding="utf-8") + ";\n".join([*rows, ""])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 8192")
        connection.executescript(script)
        connection.execute("UPDATE scope SET root = ?", (os.fsencode(folder.resolve()),))
        for (name,) in connection.execute("SELECT path FROM document WHERE gone IS NULL").fetchall():
            stat = (folder / os.fsdecode(name)).stat()
            connection.execute(
                "UPDATE document SET mtime_ns = ?, inode = ? WHERE path = ?", (stat.st_mtime_ns, stat.st_ino, name)
            )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
        connection.execute("PRAGMA journal_mode = WAL")
    return path
