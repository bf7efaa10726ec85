"""Kernels on generated English of two sizes: one that stays in the caches and one that does not."""

from collections.abc import Callable
from functools import partial

from bench.folder import Folder
from bench.speed import Clock
from bench.table import figure, table
from nearkin import _native
from nearkin.sample.languages import ENGLISH
from nearkin.sample.prose import Dice, Prose
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon

SIZES = (64 << 10, 16 << 20)
WINDOW = 20
Kernel = tuple[str, Callable[[bytes], object], str]


def kernels() -> list[Kernel]:
    """Name, kernel, and what it eats: html, text or canonical text."""
    canon = Canon.of(TextSettings())
    return [
        ("sha256", _native.sha256, "text"),
        ("visible_text", _native.visible_text, "html"),
        ("canonical", partial(_native.canonical, ignore=canon.mask), "text"),
        ("fingerprints", partial(_native.fingerprints, window=WINDOW), "canonical"),
    ]


def kernel_table(clock: Clock, folder: Folder | None, *, sizes: tuple[int, ...] = SIZES) -> str:
    inputs = [inputs_of(size) for size in sizes]
    rows = []
    for name, kernel, food in kernels():
        row = [name]
        for given in inputs:
            speed = clock.measure(partial(kernel, given[food]), len(given[food]))
            row += [figure(speed.per_second / 1e6), f"{speed.share:.1%}"]
        rows.append(row)
    if folder is not None:
        rows.append(_real_pages(clock, folder, blanks=2 * len(sizes) - 2))
    head = ["kernel, one core"]
    for size in sizes:
        head += [f"{named(size)}: MB/s", "of memcpy"]
    return table(head, rows)


def _real_pages(clock: Clock, folder: Folder, *, blanks: int) -> list[str]:
    """Generated pages are mostly words; real ones are half markup."""
    pages = []
    for place in folder.part(1000):
        with open(folder.files[place], "rb") as file:
            pages.append(file.read())
    html = [page for page in pages if _native.sniff(page, True) == _native.HTML and _native.valid_utf8(page)]
    if not html:
        return ["visible_text, pages of the folder", *["–"] * (blanks + 2)]
    speed = clock.measure(lambda: [_native.visible_text(page) for page in html], sum(map(len, html)))
    name = f"visible_text, {len(html):,} pages of the folder"
    return [name, figure(speed.per_second / 1e6), f"{speed.share:.1%}", *["–"] * blanks]


def inputs_of(size: int) -> dict[str, bytes]:
    lines = Prose(ENGLISH, topic=1).passage(Dice(1), size)
    text = "\n".join(lines).encode()[:size]
    html = "".join(f'<p class="line">{line}</p>\n' for line in lines).encode()[:size]
    return {"text": text, "html": html, "canonical": Canon.of(TextSettings()).apply(text)}


def named(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"
