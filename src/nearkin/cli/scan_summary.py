"""What a person sees of a scan: counts, the largest groups and families, the strongest matches, what to type next; and
what else has changed, or lies no longer where it was."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.cli.options import store_option
from nearkin.cli.wording import fold_command, note, shortened
from nearkin.cli.wording import seconds as time_in_words
from nearkin.errors import InputError
from nearkin.settings import in_units
from nearkin.wording import count, safe
from nearkin.wording import size as size_in_words

if TYPE_CHECKING:
    from nearkin.api.care import LostScope
    from nearkin.api.scans import ScanNotes, TablesAsDocuments
    from nearkin.cli.screen import Screen
    from nearkin.model import Family, IdenticalGroup, Match, Summary
    from nearkin.query.families import Overview
    from nearkin.settings import WalkSettings

TOP = 10
TOP_FAILED = 5


def show(store: Path, paths: tuple[Path, ...], summary: "Summary", seconds: float) -> None:
    """Print the page that a person sees after a scan."""
    from nearkin.api.scans import scan_result
    from nearkin.cli.screen import Screen

    option = store_option(store)
    with scan_result(store, paths) as result:
        screen = Screen(result.scoped, result.score)
        notes = _in_words(result.notes, option)
        _show_counts(screen, paths, summary, result.bytes, seconds, scanned=result.scanned)
        if not summary.documents + summary.failed + summary.gone:
            return _show_notes(screen, notes)
        if result.is_unchanged:
            return _show_unchanged(screen, summary, notes, option)
        failed, reasons = result.failed(), _failed_in_words(result.failed_by_reason(everywhere=True))
        templates, textless, stale = result.templates, result.textless, result.stale
        groups, overhead = result.identical(TOP), result.overhead
        families, matches = result.families(TOP), result.matches(TOP)
    _show_changes(screen, summary, option)
    _show_not_compared(screen, summary, textless, stale, option)
    if templates:
        screen.note(f"{count(templates, 'templates')} left out of all scores.")
    _show_notes(screen, notes)
    _show_identical(screen, groups, summary.identical, overhead, option)
    _show_families(screen, families, option)
    _show_matches(screen, matches, summary.matches, option)
    if failed:
        screen.heading("Not read", reasons)
        screen.failures(failed[:TOP_FAILED])
        _more(screen, len(failed) - TOP_FAILED, f"nearkin documents --failed{option}")
    screen.line()
    screen.line(("Store", "bold"), f"  {safe(str(store))} ({size_in_words(result.store_size())})")
    _show_next(screen, groups, families.largest, matches, option)
    return None


def _show_not_compared(screen: "Screen", summary: "Summary", textless: int, stale: int, option: str) -> None:
    """Say which documents were compared by their bytes only, not at all, or with a few others only."""
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


def show_in_short(summary: "Summary") -> None:
    """Print one line, for those who want nothing but results."""
    from nearkin.cli.screen import Screen

    read = [count(summary.documents, "documents"), f"{count(summary.failed)} not read"]
    results = [count(summary.identical, "identical groups"), count(summary.families, "families")]
    Screen().folded(f"{', '.join(read)}; {', '.join([*results, count(summary.matches, 'matches')])}")


def refuse_failed(store: Path, paths: tuple[Path, ...]) -> None:
    """Raise an error if any of the files scanned was not read, where every one must be; all else is stored."""
    from nearkin.api.scans import scan_result

    with scan_result(store, paths) as result:
        if failed := _failed_in_words(result.failed_by_reason(everywhere=False)):
            see = f"See: nearkin documents --failed{store_option(store)}"
            raise InputError(f"{failed}; everything else was stored. {see}")


def refuse_nothing_read(store: Path, paths: tuple[Path, ...]) -> None:
    """Raise an error if all that was named failed as a whole; where some of it did, a warning will do."""
    from nearkin.api.scans import scan_result

    with scan_result(store, paths) as result:
        if not result.is_nothing_read:
            return
        reasons = result.failed_by_reason(everywhere=False)
        why = result.only_failure or ", ".join(f"{count(number)} {reason}" for reason, number in reasons.items())
    named = ", ".join(safe(str(path)) for path in paths)
    see = f"see: nearkin documents --failed{store_option(store)}"
    raise InputError(f"Nothing of {named} could be read: {safe(why)}; {see}")


def note_all(store: Path, paths: tuple[Path, ...], summary: "Summary") -> None:
    """Print notes on standard error, where the result goes to a program."""
    from nearkin.api.scans import scan_result

    with scan_result(store, paths) as result:
        # Where nothing was read that is an error, and said as such.
        is_partly_read = bool(summary.failed) and not result.is_nothing_read
        failed = _failed_in_words(result.failed_by_reason(everywhere=True)) if is_partly_read else ""
        notes = [f"{failed}; see: nearkin documents --failed{store_option(store)}"] if failed else []
        for sentence in [*notes, *_in_words(result.notes, store_option(store))]:
            note(sentence, quiet=False)


def _show_notes(screen: "Screen", notes: list[str]) -> None:
    for sentence in notes:
        screen.note(sentence)


def _show_unchanged(screen: "Screen", summary: "Summary", notes: list[str], option: str) -> None:
    """Print a short page: what there is to see was seen after the last scan, and can be asked for."""
    screen.note("Nothing has changed since the last scan.")
    _show_notes(screen, notes)
    screen.line()
    for name in ("identical", "families", "matches"):
        number = getattr(summary, name)
        total = f"{count(number, 'groups')} of identical documents" if name == "identical" else count(number, name)
        command = f"nearkin {name}{option}"
        if len(command) + 40 <= screen.width:
            screen.line(f"  {total:<38}", (command, "dim"))
        else:
            screen.line(f"  {total}")
            for line in fold_command(command, screen.width - 4):
                screen.line((f"    {line}", "dim"))


def _show_counts(
    screen: "Screen", paths: tuple[Path, ...], summary: "Summary", total: int, seconds: float, *, scanned: int
) -> None:
    """Print the counts of the whole store, and say so where more is in it than was scanned now."""
    where = ", ".join(safe(str(path)) for path in paths)
    screen.line(("nearkin", "bold"), f" scanned {shortened(where, screen.width - 30)} in {time_in_words(seconds)}")
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
    if counts := " and ".join(count(number, what) for number, what in skipped if number):
        were = "was" if sum(number for number, _ in skipped) == 1 else "were"
        screen.note(f"{counts} {were} skipped.")
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
    """Say what has changed since the last scan; the first one has nothing to compare with."""
    if summary.new >= summary.documents and not summary.changed + summary.moved + summary.gone:
        return
    changes = [(summary.new, "new"), (summary.changed, "changed"), (summary.moved, "moved"), (summary.gone, "gone")]
    counts = ", ".join(f"{count(number)} {what}" for number, what in changes if number)
    if counts:
        screen.note(f"Since the last scan: {counts}; see: nearkin documents --changes{option}")


def _more(screen: "Screen", number: int, command: str) -> None:
    screen.note(f"… {number:,} more; all: {command}" if number > 0 else f"all: {command}")


def _show_identical(screen: "Screen", groups: "list[IdenticalGroup]", total: int, spare: int, option: str) -> None:
    if not groups:
        screen.heading("Identical", "none")
        return
    screen.heading("Identical", f"{count(total, 'groups')}; copies of the same bytes cost {size_in_words(spare)}")
    shown = [group for group in groups if not group.within_copies]
    screen.identical(shown)
    _more(screen, total - len(shown), f"nearkin identical{option}")


def _show_families(screen: "Screen", families: "Overview", option: str) -> None:
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
    if not matches:
        return
    screen.heading("Matches", f"{count(total)}; strongest first, copies named once")
    screen.matches(matches)
    _more(screen, total - TOP, f"nearkin matches{option}")


def _show_next(
    screen: "Screen", groups: "list[IdenticalGroup]", families: "list[Family]", matches: "list[Match]", option: str
) -> None:
    """Print commands that someone may want next."""
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


def lost_scopes(lost: "list[LostScope]", option: str, *, left_out: bool = False) -> list[str]:
    """Sentences on scopes whose folder is missing: without them their documents would pass for copies of moved ones,
    unless they are left out."""

    def consequence(documents: int) -> str:
        if left_out:
            return "so keep leaves its documents out"
        return f"but its {count(documents, 'documents')} still {'counts' if documents == 1 else 'count'}"

    return [
        f"Scope {safe(scope.name)}: its folder {safe(scope.root)} no longer exists, {consequence(scope.documents)};"
        f" if it moved: nearkin scan NEWPLACE --scope {shlex.quote(safe(scope.name))}{option};"
        f" if it is gone: nearkin store drop {shlex.quote(safe(scope.name))}{option}"
        for scope in lost
    ]


def _failed_in_words(reasons: dict[str, int]) -> str:
    """How many files could not be read, and why; empty where all could. A folder may be among them."""
    if not reasons:
        return ""
    named = {reason: WHY.get(reason, reason) for reason in reasons}
    counts = ", ".join(f"{count(number)} {named[reason]}" for reason, number in reasons.items())
    why = next(iter(named.values())) if len(reasons) == 1 else counts
    return f"{count(sum(reasons.values()), 'files or folders')} could not be read ({why})"


def _in_words(notes: "ScanNotes", option: str) -> list[str]:
    """Sentences on what else a scan has changed; the option names the store in commands to type."""
    sentences = [f"Scope {safe(name)} is now at {safe(root)}." for name, root in notes.moved]
    if notes.is_empty:
        sentences.append("No files found. Check --include, --exclude and --hidden.")
    sentences += [
        f"{safe(glob)} matched nothing; patterns are relative to the scanned folder." for glob in notes.idle_globs
    ]
    if closed := notes.out_of_reach:
        are, stay = ("is", "stays as it was") if closed == 1 else ("are", "stay as they were")
        sentences.append(f"{count(closed, 'documents')} {are} in folders that could not be read, and {stay}.")
    if notes.tables is not None:
        sentences += _tables_in_words(notes.tables)
    if notes.filters is not None and (used := _filters(*notes.filters)):
        sentences.append(f"The last scan used {used}; files this scan skips count as gone, files it adds as new.")
    if notes.keeps_old_texts:
        purge = f"to remove one: nearkin store forget PATH{option}"
        sentences.append(f"Texts kept by earlier scans stay in the store; {purge}")
    return sentences + lost_scopes(notes.lost, option)


def _tables_in_words(tables: "TablesAsDocuments") -> list[str]:
    """Sentences on tables that were read as one document each, where rows may have been meant."""
    sentences = []
    if tables.rows_gone:
        sentences.append(f"{count(tables.rows_gone, 'rows')} of tables count as gone: this scan had no --text-column.")
    if tables.named is not None:
        names = tables.columns
        more = ", …" if len(names) > FEW_COLUMNS else ""
        known = f"NAME (one of: {', '.join(map(safe, names[:FEW_COLUMNS]))}{more})" if names else "NAME"
        name = safe(tables.named.name)
        sentences.append(f"{name} was read as one document; to read it row by row: --text-column {known}")
    elif tables.number:
        were = "was" if tables.number == 1 else "were"
        read = f"{count(tables.number, 'tables')} {were} read as one document each"
        sentences.append(f"{read}; to read them row by row: --text-column NAME")
    return sentences


def _filters(before: "WalkSettings", now: "WalkSettings") -> str:
    """Filters of the last scan that differ from those of this one, as options."""
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
