"""The check-in question as one SQL query to a table of another system (Roth 2011 §6.2).

Names are printed as they are given, never quoted here: databases quote in different ways, and some of them take a name
in foreign quotes for a string, which then compares with every number and silently finds nothing.
"""

import re
from dataclasses import dataclass

from nearkin.errors import UsageError

# No quoted form can be left before its end: the same quote inside is doubled, and nothing is escaped by a backslash.
PART = r"""(?:[^\W\d]\w*|"(?:[^"\\\x00-\x1f]|"")+"|`(?:[^`\\\x00-\x1f]|``)+`|\[[^\[\]\\\x00-\x1f]+\])"""
NAME = re.compile(rf"{PART}(?:\.{PART})*")


@dataclass(frozen=True)
class RangeQuery:
    table: str = "documents"
    column: str = "similarity_index"

    def __post_init__(self) -> None:
        for option, name in (("--table", self.table), ("--column", self.column)):
            if not NAME.fullmatch(name):
                raise UsageError(
                    f"{option} {name!r} is no name in SQL; if it is one in your database, quote it as you do there:"
                    ' "…", `…` or […].'
                )

    def between(self, low: int, high: int) -> str:
        return f"SELECT * FROM {self.table} WHERE {self.column} BETWEEN {low} AND {high};"
