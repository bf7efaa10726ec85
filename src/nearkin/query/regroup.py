"""Families made anew from what a scan stored: in another view, or at other thresholds. Nothing is joined again.

Stored matches as the matcher and the views want them: rows of contents for their ids.

Matches that a scan only estimated, measured on the texts.

A scan verifies what may reach its thresholds. Whoever asks for less later gets the same care: thresholds apply to what
was measured. Estimates whose interval does not reach that far, and those of texts that were not kept, stay as they are.

The largest families, so that the others need not be made, measured and named.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.group.evidence import Containments, Evidence, Links, Rows
from nearkin.group.families import ContentFamily, complete_to_pivot, families_in, kind_of
from nearkin.group.form import forms_in, name_forms
from nearkin.group.greedy import Representative, Signed, estimate_to_pivot, greedy, measure_links
from nearkin.group.grouping import family_row
from nearkin.group.identity import Seen, Stored, names_in_view
from nearkin.group.views import grouped
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import left_out, payload
from nearkin.matching.verify import Corpus, room_for_texts, verify
from nearkin.model import Kind, View
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, Holdings, present_contents
from nearkin.store.families import FamilyRow, contents_of_kind, unlisted_contents
from nearkin.store.matches import StoredMatches, columns_named, stored_columns
from nearkin.store.signatures import signatures
from nearkin.store.verdicts import Decided
from nearkin.text.canon import Canon


def measured(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings, found: StoredMatches
) -> StoredMatches:
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    if scheme.shingler is None:
        return found
    a, b = contents.rows(found.a), contents.rows(found.b)
    high = columns_named(connection, run.scheme, ["high"])["high"]
    likely = (high >= settings.threshold) | (np.fmax(found.a_in_b, found.b_in_a) >= settings.containment)
    unsure = np.flatnonzero(~found.exact & likely & (a >= 0) & (b >= 0))
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
    columns = {name: getattr(found, name).copy() for name in ("resemblance", "a_in_b", "b_in_a", "size_a", "size_b")}
    columns["resemblance"][rows] = exactly.resemblance
    for mine, other in (("a_in_b", "b_in_a"), ("b_in_a", "a_in_b"), ("size_a", "size_b"), ("size_b", "size_a")):
        columns[mine][rows] = np.where(turned, getattr(exactly, other), getattr(exactly, mine))
    exact = found.exact.copy()
    exact[rows] = True
    return replace(found, **columns, exact=exact)


def stored_matches(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> MatchColumns:
    """Those that reach the run's thresholds."""
    limits = run.settings["match"]
    found = MatchColumns.stored(columns_named(connection, run.scheme))
    found = found[found.strong(limits["threshold"], limits["containment"])]
    return found[np.isin(found.a, contents.ids) & np.isin(found.b, contents.ids)].by_row(contents.ids)


def stored_evidence(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings
) -> Evidence:
    """The matches that reach a threshold, without what people parted. What the scan only estimated, as it lay below its
    thresholds, is measured on the texts before."""
    limits = run.settings["match"]
    found = stored_columns(connection, run.scheme)
    if settings.threshold < limits["threshold"] or settings.containment < limits["containment"]:
        found = measured(connection, run, contents, settings, found)
    a, b = contents.rows(found.a), contents.rows(found.b)
    present = (a >= 0) & (b >= 0)
    if not present.all():
        found, a, b = found[present], a[present], b[present]
    first, second = a.astype(np.uint32), b.astype(np.uint32)
    every = Links(first, second, found.resemblance, found.exact)
    contained = (found.a_in_b >= settings.containment) | (found.b_in_a >= settings.containment)
    alike = found.resemblance >= settings.threshold
    decided = Decided(connection)
    links = every[alike | contained]
    only = contained & ~alike
    part = found[only]
    inside = Containments(first[only], second[only], part.a_in_b, part.b_in_a, part.size_a, part.size_b)
    return Evidence(links, inside, settings).without(
        decided.apart(links.a, links.b, contents.ids), decided.apart(inside.a, inside.b, contents.ids)
    )


def filled_in(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> NDArray[np.bool_]:
    """By row: which are of a family that the run has called same-form."""
    rows = contents.rows(contents_of_kind(connection, run.scheme, Kind.SAME_FORM))
    found = np.zeros(len(contents), np.bool_)
    found[rows[rows >= 0]] = True
    return found


def unlisted_rows(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> Rows:
    """Of contents not all of whose pairs were listed."""
    rows = contents.rows(unlisted_contents(connection, run.scheme))
    return rows[rows >= 0].astype(np.uint32)


def largest(documents: NDArray[Any], size: NDArray[Any], limit: int | None) -> NDArray[np.intp]:
    """Which have most documents, of equal ones most bytes, ascending. What is as large as the last of them is among
    them: which of these comes first only their paths tell."""
    if limit is None or limit >= len(documents):
        return np.arange(len(documents))
    if limit == 0:
        return np.zeros(0, np.intp)
    last = np.lexsort((-size, -documents))[limit - 1]
    more = documents > documents[last]
    return np.flatnonzero(more | ((documents == documents[last]) & (size >= size[last])))


def grouped_again(
    connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings, view: View, limit: int | None = None
) -> list[FamilyRow]:
    """In one of the views that are made from matches. With a limit only the largest are made: so many, and those that
    are as large as the last of them."""
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
    run: runs.Run,
    contents: Contents,
    copies: NDArray[np.int64],
    families: list[ContentFamily],
    seen: Seen,
    settings: MatchSettings,
    view: View,
) -> list[FamilyRow]:
    """By the stored families that they mostly come from; nothing of it is stored."""
    names = names_in_view(families, seen, copies, Stored.load(connection, run.scheme, contents), contents.digests)
    return [
        family_row(family, contents, settings, view, founder=name) for family, name in zip(families, names, strict=True)
    ]


def grouped_greedily(
    connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings, representative: Representative
) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, RunSettings().jobs)
    without = left_out(connection, run.scheme, scheme, canon)
    postings = payload(signatures(connection, run.scheme, contents), scheme, texts, without)
    counts = contents.copies
    families = greedy(
        postings, contents.lengths, counts, scheme, threshold=settings.threshold, representative=representative
    )
    families = list(_parted(families, Decided(connection), contents.ids, counts))
    name_forms(families, filled_in(connection, run, contents))
    measure_on_texts(connection, run, contents, families)
    estimate_to_pivot(families, Signed(postings, scheme))
    measure_links(families)
    seen = Seen.among(families, len(contents))
    return _named(connection, run, contents, counts, families, seen, settings, View.GREEDY)


def _parted(
    families: list[ContentFamily], decided: Decided, ids: NDArray[np.int64], copies: NDArray[np.int64]
) -> Iterator[ContentFamily]:
    """Without the members that a person parted from what their family is built around."""
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
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, families: list[ContentFamily]
) -> None:
    """How far members are from their pivots, where both texts were kept."""
    local = RunSettings()
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, local.jobs)
    ignored = left_out(connection, run.scheme, scheme, canon).shingles
    if scheme.measure != "bytes":
        room = room_for_texts(local.memory, scheme.shingler)
        complete_to_pivot(families, Corpus(contents.lengths, texts, room, local.jobs, ignored), scheme.shingler)
