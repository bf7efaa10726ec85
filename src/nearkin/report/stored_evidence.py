"""Stored matches as the matcher and the views want them: rows of contents for their ids."""

import sqlite3

import numpy as np

from nearkin.group.evidence import Containments, Evidence, Links, Rows
from nearkin.matching.columns import MatchColumns
from nearkin.settings import MatchSettings
from nearkin.store import runs
from nearkin.store.contents import Contents
from nearkin.store.decided import Decided
from nearkin.store.match_columns import columns_named, stored_columns
from nearkin.store.results import unlisted_contents


def stored_matches(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> MatchColumns:
    """Those that reach the run's thresholds."""
    limits = run.settings["match"]
    found = MatchColumns.stored(columns_named(connection, run.scheme))
    found = found[found.strong(limits["threshold"], limits["containment"])]
    return found[np.isin(found.a, contents.ids) & np.isin(found.b, contents.ids)].by_row(contents.ids)


def stored_evidence(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings
) -> tuple[Evidence, Links]:
    """The matches that reach a threshold, without what people parted; and all whose payloads were compared."""
    found = stored_columns(connection, run.scheme)
    a, b = contents.rows(found.a), contents.rows(found.b)
    present = (a >= 0) & (b >= 0)
    if not present.all():
        found, a, b = found[present], a[present], b[present]
    first, second = a.astype(np.uint32), b.astype(np.uint32)
    every = Links(first, second, found.resemblance, found.payload, found.exact)
    contained = (found.a_in_b >= settings.containment) | (found.b_in_a >= settings.containment)
    alike = found.resemblance >= settings.threshold
    decided = Decided(connection)
    links = every[alike | contained]
    only = contained & ~alike
    part = found[only]
    inside = Containments(first[only], second[only], part.a_in_b, part.b_in_a, part.size_a, part.size_b)
    evidence = Evidence(links, inside, settings).without(
        decided.apart(links.a, links.b, contents.ids), decided.apart(inside.a, inside.b, contents.ids)
    )
    return evidence, every[~np.isnan(every.payload)]


def unlisted_rows(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> Rows:
    """Of contents not all of whose pairs were listed."""
    rows = contents.rows(unlisted_contents(connection, run.scheme))
    return rows[rows >= 0].astype(np.uint32)
