"""What a person sees of a scan: counts, the largest groups and families, the strongest matches, what to type next.

What a person should know beside a scan's result: what else has changed, and what no longer is where it was.
"""

import os
import shlex
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from nearkin.cli.options import store_option
from nearkin.cli.screen import fold_command
from nearkin.cli.wording import count, safe
from nearkin.read.table import BrokenTableError, table_kind
from nearkin.read.table_reader import table_columns
from nearkin.settings import WalkSettings, in_units

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.model import Family, IdenticalGroup, Match, Summary
    from nearkin.query.families import Overview

TOP = 10
TOP_FAILED = 5


def show(store: Path, paths: tuple[Path, ...], summary: "Summary", seconds: float) -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count
    from nearkin.query.families import overview
    from nearkin.query.matches import list_matches
    from nearkin.query.store_view import is_scoped, opened, score_name, total_bytes, without_text
    from nearkin.read.walk import check_starts
    from nearkin.store import runs
    from nearkin.store.contents import count_stale
    from nearkin.store.documents import identical_groups, overhead_of_copies, present
    from nearkin.store.runs import count_below, last_scan

    option = store_option(store)
    with opened(store) as connection:
        screen = Screen(is_scoped(connection), score_name(connection))
        starts = check_starts(paths)
        total, told = total_bytes(connection), notes(connection, starts, option)
        _show_counts(screen, paths, summary, total, seconds, scanned=count_below(connection, starts)[0])
        scan = last_scan(connection)
        if not summary.documents + summary.failed + summary.gone:
            return _show_notes(screen, told)
        if scan is not None and not scan.matched:
            return _show_unchanged(screen, summary, told, option)
        failed, reasons = present(connection, failed=True), failed_in_words(connection)
        templates = runs.last(connection).templates
        textless, stale = without_text(connection), count_stale(connection)
        groups, spare = identical_groups(connection, TOP), overhead_of_copies(connection)
        families, matches = overview(connection, TOP), list_matches(connection, limit=TOP)
    _show_changes(screen, summary, option)
    if textless:
        screen.note(
            f"{count(textless, 'documents')} {'has' if textless == 1 else 'have'} no readable text and"
            f" {'was' if textless == 1 else 'were'} compared by bytes only;"
            f" see: nearkin documents --without-text{option}"
        )
    if stale:
        screen.note(
            f"{count(stale, 'documents')} of other folders {'was' if stale == 1 else 'were'} read by an older nearkin"
            " and left out; scan those folders again."
        )
    if summary.hot:
        screen.note(
            "Very many documents are nearly the same; each of them was compared with a few representatives only"
            f" ({count(summary.hot_links, 'links')}); {count(summary.unlisted, 'pairs')} within families"
            f" {'is' if summary.unlisted == 1 else 'are'} not listed."
        )
    if templates:
        screen.note(f"{count(templates, 'templates')} left out of all scores.")
    _show_notes(screen, told)
    _show_identical(screen, groups, summary.identical, spare, option)
    _show_families(screen, families, option)
    _show_matches(screen, matches, summary.matches, option)
    if failed:
        screen.heading("Not read", reasons)
        screen.failures(failed[:TOP_FAILED])
        _more(screen, len(failed) - TOP_FAILED, f"nearkin documents --failed{option}")
    _show_next(screen, store, groups, families.largest, matches, option)
    return None


def show_in_short(summary: "Summary") -> None:
    """For those who want nothing but results."""
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count

    read = [count(summary.documents, "documents"), f"{count(summary.failed)} not read"]
    found = [count(summary.identical, "identical groups"), count(summary.families, "families")]
    Screen().folded(f"{', '.join(read)}; {', '.join([*found, count(summary.matches, 'matches')])}")


def refuse_failed(store: Path, paths: tuple[Path, ...]) -> None:
    """Where every document must be read, one of those scanned that was not is an error; all else is stored."""
    from nearkin.errors import InputError
    from nearkin.query.store_view import opened
    from nearkin.read.walk import check_starts

    with opened(store) as connection:
        if told := failed_in_words(connection, check_starts(paths)):
            raise InputError(
                f"{told}; everything else was stored. See: nearkin documents --failed{store_option(store)}"
            )


def refuse_nothing_read(store: Path, paths: tuple[Path, ...]) -> None:
    """Where all that was named failed as a whole, the input is unreadable; where some of it did, a warning will do."""
    from nearkin.cli.wording import count, safe
    from nearkin.errors import InputError
    from nearkin.query.store_view import opened
    from nearkin.read.walk import check_starts
    from nearkin.store.documents import nothing_read, only_failure
    from nearkin.store.runs import failed_by_reason

    with opened(store) as connection:
        starts = check_starts(paths)
        if not nothing_read(connection, starts):
            return
        reasons = failed_by_reason(connection, starts)
        why = only_failure(connection, starts) or ", ".join(f"{count(reasons[one])} {one}" for one in reasons)
    named = ", ".join(safe(str(path)) for path in paths)
    see = f"see: nearkin documents --failed{store_option(store)}"
    raise InputError(f"Nothing of {named} could be read: {safe(why)}; {see}")


def tell_notes(store: Path, paths: tuple[Path, ...], summary: "Summary") -> None:
    """On standard error, where the result goes to a program."""
    from nearkin.cli.wording import note
    from nearkin.query.store_view import opened
    from nearkin.read.walk import check_starts
    from nearkin.store.documents import nothing_read

    with opened(store) as connection:
        starts = check_starts(paths)
        # Where nothing was read that is an error, and said as such.
        told = failed_in_words(connection) if summary.failed and not nothing_read(connection, starts) else ""
        failed = [f"{told}; see: nearkin documents --failed{store_option(store)}"] if told else []
        for one in [*failed, *notes(connection, starts, store_option(store))]:
            note(one, quiet=False)


def _show_notes(screen: "Screen", notes: list[str]) -> None:
    for one in notes:
        screen.note(one)


def _show_unchanged(screen: "Screen", summary: "Summary", notes: list[str], option: str) -> None:
    """Short: what there is to see was seen after the last scan, and can be asked for."""
    from nearkin.cli.wording import count

    screen.note("Nothing has changed since the last scan.")
    _show_notes(screen, notes)
    screen.line()
    found = [("identical", "groups"), ("families", ""), ("matches", "")]
    for name, what in found:
        number = getattr(summary, name)
        told = f"{count(number, what)} of identical documents" if what else count(number, name)
        command = f"nearkin {name}{option}"
        if len(command) + 40 <= screen.width:
            screen.line(f"  {told:<38}", (command, "dim"))
        else:
            screen.line(f"  {told}")
            for line in fold_command(command, screen.width - 4):
                screen.line((f"    {line}", "dim"))


def _show_counts(
    screen: "Screen", paths: tuple[Path, ...], summary: "Summary", total: int, seconds: float, *, scanned: int
) -> None:
    """Of the whole store, and so called where more is in it than was scanned now."""
    from nearkin.cli.wording import count, safe, shortened
    from nearkin.cli.wording import seconds as in_words
    from nearkin.cli.wording import size as size_in_words

    where = ", ".join(safe(str(path)) for path in paths)
    screen.line(("nearkin", "bold"), f" scanned {shortened(where, screen.width - 30)} in {in_words(seconds)}")
    screen.line()
    documents = "document" if summary.documents == 1 else "documents"
    facts = [
        (count(summary.documents), documents if scanned == summary.documents else f"{documents} in the store"),
        (size_in_words(total), "in all"),
        (count(summary.contents), "distinct text" if summary.contents == 1 else "distinct texts"),
        (count(summary.failed), "more not read" if summary.failed else "not read"),
    ]
    wide = sum(len(f"{number} {what}   ") for number, what in facts) < screen.width
    pieces: list[str | tuple[str, str]] = ["  "]
    for number, what in facts:
        pieces += [(number, "bold cyan"), f" {what}", "   " if wide else "  "]
    screen.line(*pieces[:-1])
    skipped = [(summary.skipped_links, "links"), (summary.skipped_special, "special files")]
    if told := " and ".join(count(number, what) for number, what in skipped if number):
        were = "was" if sum(number for number, _ in skipped) == 1 else "were"
        screen.note(f"{told} {were} skipped.")
    if scanned != summary.documents:
        screen.note(
            f"{count(scanned)} of the documents are in what was scanned now. To keep folders apart, give each a --store"
            " of its own."
        )
    if summary.resigned:
        were = "was" if summary.resigned == 1 else "were"
        screen.note(
            f"{count(summary.resigned, 'texts')} {were} signed again: the scheme, the text settings or nearkin changed."
        )


def _show_changes(screen: "Screen", summary: "Summary", option: str) -> None:
    """Since the last scan; the first one has nothing to compare with."""
    from nearkin.cli.wording import count

    if summary.new >= summary.documents and not summary.changed + summary.moved + summary.gone:
        return
    changes = [(summary.new, "new"), (summary.changed, "changed"), (summary.moved, "moved"), (summary.gone, "gone")]
    told = ", ".join(f"{count(number)} {what}" for number, what in changes if number)
    if told:
        screen.note(f"Since the last scan: {told}; see: nearkin documents --changes{option}")


def _more(screen: "Screen", number: int, command: str) -> None:
    screen.note(f"… {number:,} more; all: {command}" if number > 0 else f"all: {command}")


def _show_identical(screen: "Screen", groups: "list[IdenticalGroup]", total: int, spare: int, option: str) -> None:
    from nearkin.cli.wording import count
    from nearkin.cli.wording import size as size_in_words

    if not groups:
        screen.heading("Identical", "none")
        return
    screen.heading("Identical", f"{count(total, 'groups')}; copies of the same bytes cost {size_in_words(spare)}")
    shown = [group for group in groups if not group.within_copies]
    screen.identical(shown)
    _more(screen, total - len(shown), f"nearkin identical{option}")


def _show_families(screen: "Screen", families: "Overview", option: str) -> None:
    from nearkin.cli.wording import count

    if not families.families:
        screen.heading("Families", "none")
        return
    about = f"{count(families.families)} with {count(families.documents, 'documents')}"
    # Those of identical documents only are counted apart (Broder 1997 §1).
    copies = families.of_copies
    only = f"; {count(copies)} of them {'contains' if copies == 1 else 'contain'} only copies" if copies else ""
    screen.heading("Families", about + only)
    screen.families(families.largest)
    _more(screen, families.families - TOP, f"nearkin families{option}")


def _show_matches(screen: "Screen", matches: "list[Match]", total: int, option: str) -> None:
    from nearkin.cli.wording import count

    if not matches:
        return
    screen.heading("Matches", f"{count(total)}; strongest first, copies named once")
    screen.matches(matches)
    _more(screen, total - TOP, f"nearkin matches{option}")


def _show_next(
    screen: "Screen",
    store: Path,
    groups: "list[IdenticalGroup]",
    families: "list[Family]",
    matches: "list[Match]",
    option: str,
) -> None:
    from nearkin.cli.wording import safe
    from nearkin.cli.wording import size as size_in_words
    from nearkin.store.maintenance import total_size

    screen.line()
    screen.line(("Store", "bold"), f"  {safe(str(store))} ({size_in_words(total_size(store))})")
    commands = []
    plain = (match for match in matches if match.a.name.isprintable() and match.b.name.isprintable())
    if match := next(plain, None):
        sides = [shlex.quote(screen.name(side)) for side in (match.a, match.b)]
        sides = [f"./{side}" if side.startswith("-") else side for side in sides]
        commands.append(f"nearkin compare {sides[0]} {sides[1]}{option}")
    if families:
        commands.append(f"nearkin families --threshold 0.9{option}")
    if groups:
        commands.append(f"nearkin identical --format csv{option} > identical.csv")
    if families or groups:
        commands.append(f"nearkin keep{option}")
    if not commands:
        commands.append(f"nearkin documents{option}")
    for at, command in enumerate(commands):
        screen.command("Next" if at == 0 else "", command)


FEW_COLUMNS = 8
WHY = {"unreadable": "permission or disk error"}  # reasons that need more words


def lost(connection: Connection, option: str, *, left_out: bool = False) -> list[str]:
    """Of scopes whose folder is missing: without a word their documents would pass for copies of moved ones, unless
    they are left out."""
    from nearkin.store.runs import lost_scopes

    def so(documents: int) -> str:
        if left_out:
            return "so keep leaves its documents out"
        return f"but its {count(documents, 'documents')} still {'counts' if documents == 1 else 'count'}"

    return [
        f"Scope {safe(name)}: its folder {safe(root)} no longer exists, {so(documents)};"
        f" if it moved: nearkin scan NEWPLACE --scope {shlex.quote(safe(name))}{option};"
        f" if it is gone: nearkin store drop {shlex.quote(safe(name))}{option}"
        for name, root, documents in lost_scopes(connection)
    ]


def failed_in_words(connection: Connection, starts: tuple[Path, ...] | None = None) -> str:
    """How much of the store, or of these folders, could not be read; empty where all could. A folder may be in it."""
    from nearkin.store.runs import failed_by_reason

    reasons = failed_by_reason(connection, starts)
    if not reasons:
        return ""
    named = {reason: WHY.get(reason, reason) for reason in reasons}
    told = ", ".join(f"{count(number)} {named[reason]}" for reason, number in reasons.items())
    why = next(iter(named.values())) if len(reasons) == 1 else told
    return f"{count(sum(reasons.values()), 'files or folders')} could not be read ({why})"


def notes(connection: Connection, starts: tuple[Path, ...], option: str) -> list[str]:
    """After a scan of these; the option names the store in what to type."""
    from nearkin.store.runs import is_any_below, keeps_texts, last_scan, out_of_reach

    found = []
    scan = last_scan(connection)
    if scan is not None:
        found += [f"Scope {safe(name)} is now at {safe(root)}." for name, root in scan.moved]
        if not is_any_below(connection, starts):
            found.append("No files found. Check --include, --exclude and --hidden.")
        found += [
            f"{safe(glob)} matched nothing; patterns are relative to the scanned folder."
            for glob in _idle(connection, scan.settings.walk, starts)
        ]
        if closed := out_of_reach(connection, starts):
            are, stay = ("is", "stays as it was") if closed == 1 else ("are", "stay as they were")
            found.append(f"{count(closed, 'documents')} {are} in folders that could not be read, and {stay}.")
        if scan.settings.table.text_column is None:
            found += _tables(connection, scan.run, starts)
        if scan.before is not None and (told := _filters(scan.before.walk, scan.settings.walk)):
            found.append(f"The last scan used {told}; files this scan skips count as gone, files it adds as new.")
        if not scan.settings.text.keep and keeps_texts(connection):
            purge = f"to remove one: nearkin store forget PATH{option}"
            found.append(f"Texts kept by earlier scans stay in the store; {purge}")
    return found + lost(connection, option)


def _idle(connection: Connection, settings: WalkSettings, starts: tuple[Path, ...]) -> tuple[str, ...]:
    """Filters that made no difference, such as a path from elsewhere. To know them the folders are listed again."""
    if not settings.include and not settings.exclude:
        return ()
    from nearkin.read.globs import PathFilter
    from nearkin.read.walk import walk
    from nearkin.store.runs import in_scope
    from nearkin.store.scopes import all_scopes

    choice = PathFilter(settings)
    for scope in all_scopes(connection):
        below = [scope.root / os.fsdecode(path) for path in in_scope(scope, starts)]
        for _ in walk(scope.root, tuple(below), settings, choice=choice) if below else ():
            pass
    return choice.idle


def _tables(connection: Connection, run: int, starts: tuple[Path, ...]) -> list[str]:
    """Where rows may have been meant: tables that were named, and those that have no text as a whole."""
    from nearkin.store.documents import rows_gone, tables_without_text

    named = [start for start in starts if start.is_file() and table_kind(os.fsencode(start)) is not None]
    told = []
    if gone := rows_gone(connection, run):
        told.append(f"{count(gone, 'rows')} of tables count as gone: this scan had no --text-column.")
    if len(named) == 1:
        told.append(
            f"{safe(named[0].name)} was read as one document; to read it row by row: --text-column {_columns(named[0])}"
        )
    elif number := len(named) or tables_without_text(connection, starts):
        were = "was" if number == 1 else "were"
        told.append(
            f"{count(number, 'tables')} {were} read as one document each; to read them row by row: --text-column NAME"
        )
    return told


def _columns(table: Path) -> str:
    """Those there are, as far as they are known."""
    kind = table_kind(os.fsencode(table))
    try:
        names = table_columns(os.fsencode(table), kind) if kind is not None else []
    except BrokenTableError:
        names = []
    more = ", …" if len(names) > FEW_COLUMNS else ""
    return f"NAME (one of: {', '.join(map(safe, names[:FEW_COLUMNS]))}{more})" if names else "NAME"


def _filters(before: Any, now: Any) -> str:
    """Of the last scan, those that differ."""
    used, unused = [], []
    for name in ("include", "exclude"):
        if set(getattr(before, name)) != set(getattr(now, name)):
            globs = [f"--{name} {shlex.quote(safe(glob))}" for glob in getattr(before, name)]
            used += globs
            unused += [] if globs else [f"no --{name}"]
    if before.hidden != now.hidden:
        (used if before.hidden else unused).append("--hidden" if before.hidden else "no --hidden")
    if before.max_size != now.max_size:
        used.append(f"--max-size {in_units(before.max_size)}")
    return " and ".join(filter(None, [" ".join(used), *unused]))
