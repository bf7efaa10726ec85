"""What every report begins with: what was run, and what its numbers mean.

The date is that of the run, never of the day on which the report is written: the same store makes the same bytes.
"""

from typing import Any

from nearkin.report.snapshot import Snapshot
from nearkin.report.totals import Totals
from nearkin.settings import NO_CONTAINMENT
from nearkin.store import runs

MEASURES = {
    "identical, bytes": "Documents of exactly the same bytes (SHA-256). Overhead: what all copies but one take.",
    "identical, words": "Documents of the same canonical text in other bytes: another format, encoding, case or"
    " punctuation. It licenses no deletion: -5 and 5 are the same words.",
    "resemblance": "Of all that is in either of two texts, the share that is in both (Broder 1997 §2).",
    "a in b, b in a": "Containment: the share of one text that is in the other.",
    "% similar": "The share of the smaller of two texts that is in the larger (Forman 2005, Figure 5); of a family the"
    " mean over the matches between its documents.",
    "shared bytes": "What lies in both texts at the very least; of estimates, an estimate.",
    "payload": "Resemblance without what many otherwise unlike documents have in common.",
    "measured": "exact: computed on both whole texts. Estimated: from samples, with low and high as the bounds of the"
    " 99 % interval.",
    "family": "Documents linked by chains of matches at the threshold; parts are attached to what contains them at the"
    " containment threshold.",
    "match": "Two distinct texts, each named by its first document in byte order of the paths, at or above a"
    " threshold, and not parted by a person's verdict.",
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
        "scores": f"{run.template} boilerplate" if run.templates else "with boilerplate, no template left out",
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
    ("match", "hot"): "A feature is hot (its texts are compared with few of them) in more than",
    ("match", "min_shared_bytes"): "Matches share at least, in bytes",
}


FIRST = ("threshold", "containment", "floor")
COUNTED = {
    "documents": "Documents",
    "bytes": "Bytes in them",
    "contents": "Distinct texts",
    "without_text": "Documents without text, compared by their bytes",
    "failed": "Failed documents",
    "bytes_sets": "Sets of identical files (same bytes)",
    "bytes_files": "Files in these sets",
    "overhead": "Overhead of their copies, bytes",
    "words_sets": "Sets of the same words in other bytes",
    "words_files": "Files in these sets",
    "families": "Families",
    "families_of_copies": "Families of copies only",
    "family_documents": "Documents in families",
    "family_bytes": "Bytes in families",
    "matches": "Matches",
}
