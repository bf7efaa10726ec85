"""The story of a run: read, match, group, store. Each stage takes the Run and what the stages before it returned.

`scan` reads files; `rematch` matches what is stored once more, after a change of templates; `regroup` groups the stored
matches once more, after a verdict. Every batch is stored as it is read, so that a scan cut short loses at most one;
results become visible all at once, when the run ends. Results of the run before are carried on where they still hold.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from nearkin.engine.reader import largest_document
from nearkin.engine.scan_files import recipe, take_in
from nearkin.group.grouping import Grouping
from nearkin.matching.matcher import MatchInput, MatchResult, match_everything, stored_matches
from nearkin.matching.resign import StaleContents, refuse_other_canons
from nearkin.model import Summary
from nearkin.query.totals import summarise
from nearkin.read.walk import check_starts
from nearkin.run import (
    GroupStage,
    MatchStage,
    ReadStage,
    Run,
    RunContext,
    ScanEnd,
    Target,
    begin,
    cache_for,
    comparable_run,
    complete_index,
    end,
    end_as_before,
    index_ahead,
    match_input,
    nothing_read,
    turn_on_log,
    until_done,
    update_index,
    writer_for,
)
from nearkin.store import runs
from nearkin.store.database import brought_in, explained, one_scan, own_files, transaction, trusted, turn
from nearkin.store.scopes import scope_for
from nearkin.store.verdicts import VerdictIndex, all_verdicts


def scan(context: RunContext, paths: tuple[Path, ...], *, scope_name: str | None = None) -> Summary:
    """Bring the store up to date with these files and folders."""
    starts = check_starts(paths)
    with explained(context.store), one_scan(context.store):
        with transaction(context.connection):
            target = Target(scope_for(context.connection, starts, scope_name), starts)
            run = begin(context, "scan", subject=" ".join(map(str, starts)))
            refuse_other_canons(run.connection, run.canon, scope=target.scope.id, below=target.below)
        with until_done(run):
            reading = read(run, target)
            before = comparable_run(run)
            unchanged = end_as_before(run, reading, before)
            summary = unchanged or conclude(run, reading, choose_matching(run, before))
    if unchanged is None:
        update_index(run)
    else:
        complete_index(run)
    return summary


def rematch(context: RunContext, change: Callable[[], None] = lambda: None) -> Summary:
    """Make a change, such as that of a template, and match and group what is stored once more."""
    with explained(context.store), one_scan(context.store):
        with trusted(context.connection), transaction(context.connection):  # a change may name the run that it begins
            change()
            run = begin(context, "regroup")
        with until_done(run):
            summary = conclude(run, nothing_read(), choose_matching(run, comparable_run(run)))
    update_index(run)
    return summary


def regroup(context: RunContext) -> Summary:
    """Group the stored matches once more: after a verdict, which changes no score."""
    with explained(context.store), one_scan(context.store):
        last = runs.last(context.connection)
        hot = last.counts.get("hot", 0)  # which pairs stars left out is known only when they are made
        with transaction(context.connection):
            # The scores of stored matches are those of the nearkin that made them.
            run = begin(context if hot else replace(context, version=last.version), "regroup")
        with until_done(run):
            if hot:
                return conclude(run, nothing_read(), match_everything)
            return conclude(run, nothing_read(), stored_matches, templates=last.template_counts)


def conclude(
    run: Run,
    reading: ReadStage,
    way: Callable[[MatchInput], MatchResult],
    *,
    templates: dict[str, int] | None = None,
) -> Summary:
    """Match, group and store. `templates`: those of the run that made the scores, where this one makes none."""
    matching = match(run, reading, way)
    with index_ahead(run, matching.given.cached):
        return store(run, reading, matching, group(run, matching), templates or run.left_out.counts)


def read(run: Run, target: Target) -> ReadStage:
    """Walk, read and sign what is new, batch by batch into the store; then make ready what other scans read."""
    began = time.monotonic()
    settings, cache = run.settings, cache_for(run)
    with writer_for(run, target.scope) as writer:
        passed_over = take_in(
            writer,
            target.scope,
            target.starts,
            recipe(run.scheme, run.canon, max_size=min(settings.walk.max_size, largest_document())),
            settings,
            leave_out=own_files(run.store),
            remember=cache.add,
            progress=partial(run.progress, "read"),
            all_listed=partial(turn_on_log, run),
        )
    changes = writer.finish(target.below)
    stale = StaleContents(writer, run.scheme, run.canon, settings.run.jobs, settings.run.memory)
    resigned = writer.files.read_again + stale.renew_texts() + stale.sign()
    closing = (ScanEnd(target, writer.settlement()),)
    return ReadStage(changes, resigned, passed_over, cache, closing, {"read": time.monotonic() - began})


def choose_matching(run: Run, before: runs.Previous | None) -> Callable[[MatchInput], MatchResult]:
    """How to match: from the results of the run before, or everything. Stars are made as a whole: after them it is
    everything."""
    if before is None or before.counts.get("hot", 0):
        return match_everything
    from nearkin.matching.increment import match_changes  # with the feature index: a first scan needs neither

    return partial(match_changes, since=before.id, store=run.store)


def match(run: Run, reading: ReadStage, way: Callable[[MatchInput], MatchResult]) -> MatchStage:
    """Match the contents that are present, while SQLite's log is brought into the store."""
    with brought_in(run.store):
        given = match_input(run, reading.cache)
        began = time.monotonic()
        run.progress("match", len(given.contents), 0)
        result = way(given)
        return MatchStage(given, result, time.monotonic() - began)


def group(run: Run, matching: MatchStage) -> GroupStage:
    """Group the matches into families, as verdicts allow."""
    began = time.monotonic()
    run.progress("group", len(matching.result.matches), 0)
    decided = VerdictIndex(run.connection)
    grouped = Grouping(matching.given).of(matching.result, decided)
    return GroupStage(grouped, decided, time.monotonic() - began)


def store(
    run: Run, reading: ReadStage, matching: MatchStage, grouping: GroupStage, templates: dict[str, int]
) -> Summary:
    """Store matches and families and end the run, in one transaction: others see all of it from then on."""
    began = time.monotonic()
    connection, given, result, grouped = run.connection, matching.given, matching.result, grouping.grouped
    with turn(run.store), transaction(connection):
        if all_verdicts(connection) != grouping.decided.verdicts:  # a verdict was given meanwhile
            grouped = Grouping(given).of(result, VerdictIndex(connection))
        reading.store_closing(run)
        result.with_payload(grouped.payload).store(connection, run.scheme_id, given.contents)
        Grouping(given).store(grouped, run.id)
        totals = summarise(connection, grouped, run.settings.match, len(given.contents), run.seconds)
        hot = {"hot": result.hot.features, "hot_links": result.hot.links}
        counts = {**asdict(reading.changes), **hot, **reading.skipped}
        summary = replace(totals, **counts, resigned=reading.resigned, unlisted=int(grouped.families.unlisted.sum()))
        stages = {"match": matching.seconds, "group": grouping.seconds, "store": time.monotonic() - began}
        end(run, summary, timings=reading.timings | stages, templates=templates)
    return summary
