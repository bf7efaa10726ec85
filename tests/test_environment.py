"""What a process may have of a machine, where control groups bound it and where they do not."""

from pathlib import Path

import pytest

from nearkin import environment
from nearkin.settings import RunSettings

GB = 1 << 30


@pytest.mark.parametrize(
    ("files", "memory", "cores"),
    [
        ({}, None, None),
        ({"memory.max": "max", "cpu.max": "max 100000"}, None, None),
        ({"memory.max": str(GB // 2), "cpu.max": "50000 100000"}, GB // 2, 1),
        ({"memory/memory.limit_in_bytes": str(GB // 4)}, GB // 4, None),
        ({"memory/memory.limit_in_bytes": str(1 << 62), "cpu.max": "900000000 100000"}, None, None),
        ({"memory.max": "", "cpu.max": "100000"}, None, None),
    ],
)
def test_a_container_has_what_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], memory: int | None, cores: int | None
) -> None:
    monkeypatch.setattr(environment, "LIMITS", tmp_path / "none")
    whole = (environment.memory(), environment.cores())
    for name, said in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(said + "\n")
    monkeypatch.setattr(environment, "LIMITS", tmp_path)
    assert (environment.memory(), environment.cores()) == (memory or whole[0], cores or whole[1])
    assert RunSettings().memory == max(64 << 20, environment.memory() // 4)
