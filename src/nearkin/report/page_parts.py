"""Parts of the report page: its charts, and the passages of the strongest pairs.

Charts are inline SVG: they need no script, take the page's colours, and every bar shows its number. Of each strong pair
the longest passages are quoted, with their places in both texts.
"""

from collections.abc import Iterator, Sequence
from html import escape

from nearkin.matching.passages import Passage, common_passages
from nearkin.model import Location, Match
from nearkin.query.store_view import Snapshot
from nearkin.query.totals import STEPS, Totals
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.text.canon import Canon
from nearkin.wording import count as in_words
from nearkin.wording import safe

Bar = tuple[str, int]
SIZES = ((2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, 100), (101, None))
FOLDERS = 8
CROWDED = 12  # bars from which on numbers are small
WIDTH = 360


def charts(totals: Totals, score: str) -> list[tuple[str, str]]:
    """Return the title and the picture of each chart that has something to show."""
    drawn = []
    if totals.families:
        drawn.append(("Families by number of documents", bars(family_sizes(totals), "families")))
    if totals.matches:
        parts = " (low values: parts)" if min(totals.by_resemblance) < STEPS // 2 else ""
        drawn.append((f"Matches by {score}{parts}", bars(resemblances(totals), "matches")))
    if len({folder for pair in totals.by_folders for folder in pair}) > 1:
        drawn.append(("Matches between folders", folders(totals)))
    return drawn


def family_sizes(totals: Totals) -> list[Bar]:
    sizes = []
    for least, most in SIZES:
        count = sum(n for size, n in totals.by_size.items() if size >= least and (most is None or size <= most))
        label = f"{least}" if least == most else f"{least}–{most}" if most else f"{least}+"
        sizes.append((label, count))
    while len(sizes) > 3 and not sizes[-1][1]:
        sizes.pop()
    return sizes


def resemblances(totals: Totals) -> list[Bar]:
    first = min(totals.by_resemblance)
    return [(f"{step / STEPS:.2f}", totals.by_resemblance.get(step, 0)) for step in range(first, STEPS)]


def bars(values: Sequence[Bar], what: str) -> str:
    height, base, top = 190, 160, 18
    step = (WIDTH - 10) / len(values)
    most = max(count for _, count in values) or 1
    small = ' class="small"' if len(values) > CROWDED else ""  # numbers of three digits would run into each other
    drawn = []
    for at, (label, count) in enumerate(values):
        tall = (base - top) * count / most
        tall = max(tall, 1.5) if count else 0.0
        x, middle = 5 + at * step, 5 + (at + 0.5) * step
        drawn.append(
            f'<g><title>{label}: {count:,} {what}</title><rect class="bar" x="{x + step * 0.12:.1f}"'
            f' y="{base - tall:.1f}" width="{step * 0.76:.1f}" height="{tall:.1f}" rx="2"/>'
            + (f'<text{small} x="{middle:.1f}" y="{base - tall - 4:.1f}">{_short(count)}</text>' if count else "")
            + (f'<text class="dim" x="{middle:.1f}" y="{base + 16}">{label}</text>' if _labelled(at, values) else "")
            + "</g>"
        )
    axis = f'<line x1="5" y1="{base}" x2="{WIDTH - 5}" y2="{base}"/>'
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{axis}{"".join(drawn)}</svg>'


def _labelled(at: int, values: Sequence[Bar]) -> bool:
    return len(values) <= 10 or at % 2 == 0


def folders(totals: Totals) -> str:
    """Draw the number of matches between each two of the folders with most matches; darker cells have more."""
    weight: dict[str, int] = {}
    for (a, b), count in totals.by_folders.items():
        for folder in {a, b}:
            weight[folder] = weight.get(folder, 0) + count
    names = sorted(weight, key=lambda folder: (-weight[folder], folder))[:FOLDERS]
    cell, left, top = 30, 116, 24
    counts = {pair: totals.by_folders.get((min(pair), max(pair)), 0) for pair in ((a, b) for a in names for b in names)}
    most = max(counts.values()) or 1
    drawn = []
    for row, a in enumerate(names):
        y = top + row * cell
        drawn.append(f'<text class="name" x="{left - 6}" y="{y + 19}">{row + 1} {_label(a, 13)}</text>')
        drawn.append(f'<text class="dim" x="{left + row * cell + cell / 2}" y="{top - 8}">{row + 1}</text>')
        for column, b in enumerate(names[: row + 1]):
            count, x = counts[a, b], left + column * cell
            strength = 0.12 + 0.78 * (count / most) ** 0.5 if count else 0.04
            dark = " on" if strength > 0.55 else ""
            drawn.append(
                f"<g><title>{_label(a)} – {_label(b)}: {in_words(count, 'matches')}</title>"
                f'<rect class="bar" x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{cell - 2}" rx="3"'
                f' fill-opacity="{strength:.2f}"/>'
                + (f'<text class="count{dark}" x="{x + cell / 2}" y="{y + 19}">{_short(count)}</text>' if count else "")
                + "</g>"
            )
    height = top + len(names) * cell + 6
    return f'<svg viewBox="0 0 {WIDTH} {max(height, 190)}" role="img">{"".join(drawn)}</svg>'


def _label(folder: str, most: int = 200) -> str:
    shown = safe(folder)
    return escape(shown if len(shown) <= most else f"{shown[: most - 1]}…")


def _short(count: int) -> str:
    for least, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= least:
            value = count / least
            return f"{value:.1f}{unit}" if value < 10 else f"{value:.0f}{unit}"
    return str(count)


PAIRS = 10  # whose passages are shown
PASSAGES = 3  # of each pair, the longest
SHOWN = 400  # characters of each
LONGEST = 5_000_000  # bytes of a text; longer ones are left to `nearkin compare`


def passages_of(snapshot: Snapshot, strongest: Sequence[Match]) -> Iterator[str]:
    """Yield an HTML fragment for each of these pairs that quotes their common text; none where a text was not kept."""
    canon = Canon.parse(runs.canon_of(snapshot.connection, snapshot.run))
    for match in strongest[:PAIRS]:
        a, b = _text(snapshot, match.a), _text(snapshot, match.b)
        if a is None or b is None or max(len(a), len(b)) > LONGEST:
            continue
        passages = common_passages(a, b, canon)
        if passages:
            yield _fragment(snapshot, match, passages, a if canon.raw else a.decode("utf-8", "replace"))


def _text(snapshot: Snapshot, location: Location) -> bytes | None:
    row = snapshot.connection.execute(
        """SELECT t.zstd FROM present d JOIN scope ON scope.id = d.scope JOIN text t ON t.id = d.text
           WHERE scope.name = ? AND d.path = ?""",
        (location.scope, location.path),
    ).fetchone()
    return None if row is None or row[0] is None else unpack(row[0])


def _fragment(snapshot: Snapshot, match: Match, passages: list[Passage], text: str | bytes) -> str:
    names = [_name(snapshot, location) for location in (match.a, match.b)]
    longest = sorted(passages, key=lambda passage: (passage.a_start - passage.a_end, passage.a_start, passage.b_start))[
        :PASSAGES
    ]
    quoted = "".join(
        f"<blockquote>{_quoted(text, passage)}<br><small>{passage.a_start:,} to {passage.a_end:,} of the first,"
        f" {passage.b_start:,} to {passage.b_end:,} of the second</small></blockquote>"
        for passage in sorted(longest, key=lambda passage: passage.a_start)
    )
    more = f"the {len(longest)} longest of {in_words(len(passages), 'passages')}" if len(passages) > PASSAGES else ""
    number = f"<small>{more or in_words(len(passages), 'passages')}</small>"
    return f'<details class="family"><summary>{names[0]} and {names[1]} {number}</summary>{quoted}</details>\n'


def _quoted(text: str | bytes, passage: Passage) -> str:
    cut = text[passage.a_start : passage.a_end]
    shown = cut if isinstance(cut, str) else cut.decode("utf-8", "backslashreplace")
    if len(shown) > SHOWN:
        shown = f"{shown[: SHOWN // 2]} … {shown[-SHOWN // 2 :]}"
    return escape(safe(" ".join(shown.split())))


def _name(snapshot: Snapshot, location: Location) -> str:
    path = location.path.decode("utf-8", "backslashreplace")
    return escape(safe(f"{location.scope}:{path}" if snapshot.scoped else path))
