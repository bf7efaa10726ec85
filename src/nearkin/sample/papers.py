"""Makers of what offices write: one page in several formats, mail with attachments, archives.

Each writes exactly `size` files; what lies in them are documents too, named as nearkin names them: `mail.eml!/a.pdf`.
"""

from dataclasses import asdict

from nearkin.sample.desk import Desk, Filed
from nearkin.sample.file_formats import as_docx, as_pdf, as_xlsx, mail, parcel
from nearkin.sample.latin import ENGLISH, FRENCH, GERMAN
from nearkin.sample.page import OPERATIONS, Block, Edit, Page, Shape, affordable, edited, longest_word
from nearkin.sample.prose import Prose, person
from nearkin.sample.truth import FamilyKind, RelationKind

_LANGUAGES = (ENGLISH, ENGLISH, GERMAN, FRENCH)  # what the PDFs' font can write
_WRITINGS = ("html", "docx", "pdf", "txt")
MEMBER = "!/"


def across_formats(desk: Desk, size: int) -> None:
    """The same words as HTML, Word, PDF, text."""
    prose, page = _page(desk)
    paths = [_filed(desk, page, prose, writing).path for writing in _WRITINGS[:size]]
    desk.relate(RelationKind.SAME_WORDS, *paths)
    desk.gather(FamilyKind.IDENTICAL, paths)


def versions_across_formats(desk: Desk, size: int) -> None:
    """A chain, each version in another format; the PDF has its title and number on every page."""
    prose, page = _page(desk, 6_000)
    chain, steps = [_filed(desk, page, prose, "html")], list[dict[str, object]]()
    for writing in ("docx", "report", "txt")[: size - 1]:
        most = affordable(page.size, touched=longest_word(page)) // 2
        edit = Edit(min(most, desk.dice.between(2, 12)), OPERATIONS, "even")
        page = edited(page, edit, desk.dice, lambda: prose.word(desk.dice))
        chain.append(_filed(desk, page, prose, writing, when=desk.later(chain[-1].when)))
        steps.append(asdict(edit))
    paths = [filed.path for filed in chain]
    desk.relate(RelationKind.VERSIONS, *paths, steps=steps)
    desk.gather(FamilyKind.of(contents=size, parts=0), paths)


def sheet(desk: Desk, size: int) -> None:
    """A table as a sheet and as text."""
    assert size == 2
    prose = desk.prose(desk.dice.pick(_LANGUAGES))
    lines = prose.passage(desk.dice, desk.typical_size())
    rows = tuple("\t".join(_halves(line)) for line in lines)
    page = Page(prose.language, prose.product, (Block(Shape.TABLE, rows),))
    paths = [_filed(desk, page, prose, writing).path for writing in ("xlsx", "txt")]
    desk.relate(RelationKind.SAME_WORDS, *paths)
    desk.gather(FamilyKind.IDENTICAL, paths)


def mailed(desk: Desk, size: int) -> None:
    """A file, and mails with a copy of it attached."""
    prose, page = _page(desk)
    filed = _filed(desk, page, prose, desk.dice.pick(("docx", "pdf", "html")))
    name = f"attachment{filed.suffix}"
    mails = [_mail(desk, {name: filed.data}, when=desk.later(filed.when)) for _ in range(size - 1)]
    _alike(desk, filed.path, *(f"{path}{MEMBER}{name}" for path in mails))


def boxed(desk: Desk, size: int) -> None:
    """Files, and an archive with copies of them."""
    filed = [_filed(desk, page, prose, writing) for writing, (prose, page) in _several(desk, size - 1)]
    members = {f"papers/{turn}-{_last(one.path)}": one.data for turn, one in enumerate(filed, 1)}
    box = desk.file_bytes(parcel(members), ".zip", f"box-{desk.dice.between(1, 999)}")
    for one, name in zip(filed, members, strict=True):
        _alike(desk, one.path, f"{box.path}{MEMBER}{name}")


def mailed_box(desk: Desk, size: int) -> None:
    """A file, and a mail with an archive that has a copy of it."""
    assert size == 2
    prose, page = _page(desk)
    filed = _filed(desk, page, prose, "docx")
    path = _mail(desk, {"papers.zip": parcel({"report.docx": filed.data})}, when=desk.later(filed.when))
    _alike(desk, filed.path, f"{path}{MEMBER}papers.zip{MEMBER}report.docx")


def _alike(desk: Desk, *paths: str) -> None:
    desk.relate(RelationKind.IDENTICAL, *paths)
    desk.gather(FamilyKind.IDENTICAL, list(paths))


def _page(desk: Desk, size: int = 0) -> tuple[Prose, Page]:
    prose = desk.prose(desk.dice.pick(_LANGUAGES))
    return prose, desk.page(prose, size or desk.typical_size())


def _several(desk: Desk, count: int) -> list[tuple[str, tuple[Prose, Page]]]:
    return [(_WRITINGS[turn % len(_WRITINGS)], _page(desk)) for turn in range(count)]


def _filed(desk: Desk, page: Page, prose: Prose, writing: str, *, when: int | None = None) -> Filed:
    match writing:
        case "docx":
            data, suffix = as_docx(page), ".docx"
        case "xlsx":
            data, suffix = as_xlsx(page), ".xlsx"
        case "pdf" | "report":
            data, suffix = as_pdf(page, numbered=writing == "report"), ".pdf"
        case "html":
            data, suffix = page.as_html().encode(), ".html"
        case "txt":
            data, suffix = page.as_text().encode(), ".txt"
        case _:
            raise ValueError(f"unknown writing: {writing}")
    return desk.file_bytes(data, suffix, desk.name(prose.title(desk.dice), page.language), when=when)


def _mail(desk: Desk, attached: dict[str, bytes], *, when: int) -> str:
    """Its own words are a stranger's."""
    prose, page = _page(desk, desk.dice.between(1_200, 2_400))
    sender, receiver = (person(desk.dice.below(600)) for _ in range(2))
    data = mail(page.title, page.as_text(), attached, sender=sender, receiver=receiver, when=when)
    return desk.file_bytes(data, ".eml", desk.name(prose.title(desk.dice), page.language), when=when).path


def _halves(line: str) -> tuple[str, str]:
    words = line.split(" ")
    return " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])


def _last(path: str) -> str:
    return path.rpartition("/")[2]
