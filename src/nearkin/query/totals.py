"""The figures of a report and of a scan's last line, and what every report begins with.

Figures are counted once, before anything is written, from the same rows that are listed. They add up: every file met is
a document or failed, never both. A report begins with what was run and what its numbers mean. The date is that of the
run, never of the day on which the report is written: the same store makes the same bytes.
"""

import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from nearkin.group.grouping import Grouped
from nearkin.model import Location, Summary
from nearkin.query.store_view import Snapshot, total_bytes, without_text
from nearkin.query.streams import IN_ORDER, matches
from nearkin.settings import NO_CONTAINMENT, MatchSettings
from nearkin.store import runs
from nearkin.store.documents import SAME_BYTES, SAME_WORDS, count_documents, count_identical

FAMILIES = """
SELECT f.kind, sum(h.documents), sum(h.bytes) FROM family f
CROSS JOIN family_content c ON c.family = f.id JOIN held h ON h.content = c.content
WHERE f.scheme = ? GROUP BY f.id HAVING sum(h.documents) > 1
"""
STEPS = 20  # the matches by resemblance are counted in twentieths


@dataclass(frozen=True)
class Totals:
    """The figures of a report."""

    documents: int
    failed: int
    bytes: int  # of documents that lie in no other
    contents: int  # distinct texts
    without_text: int
    identical: int  # sets: of the same bytes, and of the same words
    bytes_sets: int
    bytes_files: int  # documents in sets of the same bytes
    overhead: int  # what their copies cost
    words_sets: int
    words_files: int
    matches: int
    families: int
    family_documents: int
    family_bytes: int
    families_of_copies: int
    by_resemblance: dict[int, int] = field(default_factory=dict)  # matches, by twentieth
    by_size: dict[int, int] = field(default_factory=dict)  # families, by documents
    by_folders: dict[tuple[str, str], int] = field(default_factory=dict)  # matches, by the folders of the two

    @property
    def counts(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if isinstance(value, int)}


def count_all(snapshot: Snapshot) -> Totals:
    connection = snapshot.connection
    documents, failed = count_documents(connection)
    (contents,) = connection.execute(
        "SELECT count(*) FROM held h JOIN content c ON c.id = h.content WHERE c.length > 0"
    ).fetchone()
    named = "(tier, digest, documents, size, overhead, first)"
    of_bytes, of_words = (
        connection.execute(
            f"WITH alike_now {named} AS ({query})"
            " SELECT count(*), coalesce(sum(documents), 0), coalesce(sum(overhead), 0) FROM alike_now"
        ).fetchone()
        for query in (SAME_BYTES, SAME_WORDS)
    )
    sizes: Counter[int] = Counter()
    kept = of_copies = 0
    for kind, documents_in, bytes_in in connection.execute(FAMILIES, (snapshot.run.scheme,)):
        sizes[documents_in] += 1
        kept += bytes_in
        of_copies += kind == "identical"
    scores: Counter[int] = Counter()
    folders: Counter[tuple[str, str]] = Counter()
    for match in matches(snapshot, IN_ORDER):
        scores[min(STEPS - 1, int(match.resemblance * STEPS + 1e-9))] += 1
        a, b = sorted((folder_of(match.a, snapshot.scoped), folder_of(match.b, snapshot.scoped)))
        folders[a, b] += 1
    return Totals(
        documents=documents,
        failed=failed,
        bytes=total_bytes(connection),
        contents=int(contents),
        without_text=without_text(connection),
        identical=of_bytes[0] + of_words[0],
        bytes_sets=of_bytes[0],
        bytes_files=of_bytes[1],
        overhead=of_bytes[2],
        words_sets=of_words[0],
        words_files=of_words[1],
        matches=scores.total(),
        families=sizes.total(),
        family_documents=sum(size * number for size, number in sizes.items()),
        family_bytes=kept,
        families_of_copies=of_copies,
        by_resemblance=dict(sorted(scores.items())),
        by_size=dict(sorted(sizes.items())),
        by_folders=dict(sorted(folders.items(), key=lambda item: (-item[1], item[0]))),
    )


def folder_of(location: Location, scoped: bool) -> str:
    """The folder of the first rank, or of the scope where there are several."""
    if scoped:
        return location.scope
    folder, slash, _ = location.path.partition(b"/")
    return folder.decode("utf-8", "backslashreplace") if slash else "."


MEASURES = {
    "identical, bytes": "Documents with exactly the same bytes (SHA-256). Overhead: the space of all copies but one.",
    "identical, words": "Documents with the same words but different bytes: another format, encoding, case or"
    " punctuation. That is no reason to delete one: -5 and 5 are the same words.",
    "resemblance": "The share of all text in either of two documents that is in both (Broder 1997 §2).",
    "a in b, b in a": "Containment: the share of one text that is also in the other.",
    "% similar": "The share of the smaller of two texts that is also in the larger (Forman 2005, Figure 5). For a"
    " family: the mean over the matches between its documents.",
    "shared bytes": "At least this many bytes are in both texts; for estimated matches, an estimate.",
    "payload": "Resemblance without the wording that at least half of the family has; only in families of five or more"
    " texts. Counted in shingles, under chunk schemes in chunks. It says for itself whether it is exact: where the"
    " match is exact, the payload may still be estimated from samples.",
    "measured": "Exact: computed on both whole texts. Estimated: from samples; low and high bound the 99 % interval,"
    " where the scheme has one. A mean is estimated if one of its matches is, and has no interval.",
    "family": "Documents linked by matches that reach the threshold, directly or through others. Parts are attached to"
    " what contains them, at the containment threshold.",
    "match": "Two distinct texts that reach a threshold, each named by its first document (paths in byte order). Pairs"
    " that a person called not similar are left out.",
}


def about(snapshot: Snapshot, totals: Totals) -> dict[str, Any]:
    """What was run and what its numbers mean, as JSON has it."""
    run = snapshot.run
    limits = dict(snapshot.limits)
    if limits["containment"] == NO_CONTAINMENT:
        limits.pop("containment")  # the scheme does not measure it
    return {
        "program": "nearkin",
        "version": run.version,
        "date": run.ended,
        "run": run.id,
        "scheme": run.spec,
        "text": runs.canon_of(snapshot.connection, run),
        "thresholds": {key: limits[key] for key in sorted(limits)},
        "scores": f"{run.template} boilerplate" if run.templates else "with boilerplate (no templates)",
        "templates": run.templates,
        "scopes": {name: root.decode("utf-8", "backslashreplace") for name, root in snapshot.scopes.items()},
        "settings": {key: value for key, value in run.settings.items() if key not in ("match", "scheme")},
        "counts": totals.counts,
        "measures": MEASURES,
    }


def lines(about_run: dict[str, Any]) -> list[tuple[str, Any]]:
    """The same for people, as names and values; settings that are off are left out."""
    named: list[tuple[str, Any]] = [
        ("Version of nearkin", about_run["version"]),
        ("Date of the run", about_run["date"]),
        ("Scheme", about_run["scheme"]),
        ("Text compared", about_run["text"]),
        ("Scores", about_run["scores"]),
    ]
    named += [(f"Scope {name}", root) for name, root in about_run["scopes"].items()]
    for group, settings in {"match": about_run["thresholds"], **about_run["settings"]}.items():
        if group == "run":  # how many threads and how much memory changes nothing that is listed here
            continue
        for key in sorted(settings, key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key)):
            value = settings[key]
            if value not in (None, [], False):
                name = NAMED.get((group, key), f"{key.replace('_', ' ').capitalize()} ({group})")
                named.append((name, _shown(value)))
    return named


def _shown(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is True:
        return "yes"
    return int(value) if isinstance(value, float) and value.is_integer() and value > 1 else value


NAMED = {
    ("match", "threshold"): "Families join at a resemblance of",
    ("match", "containment"): "Parts are attached at a containment of",
    ("match", "floor"): "Weaker matches are kept down to a resemblance of",
    ("match", "hot"): "Nearly equal documents are compared with a few representatives only, above",
    ("match", "min_shared_bytes"): "Matches share at least this many bytes",
    ("match", "confidence"): "Confidence of intervals",
    ("match", "weak_matches"): "Weaker matches kept for each text, at most",
    ("match", "weak_reach"): "Weaker matches are found by features in at most so many texts",
    ("match", "part_shingles"): "Parts are grouped from this many shingles on",
    ("match", "part_sample"): "Parts with fewer sampled features are found by rare ones only",
    ("text", "ignore"): "Ignored in texts",
    ("text", "keep"): "Texts kept in the store",
    ("text", "raw"): "Bytes compared as they are",
    ("walk", "max_size"): "Largest file read, in bytes",
    ("worker", "document_memory"): "Memory limit for each document, in bytes",
    ("worker", "timeout"): "Time limit for each document, in seconds",
}


FIRST = ("threshold", "containment", "floor")
COUNTED = {
    "documents": "Documents",
    "bytes": "Bytes in all",
    "contents": "Distinct texts",
    "without_text": "Documents without text, compared by their bytes",
    "failed": "Failed documents",
    "bytes_sets": "Sets of identical files (same bytes)",
    "bytes_files": "Files in these sets",
    "overhead": "Overhead of their copies, in bytes",
    "words_sets": "Sets with the same words but different bytes",
    "words_files": "Files in these sets",
    "families": "Families",
    "families_of_copies": "Families that contain only copies",
    "family_documents": "Documents in families",
    "family_bytes": "Bytes in families",
    "matches": "Matches",
}


def summarise(
    connection: sqlite3.Connection, grouped: Grouped, settings: MatchSettings, contents: int, seconds: float
) -> Summary:
    documents, failed = count_documents(connection)
    return Summary(
        documents=documents,
        contents=contents,
        failed=failed,
        identical=count_identical(connection),
        matches=int(grouped.matches.strong(settings.threshold, settings.containment).sum()),
        families=len(grouped.families),
        seconds=round(seconds),
    )
