"""Makers of families and of strangers: each writes exactly `size` documents and records what is true of them.

Forms and look-alikes share much text, forms enough for a family and look-alikes not. With c common shingles and v own
ones in each of two documents, resemblance is c / (c + 2v).

Form: values stand in k lines of at most FIELD bytes, so v ≤ k · (20 + FIELD); the common text is long enough
to make its share u = c / (c + v) 0.86 to 0.94. Forms are in Latin letters, where at least 0.88 of the bytes
are distinct shingles, so resemblance is at least 0.88u / (0.88u + 2(1 − u)) = 0.73.

Look-alike: the template's share s is 0.52 to 0.58, so resemblance is about s / (2 − s) ≤ 0.41, containment s.
"""

from dataclasses import asdict

from nearkin.sample.desk import Desk, FiledDocument
from nearkin.sample.languages import ENGLISH, FRENCH, GERMAN, RUSSIAN
from nearkin.sample.page import (
    OPERATIONS,
    PLACEMENTS,
    WINDOW,
    EditPlan,
    Page,
    PageBlock,
    Shape,
    affordable,
    compose,
    decomposed,
    edited,
    longest_word,
    lower_and_upper,
)
from nearkin.sample.prose import Dice, Language, Prose, coinage, person, product
from nearkin.sample.truth import FamilyKind, RelationKind

_ALPHABETS = (ENGLISH, GERMAN, FRENCH, RUSSIAN)  # case folding undoes their capitals exactly
_WORDY = (ENGLISH, ENGLISH, GERMAN)
_ACCENTED = (FRENCH, GERMAN)
_PRODUCTS_FROM = 300_000  # folders take the lower numbers
WRITINGS = ("text", "html", "shouted", "line ends", "decomposed", "latin-1", "utf-16")


def identical(desk: Desk, size: int, *, language: Language | None = None) -> None:
    prose = desk.prose(language)
    first = desk.file(desk.cheer(desk.page(prose, desk.typical_size())), prose)
    paths = [first.path, *(desk.copy(first, prose).path for _ in range(size - 1))]
    desk.relate(RelationKind.IDENTICAL, *paths)
    desk.gather(FamilyKind.IDENTICAL, paths)


def same_words(desk: Desk, size: int, *, other: str = "html", language: Language | None = None) -> None:
    """Write one page in two writings, as plain text and another; with a size above two also byte copies of either."""
    needs = _ACCENTED if other in ("decomposed", "latin-1") else _ALPHABETS if other == "shouted" else None
    prose = desk.prose(language or (desk.dice.pick(needs) if needs else None))
    page = desk.cheer(desk.page(prose, desk.typical_size()))
    twins = [_written(desk, page, prose, writing) for writing in ("text", other)]
    copies: dict[str, list[str]] = {twin.path: [twin.path] for twin in twins}
    for _ in range(size - 2):
        original = desk.dice.pick(twins)
        copies[original.path].append(desk.copy(original, prose).path)
    desk.relate(RelationKind.SAME_WORDS, *(twin.path for twin in twins))
    for paths in copies.values():
        if len(paths) > 1:
            desk.relate(RelationKind.IDENTICAL, *paths)
    desk.gather(FamilyKind.IDENTICAL, [path for paths in copies.values() for path in paths])


def versions(desk: Desk, size: int, *, language: Language | None = None, length: int = 0, edits: int = 0) -> None:
    """Write a chain of versions, some with a copy elsewhere; each step has as many edits as asked for, if a page can
    bear them."""
    prose = desk.prose(language)
    page = desk.page(prose, length or desk.typical_size())
    first = desk.file(page, prose)
    repeats = min(sum(desk.dice.chance(0.12) for _ in range(size)), size // 2, size - 2)
    chain, steps = _chain(desk, page, prose, first, size - repeats, edits=edits)
    members = [filed.path for filed in chain]
    for doubled in desk.dice.distinct(len(chain), repeats):
        copy = desk.copy(chain[doubled], prose)
        desk.relate(RelationKind.IDENTICAL, chain[doubled].path, copy.path)
        members.append(copy.path)
    desk.relate(RelationKind.VERSIONS, *(filed.path for filed in chain), steps=steps)
    desk.gather(FamilyKind.of(contents=len(chain), parts=0), members)


def renamed(desk: Desk, size: int) -> None:
    assert size == 2
    prose = desk.prose(desk.dice.pick(_ALPHABETS))
    old, new = prose.product, product(_PRODUCTS_FROM + desk.serial())
    nameless = compose(prose, desk.dice, desk.typical_size(), names_product=False)
    page = Page(prose.language, prose.title(desk.dice, names_product=True), tuple(nameless))
    most = affordable(page.size, touched=max(len(old), len(new)))
    body = desk.dice.between(4, max(4, min(30, most - 1)))
    before = edited(page, EditPlan(body, ("insert",), "even"), desk.dice, lambda: old)
    first = desk.file(before, prose)
    second = desk.file(before.renamed(old, new), prose, when=desk.later(first.when))
    paths = [first.path, second.path]
    desk.relate(RelationKind.RENAMED, *paths, **{"from": old, "to": new, "occurrences": body + 1})
    desk.gather(FamilyKind.PAIR, paths)


def contains(desk: Desk, size: int, *, length: int = 0) -> None:
    """Write a container and its part; with a size above two also copies of the part."""
    # A very long text in a small vocabulary has nearly every run of 20 bytes: only wordy languages there.
    prose = desk.prose(desk.dice.pick(_WORDY) if length else None)
    part = desk.page(prose, 1_000 if length else desk.dice.between(900, 1_600))
    container = _container(desk, prose, [part], length=length)
    held, holder = desk.file(part, prose), desk.file(container, prose)
    parts = [held.path, *(desk.copy(held, prose).path for _ in range(size - 2))]
    if len(parts) > 1:
        desk.relate(RelationKind.IDENTICAL, *parts)
    desk.relate(RelationKind.CONTAINS, holder.path, held.path, grouped=True)
    desk.gather(FamilyKind.CONTAINS, [holder.path, *parts], parts)


def archive(desk: Desk, size: int) -> None:
    """Write one container that holds size − 1 parts, each a document of its own."""
    prose = desk.prose()
    pages = [desk.page(desk.prose(prose.language), desk.dice.between(900, 2_200)) for _ in range(size - 1)]
    holder = desk.file(_container(desk, prose, pages), prose)
    parts = [desk.file(page, prose).path for page in pages]
    for part in parts:
        desk.relate(RelationKind.CONTAINS, holder.path, part, grouped=True)
    desk.gather(FamilyKind.of(contents=1, parts=len(parts)), [holder.path, *parts], parts)


def mixed(desk: Desk, size: int) -> None:
    """Write two versions of a container, the first of which holds size − 2 complete parts."""
    prose = desk.prose()
    pages = [desk.page(desk.prose(prose.language), desk.dice.between(900, 1_600)) for _ in range(size - 2)]
    container = _container(desk, prose, pages)
    first = desk.file(container, prose)
    chain, steps = _chain(desk, container, prose, first, 2)
    parts = [desk.file(page, prose).path for page in pages]
    for part in parts:
        desk.relate(RelationKind.CONTAINS, first.path, part, grouped=True)
    paths = [filed.path for filed in chain]
    desk.relate(RelationKind.VERSIONS, *paths, steps=steps)
    desk.gather(FamilyKind.MIXED, paths + parts, parts)


def _chain(
    desk: Desk, page: Page, prose: Prose, first: FiledDocument, length: int, *, edits: int = 0
) -> tuple[list[FiledDocument], list[dict[str, object]]]:
    """Write the versions after the first, each made from the one before by as many edits as its length can bear."""
    chain, steps, seen = [first], list[dict[str, object]](), {page.as_text()}
    while len(chain) < length:
        most = max(1, affordable(page.size, touched=longest_word(page)))
        kinds = desk.dice.distinct(len(OPERATIONS), desk.dice.zipf(1, len(OPERATIONS)))
        edit = EditPlan(
            min(most, edits or desk.dice.zipf(1, 50)),
            tuple(OPERATIONS[kind] for kind in kinds),
            desk.dice.pick(PLACEMENTS),
        )
        changed = edited(page, edit, desk.dice, lambda: prose.word(desk.dice))
        text = changed.as_text()
        if text in seen:
            continue
        seen.add(text)
        page = changed
        chain.append(desk.file(page, prose, when=desk.later(chain[-1].when)))
        steps.append(asdict(edit))
    return chain, steps


def _container(desk: Desk, prose: Prose, parts: list[Page], *, length: int = 0) -> Page:
    """Return a page that holds the parts; its own text is at least two and a half times as long as the longest part."""
    own = max(length, max(part.size for part in parts) * desk.dice.between(25, 50) // 10)
    blocks: list[PageBlock] = compose(prose, desk.dice, own // (len(parts) + 1))
    for part in parts:
        blocks.extend(part.as_section())
        blocks.extend(compose(prose, desk.dice, own // (len(parts) + 1)))
    return Page(prose.language, prose.title(desk.dice), tuple(blocks))


def _written(desk: Desk, page: Page, prose: Prose, writing: str) -> FiledDocument:
    text = page.as_text()
    data, suffix = text.encode(), ".txt"
    match writing:
        case "text":
            pass
        case "html":
            data, suffix = page.as_html().encode(), ".html"
        case "shouted":
            data = lower_and_upper(text).encode()
        case "line ends":
            data = text.replace("\n", "\r\n").encode()
        case "decomposed":
            data = decomposed(text).encode()
        case "latin-1":
            data, suffix = (
                page.as_html(charset="iso-8859-1").encode("iso-8859-1", "xmlcharrefreplace"),
                ".html",
            )
        case "utf-16":
            data = b"\xff\xfe" + text.encode("utf-16-le")
        case _:
            raise ValueError(f"unknown writing: {writing}")
    return desk.file_bytes(data, suffix, desk.name(prose.title(desk.dice), page.language))


FIELD = 36
_FORM_PRODUCTS_FROM = 400_000
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
            blocks += [PageBlock(Shape.PARAGRAPH, (line,)), *blank]
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
    device = product(_FORM_PRODUCTS_FROM + serial % _PRODUCTS)
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
    """Write a picture-like file with NUL bytes; with a size above one also byte copies of it."""
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
    """Write a text of about 120 bytes and another that holds it: contained, yet too short to join a family."""
    assert size == 2
    prose = desk.prose()
    lines = prose.passage(desk.dice, 70)
    held = prose.language.shown(" ".join(lines))
    blocks = compose(prose, desk.dice, 2_500)
    blocks.insert(len(blocks) // 2, PageBlock(Shape.PARAGRAPH, (" ".join(lines),)))
    holder = desk.file(Page(prose.language, prose.title(desk.dice), tuple(blocks)), prose)
    part = desk.file_bytes(f"{held}\n".encode(), ".txt", desk.name(prose.title(desk.dice), prose.language))
    desk.relate(RelationKind.CONTAINS, holder.path, part.path, grouped=False)


def oddly_named(desk: Desk, size: int, *, name: str, plain: str) -> None:
    assert size == 1
    folder = desk.shelf.folder()
    prose = desk.prose(folder=folder)
    data = desk.page(prose, desk.typical_size()).as_text().encode()
    desk.shelf.put_oddly(folder, name, plain, data, when=desk.moment())
