"""`scan --plan`: what it says is, about, what a scan then does; and it leaves nothing behind."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.containers import zipped
from cli.world import Called, edited, prose
from nearkin.forecast import rehearsal, survey
from nearkin.sample.repository import write_sample

NUMBERS = ("documents", "bytes", "seconds", "memory", "disk", "matches", "hot_features")


def planned(*arguments: object) -> dict[str, Any]:
    done = Called("scan", *arguments, "--plan", "--format", "json")
    assert done.code == 0, done.err
    record: dict[str, Any] = json.loads(done.out)
    return record


def scanned(store: Path, *arguments: object) -> dict[str, Any]:
    done = Called("scan", *arguments, "--store", store, "--format", "json")
    assert done.code == 0, done.err
    record: dict[str, Any] = json.loads(done.out)
    return record


def size_of(store: Path) -> int:
    beside = store.with_name(store.name + ".segments")
    return sum(file.stat().st_size for file in (store, *beside.iterdir()))


def test_the_demo_is_within_a_factor_of_two(tmp_path: Path) -> None:
    folder, store = tmp_path / "sample", tmp_path / "kin.db"
    write_sample(folder, documents=200, seed=1)
    before = sorted(tmp_path.rglob("*"))
    plan = planned(folder, "--store", store)
    assert sorted(tmp_path.rglob("*")) == before
    did = scanned(store, folder)
    assert plan["documents"] == {
        "value": did["documents"],
        "low": did["documents"],
        "high": did["documents"],
        "exact": True,
    }
    assert plan["bytes"]["value"] == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert did["matches"] / 2 <= plan["matches"]["value"] <= did["matches"] * 2
    assert size_of(store) / 2 <= plan["disk"]["value"] <= size_of(store) * 2
    assert plan["seconds"]["value"] <= 2 * did["seconds"] + 10  # a bound against nonsense: tests run on busy machines
    for name in NUMBERS:
        assert plan[name]["low"] <= plan[name]["value"] <= plan[name]["high"]


def test_a_sample_stands_for_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    for i in range(900):
        rows += [prose(i, 60), edited(prose(i, 60), 55)]
    table, store = tmp_path / "t.parquet", tmp_path / "kin.db"
    pq.write_table(pa.table({"text": rows}), table)
    monkeypatch.setattr(rehearsal, "DOCUMENTS", 600)
    plan = planned(table, "--text-column", "text")
    assert 450 < plan["sampled"] < 750
    assert plan == {**planned(table, "--text-column", "text"), "seconds": plan["seconds"]}  # the same sample each time
    did = scanned(store, table, "--text-column", "text")
    assert plan["documents"]["value"] == did["documents"] == 1801
    assert did["matches"] / 2 <= plan["matches"]["value"] <= did["matches"] * 2
    assert plan["matches"]["low"] <= did["matches"] <= plan["matches"]["high"]
    assert size_of(store) / 2 <= plan["disk"]["value"] <= size_of(store) * 2


def test_rows_of_parquet_are_counted_and_their_texts_measured_as_far_as_one_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t.parquet"
    texts = [prose(i % 7, 60) for i in range(2000)]
    pq.write_table(pa.table({"text": texts}), table, row_group_size=300)
    whole = planned(table, "--text-column", "text")
    assert whole["bytes"]["exact"]
    assert whole["bytes"]["value"] == sum(map(len, texts))  # not what dictionaries make of copies
    monkeypatch.setattr(survey, "COUNTED", 50_000)
    part = planned(table, "--text-column", "text")
    assert (part["documents"]["value"], part["documents"]["exact"]) == (2001, True)
    assert not part["bytes"]["exact"]
    assert part["bytes"]["low"] <= whole["bytes"]["value"] <= part["bytes"]["high"]


def test_what_lies_in_archives_is_forecast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(12):
        (folder / f"{i}.zip").write_bytes(zipped({f"{n}.txt": prose(3 * i + n, 40).encode() for n in range(3)}))
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 and nothing more")
    did = scanned(tmp_path / "kin.db", folder)
    assert (did["documents"], did["failed"]) == (48, 1)
    whole = planned(folder)
    assert (whole["documents"]["value"], whole["documents"]["exact"], whole["sampled"]) == (48, True, 13)
    monkeypatch.setattr(rehearsal, "DOCUMENTS", 6)
    part = planned(folder)
    assert part["sampled"] == 6
    assert not part["documents"]["exact"]
    assert part["documents"]["low"] <= 48 <= part["documents"]["high"]


def test_hot_features_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    footer = prose(1, 40)
    table = tmp_path / "t.jsonl"
    table.write_text("\n".join(json.dumps({"text": f"{prose(i, 20)} {footer}"}) for i in range(2, 1602)))
    whole = planned(table, "--text-column", "text")["hot_features"]
    assert whole["value"] == scanned(tmp_path / "kin.db", table, "--text-column", "text")["hot"] > 5
    monkeypatch.setattr(rehearsal, "DOCUMENTS", 300)
    sampled = planned(table, "--text-column", "text")["hot_features"]
    assert whole["value"] / 2 <= sampled["value"] <= 2 * whole["value"]


def letters(table: Path) -> None:
    """A form that 160 share but for a few words, and 240 texts that share nothing."""
    form = prose(1, 100).split()
    rows = [" ".join([*form[:40], prose(i, 1), *form[40:80], prose(i, 2), *form[80:]]) for i in range(2, 162)]
    rows += [prose(i, 100) for i in range(1000, 1240)]
    pq.write_table(pa.table({"text": rows}), table)


def test_a_form_is_planned_as_the_star_it_becomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of 160 letters are 12,720; a star lists some of each."""
    table, store = tmp_path / "t.parquet", tmp_path / "kin.db"
    letters(table)
    how = (table, "--text-column", "text", "--hot", "80")
    did = scanned(store, *how)
    assert did["hot"] > 5
    assert did["matches"] < 2000
    whole = planned(*how)
    assert (whole["matches"]["value"], whole["hot_features"]["value"]) == (did["matches"], did["hot"])
    monkeypatch.setattr(rehearsal, "DOCUMENTS", 200)
    part = planned(*how)
    assert part["hot_over"] == 80
    assert part["matches"]["low"] <= did["matches"] <= part["matches"]["high"]
    assert did["matches"] / 2 <= part["matches"]["value"] <= 2 * did["matches"]
    assert did["hot"] / 2 <= part["hot_features"]["value"] <= 2 * did["hot"]
    assert size_of(store) / 2 <= part["disk"]["value"] <= 2 * size_of(store)
    shown = Called("scan", *how, "--plan", "--format", "table")
    assert "features shared by more than 80 texts" in " ".join(shown.out.split())


def test_what_is_not_hot_is_planned_pair_by_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, store = tmp_path / "t.parquet", tmp_path / "kin.db"
    letters(table)
    how = (table, "--text-column", "text", "--hot", "0.9")
    did = scanned(store, *how)
    assert (did["hot"], did["matches"]) == (0, 160 * 159 // 2)
    monkeypatch.setattr(rehearsal, "DOCUMENTS", 200)
    plan = planned(*how)
    assert (plan["hot_over"], plan["hot_features"]["value"]) == (360, 0)
    assert did["matches"] / 2 <= plan["matches"]["value"] <= 2 * did["matches"]
    assert size_of(store) / 2 <= plan["disk"]["value"] <= 2 * size_of(store)


def test_the_choices_follow_cherkasova(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.txt").write_text(prose(i, 5000))
    choices = {one["option"]: one for one in planned(folder)["choices"]}
    assert choices["window"]["value"] == "20"
    assert 250 < int(choices["n"]["value"]) <= 400  # 30 kB and some
    shown = Called("scan", folder, "--plan", "--format", "table")
    assert "nothing was written" in shown.out
    assert "counted" in shown.out
    assert Called("scan", folder, "--plan", "--format", "csv").out.startswith("sampled,documents,documents_low")


def test_wrong_paths_and_columns_are_refused_as_by_a_scan(tmp_path: Path) -> None:
    assert Called("scan", tmp_path / "none", "--plan").code == 3
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    assert Called("scan", tmp_path / "t.csv", "--plan", "--text-column", "c").code == 2
    (tmp_path / "empty").mkdir()
    assert planned(tmp_path / "empty")["documents"]["value"] == 0
