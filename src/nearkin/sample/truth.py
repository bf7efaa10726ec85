"""The truth about a sample, known by construction and stored as `truth.json`.

    {"seed": 1, "documents": 600, "relations": [...], "families": [...]}

`documents` counts the files written, without `truth.json` and without members of mails and archives, which are named
`mail.eml!/report.pdf`. Paths are relative to the sample, with forward slashes; bytes that are no UTF-8 are surrogate
escapes, which JSON's \\uXXXX preserves.

Relations, each {"kind": ..., "paths": [...]}; one path stands for all documents of the same bytes:
    identical    the same bytes; all paths
    same-words   unlike bytes, equal canonical text
    versions     oldest first, each made from the one before;
                 "steps": [{"edits": 3, "operations": ["insert", "remove", "replace"], "placement": "even"}]
    renamed      [old, new]: product "from" renamed "to" at all its "occurrences"
    contains     [container, part]; "grouped": false if the part is too short (under 200 shingles) to join
    look-alike   a template is "share" of each (about half): no two are in one family
    same-form    one form filled in with other values; the form is "share" of each

Families, each {"kind": ..., "members": [...], "parts": [...]}: the whole expected partition at resemblance
0.7 (chain) and containment 0.9. "members" are all documents, copies and parts included; "parts" are those
attached as parts. A document in no family is a single. Empty, blank and binary files form no family, and
empty files are in no relation either.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class RelationKind(StrEnum):
    IDENTICAL = "identical"
    SAME_WORDS = "same-words"
    VERSIONS = "versions"
    RENAMED = "renamed"
    CONTAINS = "contains"
    LOOK_ALIKE = "look-alike"
    SAME_FORM = "same-form"


class FamilyKind(StrEnum):
    IDENTICAL = "identical"
    PAIR = "pair"
    VERSIONS = "versions"
    CONTAINS = "contains"
    ARCHIVE = "archive"
    SAME_FORM = "same-form"
    MIXED = "mixed"

    @classmethod
    def of(cls, *, contents: int, parts: int) -> "FamilyKind":
        """Return the kind by the number of contents joined by resemblance and of parts attached to them."""
        if parts:
            return cls.MIXED if contents > 1 else cls.CONTAINS if parts == 1 else cls.ARCHIVE
        return cls.IDENTICAL if contents == 1 else cls.PAIR if contents == 2 else cls.VERSIONS


@dataclass(frozen=True, slots=True)
class TrueRelation:
    """Documents of which something is true."""

    kind: RelationKind
    paths: tuple[str, ...]
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrueFamily:
    """Documents that should be one family."""

    kind: FamilyKind
    members: tuple[str, ...]
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Truth:
    """All that is true of a sample."""

    seed: int
    documents: int
    relations: Sequence[TrueRelation]
    families: Sequence[TrueFamily]

    @classmethod
    def load(cls, path: Path) -> "Truth":
        stored = json.loads(path.read_text(encoding="ascii"))
        return cls(
            seed=stored["seed"],
            documents=stored["documents"],
            relations=[_relation(entry) for entry in stored["relations"]],
            families=[
                TrueFamily(FamilyKind(entry["kind"]), tuple(entry["members"]), tuple(entry["parts"]))
                for entry in stored["families"]
            ],
        )

    def save(self, path: Path) -> None:
        """Write one relation or family a line, without a second copy in memory."""
        with path.open("w", encoding="ascii", newline="\n") as file:
            file.write(f'{{"seed": {self.seed}, "documents": {self.documents},\n"relations": [\n')
            file.writelines(_lines({"kind": r.kind, "paths": r.paths, **r.details} for r in self.relations))
            file.write('],\n"families": [\n')
            file.writelines(_lines({"kind": f.kind, "members": f.members, "parts": f.parts} for f in self.families))
            file.write("]}\n")


def _lines(entries: Iterator[dict[str, Any]]) -> Iterator[str]:
    ahead = ""
    for entry in entries:
        yield ahead + json.dumps(entry)
        ahead = ",\n"
    yield "\n"


def _relation(entry: dict[str, Any]) -> TrueRelation:
    details = {key: value for key, value in entry.items() if key not in ("kind", "paths")}
    return TrueRelation(RelationKind(entry["kind"]), tuple(entry["paths"]), details)
