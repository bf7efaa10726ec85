"""Which texts are stale: made in another way than a scan would make them now, or not signed as it would.

Found through indices, never by looking at every text: nearly always there are none.
"""

import sqlite3
from enum import Enum
from itertools import pairwise

from nearkin.formats.endings import UNKNOWN
from nearkin.formats.registry import FORMATS
from nearkin.text.kind import EXTRACTORS

# Bytes that were taken raw, or made text of by an extractor that is not ours any more, must be read again.
CURRENT = frozenset((*filter(None, EXTRACTORS.values()), *(form.extractor for form in FORMATS), UNKNOWN))


class Need(Enum):
    """What a scan must do about a file."""

    NOTHING = "nothing"
    TEXT = "text"  # make the kept text canonical and sign it as this scan does
    AGAIN = "again"  # read it: what is stored of it is stale, and no text was kept that would do
    READ = "read"

    @property
    def reads(self) -> bool:
        return self in (Need.AGAIN, Need.READ)


def stale_texts(
    connection: sqlite3.Connection, *, canon: int, scheme: int, raw: bool, keep: bool, only: int | None = None
) -> dict[int, Need]:
    """What is to be done about each text, or about this one, that cannot be taken as it is."""

    def texts(condition: str) -> set[int]:
        this = "" if only is None else f" AND id = {only}"
        return {text for (text,) in connection.execute(f"SELECT id FROM text WHERE {condition}{this}")}

    bare = texts("zstd IS NULL")
    foreign = set() if raw else texts(f"({extractor_other_than(CURRENT)})")
    other = texts(f"content IN (SELECT id FROM content WHERE canon <> {canon})")
    unsigned = set[int]()
    if bare:  # those whose text was kept are signed from it
        unsigned = texts(
            f"""content IN (SELECT id FROM content WHERE canon = {canon}
                            EXCEPT SELECT content FROM signature WHERE scheme = {scheme})""",
        )
    needs = dict.fromkeys(bare, Need.READ) if keep else {}
    needs |= dict.fromkeys(other, Need.AGAIN if raw else Need.TEXT)
    needs |= dict.fromkeys(foreign | (bare & (other | unsigned)), Need.AGAIN)
    return needs


def extractor_other_than(names: frozenset[str]) -> str:
    """As ranges between these names: an index then finds the few, where NOT IN would go through all."""
    known = sorted(names)
    between = [f"extractor > '{a}' AND extractor < '{b}'" for a, b in pairwise(known)]
    return " OR ".join([f"extractor < '{known[0]}'", *between, f"extractor > '{known[-1]}'"])
