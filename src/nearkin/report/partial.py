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
            f"Incomplete below {scanned:g}: the scan kept only the strongest matches there."
            " Scan again with a lower --threshold."
        )
    (crowds,) = connection.execute(
        "SELECT count(*) FROM family WHERE scheme = ? AND unlisted > 0", (run.scheme,)
    ).fetchone()
    # A clique that is not known says so itself; chains at the scan's threshold hang together by their stars.
    if crowds and (view is View.PIVOT or (view is View.CHAIN and asked > scanned)):
        where = f"above {scanned:g}" if view is View.CHAIN else "in this view"
        families = f"{crowds:,} {'family' if crowds == 1 else 'families'}"
        said.append(
            f"Incomplete where very many documents are alike ({families}): not all of their pairs were listed, so"
            f" {where} a family may be split. Scan again with --threshold {asked:g} or a higher --hot."
        )
    return said


def missing_from_matches(
    connection: sqlite3.Connection, min_resemblance: float | None, min_containment: float | None
) -> list[str]:
    run = runs.last(connection)
    limits = run.settings["match"]
    said = []
    for asked, limit in ((min_resemblance, "threshold"), (min_containment, "containment")):
        if asked is not None and asked < limits[limit]:
            said.append(
                f"Incomplete below {limits[limit]:g}: the scan kept only the strongest matches there."
                f" Scan again with a lower --{limit}."
            )
            break
    (unlisted,) = connection.execute("SELECT total(unlisted) FROM family WHERE scheme = ?", (run.scheme,)).fetchone()
    if unlisted:
        said.append(
            f"Incomplete where very many documents are alike: {unlisted:,.0f} pairs within such families are not"
            " listed. Scan again with a higher --hot."
        )
    return said
