"""Whatever bytes lie about, a scan ends, counts every file, and says the same the second time."""

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nearkin.model import Summary
from nearkin.pipeline import scan as bring_up_to_date
from nearkin.query.families import list_families
from nearkin.run import RunContext
from nearkin.settings import MatchSettings, RunSettings, Settings, TextSettings
from nearkin.store.database import connect
from oracle.prose import prose

SCHEMES = [
    "mod:window=20,sample=200,most=64",
    "exact:window=1",
    "mod:window=3,n=7",
    "tttd:mean=10",
    "exact:window=4096",
]
SCRAPS = [
    b"<",
    b"</",
    b"<!--",
    b"-->",
    b"<script>",
    b"</script",
    b"<![CDATA[",
    b"&",
    b"&#x110000;",
    b"&#0;",
    b"<svg>",
    b"<template>",
    b"\0",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc3",
    b'<meta charset="utf-7">',
    b'<meta charset="gb2312">',
    b'<?xml version="1.0" encoding="shift_jis"?>',
    b"\r\n",
    "\u0301".encode() * 40,
    "\u1100\u1161\u11a8".encode(),
    "ﷺ".encode(),
    "ẞİ".encode(),
    b" ",
    b" ",
]


def junk(dice: random.Random) -> bytes:
    """Noise, scraps of mark-up and encodings, prose, runs; also cut short or with bits turned."""
    pieces = []
    for _ in range(dice.randint(0, 12)):
        pieces.append(
            dice.choice(
                [
                    dice.randbytes(dice.randint(0, 80)),
                    dice.choice(SCRAPS) * dice.randint(1, 5),
                    prose(dice.getrandbits(16), dice.randint(0, 400)),
                    bytes([dice.getrandbits(8)]) * dice.randint(0, 5000),
                    prose(1, 200).decode().encode(dice.choice(["utf-16", "utf-16-be", "utf-32", "cp037"])),
                ]
            )
        )
    data = bytearray(b"".join(pieces))
    for _ in range(dice.choice([0, 0, 1, 5])):
        if data:
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data[: dice.choice([len(data), dice.randint(0, len(data))])])


def scan(store: Path, folder: Path, settings: Settings) -> Summary:
    with closing(connect(store, create=True, write=True)) as connection:
        summary = bring_up_to_date(RunContext(connection, store, settings, "test", lambda *_: None), (folder,))
        families = list_families(connection)
        list_families(connection, threshold=0.5, containment=0.6)
        assert sum(len(family.documents) for family in families) <= summary.documents
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return replace(summary, seconds=0)


def rounds(tmp_path: Path, seed: int, *, files: int) -> None:
    dice = random.Random(seed)
    folder = tmp_path / f"files {seed}"
    folder.mkdir()
    data: list[bytes] = []
    for number in range(files):
        known = dice.choice(data) if data else b""
        made = dice.choice([junk(dice), junk(dice), known, known + junk(dice), junk(dice) + known[: len(known) // 2]])
        data.append(made)
        (folder / f"{number}{dice.choice(['', '.txt', '.html', '.xml', '.bin'])}").write_bytes(made)
    settings = Settings(
        scheme=SCHEMES[seed % len(SCHEMES)],
        text=TextSettings(
            raw=dice.random() < 0.2,
            ignore=tuple(name for name in ("case", "punctuation", "digits", "accents") if dice.random() < 0.5),
            keep=dice.random() < 0.8,
        ),
        match=MatchSettings(weak_matches=dice.choice([0, 1, 20]), weak_reach=dice.choice([1, 32])),
        run=RunSettings(jobs=dice.randint(1, 3), memory=64 << 20),
    )
    store = tmp_path / f"store {seed}"
    first = scan(store, folder, settings)
    with closing(sqlite3.connect(store)) as connection:
        counts = connection.execute("SELECT count(*), count(*) FILTER (WHERE parent IS NULL) FROM document").fetchone()
    assert counts == (first.documents + first.failed, files)
    assert not settings.text.raw or first.failed == 0  # of junk with a format's beginning only the bytes can be read
    assert scan(store, folder, settings) == replace(first, new=0)
    fresh = scan(tmp_path / f"fresh {seed}", folder, replace(settings, run=RunSettings(jobs=2, memory=1 << 30)))
    assert fresh == first


@pytest.mark.parametrize("seed", range(8))
def test_a_folder_of_junk(tmp_path: Path, seed: int) -> None:
    rounds(tmp_path, seed, files=60)


@pytest.mark.soak
def test_many_folders_of_junk(tmp_path: Path) -> None:
    start = random.SystemRandom().getrandbits(40)
    for seed in range(start, start + 200):
        rounds(tmp_path, seed, files=150)
