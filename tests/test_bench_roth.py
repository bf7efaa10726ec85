"""Roth 2011's score (§4.2), and his combinations, counted on documents of our own."""

import json
import sys
from pathlib import Path

import pytest

from bench import similarity_index as bench
from nearkin.scheme import parse_scheme


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # A text shorter than k is one k-gram, its number one hash: a is 97, c 99, z 122, zz 122 · 31 + 122 = 3904, yy 3872.
    texts = {"a.txt": "a", "c.txt": "c", "z.txt": "z", "two.txt": "zz", "none.txt": "", "raw.bin": "yy"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    families = [["a.txt", "c.txt"], ["z.txt", "two.txt"], ["none.txt"], ["raw.bin"]]
    (tmp_path / "truth.json").write_text(json.dumps({"families": families}))
    return tmp_path


def test_the_score_counts_every_cell(folder: Path) -> None:
    found = bench.score(bench.documents(folder), "si:tracking=1A")
    # Expected within families: 4 + 4 + 1 + 1 = 10. Hits there: a and c each way and with themselves 4, z and two with
    # themselves 2, none has no number, raw with itself: 7. Outside: a-z, z-a, c-z, z-c, two-raw, raw-two.
    assert found == bench.Score(false_positives=6, false_negatives=3, correct=7)
    assert str(found) == "6 3 7 0.78"


def test_all_combinations_are_real_ones() -> None:
    specs = list(bench.combinations())
    assert len(specs) == 656
    for spec in specs:
        assert parse_scheme(spec).spec == spec
    for spec in bench.PAPER:
        assert parse_scheme(spec).spec in specs


def test_what_it_prints(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", str(folder)])
    bench.main()
    printed = capsys.readouterr().out
    assert "si:method=3,stream=soundex,variation=B,k=40" in printed
    assert "0 10 35 3.50" in printed
