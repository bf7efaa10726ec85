"""Verdicts: what people decide on pairs and families of a store."""

import sqlite3
from pathlib import Path

from nearkin.api.options import chosen, signer, two_names, words
from nearkin.api.session import regroup, write_turn, writing
from nearkin.errors import InputError, UsageError
from nearkin.query.verdicts import (
    Consequence,
    bytes_of,
    consequence,
    find_family,
    members_of_families,
    of_one_content,
    pair_of,
    place_of,
)
from nearkin.store.scopes import naming
from nearkin.store.verdicts import Ruling, Verdict, add_verdict, all_verdicts, remove_verdict

Subject = str | tuple[str, str]  # a family's id, or two documents
TWO = "A verdict is on a family, by its id, or on two documents"


def set_verdict(
    store: Path, subject: Subject, verdict: str, *, keep: str | None, by: str | None, note: str | None
) -> Consequence:
    """Decide what two documents or a family are; `keep` names the document of it to keep. Families follow at once."""
    ruling = chosen(Ruling, verdict, "verdict")
    if (ruling is Ruling.KEEP) != (keep is not None):
        raise UsageError("The verdict keep names a document, and no other does: keep PATH.")
    by, note = signer(by), words("note", note)
    about = subject if isinstance(subject, str) else two_names(subject, TWO)
    with writing(store) as connection:
        families = members_of_families(connection)
        kept = None if keep is None else bytes_of(connection, keep)
        place = None if keep is None or kept is None else place_of(connection, keep, kept)
        founder = None
        if isinstance(about, str):
            family = find_family(connection, about)
            digests, founder = family.digests, family.founder
            if kept is not None and kept not in digests:
                raise UsageError(f"{keep} is no document of family {family.id}.")
        else:
            digests = pair_of(connection, *about)
            if kept is not None and kept not in digests:
                raise UsageError(f"{keep} is neither {about[0]} nor {about[1]}.")
            if ruling.parts and of_one_content(connection, digests):
                raise UsageError(f"{about[0]} and {about[1]} have the same words; no verdict can part them.")
        with write_turn(store, connection):
            before = add_verdict(
                connection, ruling, digests, family=founder, keep=kept, keep_at=place, by=by, note=note
            )
        if ruling is not Ruling.KEEP:
            regroup(store, connection)
        replaced = None if before is None else str(before.ruling)
        return consequence(replaced, families, members_of_families(connection))


def clear_verdict(store: Path, subject: Subject | int, *, by: str | None) -> int:
    """Clear all verdicts on a pair or family, or one verdict by its number; return how many there were."""
    by = signer(by)
    with writing(store) as connection:
        verdicts = _verdicts_on(connection, subject)
        with write_turn(store, connection):
            for verdict in verdicts:
                remove_verdict(connection, verdict, by=by)
        if any(verdict.ruling != "keep" for verdict in verdicts):
            regroup(store, connection)
    return len(verdicts)


def _verdicts_on(connection: sqlite3.Connection, subject: Subject | int) -> list[Verdict]:
    every = all_verdicts(connection)
    if isinstance(subject, int):
        verdicts, what = [verdict for verdict in every if verdict.id == subject], f"number {subject}"
    elif isinstance(subject, str):
        family = find_family(connection, subject)
        of_families = [verdict for verdict in every if verdict.about == "family"]
        verdicts = [
            verdict for verdict in of_families if verdict.family == family.founder or verdict.digests == family.digests
        ]
        what = f"family {family.id}"
    else:
        a, b = two_names(subject, TWO)
        digests = pair_of(connection, a, b)
        verdicts = [verdict for verdict in every if verdict.about == "pair" and verdict.digests == digests]
        what = f"{a} and {b}"
    if not verdicts:
        raise InputError(f"There is no verdict on {what}; list them with: nearkin verdict list{naming(connection)}")
    return verdicts
