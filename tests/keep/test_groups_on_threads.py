"""Groups on several threads: the same rows, in the same order, within bounds; and all ends when nobody waits."""

import threading
from typing import Any

import pytest

from cli.world import prose
from nearkin.keep import groups, proposal
from nearkin.keep.groups import GroupTexts, StoppedError, groups_of
from nearkin.keep.proposal import propose
from nearkin.query.store_view import opened
from nearkin.store.compression import unpack

from .world import Tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    files = {}
    for seed in range(12):
        for version in range(2 + seed % 4):
            files[f"{seed}/{version}.txt".encode()] = prose(seed) + f" and version {version} of it all." * (version + 1)
    made = Tree(tmp_path_factory.mktemp("many"), files)
    made.scan()
    return made


def proposed(tree: Tree, **more: Any) -> list[dict[str, Any]]:
    with opened(tree.store) as connection:
        return [row.record for row in propose(connection, **more)]


@pytest.mark.parametrize("near", [None, 0.5])
def test_rows_do_not_depend_on_threads(tree: Tree, near: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = proposed(tree, near=near, jobs=1)
    assert len({row["group"] for row in alone}) == 12
    assert proposed(tree, near=near, jobs=5) == alone
    monkeypatch.setattr(proposal, "ROOM", 1)
    assert proposed(tree, near=near, jobs=5) == alone
    monkeypatch.setattr(groups, "LARGE", 5000)  # some are read from the store one by one
    assert proposed(tree, near=near, jobs=5) == alone


def test_texts_are_read_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def noted(blob: bytes) -> bytes:
        read.append(blob)
        return unpack(blob)

    monkeypatch.setattr(groups, "unpack", noted)
    proposed(tree, near=0.5)
    assert len(read) == len(set(read)) > 12


def test_progress_goes_up_to_all(tree: Tree) -> None:
    told: list[tuple[str, int, int]] = []
    rows = proposed(tree, progress=lambda *said: told.append(said))
    assert told[0] == ("keep", 0, len(rows))
    assert told[-1] == ("keep", len(rows), len(rows))
    assert told == sorted(told)


def test_an_interrupt_ends_the_threads(tree: Tree) -> None:
    def interrupted(_: str, done: int, __: int) -> None:
        if done:
            raise KeyboardInterrupt

    before = {*threading.enumerate()}  # other tests may have left some behind
    with pytest.raises(KeyboardInterrupt):
        proposed(tree, progress=interrupted, jobs=3)
    assert {*threading.enumerate()} <= before


def test_what_nobody_waits_for_is_not_loaded(tree: Tree) -> None:
    stop = threading.Event()
    with opened(tree.store) as connection:
        found = GroupTexts.of(connection, groups_of(connection, ())[0], stop)
    assert found.load(found.group.texts[0])
    stop.set()
    for text in found.group.texts[:2]:
        with pytest.raises(StoppedError):
            found.load(text)


def test_a_damaged_text_is_said(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was in one thread."""
    from nearkin.errors import StoreError

    def damaged(_: bytes) -> bytes:
        raise StoreError("A stored text is damaged; scan again into a new --store.")

    monkeypatch.setattr(groups, "unpack", damaged)
    with pytest.raises(StoreError, match="damaged"):
        proposed(tree)
