"""The Concordance load file (.dat): one line a document, with the fields that review platforms ask for.

Fields are separated by U+0014 and quoted by U+00FE; the file is UTF-8 and its lines end with CR LF. Neither character
can be escaped, so U+0014 and line ends in names are shown as \\x14 and \\n, and U+00FE is doubled.

Mail and attachments stay together: the members of a container follow it at once, and MAILFAMILY names the outermost
container.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from nearkin.model import Location, family_id
from nearkin.query.store_view import PLACE, Snapshot, location_of
from nearkin.wording import safe

SEPARATOR, QUOTE, END = "\x14", "\xfe", "\r\n"
FIELDS: tuple[str, ...] = (
    *("DOCID", "PARENTID", "MAILFAMILY", "GROUPID", "PIVOT", "SIMILARITY", "GROUPCOUNT", "DUPSTATUS", "SAMEWORDS"),
    *("CUSTODIAN", "ALLCUSTODIAN", "MD5", "SHA1", "SHA256", "SCOPE", "PATH"),
)

# The original of copies is the first that could be read; files go before members of a container. Of all documents with
# the words of a family's pivot the first is the pivot, so the pivot is an original too. `keep` has rules of its own:
# whoever acts on a load file must not act on a plan of `keep` as well.
FIRST = f"CAST((d.reason IS NOT NULL) || (d.parent IS NOT NULL) || {PLACE} AS BLOB)"
PREPARED = f"""
CREATE TEMP TABLE copy (digest BLOB PRIMARY KEY, documents INTEGER, original BLOB, custodians TEXT) WITHOUT ROWID;
INSERT INTO copy SELECT d.digest, count(*), min({FIRST}), custodians(d.custodian)
    FROM present d JOIN scope ON scope.id = d.scope
    WHERE d.digest IS NOT NULL AND d.size > 0 GROUP BY d.digest HAVING count(*) > 1;
CREATE TEMP TABLE crowd (family INTEGER PRIMARY KEY, documents INTEGER, unlike INTEGER);
INSERT INTO crowd SELECT c.family, count(*), count(DISTINCT d.digest)
    FROM family f CROSS JOIN family_content c ON c.family = f.id CROSS JOIN text t ON t.content = c.content
    CROSS JOIN present d ON d.text = t.id
    WHERE f.scheme = {{scheme}} AND d.reason IS NULL GROUP BY c.family HAVING count(*) > 1;
CREATE TEMP TABLE kin (content INTEGER PRIMARY KEY, family INTEGER, pivot BLOB, to_pivot REAL);
INSERT OR IGNORE INTO kin SELECT c.content, c.family, iif(c.pivot, (
        SELECT min({FIRST}) FROM text t CROSS JOIN present d ON d.text = t.id JOIN scope ON scope.id = d.scope
        WHERE t.content = c.content AND d.reason IS NULL), NULL), c.to_pivot
    FROM crowd CROSS JOIN family_content c ON c.family = crowd.family;
CREATE TEMP TABLE inside (document INTEGER PRIMARY KEY, root BLOB);
WITH RECURSIVE down (id, root) AS (
    SELECT DISTINCT d.id, {PLACE} FROM present m JOIN present d ON d.id = m.parent JOIN scope ON scope.id = d.scope
    WHERE m.parent IS NOT NULL AND d.parent IS NULL
    UNION ALL SELECT m.id, down.root FROM down CROSS JOIN present m ON m.parent = down.id
) INSERT INTO inside SELECT id, root FROM down
"""
LINES = f"""
SELECT {PLACE}, CAST(p.path || x'00' || scope.name AS BLOB), inside.root, hex(d.md5), hex(d.sha1), hex(d.digest),
       d.custodian, copy.custodians, copy.documents, {FIRST} = copy.original,
       f.founder, crowd.documents, crowd.unlike, kin.pivot = {FIRST}, kin.to_pivot,
       held.documents, c.digest, d.reason IS NOT NULL OR coalesce(c.length, 0) = 0
FROM present d JOIN scope ON scope.id = d.scope LEFT JOIN document p ON p.id = d.parent
LEFT JOIN inside ON inside.document = d.id
LEFT JOIN copy ON copy.digest = d.digest
LEFT JOIN text t ON t.id = d.text AND d.reason IS NULL LEFT JOIN content c ON c.id = t.content
LEFT JOIN held ON held.content = c.id
LEFT JOIN kin ON kin.content = c.id LEFT JOIN crowd ON crowd.family = kin.family LEFT JOIN family f ON f.id = kin.family
ORDER BY coalesce(inside.root, {PLACE}), 1
"""


class Custodians:
    """SQL aggregate: the custodians of all copies, sorted, each once."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def step(self, name: Any, *_: Any) -> None:
        if name:
            self._names.add(name)

    def finalize(self) -> Any:
        return "; ".join(sorted(self._names))


def write_concordance(snapshot: Snapshot, path: Path) -> int:
    """Write a load file and return the number of documents."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_line(FIELDS))
        for values in load_lines(snapshot):
            count += 1
            file.write(_line(values))
    return count


def load_lines(snapshot: Snapshot) -> Iterator[tuple[str, ...]]:
    """Yield the fields of each document, in the order of FIELDS."""
    connection = snapshot.connection
    connection.create_aggregate("custodians", 1, Custodians)
    for statement in PREPARED.format(scheme=snapshot.run.scheme).split(";\n"):
        connection.execute(statement)
    for (
        place, parent, root, md5, sha1, digest, custodian, custodians, copies, is_original,
        founder, documents, unlike, is_pivot, to_pivot, same_words, content, textless,
    ) in connection.execute(LINES):  # fmt: skip
        near = documents is not None and unlike > 1
        status = status_of(
            copies=copies or 1, original=bool(is_original), near=near, pivot=bool(is_pivot), textless=bool(textless)
        )
        group, among, pivot, similarity = "", "", "", ""
        if documents is not None:
            group, among = family_id(founder), str(documents)
            pivot, similarity = "Y" if is_pivot else "N", "100" if is_pivot else percent(to_pivot)
        elif copies:  # copies of bytes without text
            group, among, pivot, similarity = digest[:16].lower(), str(copies), "Y" if is_original else "N", "100"
        location = location_of(place)
        yield (
            document_id(location),
            document_id(location_of(parent)) if parent is not None else "",
            document_id(location_of(root)) if root is not None else "",
            group,
            pivot,
            similarity,
            among,
            status,
            content.hex()[:16] if same_words is not None and same_words > 1 and not textless else "",
            custodian or "",
            custodians if copies else custodian or "",
            md5.lower(),
            sha1.lower(),
            digest.lower(),
            location.scope,
            location.path.decode("utf-8", "backslashreplace"),
        )


def status_of(*, copies: int, original: bool, near: bool, pivot: bool, textless: bool) -> str:
    """Return one of six states. Of every group exactly one document is unique, exact original or near original, so a
    reviewer who reads only these three reads everything once. Excluded: it failed or has no text, and has no copy."""
    if copies > 1 and not original:
        return "exact duplicate"
    if near:
        return "near original" if pivot else "near duplicate"
    if copies > 1:
        return "exact original"
    return "excluded" if textless else "unique"


def document_id(location: Location) -> str:
    """Return an id that is the same in every report: it comes from the place, not from a number. It is a quarter of a
    SHA-256; half would do for billions of documents."""
    return sha256(location.scope.encode() + b"\0" + location.path).hexdigest()[:16]


def percent(share: float | None) -> str:
    """Return a share as per cent, rounded down: only 1 is 100."""
    return "" if share is None else f"{int(share * 10_000 + 1e-9) / 100:g}"


def _line(values: tuple[str, ...]) -> str:
    return SEPARATOR.join(f"{QUOTE}{safe(value).replace(QUOTE, QUOTE * 2)}{QUOTE}" for value in values) + END
