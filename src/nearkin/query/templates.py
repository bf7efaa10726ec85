"""Templates as listings show them, and suggested templates with what they would change."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import InputError
from nearkin.group.views import linked
from nearkin.matching.boilerplate import Boilerplate, Drawer, FeatureGroup, suggest
from nearkin.matching.candidates import Postings
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import (
    UNSTORED,
    among,
    features_of,
    left_out,
    passages_in,
    plain_shingler,
    shingles_of,
    sign_all,
    without_templates,
)
from nearkin.query.records import Record
from nearkin.query.regroup import stored_matches
from nearkin.scheme import Scheme, parse_scheme
from nearkin.scheme.mod import Exact, Mod
from nearkin.scheme.shingler import Shingler
from nearkin.settings import DEFAULT_SCHEME, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, present_contents
from nearkin.store.scopes import naming
from nearkin.store.signatures import Signatures, signatures
from nearkin.store.templates import Features, Template, all_templates, stored_features
from nearkin.store.verdicts import VerdictIndex
from nearkin.text.canon import Canon

LEAST = 5  # contents that have it
TOLERANCE = 0.9
READ = 64  # contents whose texts are read to know a template's text
EXCERPT = 200


@dataclass(frozen=True)
class Suggestion:
    """Boilerplate that may be made a template."""

    number: int
    boilerplate: Boilerplate
    documents: int
    families: tuple[str, ...]  # ids of those that would fall apart or lose documents, by estimate

    @property
    def excerpt(self) -> str:
        return excerpt(self.boilerplate.passages)

    def record(self) -> Record:
        return {
            "suggestion": self.number,
            "documents": self.documents,
            "shingles": self.boilerplate.size,
            "families_changed": len(self.families),
            "families": list(self.families),
            "passages": len(self.boilerplate.passages),
            "excerpt": self.excerpt,
        }


def excerpt(passages: Sequence[bytes]) -> str:
    """The beginning of the longest passage."""
    text = max(passages, key=len, default=b"").decode("utf-8", "replace").strip()
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def list_suggestions(connection: sqlite3.Connection, *, least: int = LEAST, limit: int | None = 20) -> list[Suggestion]:
    """Suggest templates: those that change most families first, then the heaviest.

    Nothing but the store decides, so a suggestion keeps its number.
    """
    drawer = Drawer.of(connection)
    run = runs.last(connection)
    contents = present_contents(connection, run.scheme)
    postings = _postings(connection, drawer, contents)
    copies = contents.copies
    joins = _joins(connection, run, contents)
    families = _Families.load(connection, run.scheme, contents)
    suggestions = []
    for group in suggest(postings, least=least)[:limit]:
        boilerplate = drawer.common_to(_spread(group, contents), TOLERANCE)
        if boilerplate:
            changed = families.changed(joins, group.rows, boilerplate.size, run.settings["match"]["threshold"])
            suggestions.append(Suggestion(0, boilerplate, int(copies[group.rows].sum()), changed))
    suggestions.sort(key=lambda suggestion: -len(suggestion.families))  # the heaviest stay first among equals
    return [replace(suggestion, number=at + 1) for at, suggestion in enumerate(suggestions)]


def _postings(connection: sqlite3.Connection, drawer: Drawer, contents: Contents) -> Postings:
    """The samples in which every content shows a feature that it has: those of the store, or made from the kept texts.

    A sample of slots, smallest shingles or chunks has a form's features in some of its documents and not in others.
    """
    texts = StoredTexts(connection, contents, drawer.canon, RunSettings().jobs)
    without = left_out(connection, drawer.scheme_id, drawer.scheme, drawer.canon)
    if not isinstance(drawer.scheme, Mod | Exact):
        scheme = parse_scheme(DEFAULT_SCHEME)
        signed = sign_all(scheme, texts, len(contents))
        if len(signed.features):
            return without_templates(signed, scheme, texts, left_out(connection, UNSTORED, scheme, drawer.canon))
    postings = without_templates(signatures(connection, drawer.scheme_id, contents), drawer.scheme, texts, without)
    return postings if drawer.scheme.sampled else replace(postings, moduli=np.ones_like(postings.moduli))


def _spread(group: FeatureGroup, contents: Contents) -> list[int]:
    rows = group.rows[np.linspace(0, len(group.rows) - 1, min(len(group.rows), READ)).astype(np.int64)]
    ids: list[int] = contents.ids[rows].tolist()
    return ids


def _joins(connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents) -> MatchColumns:
    matches = stored_matches(connection, run, contents)
    matches = matches[matches.resemblance >= run.settings["match"]["threshold"]]
    return matches[~VerdictIndex(connection).apart(matches.a, matches.b, contents.ids)]


@dataclass(frozen=True)
class _Families:
    """Which family each content is a member of, by row; -1: none."""

    of: NDArray[np.int64]
    names: list[str]

    @classmethod
    def load(cls, connection: sqlite3.Connection, scheme: int, contents: Contents) -> "_Families":
        names = [
            founder.hex()[:16]
            for (founder,) in connection.execute("SELECT founder FROM family WHERE scheme = ? ORDER BY id", (scheme,))
        ]
        numbers = connection.execute("SELECT id FROM family WHERE scheme = ? ORDER BY id", (scheme,)).fetchall()
        place = {number: at for at, (number,) in enumerate(numbers)}
        row_of = {content: row for row, content in enumerate(contents.numbers)}
        of = np.full(len(contents), -1, np.int64)
        for family, content in connection.execute(
            """SELECT family, content FROM family_content
               WHERE role = 'member' AND family IN (SELECT id FROM family WHERE scheme = ?)""",
            (scheme,),
        ):
            if content in row_of:
                of[row_of[content]] = place[family]
        return cls(of, names)

    def changed(self, joins: MatchColumns, rows: NDArray[np.int64], size: int, threshold: float) -> tuple[str, ...]:
        """The families whose members would no longer hang together if so much were left out of each of these contents.

        |A ∩ B| = r / (1 + r) · (|A| + |B|); what is left out is taken from both and from what they share.
        """
        inside = np.zeros(len(self.of), np.bool_)
        inside[rows] = True
        touched = inside[joins.a] & inside[joins.b]
        whole = (joins.size_a + joins.size_b).astype(np.float64)
        shared = joins.resemblance / (1 + joins.resemblance) * whole
        left = np.maximum(shared - size, 0)
        united = np.maximum(whole - shared - size, 1)
        kept = joins[~touched | (left / united >= threshold)]
        label = linked(len(self.of), kept)
        members = np.flatnonzero(self.of >= 0)
        pairs = np.unique(np.stack([self.of[members], label[members]]), axis=1)
        family, parts = np.unique(pairs[0], return_counts=True)
        return tuple(self.names[at] for at in family[parts > 1].tolist())


HAVE = 0.8  # share of a template's features that a document has which has the template


def find_template(connection: sqlite3.Connection, name: str) -> Template:
    """Find a template by its name, or by its number."""
    templates = all_templates(connection)
    for template in templates:
        if template.name == name:
            return template
    for template in templates:
        if str(template.id) == name:
            return template
    raise InputError(f"There is no template {name}; list them with: nearkin template list{naming(connection)}")


def templates_changed(connection: sqlite3.Connection) -> bool:
    """Whether the last run's scores were made with other templates than there are now."""
    run = runs.last(connection)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    return left_out(connection, run.scheme, scheme, canon).state != run.counts.get("template_state", 0)


def template_records(connection: sqlite3.Connection) -> list[Record]:
    templates = all_templates(connection)
    if not templates:
        return []
    run = runs.last(connection)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    contents = present_contents(connection, run.scheme)
    signed = signatures(connection, run.scheme, contents)
    copies = contents.copies
    known = stored_features(connection, run.scheme)
    shingler = plain_shingler(scheme) or Shingler(20)
    records = []
    for template in templates:
        features = known[template.id] if template.id in known else features_of(template, scheme, canon)
        records.append(
            {
                "id": template.id,
                "name": template.name,
                "source": template.source,
                "tolerance": template.tolerance,
                "documents": _holders(signed, contents, copies.tolist(), scheme, features),
                "shingles": len(shingles_of(passages_in(template, canon), shingler)),
                "passages": len(template.passages),
                "excerpt": excerpt(template.passages),
                "by": template.by,
                "note": template.note,
                "at": template.at,
            }
        )
    return records


def _holders(
    signed: Signatures, contents: Contents, copies: list[int], scheme: Scheme, features: Features
) -> int | None:
    """Count the documents that have most of what their sample can show of a template; None: samples of fixed size."""
    if scheme.limit or scheme.estimator.coded:
        return None
    has = np.concatenate([[0], np.cumsum(among(signed.features, features))])
    offsets = signed.offsets.astype(np.int64)
    held = has[offsets[1:]] - has[offsets[:-1]]
    needed = np.zeros(len(contents), np.float64)
    for modulus in np.unique(signed.moduli):
        # bsw keeps one in so many, but not those a modulus says.
        shown = np.count_nonzero(features % modulus == 0) if scheme.sampled else len(features) / int(modulus)
        needed[signed.moduli == modulus] = HAVE * shown
    return int(np.array(copies)[(held >= needed) & (held > 0)].sum()) if len(contents) else 0
