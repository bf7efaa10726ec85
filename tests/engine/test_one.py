"""One document at a time: what is said of itself, not what lies in it."""

from collections.abc import Generator
from typing import Any

import pytest

from formats.office import zipped
from nearkin.engine import one


def test_members_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = one.shared_workers()
    heard: list[str] = []

    class Counting:
        def ask(self, asked: Any) -> Generator[Any, None, None]:
            for header, body in workers.ask(asked):
                heard.append(header["kind"])
                yield header, body

    monkeypatch.setattr(one, "shared_workers", Counting)
    told = one.extracted(zipped({f"{at}.txt": b"words" for at in range(50)}), b"box.zip", raw=False)
    assert heard == ["kind", "document", "member"]
    assert (told.extractor, told.text, told.problem) == ("zip/1", None, None)
