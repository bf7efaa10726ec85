"""Stored matches as the matcher and the views want them: rows of contents for their ids."""

import sqlite3

import numpy as np

from nearkin.group.evidence import Containments, Evidence, Links, Rows
from nearkin.matching.columns import MatchColumns
from nearkin.settings import MatchSettings
from nearkin.store import runs
from nearkin.store.contents import Contents
from nearkin.store.decided import Decided
from nearkin.store.results import match_containments, match_links, match_rows, unlisted_contents


def stored_matches(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> MatchColumns:
    """Those that reach the run's thresholds."""
    limits = run.settings["match"]
    rows = match_rows(
        connection, run.scheme, min_resemblance=limits["threshold"], min_containment=limits["containment"]
    )
    found = MatchColumns.stored(list(rows))
    return found[np.isin(found.a, contents.ids) & np.isin(found.b, contents.ids)].by_row(contents.ids)


def stored_evidence(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings
) -> Evidence:
    """The matches that reach a threshold, without what people parted."""
    decided = Decided(connection)
    links = _links(connection, run, contents, settings)
    inside = _inside(connection, run, contents, settings)
    return Evidence(
        links[~decided.apart(links.a, links.b, contents.ids)],
        inside[~decided.apart(inside.a, inside.b, contents.ids)],
        settings,
    )


def unlisted_rows(connection: sqlite3.Connection, run: runs.Run, contents: Contents) -> Rows:
    """Of contents not all of whose pairs were listed."""
    rows = contents.rows(unlisted_contents(connection, run.scheme))
    return rows[rows >= 0].astype(np.uint32)


def _links(connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings) -> Links:
    found = match_links(
        connection, run.scheme, min_resemblance=settings.threshold, min_containment=settings.containment
    )
    a, b = contents.rows(found.a), contents.rows(found.b)
    links = Links(a.astype(np.uint32), b.astype(np.uint32), found.resemblance, found.payload, found.exact)
    return links[(a >= 0) & (b >= 0)]


def _inside(connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings) -> Containments:
    found = match_containments(connection, run.scheme, below=settings.threshold, min_containment=settings.containment)
    a, b = contents.rows(found["a"]), contents.rows(found["b"])
    shares_and_sizes = (np.ascontiguousarray(found[name]) for name in ("a_in_b", "b_in_a", "size_a", "size_b"))
    return Containments(a.astype(np.uint32), b.astype(np.uint32), *shares_and_sizes)[(a >= 0) & (b >= 0)]
