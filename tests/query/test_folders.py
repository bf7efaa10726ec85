"""Folders that hold the same, as a store is asked."""

import json
from contextlib import closing
from pathlib import Path

import nearkin
from nearkin.query.kinship import list_folders
from nearkin.store.database import connect
from similar_texts import prose


def test_documents_are_not_looked_up_in_every_family(tmp_path: Path) -> None:
    """Of 20,000 families it took three minutes: SQLite tried them all for each document."""
    table, store = tmp_path / "table.jsonl", tmp_path / "store.db"
    rows = [prose(row // 2, 40) for row in range(800)]
    table.write_text("".join(json.dumps({"text": text}) + "\n" for text in rows), encoding="utf-8")
    assert nearkin.Store.open(store).scan(table, text_column="text").families == 400
    with closing(connect(store)) as connection:
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        connection.set_progress_handler(count, 1000)
        assert list_folders(connection) == []
    assert steps < 200
