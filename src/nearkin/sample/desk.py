"""The desk of the makers: random numbers, the shelf of folders, and the record of what is true.

Documents stand in a few trees of folders. A folder has one topic and a bounded number of documents. Several folders of
a tree are open at once and a document goes to any of them, so that neighbours in a folder are not related. Only open
folders are kept in memory.
"""

import os
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nearkin.sample.languages import ENGLISH, LATIN, WORLD
from nearkin.sample.page import Page, compose
from nearkin.sample.prose import Dice, Language, Prose, cheered, product, prose
from nearkin.sample.truth import FamilyKind, RelationKind, TrueFamily, TrueRelation

OPEN = 5
_YEARS = 10
_WEIGHTS = ("support",) * 8 + ("archive",) * 4 + ("manuals",) * 4 + ("letters",) * 2 + ("notes",) * 2


@dataclass
class ShelfFolder:
    """A folder that documents may still be added to."""

    path: str
    topic: int
    room: int
    names: set[str] = field(default_factory=set)


class Shelf:
    """Writes documents into folders."""

    def __init__(self, root: Path, dice: Dice, *, documents: int) -> None:
        self._root = root
        self._dice = dice
        self._room = min(500, max(12, documents // 30))
        self._open: dict[str, list[ShelfFolder]] = {tree: [] for tree in _WEIGHTS}
        self._begun = dict.fromkeys(self._open, 0)
        self._topics = 0
        self.written = 0

    def folder(self, *, apart_from: str = "") -> ShelfFolder:
        """Return an open folder; `apart_from` is a path whose tree is avoided."""
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

    def put(self, folder: ShelfFolder, name: str, suffix: str, data: bytes, *, when: int) -> str:
        unique, turn = name + suffix, 1
        while unique in folder.names:
            turn += 1
            unique = f"{name}-{turn}{suffix}"
        folder.names.add(unique)
        folder.room -= 1
        path = f"{folder.path}/{unique}"
        self._write(path, data, when)
        return path

    def put_oddly(self, folder: ShelfFolder, name: str, plain: str, data: bytes, *, when: int) -> str:
        """Write under a name that some file systems refuse (no UTF-8, quotes); where that fails, under the plain
        one."""
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

    def _begin(self, tree: str) -> ShelfFolder:
        turn = self._begun[tree]
        self._begun[tree] += 1
        topic = self._topics
        self._topics += 1
        path = _LABELS[tree](turn, topic)
        (self._root / path).mkdir(parents=True, exist_ok=True)
        return ShelfFolder(path, topic, self._room)


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


LANGUAGES = (*LATIN, *WORLD)
_FOLDED = frozenset(language.code for language in LATIN)
_MIX = (ENGLISH,) * 14 + LANGUAGES[1:]
_DAY = 86_400
_FIRST_DAY = 1_420_070_400  # 2015-01-01, UTC
_DAYS = 2_600  # the longest chain still ends before 2026


@dataclass(frozen=True, slots=True)
class FiledDocument:
    """A document that was written."""

    path: str
    data: bytes
    suffix: str
    when: int


@dataclass
class Desk:
    """Everything a maker needs to write documents and to record what is true of them."""

    dice: Dice
    shelf: Shelf
    relations: list[TrueRelation] = field(default_factory=list)
    families: list[TrueFamily] = field(default_factory=list)
    _serial: int = 0

    def serial(self) -> int:
        """Return 1, 2, 3, …, for what must differ everywhere."""
        self._serial += 1
        return self._serial

    def language(self) -> Language:
        return self.dice.pick(_MIX)

    def moment(self) -> int:
        return _FIRST_DAY + self.dice.below(_DAYS * _DAY)

    def later(self, when: int) -> int:
        return when + _DAY + self.dice.below(20 * _DAY)

    def prose(self, language: Language | None = None, *, folder: ShelfFolder | None = None) -> Prose:
        return prose(language or self.language(), (folder or self.shelf.folder()).topic)

    def page(self, prose: Prose, size: int) -> Page:
        return Page(prose.language, prose.title(self.dice), tuple(compose(prose, self.dice, size)))

    def typical_size(self) -> int:
        return self.dice.between(1_800, 5_600)

    def name(self, title: str, language: Language) -> str:
        words = [word.strip(".,;:!?،'\"") for word in title.lower().split()]
        name = "-".join(word for word in words[:7] if word)
        if language.code in _FOLDED and self.dice.chance(0.9):
            name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        return unicodedata.normalize("NFC", name).replace("'", "")

    def file(
        self, page: Page, prose: Prose, *, when: int | None = None, folder: ShelfFolder | None = None
    ) -> FiledDocument:
        """Write the page as text or HTML in some folder, under its own title or another."""
        if self.dice.chance(0.35):
            data, suffix = page.as_html().encode(), ".html"
        else:
            data, suffix = page.as_text().encode(), ".txt"
        titled = page.title if self.dice.chance(0.5) else prose.title(self.dice)
        return self.file_bytes(data, suffix, self.name(titled, page.language), when=when, folder=folder)

    def file_bytes(
        self,
        data: bytes,
        suffix: str,
        name: str,
        *,
        when: int | None = None,
        folder: ShelfFolder | None = None,
        apart_from: str = "",
    ) -> FiledDocument:
        stamp = self.moment() if when is None else when
        path = self.shelf.put(folder or self.shelf.folder(apart_from=apart_from), name, suffix, data, when=stamp)
        return FiledDocument(path, data, suffix, stamp)

    def copy(self, original: FiledDocument, prose: Prose) -> FiledDocument:
        """Write the same bytes in another tree, under the same name or another."""
        name = original.path.rpartition("/")[2].removesuffix(original.suffix)
        if self.dice.chance(0.5):
            name = self.name(prose.title(self.dice), prose.language)
        when = original.when if self.dice.chance(0.5) else self.later(original.when)
        return self.file_bytes(original.data, original.suffix, name, when=when, apart_from=original.path)

    def relate(self, kind: RelationKind, *paths: str, **details: object) -> None:
        self.relations.append(TrueRelation(kind, paths, details))

    def gather(self, kind: FamilyKind, members: list[str], parts: list[str] | None = None) -> None:
        self.families.append(TrueFamily(kind, tuple(members), tuple(parts or ())))

    def cheer(self, page: Page) -> Page:
        """Add emoji to some pages."""
        if not self.dice.chance(0.08):
            return page
        blocks = tuple(type(block)(block.shape, tuple(cheered(list(block.lines), self.dice))) for block in page.blocks)
        return Page(page.language, page.title, blocks)
