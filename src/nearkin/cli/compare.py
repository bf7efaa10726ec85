"""`compare`: one pair in full.

On a terminal both texts stand beside each other: what is the same shortened, what differs word by word. The mark
between the columns says the same without colours: ≠ where words of both sides differ, < and > where words of one do,
« and » where these stand elsewhere in the other text, too, ↔ where text was moved.
"""

from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import FILE, NAME, chosen, common, emit_one, text_options
from nearkin.cli.wording import apart, both_ends, cells, measured, without_text
from nearkin.settings import TextSettings
from nearkin.wording import count, percent, safe, share, size

if TYPE_CHECKING:
    from nearkin.api.comparison import ComparedDocuments
    from nearkin.cli.screen import Screen
    from nearkin.query.comparison import Comparison
    from nearkin.query.lookup import NamedDocument, Readable
    from nearkin.report.word_marks import AlignedRow, Word
    from nearkin.scheme import Estimate
    from nearkin.scheme.plan import Collision

IGNORED = TextSettings().ignore

LISTED = 10  # passages on the screen; JSON has all


@click.command(epilog="Example: nearkin compare manual-1.html manual-2.html")
@click.argument("a", type=NAME)
@click.argument("b", type=NAME)
@common
@click.option("--scheme", default="exact:window=20", show_default=True, metavar="SPEC", help="How to measure.")
@click.option(
    "--min-length",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List passages of at least N characters.",
)
@click.option("--html", "page", type=FILE, metavar="FILE", help="Also write the comparison as a web page.")
@text_options
def compare(
    a: str,
    b: str,
    store: Path,
    form: str | None,
    quiet: bool,
    scheme: str,
    min_length: int,
    page: Path | None,
    raw: bool,
    ignore: tuple[str, ...] | None,
) -> None:
    """Show how much two documents have in common, and which text.

    A and B are files, or documents of the store named by their paths there. The relation is the first of these that
    applies: identical; same words; same but for numbers and dates (words with digits, months and days of the week);
    same but for a name replaced throughout; B is A plus more; A is contained in B; similar (resemblance 0.7 or more); A
    is mostly contained in B (0.9 of it or more); similar (resemblance 0.5 or more); share only a form; unrelated. If
    either has no words that nearkin can read, the relation is: no text, and there are no scores.

    Passages are the longest pieces of text found in both, including moved ones. The screen shows both texts side by
    side; into a pipe, passages are listed with their places. The word count is how many words were inserted, removed
    or replaced. The cosine compares word frequencies without stop words; with --scheme fuzzy it decides the relation,
    and the other figures come from exact shingles.

    Shared bytes are a lower bound. With a chunk scheme they count whole chunks, and the figures of exact 20-byte
    shingles are shown as well. "similar" is the shared part of the smaller document. All figures include boilerplate;
    if the store has templates, payload is the resemblance without them.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("comparing", quiet=quiet):
        compared = Store(store).compare(
            a, b, scheme, min_length=min_length, raw=raw, ignore=IGNORED if ignore is None else ignore
        )
    if page is not None:
        compared.write_page(page)
    form = chosen(form)
    if form == "table":
        _show(compared)
        _show_texts(compared)
    else:
        emit_one(compared.record(), form, paths=frozenset({"a", "b"}))


def _show_texts(compared: "ComparedDocuments") -> None:
    from nearkin.cli.screen import Screen

    if not compared.comparison.passages or (rows := compared.rows(ends=ENDS)) is None:
        return
    _list_longest(compared.comparison, compared.texts[0], "bytes" if compared.canon.raw else "characters")
    whole = "see everything with --html FILE, or all places with --format json."
    show_side_by_side(Screen(), rows, whole=whole)


def _list_longest(comparison: "Comparison", text: "Readable", unit: str) -> None:
    from nearkin.cli.screen import Screen

    passages = comparison.passages
    longest = sorted(passages, key=lambda passage: (passage.a_start - passage.a_end, passage))[:LISTED]
    screen = Screen()
    screen.heading("longest passages" if len(passages) > LISTED else "passages", "places in A and in B")
    screen.columns(
        [unit, "place in A", "place in B", "text in A"],
        (
            [
                count(passage.a_end - passage.a_start),
                count(passage.a_start),
                count(passage.b_start),
                safe(" ".join(both_ends(text.inside(passage.a_start, passage.a_end)).split())),
            ]
            for passage in longest
        ),
        right=(0, 1, 2),
    )


def _show(compared: "ComparedDocuments") -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    comparison, sides = compared.comparison, (compared.a, compared.b)
    textless = [side for letter, side in zip("AB", sides, strict=True) if letter in comparison.wordless]
    by = "by their bytes" if textless else f"measured by {compared.scheme.spec}"
    screen.line((compared.relation, "bold"), f"  {by}")
    for detail in comparison.details:
        screen.folded(safe(detail), indent=2, style="yellow")
    names = apart([safe(side.name) for side in sides], screen.width - 15)
    for letter, side, name in zip("AB", sides, names, strict=True):
        screen.line(f"  {letter}  {size(side.size):>8}  {name}")
    screen.line()
    if textless:
        _show_textless(screen, textless, same=comparison.tier == "bytes")
        return
    caveat = "at least: whole chunks" if compared.is_in_chunks else ""
    _show_figures(screen, comparison, caveat or ("exact but for collisions" if compared.short_bits else "exact"))
    if comparison.words_over is not None or comparison.word_distance is not None:
        over, distance = comparison.words_over, comparison.word_distance
        words = f"more than {over:,}" if over else f"{distance:,}"
        unit = "word" if distance == 1 and not over else "words"
        screen.line(f"  {'changed':<12}  ", (words, "bold cyan"), f" {unit} inserted, removed or replaced")
    if comparison.a_covered is not None and comparison.b_covered is not None:
        held = f" with {share(comparison.a_covered)} of A and {share(comparison.b_covered)} of B"
        screen.line(f"  {'passages':<12}  ", (count(len(comparison.passages)), "bold cyan"), held)
    if compared.payload is not None:
        about = f"  resemblance, exact; {count(compared.payload.templates, 'templates')} left out"
        screen.line(f"  {'payload':<12}  ", (share(compared.payload.resemblance), "bold cyan"), about)
    if comparison.collision and compared.short_bits:
        _show_collision(screen, comparison.collision, compared.short_bits)
    if comparison.shingles:
        screen.line()
        screen.line("  by exact:window=20, all shingles of 20 bytes")
        _show_figures(screen, comparison.shingles, "exact but for collisions" if compared.short_bits else "exact")


def _show_figures(screen: "Screen", comparison: "Comparison", exact: str) -> None:
    """One measure a line; `exact` says what a measure is that is no estimate."""

    def figure(what: str, estimate: "Estimate | None") -> None:
        if estimate is None:
            screen.line(f"  {what:<12}  –      no estimate")
            return
        about = measured(estimate.exact, estimate.low, estimate.high)
        if estimate.exact and what != "cosine":
            about = exact
        value = percent(estimate.value) if what == "similar" else share(estimate.value)
        screen.line(f"  {what:<12}  ", (f"{value:<7}", "bold cyan"), about)

    figure("resemblance", comparison.resemblance)
    figure("A in B", comparison.a_in_b)
    figure("B in A", comparison.b_in_a)
    figure("similar", comparison.similar)
    if comparison.cosine is not None:
        figure("cosine", comparison.cosine)
    at_least = "" if comparison.tier else "at least "
    screen.line(f"  {'shared':<12}  {at_least}", (size(comparison.shared_bytes), "bold cyan"), " of canonical text")


def _show_collision(screen: "Screen", collision: "Collision", bits: int) -> None:
    """What short fingerprints may have got wrong."""
    if collision.error < 1.0:
        screen.note(f"Fingerprints of {bits} bits: off by less than {collision.error:.2g}, 999 times in 1,000.")
    else:
        screen.note(f"Fingerprints of {bits} bits are too short for texts of this length.")
    chance = min(1.0, collision.chance)
    screen.note(f"The chance that two shingles are mistaken for one is at most {chance:.2g}.")


def _show_textless(screen: "Screen", textless: "list[NamedDocument]", *, same: bool) -> None:
    """Of pictures and the like there is nothing to measure but whether they are the same."""
    for side in textless:
        screen.note(f"{without_text(side)}.")
    screen.note(
        f"All {textless[0].size:,} bytes are the same." if same else "Their bytes differ; nothing more can be said."
    )


ENDS = 12  # words of what is the same, at either end
SHOWN = 200  # rows; the page has all
LONG = 24  # lines of one row
BROKEN = 6  # lines of one word that differs

CHANGED = {"A": "bold red", "B": "bold green"}
AGAIN = {"A": "red", "B": "green"}  # and elsewhere in the other text
MOVED = "magenta"

Piece = tuple[str, str]


def show_side_by_side(screen: "Screen", rows: "Iterator[AlignedRow]", *, whole: str) -> None:
    """`whole`: how to see everything."""
    wide = (screen.width - 5) // 2
    screen.line()
    screen.line((f"  {'A':<{wide}}   B", "bold"))
    for row in islice(rows, SHOWN):
        for mark, left, right in _lines(row, wide):
            fill = " " * (wide - sum(cells(text) for text, _ in left))
            between = f" {mark} " if right else f" {mark}"
            screen.line("  ", *left, fill, (between, "dim" if mark == "│" else "yellow"), *right)
    if next(rows, None) is not None:
        screen.note(f"More follows; {whole}")


def _lines(row: "AlignedRow", wide: int) -> Iterator[tuple[str, list[Piece], list[Piece]]]:
    from nearkin.api.comparison import row_unit

    same = row.block.same
    gap = count(row.left_out, row_unit(row)) if row.left_out else ""
    left, right = (_folded(side, wide, letter, gap, same=same) for letter, side in (("A", row.a), ("B", row.b)))
    none: list[Piece] = []
    for at, (a_line, b_line) in enumerate(zip_longest(left, right, fillvalue=none)):
        if at == LONG:
            yield "│", [("…", "dim")], [("…", "dim")]
            return
        yield _mark(a_line, b_line), a_line, b_line


def _mark(left: list[Piece], right: list[Piece]) -> str:
    styles = [{style for _, style in side} for side in (left, right)]
    out, put = CHANGED["A"] in styles[0], CHANGED["B"] in styles[1]
    less, more = AGAIN["A"] in styles[0], AGAIN["B"] in styles[1]
    if (out or less) and (put or more):
        return "≠"
    if out or put:
        return "<" if out else ">"
    if less or more:
        return "«" if less else "»"
    return "↔" if MOVED in styles[0] | styles[1] else "│"


def _folded(words: "list[Word]", wide: int, letter: str, gap: str, *, same: bool) -> list[list[Piece]]:
    """Lines of words, broken between them; one longer than a line is broken where it differs, and else cut."""
    lines: list[list[Piece]] = []
    line: list[Piece] = []
    used, end = 0, -1
    half = len(words) // 2 if gap else None
    for at, word in enumerate(words):
        if at == half:
            if line:
                lines.append(line)
            lines.append([(_cut(f"… {gap} …", wide), "dim italic")])
            line, used = [], 0
        style = "dim" if same else _style(word, letter)
        spaced = bool(line) and word.start != end
        *whole, text = _broken(safe(word.text), wide, BROKEN if word.changed else 1)
        if line and (whole or used + spaced + cells(text) > wide):
            lines.append(line)
            line, used, spaced = [], 0, False
        lines += [[(part, style)] for part in whole]
        if spaced:
            # A space between two words of one colour is coloured too, so that a changed phrase reads as one.
            line.append((" ", style if style == line[-1][1] and style != "dim" else ""))
            used += 1
        line.append((text, style))
        used += cells(text)
        end = word.end
    return [*lines, line] if line else lines


def _broken(text: str, wide: int, most: int) -> list[str]:
    """In so many lines at the most."""
    parts: list[str] = []
    while len(parts) + 1 < most and cells(text) > wide:
        fits = next(at for at in range(min(len(text), wide), 0, -1) if at == 1 or cells(text[:at]) <= wide)
        parts.append(text[:fits])
        text = text[fits:]
    return [*parts, _cut(text, wide)]


def _style(word: "Word", letter: str) -> str:
    if word.moved is not None:
        return MOVED
    if not word.changed:
        return ""
    return CHANGED[letter] if word.again is None else AGAIN[letter]


def _cut(text: str, wide: int) -> str:
    if cells(text) <= wide:
        return text
    while cells(text) > wide - 1:
        text = text[: max(1, len(text) - max(1, (cells(text) - wide) // 2))]
    return f"{text}…"
