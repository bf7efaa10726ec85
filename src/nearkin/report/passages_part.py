"""The one place where passages of the strongest pairs come into the page: its section is there when there are some."""

from collections.abc import Iterator, Sequence

from nearkin.model import Match
from nearkin.report.snapshot import Snapshot

PAIRS = 10  # whose passages are shown


def passages_of(snapshot: Snapshot, strongest: Sequence[Match]) -> Iterator[str]:
    """For each of these pairs an HTML fragment that shows the text they have in common. None are made yet."""
    del snapshot, strongest
    return iter(())
