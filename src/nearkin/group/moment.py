"""When a document was made: by what it says of itself, else by its file."""

from datetime import UTC, datetime
from typing import NamedTuple

OWN = ("modified", "date", "created")  # properties, the most telling first
# Of a document d in SQL: the properties that tell. A page was created when it was first published, and its later
# versions say the same.
TELLING = "CASE WHEN d.media = 'text/html' THEN json_remove(d.properties, '$.created') ELSE d.properties END"


class Moment(NamedTuple):
    seconds: float  # since 1970; 0 where nobody knows
    source: str  # which property, `file`, or `unknown`

    @property
    def shown(self) -> str:
        """As people read it, in UTC."""
        if self.source == "unknown":
            return "no date"
        try:
            return datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, ValueError, OSError):
            return "no date"


UNKNOWN = Moment(0.0, "unknown")


def moment_of(properties: dict[str, str], mtime_ns: int) -> Moment:
    for key in OWN:
        try:
            told = datetime.fromisoformat(properties.get(key, ""))
            return Moment((told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp(), key)
        except (ValueError, OverflowError):
            continue
    return Moment(mtime_ns / 1e9, "file") if mtime_ns else UNKNOWN
