"""PowerPoint: slide by slide its shapes, charts, notes and comments; last what layouts and masters show on slides."""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.chart import add_drawn
from nearkin.formats.ooxml import Relation, add_drawn_text, main_part, properties, relations
from nearkin.formats.prose import Prose
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason

BESIDE = ("chart", "chartEx", "diagramData", "notesSlide", "comments")


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = Parts(file, limits)
    prose = Prose(limits)
    main = main_part(parts, "ppt/presentation.xml")
    layouts: dict[str, None] = {}
    slides = _slides(parts, main)
    for slide in slides:
        kin = relations(parts, slide)
        add_drawn_text(parts, slide, prose)
        for kind in BESIDE:
            for relation in kin:
                if relation.type == kind:
                    add_drawn(parts, kind, relation.target, prose)
        layouts.update(dict.fromkeys(_targets(kin, "slideLayout")))
    parts.need_one(slides, "slides")
    masters = dict.fromkeys(
        master for layout in layouts for master in _targets(relations(parts, layout), "slideMaster")
    )
    for part in sorted([*layouts, *masters]):
        add_drawn_text(parts, part, prose, placeholders=False)
    return Found(prose.text(), properties(parts), parts.lacking)


def _slides(parts: Parts, main: str) -> list[str]:
    """In the order of the show, not of their file names. Sections of a show list slides again, by their numbers only:
    what names a relation has a prefix (`r:id`)."""
    slides = {relation.id: relation.target for relation in relations(parts, main) if relation.type == "slide"}
    shown = [
        value
        for event in parts.events(main)
        if event.name == "sldId"
        for name, value in event.attributes.items()
        if name.endswith(":id")
    ]
    named = [slides.get(key, f"slide {number}") for number, key in enumerate(shown, 1)]
    there = [slide for slide in named if parts.there(slide)]
    if shown and not there:
        raise Problem(Reason.CORRUPT, f"its {len(shown)} slides are missing")
    return there


def _targets(kin: list[Relation], kind: str) -> list[str]:
    return [relation.target for relation in kin if relation.type == kind]
