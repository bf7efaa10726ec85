"""Templates of a store, as Python sees them: listed, suggested, added and removed."""

import sqlite3
from collections.abc import Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Literal

from nearkin.api.options import at_least_one, signer, words
from nearkin.api.session import Progress, Written
from nearkin.api.texts import Text, extracted_from
from nearkin.errors import UsageError
from nearkin.settings import checked

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.matching.boilerplate import Boilerplate, Drawer
    from nearkin.query.templates import Suggestion


class Templates(Written):
    def templates(self) -> "pa.Table":
        """The templates whose text counts in no comparison."""
        from nearkin.query.arrow_tables import template_table
        from nearkin.query.store_view import opened
        from nearkin.query.templates import template_records

        with opened(self.path) as connection:
            return template_table(template_records(connection))

    def suggest_templates(self, *, least: int = 5, limit: int | None = 20) -> "pa.Table":
        """Text that at least so many contents have which are otherwise unlike."""
        from nearkin.query.arrow_tables import suggestion_table
        from nearkin.query.store_view import opened
        from nearkin.query.templates import list_suggestions

        at_least_one("least", checked("least", least, int))
        at_least_one("limit", limit)
        with opened(self.path) as connection:
            found = list_suggestions(connection, least=least, limit=limit)
        return suggestion_table([one.record() for one in found])

    def add_template(
        self,
        *,
        family: str | None = None,
        text: Text | None = None,
        suggestions: Sequence[int] | Literal["all"] = (),
        least: int = 5,
        limit: int | None = 20,
        tolerance: float | None = None,
        name: str | None = None,
        source: str = "text",
        by: str | None = None,
        note: str | None = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Leave out what a family has in common, a text, or what was suggested; the names of the templates made.

        Matches and families are made anew. Numbers of suggestions hold for the same `least` and `limit`.
        """
        from nearkin.matching.boilerplate import Drawer
        from nearkin.query.templates import TOLERANCE, list_suggestions
        from nearkin.query.verdicts import find_family

        if sum((family is not None, text is not None, bool(suggestions))) != 1:
            raise UsageError("A template is made of one family, of one text, or of suggestions.")
        name, note, source, by = words("name", name), words("note", note), words("source", source) or "text", signer(by)
        at_least_one("least", checked("least", least, int))
        at_least_one("limit", limit)
        if tolerance is not None and not 0.0 < checked("tolerance", tolerance, float) <= 1.0:
            raise UsageError(f"A tolerance is a share greater than 0 and at most 1, not {tolerance:g}.")
        for number in () if suggestions == "all" else suggestions:
            if number < 1 or (limit is not None and number > limit):
                raise UsageError(f"There is no suggestion {number}: they are 1 to {limit} at most (--limit).")
        with self._writing() as connection:
            _refuse_name(connection, name)  # before the work
            drawer = Drawer.of(connection)
            share: float | None = None
            if family is not None:
                found, share, source = find_family(connection, family), tolerance or 1.0, "family"
                if len(found.contents) < 2:
                    raise UsageError(f"Family {found.id} has no two contents to have something in common.")
                made = [(f"family-{found.id[:8]}", drawer.common_to(found.contents, share))]
            elif text is not None:
                canonical = drawer.canon.apply(extracted_from(text, drawer.canon.raw) or b"")
                made = [(source, drawer.given(canonical))]
            else:
                share, source = TOLERANCE, "suggestion"
                offered = {one.number: one for one in list_suggestions(connection, least=least, limit=limit)}
                if suggestions == "all" and not offered:
                    raise UsageError("There is nothing to suggest.")
                numbers = offered if suggestions == "all" else dict.fromkeys(suggestions)
                made = [_suggested(connection, offered, number) for number in numbers]
            made = _named(connection, made, name)
            self._store(connection, drawer, made, source=source, tolerance=share, by=by, note=note, progress=progress)
        return [one for one, _ in made]

    def remove_template(self, name: str, *, by: str | None = None) -> None:
        """By name or number. Matches and families are made anew."""
        from nearkin.pipeline import rematch
        from nearkin.query.templates import find_template
        from nearkin.store.templates import remove_template

        by = signer(by)
        with self._writing() as connection:
            template = find_template(connection, name)
            rematch(self._run_context(connection), lambda: remove_template(connection, template, by=by))

    def _store(
        self,
        connection: sqlite3.Connection,
        drawer: "Drawer",
        made: "list[tuple[str, Boilerplate]]",
        *,
        source: str,
        tolerance: float | None,
        by: str,
        note: str | None,
        progress: Progress | None,
    ) -> None:
        from nearkin.pipeline import rematch
        from nearkin.store import runs
        from nearkin.store.templates import add_template, store_features

        def add() -> None:
            canon = runs.canon_id(connection, drawer.canon.spec)
            for name, boilerplate in made:
                number = add_template(
                    connection,
                    name=name,
                    source=source,
                    tolerance=tolerance,
                    canon=canon,
                    passages=boilerplate.passages,
                    by=by,
                    note=note,
                )
                if boilerplate.features is not None:
                    store_features(connection, number, drawer.scheme_id, boilerplate.features)

        rematch(self._run_context(connection, progress), add)


def _suggested(
    connection: sqlite3.Connection, offered: "dict[int, Suggestion]", number: int
) -> "tuple[str, Boilerplate]":
    if number not in offered:
        from nearkin.store.scopes import naming

        see = f"nearkin template suggest{naming(connection)}"
        raise UsageError(f"There is no suggestion {number}, only {len(offered)}; see: {see}")
    return "suggestion", offered[number].boilerplate


def _refuse_name(connection: sqlite3.Connection, name: str | None) -> None:
    from nearkin.store.templates import all_templates

    if name is None:
        return
    if name in {one.name for one in all_templates(connection)}:
        raise UsageError(f"There is a template {name} already; choose another --name.")
    if not name.strip() or name.isdigit():
        raise UsageError("A template's name must not be empty or a number.")


def _named(
    connection: sqlite3.Connection, made: "list[tuple[str, Boilerplate]]", name: str | None
) -> "list[tuple[str, Boilerplate]]":
    """Each by a name that no other template has."""
    from nearkin.store.templates import all_templates

    taken = {one.name for one in all_templates(connection)}
    named = []
    for default, boilerplate in made:
        if not boilerplate:
            raise UsageError("Nothing to leave out: there is no text in common, or none as long as one shingle.")
        base = name or default
        unused = next(one for one in chain([base], (f"{base}-{more}" for more in count(2))) if one not in taken)
        taken.add(unused)
        named.append((unused, boilerplate))
    return named
