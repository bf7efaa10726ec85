"""Templates of a store: boilerplate that counts in no comparison, added and removed."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Literal

from nearkin.api.options import at_least_one, signer, words
from nearkin.api.session import Progress, run_context, writing
from nearkin.api.texts import Text, extracted_from
from nearkin.errors import InputError, UsageError
from nearkin.matching.boilerplate import Boilerplate, Drawer
from nearkin.pipeline import rematch
from nearkin.query.lookup import find_document
from nearkin.query.store_view import opened
from nearkin.query.templates import TOLERANCE, Suggestion, find_template, list_suggestions
from nearkin.query.verdicts import find_family
from nearkin.settings import checked
from nearkin.store import runs
from nearkin.store.scopes import naming
from nearkin.store.templates import add_template as store_template
from nearkin.store.templates import all_templates, store_features
from nearkin.store.templates import remove_template as delete_template

Numbers = Sequence[int] | Literal["all"]
Made = list[tuple[str, Boilerplate]]  # templates, each with its name


@dataclass(frozen=True)
class TemplateSource:
    """What a template is made of: one of family, text, file and suggestions."""

    family: str | None
    text: Text | None
    file: str | None  # a file, or a document of the store by its path there
    suggestions: Numbers
    least: int  # as the suggestions were asked for
    limit: int | None
    tolerance: float | None  # share of a family's members that must have the text
    source: str  # what the template says of where a text came from

    def refuse_unsound(self) -> None:
        """Raise an error where it is none, or its numbers make no sense."""
        if sum((self.family is not None, self.text is not None, self.file is not None, bool(self.suggestions))) != 1:
            raise UsageError("A template is made of one family, of one text, or of suggestions.")
        at_least_one("least", checked("least", self.least, int))
        at_least_one("limit", self.limit)
        if self.tolerance is not None and not 0.0 < checked("tolerance", self.tolerance, float) <= 1.0:
            raise UsageError(f"A tolerance is a share greater than 0 and at most 1, not {self.tolerance:g}.")
        for number in () if self.suggestions == "all" else self.suggestions:
            if number < 1 or (self.limit is not None and number > self.limit):
                raise UsageError(f"There is no suggestion {number}: they are 1 to {self.limit} at most (--limit).")


def add_template(
    store: Path,
    made_of: TemplateSource,
    *,
    name: str | None,
    by: str | None,
    note: str | None,
    progress: Progress | None,
) -> list[str]:
    """Leave out what a family has in common, a text, the text of a file, or what was suggested; the names of the
    templates made."""
    text, source = made_of.text, made_of.source
    if made_of.file is not None:
        text, source, name = _text_of(store, made_of.file), "file", name or _unnumbered(made_of.file)
    name, note, source, by = words("name", name), words("note", note), words("source", source) or "text", signer(by)
    made_of.refuse_unsound()
    with writing(store) as connection:
        _refuse_name(connection, name)  # before the work
        drawer = Drawer.of(connection)
        share: float | None = None
        if made_of.family is not None:
            share, source = made_of.tolerance or 1.0, "family"
            made = [_common_to_family(connection, drawer, made_of.family, share)]
        elif text is not None:
            canonical = drawer.canon.apply(extracted_from(text, drawer.canon.raw) or b"")
            made = [(source, drawer.given(canonical))]
        else:
            share, source = TOLERANCE, "suggestion"
            suggestions = list_suggestions(connection, least=made_of.least, limit=made_of.limit)
            made = _suggested(connection, made_of.suggestions, suggestions)
        made = _named(connection, made, name)

        def store_all() -> None:
            canon = runs.canon_id(connection, drawer.canon.spec)
            for unused_name, boilerplate in made:
                number = store_template(
                    connection,
                    name=unused_name,
                    source=source,
                    tolerance=share,
                    canon=canon,
                    passages=boilerplate.passages,
                    by=by,
                    note=note,
                )
                if boilerplate.features is not None:
                    store_features(connection, number, drawer.scheme_id, boilerplate.features)

        rematch(run_context(store, connection, progress), store_all)
    return [unused_name for unused_name, _ in made]


def remove_template(store: Path, name: str, *, by: str | None) -> None:
    """Remove a template by its name or number. Matches and families are made anew."""
    by = signer(by)
    with writing(store) as connection:
        template = find_template(connection, name)
        rematch(run_context(store, connection), lambda: delete_template(connection, template, by=by))


def _text_of(store: Path, file: str) -> bytes:
    """The extracted text of a file or document; its bytes where the store's texts are raw."""
    with opened(store) as connection:
        raw = runs.canon_of(connection, runs.last(connection)) == "raw"
    document = find_document(file, store, raw=raw)
    if document.text is None:
        raise InputError(f"{file} has no readable text.")
    return document.text


def _unnumbered(file: str) -> str:
    """A file's name; a number alone would be taken for the number of a template."""
    name = Path(file).name
    return f"file-{name}" if name.isdigit() else name


def _common_to_family(
    connection: sqlite3.Connection, drawer: Drawer, name: str, share: float
) -> tuple[str, Boilerplate]:
    family = find_family(connection, name)
    if len(family.contents) < 2:
        raise UsageError(f"Family {family.id} has no two contents to have something in common.")
    return f"family-{family.id[:8]}", drawer.common_to(family.contents, share)


def _suggested(connection: sqlite3.Connection, asked: Numbers, suggestions: Sequence[Suggestion]) -> Made:
    offered = {suggestion.number: suggestion for suggestion in suggestions}
    if asked == "all" and not offered:
        raise UsageError("There is nothing to suggest.")
    made: Made = []
    for number in offered if asked == "all" else dict.fromkeys(asked):
        if number not in offered:
            see = f"nearkin template suggest{naming(connection)}"
            raise UsageError(f"There is no suggestion {number}, only {len(offered)}; see: {see}")
        made.append(("suggestion", offered[number].boilerplate))
    return made


def _refuse_name(connection: sqlite3.Connection, name: str | None) -> None:
    if name is None:
        return
    if name in {template.name for template in all_templates(connection)}:
        raise UsageError(f"There is a template {name} already; choose another --name.")
    if not name.strip() or name.isdigit():
        raise UsageError("A template's name must not be empty or a number.")


def _named(connection: sqlite3.Connection, made: Made, name: str | None) -> Made:
    """Give each a name that no other template has."""
    taken = {template.name for template in all_templates(connection)}
    named = []
    for default, boilerplate in made:
        if not boilerplate:
            raise UsageError("Nothing to leave out: there is no text in common, or none as long as one shingle.")
        base = name or default
        names = chain([base], (f"{base}-{more}" for more in count(2)))
        unused = next(candidate for candidate in names if candidate not in taken)
        taken.add(unused)
        named.append((unused, boilerplate))
    return named
