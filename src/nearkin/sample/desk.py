"""What the makers of documents work with: dice, the shelf, and the record of what is true."""

import unicodedata
from dataclasses import dataclass, field

from nearkin.lab.dice import Dice
from nearkin.lab.shelf import Folder, Shelf
from nearkin.lab.vocabulary import Language
from nearkin.sample.latin import ENGLISH, LATIN
from nearkin.sample.page import Page, compose
from nearkin.sample.prose import Prose, cheered, prose
from nearkin.sample.scripts import WORLD
from nearkin.sample.truth import Family, FamilyKind, Relation, RelationKind

LANGUAGES = (*LATIN, *WORLD)
_FOLDED = frozenset(language.code for language in LATIN)
_MIX = (ENGLISH,) * 14 + LANGUAGES[1:]
_DAY = 86_400
_FIRST_DAY = 1_420_070_400  # 2015-01-01, UTC
_DAYS = 2_600  # the longest chain still ends before 2026


@dataclass(frozen=True, slots=True)
class Filed:
    """A document on the shelf."""

    path: str
    data: bytes
    suffix: str
    when: int


@dataclass
class Desk:
    dice: Dice
    shelf: Shelf
    relations: list[Relation] = field(default_factory=list)
    families: list[Family] = field(default_factory=list)
    _serial: int = 0

    def serial(self) -> int:
        """1, 2, 3, …: for whatever must be unlike everywhere."""
        self._serial += 1
        return self._serial

    def language(self) -> Language:
        return self.dice.pick(_MIX)

    def moment(self) -> int:
        return _FIRST_DAY + self.dice.below(_DAYS * _DAY)

    def later(self, when: int) -> int:
        return when + _DAY + self.dice.below(20 * _DAY)

    def prose(self, language: Language | None = None, *, folder: Folder | None = None) -> Prose:
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

    def file(self, page: Page, prose: Prose, *, when: int | None = None, folder: Folder | None = None) -> Filed:
        """The page as text or HTML in some folder, under its own title or another."""
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
        folder: Folder | None = None,
        apart_from: str = "",
    ) -> Filed:
        stamp = self.moment() if when is None else when
        path = self.shelf.put(folder or self.shelf.folder(apart_from=apart_from), name, suffix, data, when=stamp)
        return Filed(path, data, suffix, stamp)

    def copy(self, original: Filed, prose: Prose) -> Filed:
        """The same bytes in another tree, under the same name or another."""
        name = original.path.rpartition("/")[2].removesuffix(original.suffix)
        if self.dice.chance(0.5):
            name = self.name(prose.title(self.dice), prose.language)
        when = original.when if self.dice.chance(0.5) else self.later(original.when)
        return self.file_bytes(original.data, original.suffix, name, when=when, apart_from=original.path)

    def relate(self, kind: RelationKind, *paths: str, **details: object) -> None:
        self.relations.append(Relation(kind, paths, details))

    def gather(self, kind: FamilyKind, members: list[str], parts: list[str] | None = None) -> None:
        self.families.append(Family(kind, tuple(members), tuple(parts or ())))

    def cheer(self, page: Page) -> Page:
        """The page with emoji in it, now and then."""
        if not self.dice.chance(0.08):
            return page
        blocks = tuple(type(block)(block.shape, tuple(cheered(list(block.lines), self.dice))) for block in page.blocks)
        return Page(page.language, page.title, blocks)
