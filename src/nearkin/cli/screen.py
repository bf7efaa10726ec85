"""What a terminal shows: headings, columns, paths shortened in the middle so that nothing wraps.

Colours come from rich, and only where there is a terminal; into a pipe the same lines are plain text.

Long lines on a terminal: sentences are broken between words, commands so that they can still be copied.

Names that stand together, cut so that they look unlike: what is cut out of each alone is often what differs.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nearkin.cli.wording import ReaderLeftError, cells, count, ending, fold, measured, name, safe, shortened, upto
from nearkin.cli.wording import share as share_in_words
from nearkin.cli.wording import size as size_in_words
from nearkin.model import Document, Family, IdenticalGroup, Kind, Location, Match, Role, Similar
from nearkin.query.wording import holds, kind_of, marked

if TYPE_CHECKING:
    from rich.console import Console

HARD = "\u00a0"  # a space that is not broken at
INDENT = "  "
COMMAND = re.compile(r"""(?<=: )nearkin (?:'[^']*'|"[^"]*"|[^;'"])*""")
ARGUMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")  # quotes stay whole: a line must not end within


def fold_command(command: str, width: int) -> list[str]:
    """Lines that a shell takes for one: all but the last end with a backslash."""
    if cells(command) <= width:
        return [command]
    words = ARGUMENT.findall(command)
    if " ".join(words) != command:  # a lone quote, or several spaces: better one long line than another command
        return [command]
    pieces = [" ".join(words[:2])]  # nearkin and what it should do
    for word in words[2:]:  # an option stays with its value
        if pieces[-1].startswith("--") and " " not in pieces[-1] and not word.startswith("-"):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    lines = pieces[:1]
    for word in pieces[1:]:
        if cells(lines[-1]) + cells(word) + len("  \\") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{INDENT}{word}")
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def fold_sentence(text: str, width: int, below: int | None = None) -> list[str]:
    """As `fold`; a command in it stays in one line where that has room for it, and is else folded as a command."""
    kept = COMMAND.sub(lambda found: found[0].replace(" ", HARD), text)
    found: list[str] = []
    for line in fold(kept, width, below):
        room = max(width if below is None or not found else below, 20)
        plain = line.replace(HARD, " ")
        found += fold_command(plain, room) if HARD in line and plain.startswith("nearkin ") else [plain]
    return found


LEAST = 12  # columns; in fewer there is no room for three pieces
MOST_PLACES = 3  # where names differ; of more the last ones are shown


def apart(names: Sequence[str], width: int) -> list[str]:
    """Each in at most so many columns, as it would be alone unless another looks the same. Two names always differ
    then; of many that differ in several places some may not."""
    shown = [shortened(full, width) for full in names]
    if width < LEAST:
        return shown
    found = _parted(names, shown, width, ())
    if len(set(found)) == len(set(names)):
        return found
    # What told some apart gave way to what tells others: all are cut in the same places.
    return _parted(names, ["" for _ in names], width, ())


def _parted(names: Sequence[str], shown: list[str], width: int, places: tuple[int, ...]) -> list[str]:
    """Those that look the same are cut around the first letter that differs, and if they still do, the next one."""
    alike: dict[str, set[str]] = defaultdict(set)
    for full, short in zip(names, shown, strict=True):
        alike[short].add(full)
    told = dict[str, str]()
    for same in alike.values():
        if len(same) > 1:
            group = sorted(same)
            letters = enumerate(zip(group[0], group[-1], strict=False))
            first = next((at for at, (one, other) in letters if one != other), len(group[0]))
            around = (*places, first)[-MOST_PLACES:]
            cut = [_around(full, around, width) for full in group]
            told |= zip(group, _parted(group, cut, width, around) if len(set(cut)) > 1 else cut, strict=True)
    return [told.get(full, short) for full, short in zip(names, shown, strict=True)]


def _around(name: str, places: tuple[int, ...], width: int) -> str:
    """Its beginning, a piece around each of these places, and its end."""
    room = width - 1 - len(places)  # without the …
    each = room * 2 // 5 // len(places)
    shown = upto(name, room // 5)
    end = len(shown)
    for at in places:
        begin = max(at - len(ending(name[:at], each // 3)), end)
        piece = upto(name[begin:], each)
        shown += piece if begin == end else f"…{piece}"
        end = begin + len(piece)
    left = width - cells(shown)
    return shown + (name[end:] if cells(name[end:]) <= left else f"…{ending(name[end:], left - 1)}")


GAP = "  "
WIDE = 100  # columns; below it paths need the room more than figures do


def _console() -> "Console":
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise ReaderLeftError

    return Terminal(file=sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def hard(name: str) -> str:
    """Cut where it is too long, and not folded."""
    return name.replace(" ", HARD)


def _folded(line: str, width: int) -> list[str]:
    """All as far in as the first."""
    words = line.lstrip(" ")
    front = " " * (len(line) - len(words))
    return [front + piece for piece in fold(words, width - len(front))]


@dataclass
class Screen:
    scoped: bool = False
    score: str = "resemblance"  # what the scores of matches and families are
    console: "Console" = field(default_factory=_console)

    @property
    def width(self) -> int:
        return max(self.console.width, 40)

    def line(self, *pieces: str | tuple[str, str]) -> None:
        """Pieces are plain or (text, style)."""
        from rich.text import Text

        self.console.print(Text.assemble(*pieces), soft_wrap=True)

    def heading(self, title: str, about: str = "") -> None:
        self.line()
        first, *more = fold(about, self.width - len(title) - len(GAP), self.width - len(INDENT))
        self.line((title, "bold"), f"{GAP}{first}" if about else "")
        for line in more:
            self.line(INDENT + line)

    def note(self, text: str) -> None:
        """A command in it can be copied: it stays in one line, or its lines end with a backslash."""
        room = self.width - len(INDENT)
        for number, line in enumerate(fold_sentence(text, room, room - len(INDENT))):
            self.line((f"{INDENT}{INDENT if number else ''}{line}", "dim"))

    def command(self, title: str, command: str) -> None:
        """To be typed next, below others where the title is empty."""
        front = f"{title:<5}{GAP}"
        for number, line in enumerate(fold_command(command, self.width - len(front))):
            self.line((front if number == 0 else " " * len(front), "bold"), line)

    def folded(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """As many lines as it takes, broken between words; those below the first stand a little further in."""
        front = " " * indent
        for number, line in enumerate(fold(text, self.width - len(front), self.width - len(front) - len(INDENT))):
            self.line((f"{front}{INDENT if number else ''}{line.replace(HARD, ' ')}", style))

    def facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """One a line, longer ones folded between words below where they began."""
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
        """The last column takes what is left; a cell there may have several lines, which are cut to look unlike. With
        `folding` only words are cut that are too long, and names whose spaces are hard."""
        rows = list(rows)
        right = set(right)
        widths = [max(map(cells, column)) for column in zip(headers[:-1], *(row[:-1] for row in rows), strict=True)]
        left = self.width - len(INDENT) - sum(widths) - len(GAP) * len(widths)

        def padded(row: Sequence[str]) -> str:
            found = [
                " " * (width - cells(cell)) + cell if at in right else cell + " " * (width - cells(cell))
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return INDENT + "".join(cell + GAP for cell in found)

        self.line((f"{padded(headers[:-1])}{headers[-1]}".rstrip(), "dim"))
        for row in rows:
            lines = row[-1].split("\n")
            if folding:
                lines = [piece for line in lines for piece in _folded(line, left)]
            first, *more = (line.replace(HARD, " ") for line in apart(lines, left))
            self.line(f"{padded(row[:-1])}{first}".rstrip())
            for other in more:
                self.line(f"{padded([''] * len(widths))}{other}".rstrip())

    def identical(self, groups: list[IdenticalGroup]) -> None:
        """One row a group, named by its first document."""
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
        said = any(match.verdict for match in matches)
        self.columns(
            [
                self.score,
                *(["a in b", "b in a"] if contained else []),
                "measured",
                *(["verdict"] if said else []),
                *(["shared (at least)"] if wide and contained else []),
                "documents (a above b)",
            ],
            (
                [
                    share_in_words(match.resemblance),
                    *([share_in_words(match.a_in_b), share_in_words(match.b_in_a)] if contained else []),
                    measured(match.exact, match.low, match.high) if match.tier == "near" else f"same {match.tier}",
                    *([match.verdict or ""] if said else []),
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
                    one.tier,
                    share_in_words(one.resemblance),
                    *([share_in_words(one.query_in_doc), share_in_words(one.doc_in_query)] if contained else []),
                    measured(one.exact, one.low, one.high),
                    self.name(one.location),
                ]
                for one in similar
            ),
        )

    def families(self, families: list[Family]) -> None:
        """One row a family, named by its pivot."""
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
        """Those of identical documents only are counted apart (Broder 1997 §1)."""
        copies = [family for family in families if family.kind is Kind.IDENTICAL]
        inside, alike = (sum(len(family.documents) for family in some) for some in (families, copies))
        about = f"{count(len(families), 'families')} with {count(inside, 'documents')}"
        if copies:
            only = f"{count(len(copies))} of them {'contains' if len(copies) == 1 else 'contain'} only copies"
            about += f"; {only} ({count(alike, 'documents')})"
        self.folded(about, style="dim")

    def _named(self, figure: str) -> str:
        """Resemblance is what is meant where nothing else is said."""
        return figure if self.score == "resemblance" else f"{figure} {self.score}"

    def documents(self, documents: list[Document]) -> None:
        from nearkin.formats.registry import FORMATS

        short = {known.media: known.name for known in FORMATS}  # Word's own has 71 letters: no room for paths
        whose = any(one.custodian for one in documents)
        self.columns(
            ["size", "media", "encoding", *(["custodian"] if whose else []), "path"],
            (
                [
                    size_in_words(one.size),
                    short.get(one.media, one.media),
                    one.encoding or "–",
                    *([safe(one.custodian or "–")] if whose else []),
                    self.name(one.location),
                ]
                for one in documents
            ),
            right=(0,),
        )

    def failures(self, documents: list[Document]) -> None:
        room = self.width - len(INDENT) - len(GAP) - max(len(one.reason or "") for one in documents)

        def about(one: Document) -> list[str]:
            return fold(safe(one.detail), room) if one.detail else []

        self.columns(
            ["problem", "document and reason"],
            ([one.reason or "", "\n".join([self.name(one.location), *about(one)])] for one in documents),
        )

    def titled(self, title: str, facts: Sequence[str], name: str) -> None:
        """A bold word, what there is to say, and a name at the end; on several lines where they need it."""
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
