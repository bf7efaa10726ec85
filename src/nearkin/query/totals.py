"""The figures of a report: counted once, before anything is written, from the same rows that are listed."""

from collections import Counter
from dataclasses import dataclass, field

from nearkin.model import Location
from nearkin.query.store_view import total_bytes, without_text
from nearkin.query.streams import IN_ORDER, matches
from nearkin.report.snapshot import Snapshot
from nearkin.store.documents import SAME_BYTES, SAME_WORDS, count_documents

FAMILIES = """
SELECT f.kind, sum(h.documents), sum(h.bytes) FROM family f
CROSS JOIN family_content c ON c.family = f.id JOIN held h ON h.content = c.content
WHERE f.scheme = ? GROUP BY f.id HAVING sum(h.documents) > 1
"""
STEPS = 20  # the matches by resemblance are counted in twentieths


@dataclass(frozen=True)
class Totals:
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
    for kind, size, bytes_ in connection.execute(FAMILIES, (snapshot.run.scheme,)):
        sizes[size] += 1
        kept += bytes_
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
        by_folders=dict(sorted(folders.items(), key=lambda one: (-one[1], one[0]))),
    )


def folder_of(location: Location, scoped: bool) -> str:
    """The folder of the first rank, or of the scope where there are several."""
    if scoped:
        return location.scope
    folder, slash, _ = location.path.partition(b"/")
    return folder.decode("utf-8", "backslashreplace") if slash else "."
