"""One document at a time: what is said of itself, not what lies in it."""

import sys
from collections.abc import Generator
from pathlib import Path
from subprocess import run
from typing import Any

import pytest

from formats.office import docx, zipped
from nearkin.engine import single_document


def test_members_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = single_document.shared_workers()
    heard: list[str] = []

    class Counting:
        def ask(self, asked: Any) -> Generator[Any, None, None]:
            for header, body in workers.ask(asked):
                heard.append(header["kind"])
                yield header, body

    monkeypatch.setattr(single_document, "shared_workers", Counting)
    told = single_document.extracted(zipped({f"{at}.txt": b"words" for at in range(50)}), b"box.zip", raw=False)
    assert heard == ["kind", "document", "member"]
    assert (told.extractor, told.text, told.problem) == ("zip/3", None, None)


FORKED = """
import multiprocessing, sys, nearkin
signed = nearkin.sign(sys.argv[1])
with multiprocessing.get_context("fork").Pool(1) as pool:
    again, = pool.map(nearkin.sign, sys.argv[1:])
assert (again.features == signed.features).all()
assert (nearkin.sign(sys.argv[1]).features == signed.features).all()
"""


def test_a_forked_process_has_workers_of_its_own(tmp_path: Path) -> None:
    """As PyTorch's loaders and many pools do; it waited for ever for a thread that it does not have."""
    path = tmp_path / "a.docx"
    path.write_bytes(docx("a text that is long enough to be signed by its shingles, and then some more of it"))
    run([sys.executable, "-W", "ignore", "-c", FORKED, path], check=True, timeout=60)
