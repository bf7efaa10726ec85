"""Verdicts on a store's pairs and families, as Python sees them."""

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from nearkin.api.options import chosen, signer, two_names, words
from nearkin.api.session import Written
from nearkin.errors import BusyError, InputError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.query.verdicts import Consequence
    from nearkin.store.verdicts import Verdict

Subject = str | tuple[str, str]  # a family's id, or two documents
TWO = "A verdict is on a family, by its id, or on two documents"


class Verdicts(Written):
    def verdicts(self) -> "pa.Table":
        """What people decided on pairs and families, and who did."""
        from nearkin.query.arrow_tables import verdict_table
        from nearkin.query.records import backslashed
        from nearkin.query.store_view import opened
        from nearkin.query.verdicts import verdict_record
        from nearkin.store.verdicts import all_verdicts

        with opened(self.path) as connection:
            found = [verdict_record(connection, one, name=backslashed) for one in all_verdicts(connection)]
        return verdict_table(found)

    def set_verdict(
        self,
        subject: Subject,
        verdict: str,
        *,
        keep: str | None = None,
        by: str | None = None,
        note: str | None = None,
    ) -> "Consequence":
        """On two documents or on a family; `keep` names the document of it to keep. Families follow at once."""
        from nearkin.query.verdicts import (
            bytes_of,
            consequence,
            find_family,
            members_of_families,
            of_one_content,
            pair_of,
            place_of,
        )
        from nearkin.store.verdicts import Ruling, add_verdict

        ruling = chosen(Ruling, verdict, "verdict")
        if (ruling is Ruling.KEEP) != (keep is not None):
            raise UsageError("The verdict keep names a document, and no other does: keep PATH.")
        by, note = signer(by), words("note", note)
        about = subject if isinstance(subject, str) else two_names(subject, TWO)
        with self._writing() as connection:
            families = members_of_families(connection)
            kept = None if keep is None else bytes_of(connection, keep)
            place = None if keep is None or kept is None else place_of(connection, keep, kept)
            if isinstance(about, str):
                family = find_family(connection, about)
                if kept is not None and kept not in family.digests:
                    raise UsageError(f"{keep} is no document of family {family.id}.")
                with self._turn(connection):
                    before = add_verdict(
                        connection,
                        ruling,
                        family.digests,
                        family=family.founder,
                        keep=kept,
                        keep_at=place,
                        by=by,
                        note=note,
                    )
            else:
                digests = pair_of(connection, *about)
                if kept is not None and kept not in digests:
                    raise UsageError(f"{keep} is neither {about[0]} nor {about[1]}.")
                if ruling.parts and of_one_content(connection, digests):
                    raise UsageError(f"{about[0]} and {about[1]} have the same words; no verdict can part them.")
                with self._turn(connection):
                    before = add_verdict(connection, ruling, digests, keep=kept, keep_at=place, by=by, note=note)
            if ruling is not Ruling.KEEP:
                self._regroup(connection)
            replaced = None if before is None else str(before.ruling)
            return consequence(replaced, families, members_of_families(connection))

    def clear_verdict(self, subject: Subject | int, *, by: str | None = None) -> int:
        """All that was said of a pair or family, or one verdict by its number; how many there were."""
        from nearkin.store.verdicts import remove_verdict

        by = signer(by)
        with self._writing() as connection:
            found = _said_of(connection, subject)
            with self._turn(connection):
                for one in found:
                    remove_verdict(connection, one, by=by)
            if any(one.ruling != "keep" for one in found):
                self._regroup(connection)
        return len(found)

    def _regroup(self, connection: sqlite3.Connection) -> None:
        from nearkin.pipeline import regroup

        with suppress(BusyError):  # a scan that runs will find the verdict when it groups
            regroup(self._run_context(connection))


def _said_of(connection: sqlite3.Connection, subject: Subject | int) -> "list[Verdict]":
    from nearkin.query.verdicts import find_family, pair_of
    from nearkin.store.verdicts import all_verdicts

    verdicts = all_verdicts(connection)
    if isinstance(subject, int):
        found, what = [one for one in verdicts if one.id == subject], f"number {subject}"
    elif isinstance(subject, str):
        family = find_family(connection, subject)
        found = [
            one
            for one in verdicts
            if one.about == "family" and (one.family == family.founder or one.digests == family.digests)
        ]
        what = f"family {family.id}"
    else:
        a, b = two_names(subject, TWO)
        digests = pair_of(connection, a, b)
        found = [one for one in verdicts if one.about == "pair" and one.digests == digests]
        what = f"{a} and {b}"
    if not found:
        from nearkin.store.scopes import naming

        raise InputError(f"There is no verdict on {what}; list them with: nearkin verdict list{naming(connection)}")
    return found
