"""Passages of the strongest pairs, as the page shows them: the longest of each, with their places in both texts."""

from collections.abc import Iterator, Sequence
from html import escape

from nearkin.matching.passages import Passage, common_passages
from nearkin.model import Location, Match
from nearkin.query.wording import count, safe
from nearkin.report.snapshot import Snapshot
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.text.canon import Canon

PAIRS = 10  # whose passages are shown
PASSAGES = 3  # of each pair, the longest
SHOWN = 400  # characters of each
LONGEST = 5_000_000  # bytes of a text: of longer ones `nearkin compare` tells


def passages_of(snapshot: Snapshot, strongest: Sequence[Match]) -> Iterator[str]:
    """For each of these pairs an HTML fragment that shows the text they have in common; none where it was not kept."""
    canon = Canon.parse(runs.canon_of(snapshot.connection, snapshot.run))
    for match in strongest[:PAIRS]:
        a, b = _text(snapshot, match.a), _text(snapshot, match.b)
        if a is None or b is None or max(len(a), len(b)) > LONGEST:
            continue
        found = common_passages(a, b, canon)
        if found:
            yield _fragment(snapshot, match, found, a if canon.raw else a.decode("utf-8", "replace"))


def _text(snapshot: Snapshot, location: Location) -> bytes | None:
    row = snapshot.connection.execute(
        """SELECT t.zstd FROM present d JOIN scope ON scope.id = d.scope JOIN text t ON t.id = d.text
           WHERE scope.name = ? AND d.path = ?""",
        (location.scope, location.path),
    ).fetchone()
    return None if row is None or row[0] is None else unpack(row[0])


def _fragment(snapshot: Snapshot, match: Match, found: list[Passage], text: str | bytes) -> str:
    names = [_name(snapshot, location) for location in (match.a, match.b)]
    longest = sorted(found, key=lambda one: (one.a_start - one.a_end, one.a_start, one.b_start))[:PASSAGES]
    quoted = "".join(
        f"<blockquote>{_quoted(text, one)}<br><small>{one.a_start:,} to {one.a_end:,} of the first,"
        f" {one.b_start:,} to {one.b_end:,} of the second</small></blockquote>"
        for one in sorted(longest, key=lambda one: one.a_start)
    )
    more = f"the {len(longest)} longest of {count(len(found), 'passages')}" if len(found) > PASSAGES else ""
    told = f"<small>{more or count(len(found), 'passages')}</small>"
    return f'<details class="family"><summary>{names[0]} and {names[1]} {told}</summary>{quoted}</details>\n'


def _quoted(text: str | bytes, passage: Passage) -> str:
    cut = text[passage.a_start : passage.a_end]
    shown = cut if isinstance(cut, str) else cut.decode("utf-8", "backslashreplace")
    if len(shown) > SHOWN:
        shown = f"{shown[: SHOWN // 2]} … {shown[-SHOWN // 2 :]}"
    return escape(safe(" ".join(shown.split())))


def _name(snapshot: Snapshot, location: Location) -> str:
    path = location.path.decode("utf-8", "backslashreplace")
    return escape(safe(f"{location.scope}:{path}" if snapshot.scoped else path))
