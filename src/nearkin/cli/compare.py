"""`compare`: one pair in full."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import common, text_options
from nearkin.cli.output import chosen, emit_one

if TYPE_CHECKING:
    from nearkin.report.comparison import Comparison, Payload
    from nearkin.report.lookup import Found
    from nearkin.scheme import Estimate, Scheme


@click.command(epilog="Example: nearkin compare manual-1.html manual-2.html")
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path())
@common
@click.option("--scheme", default="exact:window=20", show_default=True, metavar="SPEC", help="How to measure.")
@text_options
def compare(
    a: str,
    b: str,
    store: Path,
    form: str | None,
    quiet: bool,
    scheme: str,
    raw: bool,
    ignore: tuple[str, ...] | None,
) -> None:
    """Measure how much two documents have in common.

    A and B are files, or documents of the store by their paths there. The relation is the first of these that holds:
    identical; same words; similar (resemblance 0.7 or more); A contains B, B contains A (0.9 of the part or more);
    similar (resemblance 0.5 or more); unrelated. Where one has no text to read it is: no text.
    The cosine is that of the words' frequencies, stop words left out; with --scheme fuzzy it decides the relation,
    and the other figures are of exact shingles.

    Shared bytes are a lower bound: what lies in both at the very least. With a chunk scheme they are those of whole
    chunks, and what exact 20-byte shingles say is shown beside them. "% similar" is what is shared of the smaller.
    All is measured with boilerplate; where the store has templates, payload is the resemblance without them.
    """
    from nearkin.report.comparison import compare as measure
    from nearkin.report.comparison import payload_of
    from nearkin.report.lookup import find_document
    from nearkin.scheme import keeps_lines, parse_scheme
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    how = parse_scheme(scheme)
    text = TextSettings(raw=raw) if ignore is None else TextSettings(raw=raw, ignore=ignore)
    canon = Canon.of(text, lines=keeps_lines(how))
    first, second = (find_document(name, store, raw=raw) for name in (a, b))
    found = measure(first, second, how, canon)
    payload = payload_of(first, second, how, canon, store)
    form = chosen(form)
    if form == "table":
        _show(first, second, found, how, payload)
        return

    def value(estimate: "Estimate | None") -> float | None:
        return None if estimate is None else estimate.value

    record = {
        "a": a,
        "b": b,
        "resemblance": value(found.resemblance),
        "a_in_b": value(found.a_in_b),
        "b_in_a": value(found.b_in_a),
        "cosine": value(found.cosine),
        "relation": found.relation,
        "tier": found.tier,
        "shared_bytes": found.shared_bytes,
        "a_size": first.size,
        "b_size": second.size,
        "scheme": how.spec,
        "exact": found.resemblance.exact if found.resemblance else None,
        "low": found.resemblance and found.resemblance.low,
        "high": found.resemblance and found.resemblance.high,
        "collision_error": found.collision and found.collision.error,
        "collision_chance": found.collision and found.collision.chance,
        "similar": value(found.similar),
        "template": "with",
        "payload": payload and payload.resemblance,
    }
    if beside := found.shingles:
        record |= {
            "shingle_resemblance": value(beside.resemblance),
            "shingle_a_in_b": value(beside.a_in_b),
            "shingle_b_in_a": value(beside.b_in_a),
            "shingle_shared_bytes": beside.shared_bytes,
        }
    emit_one(record, form, paths=frozenset({"a", "b"}))


def _show(a: "Found", b: "Found", found: "Comparison", scheme: "Scheme", payload: "Payload | None") -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.words import count, measured, safe, share, shortened, size
    from nearkin.scheme.shingler import ALL_BITS

    screen = Screen()
    in_chunks = scheme.measure == "bytes" and not found.tier
    short = scheme.shingler is not None and scheme.shingler.bits < ALL_BITS and not found.tier

    def figure(what: str, estimate: "Estimate | None") -> None:
        if estimate is None:
            screen.line(f"  {what:<12}  –      no estimate")
            return
        about = measured(estimate.exact, estimate.low, estimate.high)
        if estimate.exact and in_chunks and what != "cosine":
            about = "at least: whole chunks"
        elif estimate.exact and short and what != "cosine":
            about = "exact but for collisions"
        screen.line(f"  {what:<12}  ", (share(estimate.value), "bold cyan"), f"  {about}")

    def figures(found: "Comparison") -> None:
        figure("resemblance", found.resemblance)
        figure("A in B", found.a_in_b)
        figure("B in A", found.b_in_a)
        figure("% similar", found.similar)
        if found.cosine is not None:
            figure("cosine", found.cosine)
        at_least = "" if found.tier else "at least "
        screen.line(f"  {'shared':<12}  {at_least}", (size(found.shared_bytes), "bold cyan"), " of canonical text")

    screen.line((found.relation, "bold"), f"  measured by {scheme.spec}")
    for letter, side in (("A", a), ("B", b)):
        screen.line(f"  {letter}  {size(side.size):>8}  {shortened(safe(side.name), screen.width - 15)}")
    screen.line()
    figures(found)
    if payload is not None:
        about = f"  resemblance, exact; {count(payload.templates, 'templates')} left out"
        screen.line(f"  {'payload':<12}  ", (share(payload.resemblance), "bold cyan"), about)
    if found.collision and scheme.shingler and short:
        bits, off = scheme.shingler.bits, found.collision.error
        chance = f"Two shingles are taken for one with a chance of at most {min(1.0, found.collision.chance):.2g}."
        if off < 1.0:
            screen.note(f"Fingerprints of {bits} bits: off by less than {off:.2g}, 999 times in 1,000.")
        else:
            screen.note(f"Fingerprints of {bits} bits are too short for texts of this length.")
        screen.note(chance)
    if found.shingles:
        in_chunks = False
        screen.line()
        screen.line("  by exact:window=20, all shingles of 20 bytes")
        figures(found.shingles)
