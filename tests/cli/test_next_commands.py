"""What to type next is said with the store that was asked, so that it can be typed as it is."""

from pathlib import Path

import pytest

from cli.test_template import scanned
from cli.world import Called


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scanned(tmp_path_factory.mktemp("hints"))


HINTS = [
    (["template", "suggest"], "nearkin template add --suggestion N"),
    (["template", "add", "--suggestion", "9"], "nearkin template suggest"),
    (["template", "remove", "none"], "nearkin template list"),
    (["custodians", "single.txt"], "nearkin scan … --custodian RULE"),
    (["verdict", "clear", "single.txt", "book-1.txt"], "nearkin verdict list"),
    (["verdict", "set", "single.txt", "book-1.txt", "template"], "nearkin template add --family ID"),
]


@pytest.mark.parametrize(("words", "hint"), HINTS)
def test_hints_name_the_store(store: Path, words: list[str], hint: str) -> None:
    done = Called(*words, "--store", store, "--format", "table")
    assert f"{hint} --store {store}" in f"{done.words} {done.err}"


def test_a_scope_in_the_way_is_dropped_from_its_store(store: Path, tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("a text")
    assert Called("scan", inner, "--scope", "two words", "--store", store).code == 0
    (inner / "a.txt").unlink()
    inner.rmdir()
    done = Called("scan", tmp_path / "outer", "--store", store)
    assert f"nearkin store drop 'two words' --store {store}" in done.err
