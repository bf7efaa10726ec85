"""Where the sample's documents stand: a few trees of folders, each about one topic and of bounded size.

Several folders of a tree are open at once and a document goes to any of them, so that neighbours on the shelf
are no kin. Only open folders are remembered.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nearkin.lab.dice import Dice
from nearkin.lab.vocabulary import product

OPEN = 5
_YEARS = 10
_WEIGHTS = ("support",) * 8 + ("archive",) * 4 + ("manuals",) * 4 + ("letters",) * 2 + ("notes",) * 2


@dataclass
class Folder:
    path: str
    topic: int
    room: int
    names: set[str] = field(default_factory=set)


class Shelf:
    def __init__(self, root: Path, dice: Dice, *, documents: int) -> None:
        self._root = root
        self._dice = dice
        self._room = min(500, max(12, documents // 30))
        self._open: dict[str, list[Folder]] = {tree: [] for tree in _WEIGHTS}
        self._begun = dict.fromkeys(self._open, 0)
        self._topics = 0
        self.written = 0

    def folder(self, *, apart_from: str = "") -> Folder:
        """An open folder; apart_from names a path whose tree is to be avoided."""
        tree = self._dice.pick(_WEIGHTS)
        while apart_from.startswith(tree + "/"):
            tree = self._dice.pick(_WEIGHTS)
        folders = self._open[tree]
        turn = self._dice.below(OPEN)
        if turn >= len(folders):
            folders.append(self._begin(tree))
            return folders[-1]
        if folders[turn].room <= 0:
            folders[turn] = self._begin(tree)
        return folders[turn]

    def put(self, folder: Folder, name: str, suffix: str, data: bytes, *, when: int) -> str:
        unique, turn = name + suffix, 1
        while unique in folder.names:
            turn += 1
            unique = f"{name}-{turn}{suffix}"
        folder.names.add(unique)
        folder.room -= 1
        path = f"{folder.path}/{unique}"
        self._write(path, data, when)
        return path

    def put_oddly(self, folder: Folder, name: str, plain: str, data: bytes, *, when: int) -> str:
        """Under a name that some file systems refuse (no UTF-8, quotes); there, under the plain one."""
        path = f"{folder.path}/{name}"
        try:
            self._write(path, data, when)
        except (OSError, UnicodeError):
            return self.put(folder, plain, ".txt", data, when=when)
        folder.room -= 1
        folder.names.add(name)
        return path

    def _write(self, path: str, data: bytes, when: int) -> None:
        full = f"{self._root}/{path}"  # no Path object a document: there may be a million
        with open(full, "wb", buffering=0) as file:
            file.write(data)
        os.utime(full, (when, when))
        self.written += 1

    def _begin(self, tree: str) -> Folder:
        turn = self._begun[tree]
        self._begun[tree] += 1
        topic = self._topics
        self._topics += 1
        path = _LABELS[tree](turn, topic)
        (self._root / path).mkdir(parents=True, exist_ok=True)
        return Folder(path, topic, self._room)


def _by_product(tree: str) -> Callable[[int, int], str]:
    return lambda turn, topic: f"{tree}/{product(topic).lower().replace(' ', '-')}"


def _by_year(turn: int, topic: int) -> str:
    year = f"archive/{2015 + turn * 3 % _YEARS}"
    return year if turn < _YEARS else f"{year}/box-{turn // _YEARS}"


def _by_count(tree: str, noun: str) -> Callable[[int, int], str]:
    return lambda turn, topic: f"{tree}/{noun}-{turn + 1:02d}"


_LABELS: dict[str, Callable[[int, int], str]] = {
    "support": _by_product("support"),
    "manuals": _by_product("manuals"),
    "archive": _by_year,
    "letters": _by_count("letters", "binder"),
    "notes": _by_count("notes", "desk"),
}
