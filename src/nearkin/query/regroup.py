"""Families made anew from what a scan stored: in another view, or at other thresholds. Nothing is joined again.

Stored matches name contents by their ids; the matcher and the views want rows. A scan verifies what may reach its
thresholds. A later question with lower ones gets the same care: what the scan only estimated is measured on the texts,
and thresholds apply to what was measured. Estimates whose interval does not reach that far, and those of texts that
were not kept, stay as they are. Where only the largest families are asked for, no others are made, measured and named.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.group.families import (
    Containments,
    ContentFamily,
    Evidence,
    Links,
    Rows,
    complete_to_pivot,
    families_in,
    kind_of,
)
from nearkin.group.form import forms_in, name_forms
from nearkin.group.grouping import family_row
from nearkin.group.identity import Seen, Stored, names_in_view
from nearkin.group.views import Representative, RowSignatures, estimate_to_pivot, greedy, grouped, measure_links
from nearkin.matching.match_columns import TURNED, MatchColumns
from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import left_out, without_templates
from nearkin.matching.verify import Corpus, room_for_texts, verify
from nearkin.model import Kind, View
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, Holdings, present_contents
from nearkin.store.families import FamilyRow, contents_of_kind, unlisted_contents
from nearkin.store.matches import StoredMatches, columns_named, stored_columns
from nearkin.store.signatures import signatures
from nearkin.store.verdicts import VerdictIndex
from nearkin.text.canon import Canon


def measured(
    connection: sqlite3.Connection,
    run: runs.FinishedRun,
    contents: Contents,
    settings: MatchSettings,
    matches: StoredMatches,
) -> StoredMatches:
    """Measure on the texts what the scan only estimated and what may reach these thresholds."""
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    if scheme.shingler is None:
        return matches
    a, b = contents.rows(matches.a), contents.rows(matches.b)
    high = columns_named(connection, run.scheme, ["high"])["high"]
    likely = (high >= settings.threshold) | (np.fmax(matches.a_in_b, matches.b_in_a) >= settings.containment)
    unsure = np.flatnonzero(~matches.exact & likely & (a >= 0) & (b >= 0))
    first, second = np.minimum(a, b)[unsure], np.maximum(a, b)[unsure]
    local = RunSettings()
    corpus = Corpus(
        contents.lengths,
        StoredTexts(connection, contents, canon, local.jobs),
        room_for_texts(local.memory, scheme.shingler),
        local.jobs,
        left_out(connection, run.scheme, scheme, canon).shingles,
    )
    exactly, possible = verify(
        first.astype(np.uint32),
        second.astype(np.uint32),
        corpus,
        shingler=scheme.shingler,
        resemblance=settings.threshold,
        containment=settings.containment,
    )
    rows = unsure[possible][np.lexsort((second[possible], first[possible]))]
    exactly = exactly[np.lexsort((exactly.b, exactly.a))]
    turned = a[rows] > b[rows]  # rows are in the order of digests, stored pairs in that of ids
    columns = {name: getattr(matches, name).copy() for name in ("resemblance", *TURNED)}
    columns["resemblance"][rows] = exactly.resemblance
    for name in TURNED:
        columns[name][rows] = np.where(turned, getattr(exactly, TURNED[name]), getattr(exactly, name))
    exact = matches.exact.copy()
    exact[rows] = True
    return replace(matches, **columns, exact=exact)


def stored_matches(connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents) -> MatchColumns:
    """The stored matches that reach the run's thresholds, by rows of contents."""
    limits = run.settings["match"]
    matches = MatchColumns.stored(columns_named(connection, run.scheme))
    matches = matches[matches.strong(limits["threshold"], limits["containment"])]
    return matches[np.isin(matches.a, contents.ids) & np.isin(matches.b, contents.ids)].by_row(contents.ids)


def stored_evidence(
    connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents, settings: MatchSettings
) -> Evidence:
    """The matches that reach a threshold, without those that people parted.

    What the scan only estimated, as it lay below its thresholds, is measured on the texts before.
    """
    limits = run.settings["match"]
    matches = stored_columns(connection, run.scheme)
    if settings.threshold < limits["threshold"] or settings.containment < limits["containment"]:
        matches = measured(connection, run, contents, settings, matches)
    a, b = contents.rows(matches.a), contents.rows(matches.b)
    present = (a >= 0) & (b >= 0)
    if not present.all():
        matches, a, b = matches[present], a[present], b[present]
    first, second = a.astype(np.uint32), b.astype(np.uint32)
    every = Links(first, second, matches.resemblance, matches.exact)
    contained = (matches.a_in_b >= settings.containment) | (matches.b_in_a >= settings.containment)
    alike = matches.resemblance >= settings.threshold
    decided = VerdictIndex(connection)
    links = every[alike | contained]
    only = contained & ~alike
    part = matches[only]
    inside = Containments(first[only], second[only], part.a_in_b, part.b_in_a, part.size_a, part.size_b)
    return Evidence(links, inside, settings).without(
        decided.apart(links.a, links.b, contents.ids), decided.apart(inside.a, inside.b, contents.ids)
    )


def filled_in(connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents) -> NDArray[np.bool_]:
    """Which contents, by row, are of a family that the run has called same-form."""
    rows = contents.rows(contents_of_kind(connection, run.scheme, Kind.SAME_FORM))
    filled = np.zeros(len(contents), np.bool_)
    filled[rows[rows >= 0]] = True
    return filled


def unlisted_rows(connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents) -> Rows:
    """The rows of contents not all of whose pairs were listed."""
    rows = contents.rows(unlisted_contents(connection, run.scheme))
    return rows[rows >= 0].astype(np.uint32)


def largest(documents: NDArray[Any], size: NDArray[Any], limit: int | None) -> NDArray[np.intp]:
    """The places of the families with most documents, of equal ones with most bytes, ascending.

    Families as large as the last of them are among them: only their paths decide which of these comes first.
    """
    if limit is None or limit >= len(documents):
        return np.arange(len(documents))
    if limit == 0:
        return np.zeros(0, np.intp)
    last = np.lexsort((-size, -documents))[limit - 1]
    more = documents > documents[last]
    return np.flatnonzero(more | ((documents == documents[last]) & (size >= size[last])))


def grouped_again(
    connection: sqlite3.Connection, run: runs.FinishedRun, settings: MatchSettings, view: View, limit: int | None = None
) -> list[FamilyRow]:
    """Group in one of the views that are made from matches.

    With a limit only the largest are made: so many, and those that are as large as the last of them.
    """
    held = Holdings.load(connection)
    contents = held.contents(connection, run.scheme)
    copies = contents.copies
    evidence = stored_evidence(connection, run, contents, settings)
    unlisted = unlisted_rows(connection, run, contents)
    partition = grouped(view, evidence, contents.lengths, unlisted=unlisted)
    partition = replace(partition, forms=forms_in(partition.label, filled_in(connection, run, contents)))
    labels, owner = partition.labels(copies), partition.owner
    number = np.full(len(contents), -1, np.int64)
    number[labels] = np.arange(len(labels))
    seen = Seen(number[owner], partition.pivots[labels].astype(np.int64))
    documents, size = (
        np.bincount(owner, column[contents.ids], len(contents))[labels] for column in (held.documents, held.bytes)
    )
    families = families_in(partition, labels[largest(documents, size, limit)])
    measure_on_texts(connection, run, contents, families)
    return _named(connection, run, contents, copies, families, seen, settings, view)


def _named(
    connection: sqlite3.Connection,
    run: runs.FinishedRun,
    contents: Contents,
    copies: NDArray[np.int64],
    families: list[ContentFamily],
    seen: Seen,
    settings: MatchSettings,
    view: View,
) -> list[FamilyRow]:
    """Name families by the stored ones that they mostly come from; nothing of it is stored."""
    names = names_in_view(families, seen, copies, Stored.load(connection, run.scheme, contents), contents.digests)
    return [
        family_row(family, contents, settings, view, founder=name) for family, name in zip(families, names, strict=True)
    ]


def grouped_greedily(
    connection: sqlite3.Connection, run: runs.FinishedRun, settings: MatchSettings, representative: Representative
) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, RunSettings().jobs)
    without = left_out(connection, run.scheme, scheme, canon)
    postings = without_templates(signatures(connection, run.scheme, contents), scheme, texts, without)
    counts = contents.copies
    families = greedy(
        postings, contents.lengths, counts, scheme, threshold=settings.threshold, representative=representative
    )
    families = list(_parted(families, VerdictIndex(connection), contents.ids, counts))
    name_forms(families, filled_in(connection, run, contents))
    measure_on_texts(connection, run, contents, families)
    estimate_to_pivot(families, RowSignatures(postings, scheme))
    measure_links(families)
    seen = Seen.among(families, len(contents))
    return _named(connection, run, contents, counts, families, seen, settings, View.GREEDY)


def _parted(
    families: list[ContentFamily], decided: VerdictIndex, ids: NDArray[np.int64], copies: NDArray[np.int64]
) -> Iterator[ContentFamily]:
    """The families without the members that a person parted from what their family is built around."""
    for family in families:
        members = np.array(family.members, np.uint32)
        parted = decided.apart(members, np.full(len(members), family.pivot, np.uint32), ids)
        for row in members[parted].tolist():
            family.members.remove(row)
            family.to_pivot.pop(row, None)
            if copies[row] > 1:
                yield ContentFamily([row], pivot=row, to_pivot={row: 1.0}, kind=Kind.IDENTICAL)
        family.kind = kind_of(family) if parted.any() else family.kind
        if len(family.members) > 1 or copies[family.pivot] > 1:
            yield family


def measure_on_texts(
    connection: sqlite3.Connection, run: runs.FinishedRun, contents: Contents, families: list[ContentFamily]
) -> None:
    """Measure how far members are from their pivots, where both texts were kept."""
    local = RunSettings()
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, local.jobs)
    ignored = left_out(connection, run.scheme, scheme, canon).shingles
    if scheme.measure != "bytes":
        room = room_for_texts(local.memory, scheme.shingler)
        complete_to_pivot(families, Corpus(contents.lengths, texts, room, local.jobs, ignored), scheme.shingler)
