"""What every report begins with: what was run, and what its numbers mean.

The date is that of the run, never of the day on which the report is written: the same store makes the same bytes.
"""

from typing import Any

from nearkin.query.totals import Totals
from nearkin.report.snapshot import Snapshot
from nearkin.settings import NO_CONTAINMENT
from nearkin.store import runs

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
    """As JSON has it."""
    run = snapshot.run
    limits = dict(snapshot.limits)
    if limits["containment"] == NO_CONTAINMENT:
        limits.pop("containment")  # the scheme does not tell
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


def lines(told: dict[str, Any]) -> list[tuple[str, Any]]:
    """The same for people: what, and its value, settings that say nothing left out."""
    found: list[tuple[str, Any]] = [
        ("Version of nearkin", told["version"]),
        ("Date of the run", told["date"]),
        ("Scheme", told["scheme"]),
        ("Text compared", told["text"]),
        ("Scores", told["scores"]),
    ]
    found += [(f"Scope {name}", root) for name, root in told["scopes"].items()]
    for group, settings in {"match": told["thresholds"], **told["settings"]}.items():
        if group == "run":  # how many threads and how much memory changes nothing that is told here
            continue
        for key in sorted(settings, key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key)):
            value = settings[key]
            if value not in (None, [], False):
                name = NAMED.get((group, key), f"{key.replace('_', ' ').capitalize()} ({group})")
                found.append((name, _told_as(value)))
    return found


def _told_as(value: Any) -> Any:
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
