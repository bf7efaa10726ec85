"""What a scan did not list, so that what is shown may not be all: said to people, and to programs in the metadata of a
table."""

import sqlite3

from nearkin.model import View
from nearkin.store import runs


def missing_from_families(connection: sqlite3.Connection, view: View, threshold: float | None) -> list[str]:
    """Sentences; none: these are all. The greedy view is made from signatures, and needs no matches."""
    if view is View.GREEDY:
        return []
    run = runs.last(connection)
    scanned = run.settings["match"]["threshold"]
    asked = scanned if threshold is None else threshold
    said = []
    if asked < scanned:
        said.append(
            f"partial below {scanned:g}, where the scan kept only the strongest matches of each document;"
            " scan with a lower threshold to see all."
        )
    (crowds,) = connection.execute(
        "SELECT count(*) FROM family WHERE scheme = ? AND unlisted > 0", (run.scheme,)
    ).fetchone()
    # A clique that is not known says so itself; chains at the scan's threshold hang together by their stars.
    if crowds and (view is View.PIVOT or (view is View.CHAIN and asked > scanned)):
        where = f"above {scanned:g}" if view is View.CHAIN else "in this view"
        families = f"{crowds:,} {'family' if crowds == 1 else 'families'}"
        said.append(
            f"partial where very many documents are alike ({families}): not all of their pairs were listed, so"
            f" {where} one may come out in pieces; scan with --threshold {asked:g} or a higher --hot to see all."
        )
    return said


def missing_from_matches(
    connection: sqlite3.Connection, min_resemblance: float | None, min_containment: float | None
) -> list[str]:
    run = runs.last(connection)
    limits = run.settings["match"]
    said = []
    for asked, kept in ((min_resemblance, limits["threshold"]), (min_containment, limits["containment"])):
        if asked is not None and asked < kept:
            said.append(f"partial below {kept:g}: scan with a lower threshold to see all.")
            break
    (unlisted,) = connection.execute("SELECT total(unlisted) FROM family WHERE scheme = ?", (run.scheme,)).fetchone()
    if unlisted:
        said.append(
            f"partial where very many documents are alike: {unlisted:,.0f} pairs of members of such families are not"
            " listed; scan with a higher --hot to see all."
        )
    return said
