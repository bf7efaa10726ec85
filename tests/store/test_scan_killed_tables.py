"""A scan of tables killed at any moment: the next one ends as if nothing had been."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nearkin.api.store import Store
from nearkin.engine import tables
from nearkin.engine.threads import in_order
from nearkin.store.batch import DocumentBatch
from nearkin.store.document_writer import Writer
from oracle.prose import prose
from store.world import is_sound, listings, rows

SCAN = """
import os, sys
from pathlib import Path
from nearkin.api.store import Store
from nearkin.read import json_lines, table
from nearkin.store import document_writer as writer

table.ROWS_AT_ONCE = writer.TRANSACTION_FILES = 8  # many transactions to be killed between
left = int(sys.argv[3])


def tell(stage, *_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)


Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=2, progress=tell, text_column="text", id_column="id")
"""


def write(folder: Path, dice: random.Random) -> None:
    """Two tables, some of whose rows are always the same, some never, some come and go."""
    folder.mkdir(exist_ok=True)
    for name in ("a", "b"):
        kept = [{"id": f"kept {i}", "text": prose(i, 300).decode()} for i in range(40)]
        changed = [{"id": f"changed {i}", "text": prose(dice.randrange(10**6), 300).decode()} for i in range(20)]
        other = [{"id": f"other {dice.random()}", "text": prose(i, 200).decode()} for i in range(20)]
        lines = [json.dumps(row) for row in [*kept, *changed, *other]]
        dice.shuffle(lines)
        (folder / f"{name}.jsonl").write_text("\n".join(lines))


def scan(store: Store, folder: Path) -> None:
    store.scan(folder, text_column="text", id_column="id")


@pytest.mark.parametrize("seed", range(2))
def test_the_next_scan_ends_as_if_nothing_had_been(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    write(folder, dice)
    scan(store, folder)
    before = listings(store)
    for kills in range(2):
        write(folder, dice)
        command = [sys.executable, "-c", SCAN, str(store.path), str(folder), str(dice.randint(1, 21))]
        assert subprocess.run(command, check=False).returncode == -9
        assert listings(store) == before, kills  # others see what the last finished run left
    scan(store, folder)
    fresh = Store(tmp_path / "fresh.db")
    scan(fresh, folder)
    assert listings(store) == listings(fresh)
    assert is_sound(store)
    assert rows(store, "SELECT count(*) FROM document WHERE seen NOT IN (SELECT id FROM run WHERE state = 'done')") == [
        (0,)
    ]
    orphans = """SELECT count(*) FROM document r JOIN document t ON t.id = r.parent
                 WHERE r.gone IS NULL AND t.gone IS NOT NULL"""
    assert rows(store, orphans) == [(0,)]


def test_a_table_read_to_its_end_is_not_read_again(tmp_path: Path) -> None:
    dice = random.Random(9)
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    write(folder, dice)
    scan(store, folder)
    write(folder, dice)
    # Killed in the second table: 80 rows, 8 at a time, and one more for the first to be committed.
    command = [sys.executable, "-c", SCAN, str(store.path), str(folder), "18"]
    assert subprocess.run(command, check=False).returncode == -9
    read: list[int] = []

    def tell(stage: str, documents: int, _bytes: int) -> None:
        if stage == "read":
            read.append(documents)

    store.scan(folder, text_column="text", id_column="id", progress=tell)
    assert max(read) == 80
    fresh = Store(tmp_path / "fresh.db")
    scan(fresh, folder)
    assert listings(store) == listings(fresh)
    assert is_sound(store)


def test_a_table_that_is_removed_while_it_is_read_costs_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    write(folder, random.Random(1))
    (folder / "c.txt").write_bytes(prose(5, 300))

    def removing(*given: Any, **options: Any) -> Iterator[DocumentBatch]:
        for batch in in_order(*given, **options):
            (folder / "a.jsonl").unlink(missing_ok=True)
            yield batch

    monkeypatch.setattr(tables, "in_order", removing)
    scan(store, folder)
    (failed,) = store.documents(failed=True).to_pylist()
    assert (failed["path"], failed["reason"]) == ("a.jsonl", "unreadable")
    assert failed["detail"] == "no such file or directory; 80 rows were read"
    assert store.documents().num_rows == 80 + 80 + 1 + 1


def test_a_table_that_was_only_touched_before_the_scan_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks unchanged to the next scan; so must its rows."""
    folder, store, fresh = tmp_path / "docs", Store(tmp_path / "kin.db"), Store(tmp_path / "fresh.db")
    write(folder, random.Random(1))
    scan(store, folder)
    os.utime(folder / "a.jsonl", (10**9, 10**9))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            scan(store, folder)
    scan(store, folder)
    scan(fresh, folder)
    assert listings(store) == listings(fresh)
