"""What a terminal shows: headings, columns, paths shortened in the middle so that nothing wraps.

Colours come from rich, and only where there is a terminal; into a pipe the same lines are plain text.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nearkin.cli import ReaderLeftError
from nearkin.cli.wording import HARD, INDENT, apart, cells, fold, fold_command, fold_sentence, measured, name
from nearkin.model import Document, Family, IdenticalGroup, Kind, Location, Match, Role, Similar
from nearkin.wording import count, holds, kind_of, marked, safe
from nearkin.wording import share as share_in_words
from nearkin.wording import size as size_in_words

if TYPE_CHECKING:
    from rich.console import Console

GAP = "  "
WIDE = 100  # columns; below it paths need the room more than figures do


def _console() -> "Console":
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise ReaderLeftError

    return Terminal(file=sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _folded(line: str, width: int) -> list[str]:
    """Fold a line; all pieces stand as far in as the first."""
    words = line.lstrip(" ")
    front = " " * (len(line) - len(words))
    return [front + piece for piece in fold(words, width - len(front))]


@dataclass
class Screen:
    """Where results are printed for people; the methods know what a listing looks like."""

    scoped: bool = False
    score: str = "resemblance"  # what the scores of matches and families are
    console: "Console" = field(default_factory=_console)

    @property
    def width(self) -> int:
        return max(self.console.width, 40)

    def line(self, *pieces: str | tuple[str, str]) -> None:
        """Print a line of pieces, which are plain or (text, style)."""
        from rich.text import Text

        self.console.print(Text.assemble(*pieces), soft_wrap=True)

    def heading(self, title: str, about: str = "") -> None:
        self.line()
        first, *more = fold(about, self.width - len(title) - len(GAP), self.width - len(INDENT))
        self.line((title, "bold"), f"{GAP}{first}" if about else "")
        for line in more:
            self.line(INDENT + line)

    def note(self, text: str) -> None:
        """Print a note. A command in it can be copied: it stays in one line, or its lines end with a backslash."""
        room = self.width - len(INDENT)
        for number, line in enumerate(fold_sentence(text, room, room - len(INDENT))):
            self.line((f"{INDENT}{INDENT if number else ''}{line}", "dim"))

    def command(self, title: str, command: str) -> None:
        """Print a command to be typed next, below others where the title is empty."""
        front = f"{title:<5}{GAP}"
        for number, line in enumerate(fold_command(command, self.width - len(front))):
            self.line((front if number == 0 else " " * len(front), "bold"), line)

    def folded(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """Print a text in as many lines as it takes; those below the first stand a little further in."""
        front = " " * indent
        for number, line in enumerate(fold(text, self.width - len(front), self.width - len(front) - len(INDENT))):
            self.line((f"{front}{INDENT if number else ''}{line.replace(HARD, ' ')}", style))

    def facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Print one fact a line, longer ones folded below where they began."""
        wide = max(len(what) for what, _ in facts)
        for what, text in facts:
            front = f"{INDENT}{what:<{wide}}{GAP}"
            folded = fold(text, self.width - len(front)) if text else ["–"]
            self.line((front, "dim"), folded[0])
            for more in folded[1:]:
                self.line(" " * len(front) + more)

    def name(self, location: Location) -> str:
        return name(location, scoped=self.scoped)

    def columns(
        self,
        headers: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        right: Iterable[int] = (),
        folding: bool = False,
    ) -> None:
        """Print rows. The last column takes what is left; a cell there may have several lines, which are cut to look
        unlike. With `folding` only words are cut that are too long, and names whose spaces are hard."""
        rows = list(rows)
        right = set(right)
        widths = [max(map(cells, column)) for column in zip(headers[:-1], *(row[:-1] for row in rows), strict=True)]
        left = self.width - len(INDENT) - sum(widths) - len(GAP) * len(widths)

        def padded(row: Sequence[str]) -> str:
            aligned = [
                " " * (width - cells(cell)) + cell if at in right else cell + " " * (width - cells(cell))
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return INDENT + "".join(cell + GAP for cell in aligned)

        self.line((f"{padded(headers[:-1])}{headers[-1]}".rstrip(), "dim"))
        for row in rows:
            lines = row[-1].split("\n")
            if folding:
                lines = [piece for line in lines for piece in _folded(line, left)]
            first, *more = (line.replace(HARD, " ") for line in apart(lines, left))
            self.line(f"{padded(row[:-1])}{first}".rstrip())
            for line in more:
                self.line(f"{padded([''] * len(widths))}{line}".rstrip())

    def identical(self, groups: list[IdenticalGroup]) -> None:
        """Print one row a group, named by its first document."""
        self.columns(
            ["equal", "copies", "size", "overhead", "first document"],
            (
                [
                    group.tier,
                    count(len(group.documents)),
                    size_in_words(group.size),
                    size_in_words(group.overhead),
                    self.name(group.documents[0]),
                ]
                for group in groups
            ),
            right=(1, 2, 3),
        )

    def matches(self, matches: list[Match]) -> None:
        wide = self.width >= WIDE
        contained = any(match.a_in_b is not None for match in matches)
        decided = any(match.verdict for match in matches)
        self.columns(
            [
                self.score,
                *(["a in b", "b in a"] if contained else []),
                "measured",
                *(["verdict"] if decided else []),
                *(["shared (at least)"] if wide and contained else []),
                "documents (a above b)",
            ],
            (
                [
                    share_in_words(match.resemblance),
                    *([share_in_words(match.a_in_b), share_in_words(match.b_in_a)] if contained else []),
                    measured(match.exact, match.low, match.high) if match.tier == "near" else f"same {match.tier}",
                    *([match.verdict or ""] if decided else []),
                    *([size_in_words(match.shared_bytes or 0)] if wide and contained else []),
                    f"{self.name(match.a)}\n{self.name(match.b)}",
                ]
                for match in matches
            ),
        )

    def similar(self, similar: list[Similar]) -> None:
        contained = self.score == "resemblance"
        self.columns(
            ["tier", self.score, *(["in doc", "doc in it"] if contained else []), "measured", "document"],
            (
                [
                    document.tier,
                    share_in_words(document.resemblance),
                    *(map(share_in_words, (document.query_in_doc, document.doc_in_query)) if contained else []),
                    measured(document.exact, document.low, document.high),
                    self.name(document.location),
                ]
                for document in similar
            ),
        )

    def families(self, families: list[Family]) -> None:
        """Print one row a family, named by its pivot."""
        self.columns(
            ["documents", "kind", self._named("mean"), "pivot"],
            (
                [
                    count(len(family.documents)),
                    kind_of(family),
                    marked(family.mean_resemblance, family.mean_exact),
                    self.name(family.documents[0].location),
                ]
                for family in families
            ),
            right=(0,),
        )

    def count_families(self, families: list[Family]) -> None:
        """Count families; those of identical documents only are counted apart (Broder 1997 §1)."""
        copies = [family for family in families if family.kind is Kind.IDENTICAL]
        inside, alike = (sum(len(family.documents) for family in group) for group in (families, copies))
        about = f"{count(len(families), 'families')} with {count(inside, 'documents')}"
        if copies:
            only = f"{count(len(copies))} of them {'contains' if len(copies) == 1 else 'contain'} only copies"
            about += f"; {only} ({count(alike, 'documents')})"
        self.folded(about, style="dim")

    def _named(self, figure: str) -> str:
        """The name of a figure, which is of resemblance unless it says otherwise."""
        return figure if self.score == "resemblance" else f"{figure} {self.score}"

    def documents(self, documents: list[Document]) -> None:
        from nearkin.api.listings import media_names

        short = media_names()  # long ones leave no room for paths
        whose = any(document.custodian for document in documents)
        self.columns(
            ["size", "media", "encoding", *(["custodian"] if whose else []), "path"],
            (
                [
                    size_in_words(document.size),
                    short.get(document.media, document.media),
                    document.encoding or "–",
                    *([safe(document.custodian or "–")] if whose else []),
                    self.name(document.location),
                ]
                for document in documents
            ),
            right=(0,),
        )

    def failures(self, documents: list[Document]) -> None:
        room = self.width - len(INDENT) - len(GAP) - max(len(document.reason or "") for document in documents)

        def about(document: Document) -> list[str]:
            return fold(safe(document.detail), room) if document.detail else []

        self.columns(
            ["problem", "document and reason"],
            (
                [document.reason or "", "\n".join([self.name(document.location), *about(document)])]
                for document in documents
            ),
        )

    def titled(self, title: str, facts: Sequence[str], name: str) -> None:
        """Print a bold word, facts, and a name at the end; on several lines where they need it."""
        whole = ", ".join(fact.replace(" ", HARD) for fact in facts)
        room = self.width - len(GAP) - cells(name)
        folded = fold(whole, room - len(GAP) - cells(title), room - 2 * len(INDENT))
        first, *more = (line.replace(HARD, " ") for line in folded)
        self.line((title, "bold"), f"  {first}", "" if more else "  ", "" if more else (name, "dim"))
        for number, line in enumerate(more, 1):
            self.line(f"    {line}  ", (name, "dim") if number == len(more) else "")

    def group_in_full(self, group: IdenticalGroup) -> None:
        what = "the same bytes" if group.tier == "bytes" else "the same words"
        about = f"{size_in_words(group.size)} each" if group.tier == "bytes" else f"up to {size_in_words(group.size)}"
        self.line(
            (f"{count(len(group.documents), 'documents')} of {what}", "bold"),
            f"  {about}, overhead {size_in_words(group.overhead)}",
        )
        for short in apart(list(map(self.name, group.documents)), self.width - len(INDENT)):
            self.line(f"{INDENT}{short}")

    def family_in_full(self, family: Family) -> None:
        facts = [count(len(family.documents), "documents"), size_in_words(family.bytes)]
        facts += holds(family, self.score)
        if not family.evaluated:
            facts.append("not evaluated")
        if family.verdict:
            facts.append(f"verdict: {family.verdict}")
        self.titled(kind_of(family), facts, family.id)
        self.folded(safe(family.reason), indent=len(INDENT), style="dim")
        front = f"{INDENT}{'':<5}  {'':<6} "
        names = apart([self.name(member.location) for member in family.documents], self.width - len(front))
        for member, short in zip(family.documents, names, strict=True):
            role = "pivot" if member.pivot else "part" if member.role is Role.PART else ""
            role = "keep" if member.location == family.keep else role
            front = f"{INDENT}{role:<5}  {marked(member.to_pivot, member.exact):<6} "
            self.line((front, "dim"), short)
