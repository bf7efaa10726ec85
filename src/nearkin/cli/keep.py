"""`keep`: what can go, how we know, and doing it so that it can be undone."""

import shlex
from collections import Counter
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import FILE, Share, chosen, common, emit, store_option
from nearkin.cli.wording import HARD, apart, note, shortened
from nearkin.errors import InputError, UsageError
from nearkin.wording import count, safe, size

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.keep.plan import PlanRow
    from nearkin.model import Location

ORDER = ("done", "restored", "before", "untouched", "skipped", "refused")
SHOWN = 2  # passages of residue on the screen, the longest; the plan has them all


@click.command(epilog="Example: nearkin keep --prefer folder:masters --plan plan.csv")
@click.argument("families", nargs=-1, metavar="[FAMILY]...")
@common
@click.option(
    "--prefer",
    multiple=True,
    metavar="RULE",
    help="Keep first: newest, oldest, largest, complete, scope:NAME or folder:PATH. May be repeated.",
)
@click.option("--plan", type=FILE, metavar="FILE", help="Write a plan, as .csv or .json.")
@click.option(
    "--near",
    type=Share(),
    metavar="SHARE",
    help="Let the plan quarantine documents if at least this share of them is in the kept one.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    metavar="N",
    default=20,
    show_default=True,
    help="Number of families on the screen; 0: all.",
)
@click.option("--apply", "applied", type=FILE, metavar="PLAN", help="Carry out a plan.")
@click.option(
    "--action",
    type=click.Choice(["hardlink", "symlink", "quarantine"]),
    help="With --apply: what to do with documents that have the same bytes as the kept one.",
)
@click.option(
    "--quarantine",
    type=FILE,
    metavar="DIR",
    help="With --apply: where originals go.  [default: a hidden folder beside the plan]",
)
@click.option("--undo", "undone", type=FILE, metavar="JOURNAL", help="Put back everything that a plan moved.")
@click.option("--by", metavar="NAME", help="Who does this, for the audit.  [default: your login name]")
def keep(
    families: tuple[str, ...],
    store: Path,
    form: str | None,
    quiet: bool,
    prefer: tuple[str, ...],
    plan: Path | None,
    near: float | None,
    limit: int,
    applied: Path | None,
    action: str | None,
    quarantine: Path | None,
    undone: Path | None,
    by: str | None,
) -> None:
    """Suggest which document of each family to keep, and show what only the others contain.

    The document to keep is the one that a verdict names, else the first by --prefer, then the most complete, the
    newest, the largest. For every other document you see the exact share of its text that is in the kept one (in runs
    of 20 bytes or more); how many characters are not; how many of these differ only in spacing, line breaks or Unicode
    forms; and the text that no other document of the family contains.

    Nothing is done without a plan. --apply checks the SHA-256 of both files right before each step and refuses files
    that have changed. Only documents with the same bytes become links; others are moved at most, and only where the
    plan's row says quarantine. Originals go to the quarantine folder; nothing is deleted. --undo puts everything back,
    using the journal beside the plan. Members of archives and rows of tables are never touched.
    """
    _refuse_mixture(families, prefer, plan, near, applied, action, quarantine, undone)
    if applied is not None:
        _apply(store, form, applied, action or "", quarantine, by, quiet=quiet)
    elif undone is not None:
        _undo(store, form, undone, by)
    else:
        _propose(families, store, form, prefer, plan, near, limit, quiet=quiet)


def _refuse_mixture(
    families: tuple[str, ...],
    prefer: tuple[str, ...],
    plan: Path | None,
    near: float | None,
    applied: Path | None,
    action: str | None,
    quarantine: Path | None,
    undone: Path | None,
) -> None:
    planning = bool(families or prefer or plan is not None or near is not None)
    if (applied is not None) + (undone is not None) + planning > 1:
        raise UsageError("Plan, --apply and --undo cannot be combined.")
    if applied is not None and action is None:
        raise UsageError("--apply needs an --action: hardlink, symlink or quarantine.")
    if applied is None and (action is not None or quarantine is not None):
        raise UsageError("--action and --quarantine go with --apply; add: --apply PLAN")


def _propose(
    families: tuple[str, ...],
    store: Path,
    form: str | None,
    prefer: tuple[str, ...],
    plan: Path | None,
    near: float | None,
    limit: int,
    *,
    quiet: bool,
) -> None:
    from nearkin.api.care import has_several_scopes
    from nearkin.api.keep import PLAN_COLUMNS, PLAN_PATHS, row_record, write_plan
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    absent: list[Location] = []
    with progress("keep", quiet=quiet) as report:
        rows = Store(store).propose(families, prefer=prefer, near=near, progress=report, absent=absent.append)
    if plan is not None:
        write_plan(rows, plan)
    form = chosen(form)
    if form != "table":
        emit(map(row_record, rows), form, columns=PLAN_COLUMNS, paths=PLAN_PATHS)
    else:
        from nearkin.cli.screen import Screen

        screen = Screen(has_several_scopes(store))
        if rows:
            _show(screen, rows, limit)
        else:
            screen.line("No family has two documents that still exist." if absent else "There are no families.")
    for sentence in _left_out(store, absent):
        note(sentence, quiet=quiet)
    if plan is not None:
        command = f"nearkin keep --apply {shlex.quote(str(plan))} --action quarantine{store_option(store)}"
        note(f"The plan is in {plan}; to carry it out: {command}", quiet=quiet)


def _show(screen: "Screen", rows: "list[PlanRow]", limit: int) -> None:
    """Print the plan. Families of which something can go come first: these are what a person asks for."""
    from nearkin.api.keep import lacks_members

    groups = [list(group) for _, group in groupby(rows, key=lambda row: row.group)]
    groups.sort(key=lambda group: all(row.action not in ("replace", "quarantine") for row in group))
    for first, *rest in groups[: limit or None]:
        screen.line((f"{first.kind}", "bold"), f"  {count(len(rest) + 1, 'documents')}  ", (first.group, "dim"))
        screen.line(("  keep        ", "green"), shortened(_place(first.scope, first.path, screen), screen.width - 14))
        screen.folded(safe(first.why), indent=14, style="dim")
        for row in rest:
            screen.line(
                (f"  {row.action:<10}  ", "dim"), shortened(_place(row.scope, row.path, screen), screen.width - 14)
            )
            screen.folded(_certificate(row, screen), indent=14, style="dim")
            for passage in sorted(row.passages, key=lambda passage: passage["start"] - passage["end"])[:SHOWN]:
                where = f"only here, {passage['start']:,} to {passage['end']:,}: "
                text = shortened(safe(passage["text"]), max(screen.width - len(where) - 14, 20))
                screen.line((f"{' ' * 14}{where}{text}", "dim"))
    if limit and len(groups) > limit:
        left = count(len(groups) - limit, "more families" if len(groups) - limit > 1 else "more family")
        screen.folded(f"… and {left}; --limit 0 shows all, --plan and --format csv list them", style="dim")
    copies = [row for row in rows if row.action == "replace"]
    moved = sum(row.action == "quarantine" for row in rows)
    whole = sum(row.tier not in ("kept", "bytes") and row.missing == 0 and not lacks_members(row) for row in rows)
    screen.folded(
        f"{count(len(copies), 'documents')} with the same bytes as one that stays"
        f" ({size(sum(row.size for row in copies))});"
        f" {count(whole, 'documents')} with other bytes but all text in the kept one;"
        f" {count(moved, 'documents')} with other bytes to be quarantined."
    )


def _left_out(store: Path, absent: "list[Location]") -> list[str]:
    """Documents that are not where the last scan found them, and how the store learns of it."""
    if not absent:
        return []
    from nearkin.api.care import scope_roots
    from nearkin.cli.scan_summary import lost_scopes

    roots = scope_roots(store)
    sentences = lost_scopes(roots.lost, store_option(store), left_out=True)
    gone = Counter(roots.present[location.scope] for location in absent if location.scope in roots.present)
    for root, documents in sorted(gone.items()):
        are, they = ("is", "it") if documents == 1 else ("are", "them")
        where = f"{are} not where the last scan found {they}, or cannot be looked at, so keep leaves {they} out"
        command = f"nearkin scan {shlex.quote(_name(str(root)))}{store_option(store)}"
        sentences.append(f"{count(documents, 'documents')} {where}; scan again: {command}")
    return sentences


def _name(path: str) -> str:
    """A path with \\xNN for bytes that are not UTF-8, as everywhere on the screen."""
    return safe(path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def _place(scope: str, path: str, screen: "Screen") -> str:
    return _name(f"{scope}:{path}" if screen.scoped else path)


def _certificate(row: "PlanRow", screen: "Screen") -> str:
    """How we know that a document can go, or what would be lost."""
    if row.tier == "bytes":
        same = "the same bytes as "
        kept = _place(row.kept_scope, row.kept_path, screen)
        kept = shortened(kept, screen.width - 14 - len(same)).replace(" ", HARD)
        return f"{same}{kept}" if row.action == "replace" else f"the same bytes; {row.why}"
    if row.contained is None:
        return row.why
    missing, residue = row.missing or 0, row.residue or 0
    if not missing:
        return f"all of its {row.characters:,} characters are in the kept one; {row.why}"
    percent = min(100 * row.contained, 99.99)
    shared = (
        f"{percent:.2f} % of its {row.characters:,} characters are in the kept one as they are, {missing:,} are not"
    )
    if row.tier == "words":
        shared = f"the same words, in other case, punctuation or spacing; {shared}"
    if row.respaced == missing:
        only = "differing only in spacing, line breaks or Unicode forms, which matter in code and tables"
        return f"{shared}, {only}; {row.why}"
    respaced = (
        f" {row.respaced:,} of these differ only in spacing, line breaks or Unicode forms," if row.respaced else ""
    )
    lost = f"{residue:,} {'are' if respaced else 'of these are'} in no document that stays, in runs of 20 bytes"
    return f"{shared};{respaced} {lost}"


def _apply(
    store: Path, form: str | None, plan: Path, action: str, quarantine: Path | None, by: str | None, *, quiet: bool
) -> None:
    from nearkin.api.keep import journal_of, quarantine_of
    from nearkin.api.store import Store

    done = Store(store).apply_plan(plan, action=action, quarantine=quarantine, by=by)
    counts = _report([asdict(step) for step in done], form, ["path", "scope", "outcome", "detail"])
    if counts["done"]:
        where = quarantine or quarantine_of(plan)
        note(f"The originals are in {where}; empty that folder to free the space.", quiet=quiet)
        command = f"nearkin keep --undo {shlex.quote(str(journal_of(plan)))}{store_option(store)}"
        note(f"To undo this: {command}; scan again to update the store.", quiet=quiet)
    _refuse(counts)


def _undo(store: Path, form: str | None, journal: Path, by: str | None) -> None:
    from nearkin.api.store import Store

    undone = Store(store).undo_plan(journal, by=by)
    _refuse(_report([asdict(step) for step in undone], form, ["path", "outcome", "detail"]))


def _report(records: list[dict[str, Any]], form: str | None, columns: list[str]) -> "Counter[str]":
    counts = Counter(record["outcome"] for record in records)
    form = chosen(form)
    if form != "table":
        emit(records, form, columns=columns, paths=frozenset({"path"}))
    else:
        _show_outcomes(records, counts)
    return counts


def _refuse(counts: "Counter[str]") -> None:
    """Raise an error if documents were refused; called last, after notes on where the others are."""
    if counts["refused"]:
        raise InputError(
            f"Refused {counts['refused']:,} of {counts.total():,} documents; the reasons are listed above."
        )


def _show_outcomes(records: list[dict[str, Any]], counts: "Counter[str]") -> None:
    """Print what became of each document. What was left alone, which is most of a plan, is counted by reason; what was
    refused comes last, to be seen."""
    from nearkin.cli.screen import Screen

    screen = Screen()
    skipped = Counter(record["detail"] for record in records if record["outcome"] == "skipped")
    shown = [record for record in records if record["outcome"] != "skipped"]
    shown.sort(key=lambda record: record["outcome"] == "refused")
    names = apart([_name(record["path"]) for record in shown], screen.width - 14)
    for record, name in zip(shown, names, strict=True):
        screen.line((f"  {record['outcome']:<10}  ", "dim"), name)
        if record["outcome"] == "refused":
            screen.folded(_name(record["detail"]), indent=14, style="dim")
    for detail, number in skipped.most_common():
        screen.line(("  skipped     ", "dim"), count(number, "documents"))
        screen.folded(_name(detail), indent=14, style="dim")
    screen.line(", ".join(f"{counts[name]:,} {name}" for name in ORDER if counts[name]) or "There was nothing to do.")
