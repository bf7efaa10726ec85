"""The comparison page (.html) of one pair: self-contained, without network or script, light and dark, fit to print.

Both texts stand side by side. Each passage has a number that links to its place in the other text, words that differ
are marked, and moved passages link to each other. Long stretches that are the same are folded in their middle; a click
opens them.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from nearkin.query.alignment import AlignedBlock
from nearkin.query.comparison import Comparison, aligned, label
from nearkin.query.lookup import NamedDocument, Readable, in_characters
from nearkin.report.word_marks import AlignedRow, Elsewhere, Word, joined, rows, unit
from nearkin.scheme import Estimate
from nearkin.text.canon import Canon
from nearkin.wording import no_character

ENDS = 60  # words of what is the same, at either end, before it is folded
FOLDED = 200_000  # characters of a fold; the middle of longer ones is counted, not shown

STYLE = """
:root { color-scheme: light dark; --ink: #1c2128; --dim: #6a737d; --ground: #fff; --card: #f6f8fa; --line: #d8dee4;
  --out: #82071e; --outground: #ffebe9; --in: #116329; --inground: #dafbe1; --moved: #6639ba; --movedground: #fbefff; }
@media (prefers-color-scheme: dark) { :root { --ink: #d8dee6; --dim: #8b949e; --ground: #0d1117; --card: #161b22;
  --line: #30363d; --out: #ffa198; --outground: #5a1e1e; --in: #7ee787; --inground: #12432a; --moved: #d2a8ff;
  --movedground: #37225c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } ul.details { margin: .25rem 0 1rem; padding-left: 1.2rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; }
dt { color: var(--dim); font-size: .8rem; } dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
dd small { color: var(--dim); font-weight: 400; }
p.key { color: var(--dim); font-size: .85rem; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th { position: sticky; top: 0; background: var(--ground); text-align: left; padding: .5rem .75rem;
  border-bottom: 2px solid var(--line); overflow-wrap: anywhere; }
td { vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere;
  width: 50%; }
td + td, th + th { border-left: 1px solid var(--line); }
tr.same { color: var(--dim); } tr.differ { background: var(--card); }
del { color: var(--out); background: var(--outground); text-decoration: none; border-radius: 3px; padding: 0 .15em; }
ins { color: var(--in); background: var(--inground); text-decoration: none; border-radius: 3px; padding: 0 .15em; }
a { color: inherit; } del a, ins a { text-decoration: underline; }
a.number { color: var(--dim); font-size: .75rem; margin-right: .4em; text-decoration: none; }
a.moved { color: var(--moved); background: var(--movedground); border-radius: 3px; padding: 0 .15em; }
:target { outline: 2px solid var(--moved); outline-offset: 2px; }
summary { cursor: pointer; color: var(--dim); font-style: italic; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } th { position: static; } }
"""


def comparison_page(
    a: NamedDocument, b: NamedDocument, comparison: Comparison, spec: str, canon: Canon
) -> Iterator[str]:
    """Yield the page piece by piece."""
    names = [escape(_printable(side.name)) for side in (a, b)]
    yield f"<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n<title>{names[0]} and {names[1]}</title>\n"
    yield "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
    yield f"<style>{STYLE}</style>\n<h1>{escape(label(comparison.relation))}</h1>\n"
    if comparison.details:
        items = "".join(f"<li>{escape(_printable(detail))}</li>" for detail in comparison.details)
        yield f"<ul class='details'>{items}</ul>\n"
    yield f"<dl>{''.join(_figures(comparison))}</dl>\n"
    unit = "bytes" if canon.raw else "characters"
    yield f"<p class='key'>Measured by {escape(spec)}. <del>In A only</del> <ins>in B only</ins>"
    yield " <a class='moved'>moved</a>; <ins><a>underlined</a></ins>: also elsewhere in the other text."
    yield " Click a number or an underlined passage to see the same passage in the other text."
    yield f" Positions count {unit} of the extracted texts.</p>\n"
    if comparison.wordless:
        who = "Neither of the two has" if len(comparison.wordless) > 1 else f"{comparison.wordless} has no"
        yield f"<p>{who} words that nearkin can compare.</p>\n"
    if (alignment := aligned(comparison, a, b, canon)) is None:
        return
    yield f"<table>\n<thead><tr><th>A: {names[0]}</th><th>B: {names[1]}</th></tr></thead>\n<tbody>\n"
    text_a, text_b = (Readable.of(side.text or b"", canon) for side in (a, b))
    alignment = in_characters(alignment, text_a, text_b)
    seen: set[str] = set()
    elsewhere = Elsewhere(alignment, of_a=True), Elsewhere(alignment, of_a=False)
    for row in rows(alignment, text_a.text, text_b.text, canon, ends=ENDS):
        yield _row(row, text_a, text_b, seen, elsewhere)
    yield "</tbody>\n</table>\n</html>\n"


def _figures(comparison: Comparison) -> Iterator[str]:
    def fact(what: str, value: str, about: str) -> str:
        return f"<div><dt>{what}</dt><dd>{value} <small>{about}</small></dd></div>"

    def figure(what: str, estimate: Estimate | None) -> str:
        if estimate is None:
            return fact(what, "–", "no estimate")
        bounds = "" if estimate.low is None or estimate.high is None else f" {estimate.low:.2f} to {estimate.high:.2f}"
        return fact(what, _share(estimate.value), "exact" if estimate.exact else f"estimated{bounds}")

    yield figure("resemblance", comparison.resemblance)
    yield figure("A in B", comparison.a_in_b)
    yield figure("B in A", comparison.b_in_a)
    if comparison.cosine is not None:
        yield figure("cosine of words", comparison.cosine)
    if comparison.words_over is not None:
        yield fact("words changed", f"more than {comparison.words_over:,}", "not counted further")
    elif comparison.word_distance is not None:
        yield fact("words changed", f"{comparison.word_distance:,}", "inserted, removed or replaced")
    if comparison.a_covered is not None and comparison.b_covered is not None:
        about = f"with {_share(comparison.a_covered)} of A, {_share(comparison.b_covered)} of B"
        yield fact("common passages", f"{len(comparison.passages):,}", about)


def _share(value: float) -> str:
    return f"{value:.3f}" if value == 1.0 or value < 0.9995 else "0.999"


def _row(row: AlignedRow, a: Readable, b: Readable, seen: set[str], elsewhere: tuple[Elsewhere, Elsewhere]) -> str:
    block = row.block
    if block.same:
        first = _number(block, "a", "b", a) + _same(row.a, a.text, block.a_start, block.a_end, row.left_out)
        second = _number(block, "b", "a", b) + _same(row.b, b.text, block.b_start, block.b_end, row.left_out)
    else:
        first, second = _marked(row.a, "del", "a", "b", seen), _marked(row.b, "ins", "b", "a", seen)
    # Passages that stand elsewhere in the other text need a target here, even where their words are not marked.
    before_a = (_anchor(f"a{at + 1}", seen) for at in elsewhere[0].numbers(block.a_start, block.a_end))
    before_b = (_anchor(f"b{at + 1}", seen) for at in elsewhere[1].numbers(block.b_start, block.b_end))
    cells = f"<td>{''.join(before_a)}{first}</td><td>{''.join(before_b)}{second}</td>"
    return f"<tr class='{'same' if block.same else 'differ'}'>{cells}</tr>\n"


def _anchor(name: str, seen: set[str]) -> str:
    if name in seen:
        return ""
    seen.add(name)
    return f"<span id='{name}'></span>"


def _number(block: AlignedBlock, mine: str, other: str, text: Readable) -> str:
    assert block.passage is not None
    number = block.passage + 1
    start, end = (block.a_start, block.a_end) if mine == "a" else (block.b_start, block.b_end)
    place = f"{text.place(start):,} to {text.place(end):,}"
    return f"<a class='number' id='{mine}{number}' href='#{other}{number}' title='{place}'>{number}</a>"


def _same(words: list[Word], text: str, start: int, end: int, left_out: int) -> str:
    if not left_out:
        return escape(_printable(" ".join(text[start:end].split())))
    half = len(words) // 2
    head, tail = (escape(_printable(joined(part))) for part in (words[:half], words[half:]))
    middle = text[words[half - 1].end : words[half].start]
    folded = "" if len(middle) > FOLDED else escape(_printable(" ".join(middle.split())))
    return (
        f"{head} <details><summary>{left_out:,} more {unit(words)} the same in both</summary>{folded}</details> {tail}"
    )


def _marked(words: list[Word], tag: str, mine: str, other: str, seen: set[str]) -> str:
    """Mark words; neighbours with the same marks are marked together."""
    marked, end = "", None
    for (moved, changed, again), group in groupby(words, key=_kind):
        alike = list(group)
        text = escape(_printable(joined(alike)))
        if moved is not None:
            anchor = f"{mine}{moved + 1}"
            name = "" if anchor in seen else f" id='{anchor}'"  # of a passage cut in two the first part is the target
            seen.add(anchor)
            text = f"<a class='moved'{name} href='#{other}{moved + 1}' title='passage {moved + 1}'>{text}</a>"
        elif changed and again is not None:
            anchor = f"{mine}{again + 1}"
            name = "" if anchor in seen else f" id='{anchor}'"
            seen.add(anchor)
            text = f"<{tag}><a{name} href='#{other}{again + 1}' title='passage {again + 1}'>{text}</a></{tag}>"
        elif changed:
            text = f"<{tag}>{text}</{tag}>"
        marked += text if end in (None, alike[0].start) else f" {text}"
        end = alike[-1].end
    return marked


def _kind(word: Word) -> tuple[int | None, bool, int | None]:
    changed = word.changed and word.moved is None
    return word.moved, changed, word.again if changed else None


def _printable(text: str) -> str:
    """Replace characters that no page may hold, and those that change the direction of what follows."""
    kept = (char if char.isprintable() or char in "\n\t\u200c\u200d" else no_character(char) or " " for char in text)
    return "".join(kept)
