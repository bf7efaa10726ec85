"""A reader opens nothing but its document: on every machine the same bytes give the same text, whatever lies there."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

import nearkin
from formats.test_mail import holding
from formats.test_visible_text import MADE, found

LIBRARIES = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
CODE = (str(Path(nearkin.__file__).parent), *LIBRARIES)
opened: list[str] = []
listening: list[bool] = []


def _heard(event: str, told: tuple[object, ...]) -> None:
    if listening and event == "open" and isinstance(told[0], str | bytes):
        opened.append(os.fsdecode(told[0]))


sys.addaudithook(_heard)
SAMPLES = {name: make for name, (make, _) in MADE.items()}
SAMPLES["parts without a name"] = lambda: holding(*((b"Content-Type: " + kind, b"x") for kind in (b"a/b", b"text/x")))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_reader_opens_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = SAMPLES[name]()
    monkeypatch.setattr("mimetypes._db", None)  # what made the samples may have read its lists already
    opened.clear()
    listening.append(True)
    try:
        assert [one.problem for one in found(data)[1].members if one.problem] == []
    finally:
        listening.clear()
    assert [path for path in opened if not path.startswith(CODE)] == []
