"""The report page (.html), which needs no network: a summary, charts, and tables that can be sorted and filtered.

Without JavaScript the first rows of every table can be read and printed. With JavaScript all rows, which are in the
page as JSON, can be sorted and filtered, 100,000 at once; only those in sight are drawn. Rows come from the store and
are written one by one; the page says how many did not fit.
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
PLAIN = 100  # rows that are shown without JavaScript
PLAIN_FAMILIES = 25  # families that are shown with their documents
PLAIN_MEMBERS = 50
# The page may load nothing, neither scripts nor pictures nor fonts.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

Row = list[Any]


@dataclass(frozen=True)
class PageColumn:
    """A column of a table."""

    title: str
    kind: str  # text, path, count, size or share
    width: str = "minmax(0, 1fr)"

    @property
    def numeric(self) -> bool:
        return self.kind in ("count", "size", "share")

    def shown(self, value: Any) -> str:
        """Return a cell as HTML. A value may be a list of a text and its link."""
        text, link = value if isinstance(value, list) else (value, None)
        if text is None:
            return "–" if self.numeric else ""
        words = {"share": share, "size": size, "count": count}.get(self.kind, str)(text)
        return f'<a href="{escape(link)}">{escape(words)}</a>' if link else escape(words)


IDENTICAL = (
    PageColumn("Files", "count", "60px"),
    PageColumn("Overhead", "size", "90px"),
    PageColumn("File size", "size", "90px"),
    PageColumn("Same", "text", "60px"),
    PageColumn("First file", "path"),
)
COPY = (PageColumn("File", "path"), PageColumn("Size", "size"))
FAMILY = (
    PageColumn("Family", "count", "60px"),
    PageColumn("Files", "count", "60px"),
    PageColumn("Size", "size", "84px"),
    PageColumn("Links", "count", "60px"),
    PageColumn("Type", "text", "122px"),
    PageColumn("Similar", "share", "76px"),
    PageColumn("Mean", "share", "64px"),
    PageColumn("Measured", "text", "84px"),
    PageColumn("Verdict", "text", "84px"),
    PageColumn("Pivot", "path"),
)
MEMBER = (
    PageColumn("File", "path"),
    PageColumn("Role", "text"),
    PageColumn("Similar", "share"),
    PageColumn("To pivot", "share"),
    PageColumn("Measured", "text"),
    PageColumn("Links", "count"),
    PageColumn("Size", "size"),
)
FAILED = (
    PageColumn("Reason", "text", "110px"),
    PageColumn("Size", "size", "84px"),
    PageColumn("File", "path"),
    PageColumn("Detail", "text"),
)


def match_columns(score: str) -> tuple[PageColumn, ...]:
    return (
        PageColumn(score.capitalize(), "share", "106px"),
        PageColumn("A in B", "share", "66px"),
        PageColumn("B in A", "share", "66px"),
        PageColumn("Similar", "share", "76px"),
        PageColumn("Shared", "size", "84px"),
        PageColumn("Measured", "text", "84px"),
        PageColumn("A", "path"),
        PageColumn("B", "path"),
    )


def write_page(snapshot: Snapshot, totals: Totals, facts: dict[str, Any], path: Path, *, links: bool) -> int:
    """Write a page and return the number of rows. `facts`: what was run, from `about`."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        _Page(file, snapshot, totals, links=links).write(facts)
    return totals.identical + totals.families + totals.matches + totals.failed


class _Page:
    """Writes the parts of the page, from top to bottom."""

    def __init__(self, file: TextIO, snapshot: Snapshot, totals: Totals, *, links: bool) -> None:
        self.file, self.snapshot, self.totals, self.links = file, snapshot, totals, links
        self.score = likeness(snapshot.scheme)

    def write(self, facts: dict[str, Any]) -> None:
        here = Path(__file__)
        style, script = (here.with_name(f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
        self.file.write(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>nearkin report, {escape(facts['date'][:10])}</title>\n<style>\n{style}</style></head>\n"
            "<body><main>\n"
        )
        self._summary(facts)
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

    def _summary(self, facts: dict[str, Any]) -> None:
        totals = self.totals
        when = facts["date"].replace("T", " ")[:16]
        write = self.file.write
        write(
            "<h1>Copies, versions and parts</h1>\n"
            f'<p class="dim">nearkin {escape(facts["version"])}, run of {when} UTC,'
            f" scheme {escape(facts['scheme'])}, families at {self.score} {facts['thresholds']['threshold']:g}</p>\n"
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
            ("What was run", "", lines({**facts, "date": f"{when} UTC"})),
            ("What the numbers mean", "means", list(facts["measures"].items())),
        ):
            write(f'<h3>{title}</h3><table class="{name}"><tbody>')
            for key, value in rows:
                shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else safe(str(value))
                write(f"<tr><td>{escape(key[:1].upper() + key[1:])}</td><td>{escape(shown)}</td></tr>")
            write("</tbody></table>")
        write("</details>\n")

    def _identical(self) -> None:
        totals = self.totals
        about = (
            f"{count(totals.bytes_sets, 'sets')} with the same bytes ({count(totals.bytes_files, 'files')},"
            f" {size(totals.overhead)} overhead), {count(totals.words_sets, 'sets')} with the same words only"
            f" ({count(totals.words_files, 'files')})."
        )
        rows = (
            [
                len(copies.group.documents),
                copies.group.overhead,
                copies.group.size,
                copies.group.tier,
                self._name(copies.group.documents[0]),
                [[self._name(place), size_] for place, size_ in zip(copies.group.documents, copies.sizes, strict=True)],
            ]
            for copies in streams.identical_in_full(self.snapshot)
        )
        self._table("identical", "Identical files", about, totals.identical, IDENTICAL, rows, members=COPY)

    def _families(self) -> None:
        totals = self.totals
        about = (
            f"{count(totals.families, 'families')} with {count(totals.family_documents, 'documents')},"
            f" {size(totals.family_bytes)}; {only_copies(totals.families_of_copies)}."
            " Similar: the share of the smaller text that is in the larger. Mean: mean resemblance of all links."
        )
        self._table("families", "Families", about, totals.families, FAMILY, self._family_rows(), members=MEMBER)

    def _family_rows(self) -> Iterator[Row]:
        for number, listed in enumerate(streams.families_in_full(self.snapshot), 1):
            family = listed.family
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
                    family.documents, listed.links, listed.shares, listed.sizes, strict=True
                )
            ]
            own = [number, len(family.documents), family.bytes, family.links, kind_of(family), listed.share]
            mean = [family.mean_resemblance, how(listed.exact)]
            yield [*own, *mean, family.verdict, self._name(pivot.location), members]

    def _matches(self) -> None:
        matches = streams.matches(self.snapshot)
        strongest = list(islice(matches, PAIRS))
        about = f"{count(self.totals.matches, 'matches')}, strongest first; copies are named once."
        rows = (
            [
                match.resemblance,
                match.a_in_b,
                match.b_in_a,
                streams.of_the_smaller(match.a_in_b, match.b_in_a),
                match.shared_bytes,
                how(match.exact),
                self._name(match.a),
                self._name(match.b),
            ]
            for match in chain(strongest, matches)
        )
        fragments = list(passages_of(self.snapshot, strongest))
        if fragments:
            unit = "bytes" if runs.canon_of(self.snapshot.connection, self.snapshot.run) == "raw" else "characters"
            positions = f"Of the strongest matches. Positions count {unit} of the extracted texts."
            self.file.write(f'<section id="passages"><h2>Passages in common</h2><p class="dim">{positions}</p>')
            self.file.write(f"{''.join(fragments)}</section>\n")
        self._table("matches", "Matches", about, self.totals.matches, match_columns(self.score), rows)

    def _failed(self) -> None:
        rows = (
            [failed.reason, failed.size, self._name(failed.location), safe(failed.detail or "")]
            for failed in each_present(self.snapshot.connection, failed=True)
        )
        about = f"{count(self.totals.failed, 'files or folders')} could not be read; the reason stands beside each."
        self._table("failed", "Failed documents", about, self.totals.failed, FAILED, rows)

    def _table(
        self,
        name: str,
        title: str,
        about: str,
        total: int,
        columns: Sequence[PageColumn],
        rows: Iterable[Row],
        members: Sequence[PageColumn] = (),
    ) -> None:
        """Write the first rows as a plain table, then all as JSON. The last cell of a family holds its documents."""
        write = self.file.write
        if not total:
            write(f'<section id="{name}"><h2>{title}</h2><p class="dim">None.</p></section>\n')
            return
        rest = iter(rows)
        first = list(islice(rest, PLAIN))
        write(f'<section id="{name}" data-columns="{_column_json(columns)}"')
        write(f' data-members="{_column_json(members)}"' if members else "")
        write(f'>\n<h2>{title}</h2>\n<p class="dim">{escape(about)}{_left_out(total, name)}</p>\n<div class="plain">')
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

    def _plain(self, columns: Sequence[PageColumn], rows: Iterable[Row]) -> None:
        write = self.file.write
        mark = [' class="n"' if column.numeric else "" for column in columns]
        write("<table><thead><tr>")
        write("".join(f"<th{at}>{escape(column.title)}</th>" for column, at in zip(columns, mark, strict=True)))
        write("</tr></thead><tbody>\n")
        for row in rows:
            cells = zip(columns, mark, row, strict=True)
            write(f"<tr>{''.join(f'<td{at}>{column.shown(value)}</td>' for column, at, value in cells)}</tr>\n")
        write("</tbody></table>")

    def _part(self, columns: Sequence[PageColumn], members: Sequence[PageColumn], row: Row) -> None:
        documents, shown = row[-1], [column.shown(value) for column, value in zip(columns, row, strict=False)]
        names = " · ".join(
            text
            for column, text in zip(columns, shown, strict=True)
            if text and text != "–" and column.kind in ("text", "path")
        )
        self.file.write(f'<details class="family"><summary>{count(len(documents), "files")} · {names}</summary>')
        self._plain(members, documents[:PLAIN_MEMBERS])
        if len(documents) > PLAIN_MEMBERS:
            self.file.write(f'<p class="dim">{len(documents) - PLAIN_MEMBERS:,} more.</p>')
        self.file.write("</details>\n")


def _column_json(columns: Sequence[PageColumn]) -> str:
    return escape(json.dumps([vars(column) for column in columns], separators=(",", ":")))


def _left_out(total: int, name: str) -> str:
    if total <= MOST:
        return ""
    return f" Showing the first {MOST:,}; for all of them: nearkin report {name}.csv --table {name}"
