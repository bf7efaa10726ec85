"""Forms and look-alikes: much shared text, once enough for a family and once not.

With c common shingles and v own ones in each of two documents, resemblance is c / (c + 2v).
Form: values stand in k lines of at most FIELD bytes, so v ≤ k · (20 + FIELD); the common text is long enough
to make its share u = c / (c + v) 0.86 to 0.94. Forms are in Latin letters, where at least 0.88 of the bytes
are distinct shingles, so resemblance is at least 0.88u / (0.88u + 2(1 − u)) = 0.73.
Look-alike: the template's share s is 0.52 to 0.58, so resemblance is about s / (2 − s) ≤ 0.41, containment s.
"""

from nearkin.lab.dice import Dice
from nearkin.lab.edits import WINDOW
from nearkin.lab.vocabulary import person, product
from nearkin.sample.desk import Desk
from nearkin.sample.latin import ENGLISH, FRENCH, GERMAN
from nearkin.sample.page import Block, Page, Shape, compose
from nearkin.sample.truth import FamilyKind, RelationKind

FIELD = 36
_PRODUCTS_FROM = 400_000
_PRODUCTS = 100_000


def same_form(desk: Desk, size: int) -> None:
    dice = desk.dice
    prose = desk.prose(dice.pick((ENGLISH, ENGLISH, GERMAN, FRENCH)))
    fields = dice.between(3, 5)
    share = dice.share(0.86, 0.94)
    common = int(fields * (WINDOW + FIELD) * share / (1 - share))
    title = prose.title(dice)
    blanks = [compose(prose, dice, common // (fields + 1)) for _ in range(fields + 1)]
    paths: list[str] = []
    for _ in range(size):
        blocks = list(blanks[0])
        for blank, line in zip(blanks[1:], _values(desk, fields), strict=True):
            blocks += [Block(Shape.PARAGRAPH, (line,)), *blank]
        paths.append(desk.file(Page(prose.language, title, tuple(blocks)), prose).path)
    desk.relate(RelationKind.SAME_FORM, *paths, share=round(share, 3))
    desk.gather(FamilyKind.SAME_FORM, paths)


def look_alikes(desk: Desk, size: int) -> None:
    dice = desk.dice
    prose = desk.prose()
    share = dice.share(0.52, 0.58)
    template = compose(prose, dice, dice.between(2_000, 3_200))
    common = Page(prose.language, "", tuple(template)).size
    half = len(template) // 2
    paths: list[str] = []
    for _ in range(size):
        own = compose(prose, dice, int(common * (1 - share) / share))
        cut = len(own) // 2
        blocks = (*own[:cut], *template[:half], *own[cut:], *template[half:])
        paths.append(desk.file(Page(prose.language, prose.title(dice), blocks), prose).path)
    desk.relate(RelationKind.LOOK_ALIKE, *paths, share=round(share, 3))


def _date(dice: Dice) -> str:
    return f"{dice.between(1, 28):02d}.{dice.between(1, 12):02d}.{dice.between(2015, 2024)}"


def _values(desk: Desk, fields: int) -> list[str]:
    dice, serial = desk.dice, desk.serial()
    device = product(_PRODUCTS_FROM + serial % _PRODUCTS)
    lines = [
        f"{person(dice.below(648))} {person(dice.below(648))}, no. {10_000_000 + serial * 7919 % 89_999_999}",
        f"{_date(dice)}, {dice.between(11, 99_999)}.{dice.between(10, 99)} EUR, {_date(dice)}",
        f"{device} / {dice.between(100_000, 999_999)} / {person(dice.below(648))}",
        f"{person(dice.below(648))} & {person(dice.below(648))}, {dice.between(1, 999)}/{serial}",
        " ".join(str(dice.between(1_000, 9_999)) for _ in range(7)),
    ][:fields]
    too_long = [line for line in lines if len(line.encode()) > FIELD]
    if too_long:
        raise ValueError(f"a form's value is longer than {FIELD} bytes: {too_long[0]}")
    return lines
