"""What to keep of each family, proposed from a store: the choice, the certificates, and what may be done."""

import json
import os
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from nearkin import environment
from nearkin.engine.threads import in_order
from nearkin.errors import UsageError
from nearkin.group.certificate import Certificate, Folded, UncertifiedError, certify
from nearkin.group.lineage import moment_of
from nearkin.keep.groups import (
    ROOM,
    Candidate,
    GroupDocument,
    GroupTexts,
    KeptChoice,
    choose,
    completeness,
    groups_of,
    rules_of,
)
from nearkin.keep.plan import Act, PlanRow
from nearkin.model import Kind, Location
from nearkin.store.verdicts import Decided, Ruling

AHEAD = 100  # groups that may be done before one that takes long; what they hold is bounded by ROOM
ATTACHED = "it has attachments or members that the kept one lacks"


def _members(connection: sqlite3.Connection) -> dict[int, frozenset[bytes | None]]:
    """Of each container or mail the bytes of what lies in it; None: of something that could not be read."""
    found: dict[int, set[bytes | None]] = defaultdict(set)
    for parent, digest in connection.execute("SELECT parent, digest FROM present WHERE parent IS NOT NULL"):
        found[parent].add(digest)
    return {parent: frozenset(digests) for parent, digests in found.items()}


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
    """Rows group by group, the kept one first. `near`: documents contained to this share may be quarantined. `progress`
    is told how many documents of how many were looked at, `absent` which were left out because they are not where the
    scan found them. On so many threads, as many as there are cores."""
    rules = rules_of(prefer)
    _refuse_nowhere(connection, prefer)
    said, members = _kept_of_pairs(connection), _members(connection)
    groups = groups_of(connection, families, absent)
    done, total = 0, sum(len(group.documents) for group in groups)
    stop = threading.Event()

    def rows_of(texts: GroupTexts) -> list[PlanRow]:
        return list(_Proposal(texts, rules, near, said, members).rows())

    found = in_order(
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
        for group, rows in zip(groups, found, strict=True):
            yield from rows_of(GroupTexts.read(connection, group)) if rows is None else rows
            done += len(group.documents)
            progress("keep", done, total)
    finally:
        stop.set()
        found.close()


def _refuse_nowhere(connection: sqlite3.Connection, prefer: Sequence[str]) -> None:
    """A place that is mistyped would change what goes."""
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
    """Bytes that a person wants to keep, and the bytes he keeps them instead of."""
    kept: dict[bytes, set[bytes]] = defaultdict(set)
    for one in Decided(connection).verdicts:
        if one.about == "pair" and one.ruling is Ruling.KEEP and one.keep is not None:
            kept[one.keep] |= one.digests - {one.keep}
    return {digest: frozenset(others) for digest, others in kept.items()}


class _Proposal:
    """One group. Documents of the same bytes are one copy: of each copy one file stays, and of all copies one."""

    def __init__(
        self,
        texts: GroupTexts,
        rules: Sequence[str],
        near: float | None,
        said: dict[bytes, frozenset[bytes]],
        members: dict[int, frozenset[bytes | None]],
    ) -> None:
        self._members = members
        self._group = group = texts.group
        self._load = texts.load
        self._rules = rules
        self._near = near
        self._uncertified = "its text or the kept one was not stored"
        present = {one.digest for one in group.documents}
        self._said = {digest: others for digest, others in said.items() if digest in present and others & present}

    def rows(self) -> Iterator[PlanRow]:
        documents = self._group.documents
        complete = self._completeness()
        candidates = [
            Candidate(
                one.location,
                one.size,
                moment_of(json.loads(one.properties) if one.properties else {}, one.mtime_ns),
                one.loose,
                None if one.text is None else complete.get(one.text),
            )
            for one in documents
        ]
        chosen = self._choose(candidates)
        kept = documents[chosen.row]
        certificates = self._certificates(kept)
        if leaving := self._leaving(kept, certificates):
            certificates = self._certificates(kept, leaving)
        copies: dict[bytes, list[int]] = defaultdict(list)
        for row, one in enumerate(documents):
            copies[one.digest].append(row)
        yield self._kept(kept, chosen.why)
        for digest, rows in sorted(copies.items(), key=lambda item: documents[item[1][0]].location):
            if digest == kept.digest:
                yield from (self._copy(documents[row], kept) for row in rows if row != chosen.row)
                continue
            first = documents[rows[choose([candidates[row] for row in rows], self._rules).row]]
            told = self._near_row(first, kept, certificates)
            yield told
            for row in rows:
                if documents[row] is not first:
                    going = told.action is Act.QUARANTINE  # then so do all its copies: none is left to link to
                    other = documents[row]
                    yield self._near_row(other, kept, certificates) if going else self._copy(other, first)

    def _choose(self, candidates: list[Candidate]) -> KeptChoice:
        documents = self._group.documents
        if self._group.keep is not None:
            for row, one in enumerate(documents):
                if one.location == self._group.keep:
                    return KeptChoice(row, "verdict: a person keeps it")
        losers = {digest for others in self._said.values() for digest in others}
        wanted = [row for row, one in enumerate(documents) if one.digest in self._said and one.digest not in losers]
        rows = wanted or [row for row, one in enumerate(documents) if one.digest not in losers]
        rows = rows or list(range(len(documents)))
        chosen = choose([candidates[row] for row in rows], self._rules)
        why = "verdict: a person keeps it" if wanted else chosen.why
        return KeptChoice(rows[chosen.row], why)

    def _completeness(self) -> dict[int, int]:
        documents = self._group.documents
        copies = {(one.digest, one.text) for one in documents}
        if "complete" not in self._rules or len({digest for digest, _ in copies}) < 2:
            return {}
        decided = self._said or self._group.keep is not None or len({digest for digest, _ in copies}) < len(copies)
        if sum(one.loose for one in documents) == 1 and not decided:
            return {}  # the only file is kept, and of copies none is more complete than another
        raw = any(one.raw for one in documents)  # bytes as they are: every one counts
        load = self._load if raw else lambda text: Folded.of(self._load(text)).text
        return completeness(self._group.texts, load, self._group.characters)

    def _leaving(self, kept: GroupDocument, certificates: dict[int, Certificate]) -> frozenset[int]:
        """GroupTexts that nobody has any more when the plan was carried out: they save nothing of the others'."""
        if self._near is None:
            return frozenset()
        goes: dict[int, bool] = {}
        for one in self._group.documents:
            if one.text is not None:
                moved = one.digest != kept.digest and self._near_row(one, kept, certificates).action is Act.QUARANTINE
                goes[one.text] = moved and goes.get(one.text, True)
        return frozenset(text for text, moved in goes.items() if moved)

    def _certificates(self, kept: GroupDocument, leaving: frozenset[int] = frozenset()) -> dict[int, Certificate]:
        if kept.text is None or not kept.has_text:
            return {}
        others = [text for text in self._group.texts if text != kept.text]
        if not others:
            return {}
        try:
            return certify(self._load(kept.text), others, self._load, raw=bool(kept.raw), leaving=leaving)
        except UncertifiedError as why:
            self._uncertified = str(why)
            return {}

    def _kept(self, one: GroupDocument, why: str) -> PlanRow:
        whole = Certificate(one.characters or 0, one.characters or 0, 0) if one.characters is not None else None
        return self._row(one, one, "kept", Act.KEEP, whole, why)

    def _copy(self, one: GroupDocument, kept: GroupDocument) -> PlanRow:
        whole = Certificate(one.characters or 0, one.characters or 0, 0) if one.characters is not None else None
        refused = _untouchable(one, kept)
        if refused is None and one.is_same_file(kept):
            refused = "the same file by another name already"
        action = Act.NONE if refused else Act.REPLACE
        return self._row(one, kept, "bytes", action, whole, refused or "the same bytes")

    def _near_row(self, one: GroupDocument, kept: GroupDocument, certificates: dict[int, Certificate]) -> PlanRow:
        found = None if one.text is None else certificates.get(one.text)
        tier = "words" if one.content == kept.content else "near"
        if found is not None and one.text is not None and kept.text is not None and not found.missing:
            tier = "text" if tier == "words" and self._load(one.text) == self._load(kept.text) else tier
        if refused := _untouchable(one, kept):
            return self._row(one, kept, tier, Act.NONE, found, refused)
        if one.digest in self._said:
            return self._row(one, kept, tier, Act.NONE, found, "verdict: a person keeps it")
        held = self._members.get(one.id, frozenset())
        if None in held or held - self._members.get(kept.id, frozenset()):
            return self._row(one, kept, tier, Act.NONE, found, ATTACHED)
        if found is None:
            return self._row(one, kept, tier, Act.NONE, None, f"no certificate: {self._uncertified}")
        if self._group.kind == Kind.SAME_FORM:
            return self._row(one, kept, tier, Act.NONE, found, "a form filled in otherwise: a person decides")
        if self._near is not None and found.share >= self._near:
            return self._row(one, kept, tier, Act.QUARANTINE, found, f"contained to at least {self._near:g}")
        return self._row(one, kept, tier, Act.NONE, found, "not the same bytes: a person decides")

    def _row(
        self, one: GroupDocument, kept: GroupDocument, tier: str, action: Act, found: Certificate | None, why: str
    ) -> PlanRow:
        return PlanRow(
            group=self._group.id,
            kind=self._group.kind,
            action=action,
            path=one.location.name,
            scope=one.location.scope,
            root=os.fsdecode(one.root),
            size=one.size,
            sha256=one.digest.hex(),
            tier=tier,
            kept_path=kept.location.name,
            kept_scope=kept.location.scope,
            kept_root=os.fsdecode(kept.root),
            kept_sha256=kept.digest.hex(),
            characters=None if found is None else found.characters,
            contained=None if found is None else found.share,
            missing=None if found is None else found.missing,
            residue=None if found is None else found.residue,
            passages=[] if found is None else [passage.record for passage in found.passages],
            why=why,
            respaced=None if found is None else found.respaced,
        )


def _untouchable(one: GroupDocument, kept: GroupDocument) -> str | None:
    if not one.root or not kept.root:
        return "it was checked in, and is no file" if not one.root else "the kept one was checked in, and is no file"
    if one.within:
        return "it lies in a container or a table"
    return "the kept one lies in a container or a table" if kept.within else None
