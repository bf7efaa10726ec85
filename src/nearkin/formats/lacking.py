"""What a document lacks: told as members that failed, beside what could be read. No text is lost without a word."""

from collections import Counter
from collections.abc import Iterable, Iterator

from nearkin.formats.adapter import DAMAGED, Member, Problem
from nearkin.model import Reason

MISSING = Problem(Reason.CORRUPT, "the document names this part, and it is missing")
NAMED = 100  # each is a row of the store, and 140,000 parts that are missing can be named in 700 KB


class Damaged(Problem):
    """The bytes are not those that were written (a checksum is wrong, unpacking failed): nobody knows from where on, so
    nothing of them is text."""

    def __init__(self) -> None:
        super().__init__(Reason.CORRUPT, DAMAGED)


def few_failed(members: Iterable[Member]) -> Iterator[Member]:
    """All that can be read; of those that cannot a hundred by name, and of the others one that says how many."""
    failed = 0
    others: Counter[Reason] = Counter()
    try:
        for member in members:
            if member.problem is not None:
                failed += 1
                if failed > NAMED:
                    others[member.problem.reason] += 1
                    continue
            yield member
    except Exception:
        yield from _counted(others)
        raise
    yield from _counted(others)


def _counted(others: Counter[Reason]) -> Iterator[Member]:
    if others:
        why = ", ".join(f"{reason.value} {count:,}" for reason, count in others.most_common())
        said = f"{others.total():,} more parts that cannot be read: {why}"
        problem = Problem(others.most_common(1)[0][0], said)
        yield Member(f"other parts: {others.total():,}".encode(), b"", problem=problem)
