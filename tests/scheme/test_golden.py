"""Golden vectors: every scheme has one, all still come out, and the tool that adds them changes none."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from nearkin.scheme import FORMAT, SCHEMES, golden, parse_scheme
from nearkin.scheme.golden import FROZEN_FORMAT, GOLDEN, frozen_digest, frozen_texts

TOOL = Path(__file__).resolve().parents[2] / "tools" / "golden.py"


def test_every_example_is_frozen() -> None:
    examples = [example for known in SCHEMES.values() for example in known.example.split(" or ")]
    assert set(examples) <= set(GOLDEN)
    assert FORMAT == FROZEN_FORMAT


@pytest.mark.parametrize("spec", GOLDEN)
def test_signatures_never_change(spec: str) -> None:
    assert parse_scheme(spec).spec == spec
    assert frozen_digest(spec) == GOLDEN[spec]


def test_no_two_are_alike() -> None:
    assert len(set(GOLDEN.values())) == len(GOLDEN)


def test_the_inputs_are_many_and_unlike() -> None:
    texts = frozen_texts()
    assert len(texts) > 250
    assert {b"", b"the rose is a rose\n" * 200} <= set(texts)
    assert any("文".encode() in text for text in texts)
    assert max(map(len, texts)) == 70_000


def test_another_format_fails_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "FORMAT", FROZEN_FORMAT + 1)
    assert not any(same for _, same in golden.recomputed())


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """The tool, with a table of its own to write to."""
    found = runpy.run_path(str(TOOL))
    table = tmp_path / "golden.py"
    table.write_text('GOLDEN: dict[str, str] = {\n    "exact:window=20": "1",\n}  # fmt: skip\n')
    found["main"].__globals__["TABLE"] = table
    return {"main": found["main"], "table": table}


def test_the_tool_adds_what_is_missing_and_changes_nothing(tool: dict[str, Any]) -> None:
    before = tool["table"].read_text()
    assert tool["main"]([]) == 0
    assert tool["table"].read_text() == before
    assert tool["main"](["exact:window=7"]) == 0
    row = f'    "exact:window=7": "{frozen_digest("exact:window=7")}",\n'
    assert tool["table"].read_text() == before.replace("}", row + "}")


def test_the_tool_refuses_when_a_scheme_signs_differently(
    tool: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(GOLDEN, "exact:window=20", "0" * 32)
    before = tool["table"].read_text()
    assert tool["main"](["exact:window=7"]) == 1
    assert tool["table"].read_text() == before
    assert "exact:window=20" in capsys.readouterr().err
