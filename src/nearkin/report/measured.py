"""Matches that a scan only estimated, measured on the texts.

A scan verifies what may reach its thresholds. Whoever asks for less later gets the same care: thresholds apply to what
was measured. Estimates whose interval does not reach that far, and those of texts that were not kept, stay as they are.
"""

import sqlite3
from dataclasses import replace

import numpy as np

from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import left_out
from nearkin.matching.verify import Corpus, room_for_texts, verify
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents
from nearkin.store.matches import StoredMatches, columns_named
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
