"""One page that needs no network: summary, charts, and tables that can be sorted and filtered.

Without JavaScript the first rows of every table can be read and printed as they are. With it the rows, which lie in the
page as JSON, are shown as many as are in sight: 100,000 are sorted and filtered at once. Rows come from the store one
by one and are written so; what does not fit is counted and said.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from nearkin.model import Location
from nearkin.query import streams
from nearkin.query.store_view import Snapshot
from nearkin.query.totals import COUNTED, Totals, lines
from nearkin.report.page_parts import PAIRS, charts, passages_of
from nearkin.scheme import likeness
from nearkin.store import runs
from nearkin.store.documents import each_present
from nearkin.wording import count, how, kind_of, only_copies, safe, said_of, share, size

MOST = 100_000  # rows of one table, and documents of families
PLAIN = 100  # rows that are there without JavaScript
PLAIN_FAMILIES = 25  # with their documents
PLAIN_MEMBERS = 50
# The page may load nothing, neither scripts nor pictures nor fonts.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

Row = list[Any]


@dataclass(frozen=True)
class Column:
    title: str
    kind: str  # text, path, count, size or share
    width: str = "minmax(0, 1fr)"

    @property
    def numeric(self) -> bool:
        return self.kind in ("count", "size", "share")

    def shown(self, value: Any) -> str:
        text, link = value if isinstance(value, list) else (value, None)
        if text is None:
            return "–" if self.numeric else ""
        told = {"share": share, "size": size, "count": count}.get(self.kind, str)(text)
        return f'<a href="{escape(link)}">{escape(told)}</a>' if link else escape(told)


IDENTICAL = (
    Column("Files", "count", "60px"),
    Column("Overhead", "size", "90px"),
    Column("File size", "size", "90px"),
    Column("Same", "text", "60px"),
    Column("First file", "path"),
)
COPY = (Column("File", "path"), Column("Size", "size"))
FAMILY = (
    Column("Family", "count", "60px"),
    Column("Files", "count", "60px"),
    Column("Size", "size", "84px"),
    Column("Links", "count", "60px"),
    Column("Type", "text", "122px"),
    Column("Similar", "share", "76px"),
    Column("Mean", "share", "64px"),
    Column("Measured", "text", "84px"),
    Column("Verdict", "text", "84px"),
    Column("Pivot", "path"),
)
MEMBER = (
    Column("File", "path"),
    Column("Role", "text"),
    Column("Similar", "share"),
    Column("To pivot", "share"),
    Column("Measured", "text"),
    Column("Links", "count"),
    Column("Size", "size"),
)
FAILED = (
    Column("Reason", "text", "110px"),
    Column("Size", "size", "84px"),
    Column("File", "path"),
    Column("Detail", "text"),
)


def matched(score: str) -> tuple[Column, ...]:
    return (
        Column(score.capitalize(), "share", "106px"),
        Column("A in B", "share", "66px"),
        Column("B in A", "share", "66px"),
        Column("Similar", "share", "76px"),
        Column("Shared", "size", "84px"),
        Column("Measured", "text", "84px"),
        Column("A", "path"),
        Column("B", "path"),
    )


def write_page(snapshot: Snapshot, totals: Totals, told: dict[str, Any], path: Path, *, links: bool) -> int:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        _Page(file, snapshot, totals, links=links).write(told)
    return totals.identical + totals.families + totals.matches + totals.failed


class _Page:
    def __init__(self, file: TextIO, snapshot: Snapshot, totals: Totals, *, links: bool) -> None:
        self.file, self.snapshot, self.totals, self.links = file, snapshot, totals, links
        self.score = likeness(snapshot.scheme)

    def write(self, told: dict[str, Any]) -> None:
        here = Path(__file__)
        style, script = (here.with_name(f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
        self.file.write(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>nearkin report, {escape(told['date'][:10])}</title>\n<style>\n{style}</style></head>\n"
            "<body><main>\n"
        )
        self._summary(told)
        self._identical()
        self._families()
        self._matches()
        self._failed()
        self.file.write(f"</main>\n<script>\n{script}</script>\n</body></html>\n")

    def _name(self, location: Location) -> Any:
        path = safe(location.path.decode("utf-8", "backslashreplace"))
        name = f"{safe(location.scope)}:{path}" if self.snapshot.scoped else path
        uri = self.snapshot.uri(location) if self.links else None
        return [name, uri] if uri else name

    def _summary(self, told: dict[str, Any]) -> None:
        totals = self.totals
        when = told["date"].replace("T", " ")[:16]
        write = self.file.write
        write(
            f'<h1>Copies, versions and parts</h1>\n<p class="dim">nearkin {escape(told["version"])}, run of {when} UTC,'
            f" scheme {escape(told['scheme'])}, families at {self.score} {told['thresholds']['threshold']:g}</p>\n"
            '<nav><a href="#identical">Identical</a><a href="#families">Families</a><a href="#matches">Matches</a>'
            '<a href="#failed">Failed</a><a href="#run">What was run, and what the numbers mean</a></nav>\n'
        )
        cards = (
            (totals.documents, "documents", f"{size(totals.bytes)}; {count(totals.contents, 'distinct texts')}"),
            (totals.bytes_sets, "sets of identical files", f"{size(totals.overhead)} overhead"),
            (totals.families, "families", f"{count(totals.family_documents, 'documents')} in all"),
            (totals.matches, "matches", "pairs of distinct texts"),
            (totals.failed, "failed", "could not be read"),
        )
        write('<div class="cards">')
        for number, what, more in cards:
            number_of, _, named = count(number, what).partition(" ")
            write(f'<div class="card"><b>{number_of}</b>{named}<div class="dim">{more}</div></div>')
        write('</div>\n<div class="charts">')
        for title, picture in charts(totals, self.score):
            write(f"<figure><figcaption>{escape(title)}</figcaption>{picture}</figure>")
        write("</div>\n")
        counted = [(name, f"{totals.counts[key]:,}") for key, name in COUNTED.items()]
        write('<details class="run" id="run"><summary>What was run, and what the numbers mean</summary>')
        for title, name, rows in (
            ("What was found", "", counted),
            ("What was run", "", lines({**told, "date": f"{when} UTC"})),
            ("What the numbers mean", "means", list(told["measures"].items())),
        ):
            write(f'<h3>{title}</h3><table class="{name}"><tbody>')
            for key, value in rows:
                shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else safe(str(value))
                write(f"<tr><td>{escape(key[:1].upper() + key[1:])}</td><td>{escape(shown)}</td></tr>")
            write("</tbody></table>")
        write("</details>\n")

    def _identical(self) -> None:
        totals = self.totals
        said = (
            f"{count(totals.bytes_sets, 'sets')} with the same bytes ({count(totals.bytes_files, 'files')},"
            f" {size(totals.overhead)} overhead), {count(totals.words_sets, 'sets')} with the same words only"
            f" ({count(totals.words_files, 'files')})."
        )
        rows = (
            [
                len(one.group.documents),
                one.group.overhead,
                one.group.size,
                one.group.tier,
                self._name(one.group.documents[0]),
                [[self._name(place), size_] for place, size_ in zip(one.group.documents, one.sizes, strict=True)],
            ]
            for one in streams.identical_in_full(self.snapshot)
        )
        self._table("identical", "Identical files", said, totals.identical, IDENTICAL, rows, members=COPY)

    def _families(self) -> None:
        totals = self.totals
        said = (
            f"{count(totals.families, 'families')} with {count(totals.family_documents, 'documents')},"
            f" {size(totals.family_bytes)}; {only_copies(totals.families_of_copies)}."
            " Similar: the share of the smaller text that is in the larger. Mean: mean resemblance of all links."
        )
        self._table("families", "Families", said, totals.families, FAMILY, self._family_rows(), members=MEMBER)

    def _family_rows(self) -> Iterator[Row]:
        for number, one in enumerate(streams.families_in_full(self.snapshot), 1):
            family = one.family
            pivot = next(member for member in family.documents if member.pivot)
            members = [
                [
                    self._name(member.location),
                    "pivot" if member.pivot else str(member.role),
                    None if member.pivot else similar,
                    member.to_pivot,
                    said_of(member),
                    links,
                    bytes_,
                ]
                for member, links, similar, bytes_ in zip(
                    family.documents, one.links, one.shares, one.sizes, strict=True
                )
            ]
            own = [number, len(family.documents), family.bytes, family.links, kind_of(family), one.share]
            mean = [family.mean_resemblance, how(one.exact)]
            yield [*own, *mean, family.verdict, self._name(pivot.location), members]

    def _matches(self) -> None:
        found = streams.matches(self.snapshot)
        strongest = list(islice(found, PAIRS))
        said = f"{count(self.totals.matches, 'matches')}, strongest first; copies are named once."
        rows = (
            [
                one.resemblance,
                one.a_in_b,
                one.b_in_a,
                streams.of_the_smaller(one.a_in_b, one.b_in_a),
                one.shared_bytes,
                how(one.exact),
                self._name(one.a),
                self._name(one.b),
            ]
            for one in chain(strongest, found)
        )
        fragments = list(passages_of(self.snapshot, strongest))
        if fragments:
            unit = "bytes" if runs.canon_of(self.snapshot.connection, self.snapshot.run) == "raw" else "characters"
            about = f"Of the strongest matches. Positions count {unit} of the extracted texts."
            self.file.write(f'<section id="passages"><h2>Passages in common</h2><p class="dim">{about}</p>')
            self.file.write(f"{''.join(fragments)}</section>\n")
        self._table("matches", "Matches", said, self.totals.matches, matched(self.score), rows)

    def _failed(self) -> None:
        rows = (
            [one.reason, one.size, self._name(one.location), safe(one.detail or "")]
            for one in each_present(self.snapshot.connection, failed=True)
        )
        said = f"{count(self.totals.failed, 'files or folders')} could not be read; the reason stands beside each."
        self._table("failed", "Failed documents", said, self.totals.failed, FAILED, rows)

    def _table(
        self,
        name: str,
        title: str,
        said: str,
        total: int,
        columns: Sequence[Column],
        rows: Iterable[Row],
        members: Sequence[Column] = (),
    ) -> None:
        """The first rows plainly, then all as JSON; a row of a family or set has its documents at its end."""
        write = self.file.write
        if not total:
            write(f'<section id="{name}"><h2>{title}</h2><p class="dim">None.</p></section>\n')
            return
        rest = iter(rows)
        first = list(islice(rest, PLAIN))
        write(f'<section id="{name}" data-columns="{_specified(columns)}"')
        write(f' data-members="{_specified(members)}"' if members else "")
        write(f'>\n<h2>{title}</h2>\n<p class="dim">{escape(said)}{_left_out(total, name)}</p>\n<div class="plain">')
        self._plain(columns, [row[: len(columns)] for row in first])
        if total > PLAIN:
            write(f'<p class="dim">Showing the first {PLAIN} of {total:,}.</p>')
        for row in first[:PLAIN_FAMILIES] if members else ():
            self._part(columns, members, row)
        write('</div>\n<script type="application/json">[')
        documents, before = 0, ""
        for row in islice(chain(first, rest), MOST):
            if members:
                documents += len(row[-1])
            kept = row[:-1] if documents > MOST else row
            write(before + json.dumps(kept, separators=(",", ":")).replace("<", "\\u003c"))
            before = ",\n"
        write("]</script></section>\n")

    def _plain(self, columns: Sequence[Column], rows: Iterable[Row]) -> None:
        write = self.file.write
        mark = [' class="n"' if column.numeric else "" for column in columns]
        write("<table><thead><tr>")
        write("".join(f"<th{at}>{escape(column.title)}</th>" for column, at in zip(columns, mark, strict=True)))
        write("</tr></thead><tbody>\n")
        for row in rows:
            cells = zip(columns, mark, row, strict=True)
            write(f"<tr>{''.join(f'<td{at}>{column.shown(value)}</td>' for column, at, value in cells)}</tr>\n")
        write("</tbody></table>")

    def _part(self, columns: Sequence[Column], members: Sequence[Column], row: Row) -> None:
        documents, shown = row[-1], [column.shown(value) for column, value in zip(columns, row, strict=False)]
        told = " · ".join(
            text
            for column, text in zip(columns, shown, strict=True)
            if text and text != "–" and column.kind in ("text", "path")
        )
        self.file.write(f'<details class="family"><summary>{count(len(documents), "files")} · {told}</summary>')
        self._plain(members, documents[:PLAIN_MEMBERS])
        if len(documents) > PLAIN_MEMBERS:
            self.file.write(f'<p class="dim">{len(documents) - PLAIN_MEMBERS:,} more.</p>')
        self.file.write("</details>\n")


def _specified(columns: Sequence[Column]) -> str:
    return escape(json.dumps([vars(column) for column in columns], separators=(",", ":")))


def _left_out(total: int, name: str) -> str:
    if total <= MOST:
        return ""
    return f" Showing the first {MOST:,}; for all of them: nearkin report {name}.csv --table {name}"
