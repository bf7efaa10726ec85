"""PowerPoint: shapes, charts, notes and comments, slide by slide; then what layouts and masters show on slides."""

from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ooxml import Relationship, add_drawn_text, main_part, properties, relationships
from nearkin.formats.package_parts import Parts
from nearkin.formats.sheets import add_drawn
from nearkin.model import Reason

BESIDE = ("chart", "chartEx", "diagramData", "notesSlide", "comments")


def read(file: BinaryIO, limits: Limits) -> Extraction:
    parts = Parts(file, limits)
    prose = TextBuilder(limits)
    main = main_part(parts, "ppt/presentation.xml")
    layouts: dict[str, None] = {}
    slides = _slides(parts, main)
    for slide in slides:
        related = relationships(parts, slide)
        add_drawn_text(parts, slide, prose)
        for kind in BESIDE:
            for relation in related:
                if relation.type == kind:
                    add_drawn(parts, kind, relation.target, prose)
        layouts.update(dict.fromkeys(_targets(related, "slideLayout")))
    parts.require_any(slides, "slides")
    masters = dict.fromkeys(
        master for layout in layouts for master in _targets(relationships(parts, layout), "slideMaster")
    )
    for part in sorted([*layouts, *masters]):
        add_drawn_text(parts, part, prose, placeholders=False)
    return Extraction(prose.text(), properties(parts), parts.failed_parts)


def _slides(parts: Parts, main: str) -> list[str]:
    """The slides in the order of the show, not of their file names. Sections of a show list slides again, by their
    numbers only: an attribute that names a relationship has a prefix (`r:id`)."""
    slides = {relation.id: relation.target for relation in relationships(parts, main) if relation.type == "slide"}
    shown = [
        value
        for event in parts.events(main)
        if event.name == "sldId"
        for name, value in event.attributes.items()
        if name.endswith(":id")
    ]
    named = [slides.get(key, f"slide {number}") for number, key in enumerate(shown, 1)]
    there = [slide for slide in named if parts.has_named(slide)]
    if shown and not there:
        raise Problem(Reason.CORRUPT, f"its {len(shown)} slides are missing")
    return there


def _targets(related: list[Relationship], kind: str) -> list[str]:
    return [relation.target for relation in related if relation.type == kind]
