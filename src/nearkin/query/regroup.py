"""Families made anew from what a scan stored: in another view, or at other thresholds. Nothing is joined again."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearkin.group.families import ContentFamily, complete_to_pivot, families_in, kind_of
from nearkin.group.form import forms_in, name_forms
from nearkin.group.greedy import Representative, Signed, estimate_to_pivot, greedy, measure_links
from nearkin.group.grouping import family_row
from nearkin.group.identity import Seen, Stored, names_in_view
from nearkin.group.views import grouped
from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import left_out, payload
from nearkin.matching.verify import Corpus, room_for_texts
from nearkin.model import Kind, View
from nearkin.report.largest import largest
from nearkin.report.stored_evidence import filled_in, stored_evidence, unlisted_rows
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, Holdings, present_contents
from nearkin.store.matches import FamilyRow
from nearkin.store.signatures import signatures
from nearkin.store.verdicts import Decided
from nearkin.text.canon import Canon


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
