"""Tables with bits turned or cut short: read as far as they go, and the rest is told; no library ends the scan."""

import io
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.table_files import ROWS, WRITERS
from formats.memory_growth import Grown
from formats.test_hostile_files import mutated
from nearkin.api.store import Store
from nearkin.errors import UsageError
from nearkin.read.parquet import parquet_count
from nearkin.read.table import BrokenTableError, Columns, table_kind
from nearkin.read.table_reader import read_rows, refuse_unsuitable
from store.world import is_sound, listings, rows

SHORT = [{"id": str(number), "text": f"words {number % 5}"} for number in range(8)]
WRITTEN: list[dict[str, object]] = [
    {"compression": "none", "use_dictionary": False, "row_group_size": 3},
    {"compression": "zstd"},
    {"compression": "snappy", "data_page_version": "2.0"},
]


def parquet(how: dict[str, object]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(SHORT), out, **how)
    return out.getvalue()


def read(path: Path) -> str:
    """What comes of it, in a word."""
    place, columns = os.fsencode(path), Columns("text", "id")
    kind = table_kind(place)
    assert kind is not None
    try:
        refuse_unsuitable(place, kind, columns)
        parquet_count(place)
        for _ in read_rows(place, kind, columns, longest=1 << 20):
            pass
    except (BrokenTableError, UsageError) as error:
        return type(error).__name__
    return "read"


def every_bit(tmp_path: Path, how: dict[str, object], step: int) -> set[str]:
    whole, path = parquet(how), tmp_path / "a.parquet"
    found = set()
    for bit in range(step // 2, 8 * len(whole), step):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        found.add(read(path))
    return found


def test_a_bit_of_a_parquet_file_is_wrong(tmp_path: Path) -> None:
    """Of 9,224 bits 26 ended the process, where PyArrow was asked how large a column is; four of them are tried."""
    assert every_bit(tmp_path, WRITTEN[0], step=20) == {"read", "BrokenTableError", "UsageError"}


@pytest.mark.soak
@pytest.mark.parametrize("how", WRITTEN)
def test_any_bit_of_a_parquet_file_is_wrong(how: dict[str, object], tmp_path: Path) -> None:
    assert every_bit(tmp_path, how, step=1) == {"read", "BrokenTableError", "UsageError"}


def test_an_id_that_is_no_text_is_a_name_all_the_same(tmp_path: Path) -> None:
    odd = pa.array([b"\xff\xfe", b"plain", None], pa.binary()).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"id": odd, "text": ["one", "two", "three"]}), tmp_path / "a.parquet")
    store = Store(tmp_path / "kin.db")
    store.scan(tmp_path / "a.parquet", text_column="text", id_column="id")
    named = [one["path"] for one in store.documents().to_pylist()]
    assert named == ["a.parquet", "a.parquet!/#3", "a.parquet!/fffe", "a.parquet!/plain"]


def mutants(tmp_path: Path, seeds: range) -> None:
    folder = tmp_path / f"docs {seeds.start}"
    folder.mkdir()
    for name, make in WRITERS.items():
        whole = make(ROWS * 4)
        (folder / f"whole {name}").write_bytes(whole)
        for seed in seeds:
            (folder / f"{seed} {name}").write_bytes(mutated(whole, random.Random(seed)))
    store, other = (Store(tmp_path / f"{name} {seeds.start}.db") for name in ("kin", "other"))
    with Grown() as grown:
        summary = store.scan(folder, text_column="text", id_column="id")
    assert grown.more < 1 << 30
    counted = rows(store, "SELECT count(*), count(*) FILTER (WHERE parent IS NULL) FROM present")
    assert counted == [(summary.documents + summary.failed, len(WRITERS) * (len(seeds) + 1))]
    assert is_sound(store)
    other.scan(folder, text_column="text", id_column="id", jobs=1)
    assert listings(other) == listings(store)
    again = store.scan(folder, text_column="text", id_column="id")
    assert (again.documents, again.failed, again.changed) == (summary.documents, summary.failed, 0)


def test_cut_and_flipped_tables(tmp_path: Path) -> None:
    mutants(tmp_path, range(8))


@pytest.mark.soak
def test_three_thousand_cut_and_flipped_tables(tmp_path: Path) -> None:
    for start in range(100, 600, 50):
        mutants(tmp_path, range(start, start + 50))
