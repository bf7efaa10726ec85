"""Stored matches as the matcher and the views want them: rows of contents for their ids."""

import sqlite3

import numpy as np
from numpy.typing import NDArray

from nearkin.group.evidence import Containments, Evidence, Links, Rows
from nearkin.matching.match_columns import MatchColumns
from nearkin.model import Kind
from nearkin.report.measured import measured
from nearkin.settings import MatchSettings
from nearkin.store import runs
from nearkin.store.contents import Contents
from nearkin.store.matches import columns_named, contents_of_kind, stored_columns, unlisted_contents
from nearkin.store.verdicts import Decided


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
