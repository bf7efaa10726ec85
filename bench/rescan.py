"""A repository scanned from nothing, again unchanged, and again with a hundred files changed.

Generated texts of about 2 KB, a tenth of them versions of others. 1,000,000 of them take half an hour and 8 GB of disk.
"""

import json
import shutil
import sys
from pathlib import Path

from bench.process import measure
from bench.table import figure, table
from nearkin import Store
from nearkin.sample.languages import ENGLISH
from nearkin.sample.prose import Dice, prose

SIZES = (10_000, 100_000)
TEXT = 2_000  # bytes of a document
TOPICS = 1_000
CHANGED = 100  # files


def text_of(number: int) -> str:
    """Every tenth is the one before it with a line changed."""
    if number % 10 == 9:
        dice = Dice(number)
        lines = text_of(number - 1).splitlines()
        lines[dice.below(len(lines))] = prose(ENGLISH, number % TOPICS).line(dice)
        return "\n".join(lines)
    return "\n".join(prose(ENGLISH, (number // 10) % TOPICS).passage(Dice(number), TEXT))


def write(folder: Path, documents: int) -> int:
    """Bytes written."""
    size = 0
    for number in range(documents):
        place = folder / f"{number // 1000:04d}"
        if number % 1000 == 0:
            place.mkdir(parents=True)
        text = text_of(number).encode()
        (place / f"{number:08d}.txt").write_bytes(text)
        size += len(text)
    return size


def change(folder: Path, documents: int) -> None:
    """Some files edited, some new, some moved, some gone."""
    for i in range(CHANGED):
        number = i * (documents // CHANGED)
        path = folder / f"{number // 1000:04d}" / f"{number:08d}.txt"
        match i % 4:
            case 0:
                path.write_text(path.read_text() + "\n" + prose(ENGLISH, i).line(Dice(i)))
            case 1:
                (path.parent / f"new {i}.txt").write_text(text_of(documents + i))
            case 2:
                path.rename(path.with_name(f"moved {i}.txt"))
            case _:
                path.unlink()


def rescan_table(work: Path, sizes: tuple[int, ...] = SIZES) -> str:
    head = ["documents", "MB", "first s", "again s", "share", "changed s", "share", "first MB", "changed MB", "store"]
    rows, notes = [], []
    for documents in sizes:
        folder, store = work / f"rescan-{documents}", work / f"rescan-{documents}.db"
        size = write(folder, documents)
        command = [str(Path(sys.executable).with_name("nearkin")), "scan", str(folder), "--store", str(store)]
        first = measure([*command, "--format", "json"], watch=True)
        again = measure([*command, "--format", "json"], watch=False)
        change(folder, documents)
        changed = measure([*command, "--format", "json"], watch=True)
        summary = json.loads(changed.output)
        held = Store(store).info()
        rows.append(
            [
                f"{documents:,}",
                figure(size / 1e6),
                figure(first.seconds),
                figure(again.seconds),
                f"{again.seconds / first.seconds:.3f}",
                figure(changed.seconds),
                f"{changed.seconds / first.seconds:.3f}",
                figure(first.peak / 1e6),
                figure(changed.peak / 1e6),
                f"{held.bytes / size:.2f}",
            ]
        )
        parts = ", ".join(f"{part.name} {part.bytes / size:.3f}" for part in held.parts if part.bytes > size / 1000)
        what = ", ".join(f"{summary[name]} {name}" for name in ("new", "changed", "moved", "gone"))
        notes.append(f"{documents:,}: {what}; store as a share of the text: {parts}")
        shutil.rmtree(folder)
    return "\n".join([table(head, rows), *notes])
