"""Texts that an extractor would take otherwise now are read again. So its number must tell of every change."""

import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from formats import outlook
from formats.office import zipped
from formats.test_visible_text import MADE, found
from nearkin.api.store import Store
from nearkin.formats.registry import FORMATS
from nearkin.text.kind import EXTRACTORS, TextKind, visible_text
from store.world import listings

PAGE = b"""<!DOCTYPE html><title>a title</title><p>one</textarea>word <b>b</b>old &amp; <svg><style>shown</style></svg>
<template>not</template><script>nor this</script><td>cell<td>cell<br>line<img alt="a picture"></p>
<input value="filled in"><optgroup label="some"><iframe srcdoc="a &lt;p>frame"></iframe><noframes>none</noframes>"""

# What each takes from a sample, frozen. Where one differs, text comes out differently: raise the extractor's number,
# then freeze what it takes now.
FROZEN = {
    "docx/6": "c65e7b3fddfbc6f2",
    "doc/4": "ea948978ab12d447",
    "ppt/3": "371db35772237d00",
    "pptx/5": "35e1e70ccaa70228",
    "odt/3": "bd5722e942523f61",
    "odp/3": "39b0add4708f9d3a",
    "ods/4": "ff18220cb6f14e81",
    "xlsx/7": "c1fa9577bb2810c7",
    "xls/3": "89c55e9357b4e20d",
    "pdf/7": "04360f3d3fe65979",
    "rtf/6": "f179fd44e30eab41",
    "epub/6": "8814677adc9ce89a",
    "eml/6": "b96354f41a8cf753",
    "mhtml/6": "f8d919475f8551bf",
    "msg/7": "724b1420ff24f993",
    "xml/4": "c728c8427ca48b38",
    "html/5": "41f980f093c6d2f9",
}


def digest(text: str | None) -> str:
    return sha256((text or "").encode()).hexdigest()[:16]


def taken() -> dict[str, str]:
    numbers = {known.name: known.extractor for known in FORMATS}
    texts = {numbers[name]: digest(found(make())[1].text) for name, (make, _) in MADE.items()}
    return texts | {EXTRACTORS[TextKind.HTML]: digest(visible_text(PAGE).decode())}


def test_what_comes_out_differently_has_another_number() -> None:
    assert taken() == FROZEN


def reads(store: Store, folder: Path, **options: object) -> int:
    done = [0]
    store.scan(folder, progress=lambda stage, n, _: done.append(n) if stage == "read" else None, **options)  # type: ignore[arg-type]
    return done[-1]


@pytest.mark.parametrize("old", ["html/1", "pdf/1", "eml/1"])
@pytest.mark.parametrize("packed", [False, True])
def test_what_an_older_one_took_is_read_again(old: str, packed: bool, tmp_path: Path) -> None:
    """As a store of an older nearkin has it: alone, and in an archive."""
    name, folder, store = old.partition("/")[0], tmp_path / "docs", Store(tmp_path / "kin.db")
    data = PAGE if name == "html" else MADE[name][0]()
    numbers = {known.name: known.extractor for known in FORMATS} | {"html": EXTRACTORS[TextKind.HTML]}
    folder.mkdir()
    (folder / "other.txt").write_text("a text that nobody reads again")
    (folder / ("box.zip" if packed else f"one.{name}")).write_bytes(zipped({f"one.{name}": data}) if packed else data)
    store.scan(folder)
    before = listings(store)
    assert reads(store, folder) == 0
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE text SET extractor = ? WHERE extractor = ?", (old, numbers[name]))
        connection.execute("UPDATE document SET reader = ? WHERE reader = ?", (old, numbers[name]))
    connection.close()
    assert reads(store, folder) > 0
    assert listings(store) == before
    assert reads(store, folder) == 0


@pytest.mark.parametrize(
    ("was", "options"),
    [
        ("reader = 'doc/0'", {}),
        ("reason = 'crashed', detail = 'the worker reading it was killed'", {}),
        ("reason = 'timed out', detail = 'it took over 30 seconds'", {"timeout": 20}),
    ],
)
def test_a_member_that_failed_and_may_be_read_now(was: str, options: dict[str, float], tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    inner = zipped({"one.doc": outlook.ole(outlook.stream("WordDocument", b"x")), "two.txt": b"a text beside it"})
    (folder / "box.zip").write_bytes(zipped({"inner.zip": inner}))
    store.scan(folder)
    before = listings(store)
    assert [one["reason"] for one in before["failed"]] == ["unsupported"]
    assert reads(store, folder, **options) == 0
    with sqlite3.connect(store.path) as connection:
        connection.execute(f"UPDATE document SET {was} WHERE path = CAST('box.zip!/inner.zip!/one.doc' AS BLOB)")
    connection.close()
    assert reads(store, folder, **options) > 0
    assert listings(store) == before
    assert reads(store, folder, **options) == 0
