"""The proposal of a plan from a store: which document to keep of each group, and what may become of the others.

Groups are worked on in threads; their rows come out in the order of the groups.
"""

import json
import os
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nearkin import environment
from nearkin.engine.threads import in_order
from nearkin.errors import UsageError
from nearkin.group.certificate import Certificate, Folded, UncertifiedError, certify, completeness
from nearkin.group.lineage import moment_of
from nearkin.keep.groups import (
    ROOM,
    GroupDocument,
    GroupTexts,
    KeepOption,
    KeptChoice,
    choose,
    groups_of,
    rules_of,
)
from nearkin.keep.plan import Act, PlanRow
from nearkin.model import Kind, Location
from nearkin.store.verdicts import Ruling, VerdictIndex

AHEAD = 100  # groups that may be finished before a slow one; their texts are bounded by ROOM
ATTACHED = "it has attachments or members that the kept one lacks"


def propose(
    connection: sqlite3.Connection,
    *,
    prefer: Sequence[str] = (),
    families: Sequence[str] = (),
    near: float | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    absent: Callable[[Location], None] = lambda _: None,
    jobs: int | None = None,
) -> Iterator[PlanRow]:
    """Yield the rows of a plan, group by group, the kept document first.

    `near`: documents contained to this share may be quarantined. `progress` is called with the number of documents done
    and of all. `absent` is called for each document that is left out because it is not where the scan found it. `jobs`
    is the number of threads, by default one for each core.
    """
    rules = rules_of(prefer)
    _refuse_nowhere(connection, prefer)
    verdicts, members = _kept_of_pairs(connection), _members(connection)
    groups = groups_of(connection, families, absent)
    done, total = 0, sum(len(group.documents) for group in groups)
    stop = threading.Event()

    def rows_of(texts: GroupTexts) -> list[PlanRow]:
        return list(_Proposal(texts, rules, near, verdicts, members).rows())

    results = in_order(
        lambda texts: rows_of(texts) if texts.at_hand else None,
        (GroupTexts.of(connection, group, stop) for group in groups),
        jobs=jobs or environment.cores(),
        ahead=AHEAD,
        room=ROOM,
        weight=lambda texts: texts.weight,
        on_error=stop.set,
    )
    progress("keep", done, total)
    try:
        for group, rows in zip(groups, results, strict=True):
            yield from rows_of(GroupTexts.read(connection, group)) if rows is None else rows
            done += len(group.documents)
            progress("keep", done, total)
    finally:
        stop.set()
        results.close()


def _refuse_nowhere(connection: sqlite3.Connection, prefer: Sequence[str]) -> None:
    """Refuse a scope or folder that does not exist: a typing error would change which documents go."""
    for rule in prefer:
        kind, _, name = rule.partition(":")
        below = os.fsencode(name.strip("/"))
        asked = {
            "scope": ("SELECT 1 FROM scope WHERE name = ?", (name,)),
            "folder": (
                """SELECT 1 FROM scope WHERE EXISTS (
                       SELECT 1 FROM present d WHERE d.scope = scope.id AND d.path > ? AND d.path < ?)""",
                (below + b"/", below + b"0"),
            ),
        }
        if kind in asked and connection.execute(*asked[kind]).fetchone() is None:
            where = "There is no scope" if kind == "scope" else "No document lies in a folder"
            raise UsageError(f"{where} {name!r} to prefer; folders are named from the root of their scope.")


def _kept_of_pairs(connection: sqlite3.Connection) -> dict[bytes, frozenset[bytes]]:
    """Return the digests that people decided to keep, each with the digests that it is kept instead of."""
    kept: dict[bytes, set[bytes]] = defaultdict(set)
    for verdict in VerdictIndex(connection).verdicts:
        if verdict.about == "pair" and verdict.ruling is Ruling.KEEP and verdict.keep is not None:
            kept[verdict.keep] |= verdict.digests - {verdict.keep}
    return {digest: frozenset(losers) for digest, losers in kept.items()}


def _members(connection: sqlite3.Connection) -> dict[int, frozenset[bytes | None]]:
    """Return the digests of the members of each container or mail; None for a member that could not be read."""
    members: dict[int, set[bytes | None]] = defaultdict(set)
    for parent, digest in connection.execute("SELECT parent, digest FROM present WHERE parent IS NOT NULL"):
        members[parent].add(digest)
    return {parent: frozenset(digests) for parent, digests in members.items()}


@dataclass(frozen=True)
class _Certificates:
    """Certificates of a group's texts by the id of the text, and the reason where there is none."""

    by_text: dict[int, Certificate]
    why_missing: str = "its text or the kept one was not stored"

    def of(self, document: GroupDocument) -> Certificate | None:
        return None if document.text is None else self.by_text.get(document.text)


class _Proposal:
    """The rows of one group. Documents of the same bytes are one copy: of each copy one file stays, and of all copies
    one."""

    def __init__(
        self,
        texts: GroupTexts,
        rules: Sequence[str],
        near: float | None,
        verdicts: dict[bytes, frozenset[bytes]],
        members: dict[int, frozenset[bytes | None]],
    ) -> None:
        self._group = texts.group
        self._load = texts.load
        self._rules = rules
        self._near = near
        self._members = members
        present = {document.digest for document in self._group.documents}
        # Digests of this group that people keep instead of others of this group.
        self._preferred = {
            digest: losers for digest, losers in verdicts.items() if digest in present and losers & present
        }

    def rows(self) -> Iterator[PlanRow]:
        documents = self._group.documents
        candidates = self._candidates()
        chosen = self._choose(candidates)
        kept = documents[chosen.row]
        certificates = self._certificates(kept)
        if leaving := self._leaving(kept, certificates):
            certificates = self._certificates(kept, leaving)
        copies: dict[bytes, list[int]] = defaultdict(list)
        for row, document in enumerate(documents):
            copies[document.digest].append(row)
        yield self._row(kept, kept, "kept", Act.KEEP, _complete(kept), chosen.why)
        for digest, rows in sorted(copies.items(), key=lambda item: documents[item[1][0]].location):
            if digest == kept.digest:
                yield from (self._copy_row(documents[row], kept) for row in rows if row != chosen.row)
                continue
            first = documents[rows[choose([candidates[row] for row in rows], self._rules).row]]
            proposed = self._near_row(first, kept, certificates)
            yield proposed
            going = proposed.action is Act.QUARANTINE  # then its copies go too: none is left to link to
            for copy in (documents[row] for row in rows):
                if copy is not first:
                    yield self._near_row(copy, kept, certificates) if going else self._copy_row(copy, first)

    def _candidates(self) -> list[KeepOption]:
        complete = self._completeness()
        return [
            KeepOption(
                document.location,
                document.size,
                moment_of(json.loads(document.properties) if document.properties else {}, document.mtime_ns),
                document.loose,
                None if document.text is None else complete.get(document.text),
            )
            for document in self._group.documents
        ]

    def _completeness(self) -> dict[int, int]:
        """Return the completeness of each text in per cent; nothing where no rule needs it."""
        documents = self._group.documents
        copies = {(document.digest, document.text) for document in documents}
        digests = {digest for digest, _ in copies}
        if "complete" not in self._rules or len(digests) < 2:
            return {}
        decided = self._preferred or self._group.keep is not None or len(digests) < len(copies)
        if sum(document.loose for document in documents) == 1 and not decided:
            return {}  # the only file is kept, and no copy is more complete than another
        raw = any(document.raw for document in documents)  # bytes as they are: every byte counts
        load = self._load if raw else lambda text: Folded.of(self._load(text)).text
        return completeness(self._group.texts, load, self._group.characters)

    def _choose(self, candidates: list[KeepOption]) -> KeptChoice:
        documents = self._group.documents
        if self._group.keep is not None:
            for row, document in enumerate(documents):
                if document.location == self._group.keep:
                    return KeptChoice(row, "verdict: a person keeps it")
        losers = {digest for digests in self._preferred.values() for digest in digests}
        allowed = [row for row, document in enumerate(documents) if document.digest not in losers]
        preferred = [row for row in allowed if documents[row].digest in self._preferred]
        rows = preferred or allowed or list(range(len(documents)))
        chosen = choose([candidates[row] for row in rows], self._rules)
        return KeptChoice(rows[chosen.row], "verdict: a person keeps it" if preferred else chosen.why)

    def _certificates(self, kept: GroupDocument, leaving: frozenset[int] = frozenset()) -> _Certificates:
        if kept.text is None or not kept.has_text:
            return _Certificates({})
        texts = [text for text in self._group.texts if text != kept.text]
        if not texts:
            return _Certificates({})
        try:
            return _Certificates(certify(self._load(kept.text), texts, self._load, raw=bool(kept.raw), leaving=leaving))
        except UncertifiedError as error:
            return _Certificates({}, str(error))

    def _leaving(self, kept: GroupDocument, certificates: _Certificates) -> frozenset[int]:
        """Return the texts that no document has any more once the plan is carried out: they hold nothing for others."""
        if self._near is None:
            return frozenset()
        leaving: dict[int, bool] = {}
        for document in self._group.documents:
            if document.text is not None:
                action, _ = self._near_action(document, kept, certificates)
                goes = document.digest != kept.digest and action is Act.QUARANTINE
                leaving[document.text] = goes and leaving.get(document.text, True)
        return frozenset(text for text, goes in leaving.items() if goes)

    def _copy_row(self, document: GroupDocument, kept: GroupDocument) -> PlanRow:
        """Propose what may become of a document that has the bytes of the kept one."""
        refused = _untouchable(document, kept)
        if refused is None and document.is_same_file(kept):
            refused = "the same file by another name already"
        action = Act.NONE if refused else Act.REPLACE
        return self._row(document, kept, "bytes", action, _complete(document), refused or "the same bytes")

    def _near_row(self, document: GroupDocument, kept: GroupDocument, certificates: _Certificates) -> PlanRow:
        """Propose what may become of a document that has other bytes."""
        certificate = certificates.of(document)
        action, why = self._near_action(document, kept, certificates)
        return self._row(document, kept, self._tier(document, kept, certificate), action, certificate, why)

    def _tier(self, document: GroupDocument, kept: GroupDocument, certificate: Certificate | None) -> str:
        if document.content != kept.content:
            return "near"
        if certificate is None or certificate.missing or document.text is None or kept.text is None:
            return "words"
        return "text" if self._load(document.text) == self._load(kept.text) else "words"

    def _near_action(
        self, document: GroupDocument, kept: GroupDocument, certificates: _Certificates
    ) -> tuple[Act, str]:
        """Return the action and its reason."""
        if refused := _untouchable(document, kept):
            return Act.NONE, refused
        if document.digest in self._preferred:
            return Act.NONE, "verdict: a person keeps it"
        members = self._members.get(document.id, frozenset())
        if None in members or members - self._members.get(kept.id, frozenset()):
            return Act.NONE, ATTACHED
        certificate = certificates.of(document)
        if certificate is None:
            return Act.NONE, f"no certificate: {certificates.why_missing}"
        if self._group.kind == Kind.SAME_FORM:
            return Act.NONE, "a form filled in otherwise: a person decides"
        if self._near is not None and certificate.share >= self._near:
            return Act.QUARANTINE, f"contained to at least {self._near:g}"
        return Act.NONE, "not the same bytes: a person decides"

    def _row(
        self,
        document: GroupDocument,
        kept: GroupDocument,
        tier: str,
        action: Act,
        certificate: Certificate | None,
        why: str,
    ) -> PlanRow:
        return PlanRow(
            group=self._group.id,
            kind=self._group.kind,
            action=action,
            path=document.location.name,
            scope=document.location.scope,
            root=os.fsdecode(document.root),
            size=document.size,
            sha256=document.digest.hex(),
            tier=tier,
            kept_path=kept.location.name,
            kept_scope=kept.location.scope,
            kept_root=os.fsdecode(kept.root),
            kept_sha256=kept.digest.hex(),
            characters=None if certificate is None else certificate.characters,
            contained=None if certificate is None else certificate.share,
            missing=None if certificate is None else certificate.missing,
            residue=None if certificate is None else certificate.residue,
            passages=[] if certificate is None else [passage.record for passage in certificate.passages],
            why=why,
            respaced=None if certificate is None else certificate.respaced,
        )


def _complete(document: GroupDocument) -> Certificate | None:
    """Return the certificate of a document whose bytes are kept; None where it has no text."""
    return None if document.characters is None else Certificate(document.characters, document.characters, 0)


def _untouchable(document: GroupDocument, kept: GroupDocument) -> str | None:
    """Return why a document cannot be moved or replaced; None: it can."""
    if not document.root:
        return "it was checked in, and is no file"
    if not kept.root:
        return "the kept one was checked in, and is no file"
    if document.within:
        return "it lies in a container or a table"
    return "the kept one lies in a container or a table" if kept.within else None
