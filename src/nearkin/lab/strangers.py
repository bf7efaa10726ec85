"""Makers of documents of no family: singles, short, empty, binary and oddly named ones."""

from nearkin.lab.vocabulary import coinage
from nearkin.sample.desk import Desk
from nearkin.sample.page import Block, Page, Shape, compose
from nearkin.sample.truth import RelationKind

# Byte 0xE9 is é in Latin-1 and no UTF-8; the plain name serves where a file system refuses the odd one.
ODD_NAMES = (
    ("caf\udce9-notes.txt", "cafe-notes"),
    ("minutes of the spring meeting.txt", "minutes-of-the-spring-meeting"),
    ("Müller & Söhne, Größenübersicht.txt", "mueller-und-soehne"),
    ('the "final" draft.txt', "the-final-draft"),
    ("-dash first.txt", "dash-first"),
    ("operator's log.txt", "operators-log"),
    ("取扱説明書 🔧.txt", "toriatsukai"),
    ("двигатель (копия).txt", "dvigatel"),
)


def single(desk: Desk, size: int = 1) -> None:
    for _ in range(size):
        folder = desk.shelf.folder()
        prose = desk.prose(folder=folder)
        desk.file(desk.cheer(desk.page(prose, desk.typical_size())), prose, folder=folder)


def one_line(desk: Desk, size: int = 1) -> None:
    for _ in range(size):
        prose = desk.prose()
        line = prose.language.shown(f"{prose.line(desk.dice)} {desk.dice.between(1_000, 999_999)}")
        desk.file_bytes(f"{line}\n".encode(), ".txt", desk.name(prose.title(desk.dice), prose.language))


def one_word(desk: Desk, size: int = 1) -> None:
    for _ in range(size):
        desk.file_bytes(coinage(100_000 + desk.serial()).encode(), ".txt", f"todo-{desk.dice.between(1, 999)}")


def empty(desk: Desk, size: int = 1) -> None:
    for _ in range(size):
        desk.file_bytes(b"", desk.dice.pick((".txt", ".html")), f"untitled-{desk.dice.between(1, 999)}")


def blank(desk: Desk, size: int = 1) -> None:
    for _ in range(size):
        desk.file_bytes(b" \n\t\r\n" * desk.dice.between(1, 400), ".txt", f"scan-{desk.dice.between(1, 999)}")


def binary(desk: Desk, size: int) -> None:
    """A picture-like file with NUL bytes; with a size above one, byte copies of it."""
    data = (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00"
        + desk.dice.octets(desk.dice.between(800, 3_000))
        + b"\x00\x00IEND"
    )
    first = desk.file_bytes(data, ".png", f"photo-{desk.dice.between(1, 9_999):04d}")
    copies = [
        desk.file_bytes(data, ".png", f"photo-{desk.dice.between(1, 9_999):04d}", apart_from=first.path).path
        for _ in range(size - 1)
    ]
    if copies:
        desk.relate(RelationKind.IDENTICAL, first.path, *copies)


def short_part(desk: Desk, size: int) -> None:
    """A text of about 120 bytes inside another: contained, yet too short to join a family."""
    assert size == 2
    prose = desk.prose()
    lines = prose.passage(desk.dice, 70)
    held = prose.language.shown(" ".join(lines))
    blocks = compose(prose, desk.dice, 2_500)
    blocks.insert(len(blocks) // 2, Block(Shape.PARAGRAPH, (" ".join(lines),)))
    holder = desk.file(Page(prose.language, prose.title(desk.dice), tuple(blocks)), prose)
    part = desk.file_bytes(f"{held}\n".encode(), ".txt", desk.name(prose.title(desk.dice), prose.language))
    desk.relate(RelationKind.CONTAINS, holder.path, part.path, grouped=False)


def oddly_named(desk: Desk, size: int, *, name: str, plain: str) -> None:
    assert size == 1
    folder = desk.shelf.folder()
    prose = desk.prose(folder=folder)
    data = desk.page(prose, desk.typical_size()).as_text().encode()
    desk.shelf.put_oddly(folder, name, plain, data, when=desk.moment())
