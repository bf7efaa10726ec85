"""The sample repository, whose truth is known by construction: `nearkin demo DIR` writes it.

A third of the documents are in families, an eighth are special strangers (look-alikes, short, empty, binary and oddly
named ones), a fifteenth are office documents, mails and archives, and the rest are unrelated singles. Families and
strangers each begin with a fixed list that every sample large enough has, and go on at random. Documents are written as
they are made; only the truth about them is kept in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle
from pathlib import Path

from nearkin.sample import makers, office
from nearkin.sample.desk import LANGUAGES, Desk, Shelf
from nearkin.sample.languages import ENGLISH
from nearkin.sample.prose import Dice
from nearkin.sample.truth import Truth

TRUTH = "truth.json"
_STRANGERS = 0.13
_PAPERS = 1 / 15
_TRIES = 20


@dataclass(frozen=True)
class Job:
    """A maker to call, and the number of documents that it writes."""

    size: int
    write: Callable[[Desk, int], None]


def write_sample(
    target: Path,
    *,
    documents: int = 600,
    seed: int = 1,
    plain: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Truth:
    """Write a sample. `plain`: only text and HTML, which every tool can read. `progress` is called with the number of
    documents written and of all."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty: a sample needs a folder of its own")
    dice = Dice(seed)
    shelf = Shelf(target, dice, documents=documents)
    desk = Desk(dice, shelf)
    families = Quota(documents // 3, chain(_fixed_families(), _random_families(dice, documents)))
    strangers = Quota(int(documents * _STRANGERS), chain(_fixed_strangers(), _random_strangers(dice)))
    papers = Quota(0 if plain else int(documents * _PAPERS), cycle(_papers()))
    while shelf.written < documents:
        progress(shelf.written, documents)
        turn = dice.below(documents - shelf.written)
        job = None
        for quota in (families, strangers, papers):
            if turn < quota.left:
                job = quota.next()
                break
            turn -= quota.left
        if job is None:
            makers.single(desk)
        else:
            job.write(desk, job.size)
    truth = Truth(seed=seed, documents=shelf.written, relations=desk.relations, families=desk.families)
    truth.save(target / TRUTH)
    return truth


class Quota:
    """A number of documents and the jobs that fill it. Jobs that are larger than the rest are skipped."""

    def __init__(self, documents: int, jobs: Iterator[Job]) -> None:
        self.left = documents
        self._jobs = jobs

    def next(self) -> Job | None:
        for _ in range(_TRIES):
            job = next(self._jobs)
            if job.size <= self.left:
                self.left -= job.size
                return job
        self.left = 0
        return None


def _fixed_families() -> Iterator[Job]:
    yield Job(2, makers.identical)
    yield Job(2, makers.same_words)
    yield Job(3, makers.versions)
    yield Job(2, makers.renamed)
    yield Job(2, makers.contains)
    yield Job(6, makers.same_form)
    yield Job(2, partial(makers.contains, length=200_000))
    yield Job(4, makers.archive)
    yield Job(4, makers.mixed)
    for writing in makers.WRITINGS[1:]:
        yield Job(2, partial(makers.same_words, other=writing))
    for turn, language in enumerate(LANGUAGES):
        yield Job(2 + turn % 3, partial(makers.versions, language=language))
    for turn, language in enumerate(LANGUAGES[1:]):
        yield Job(2, partial(makers.identical if turn % 2 else makers.same_words, language=language))
    for edits, size in ((1, 4), (10, 5), (50, 3), (50, 2)):
        # 16,000 bytes of English bear 50 edits.
        wanted = partial(makers.versions, language=ENGLISH, edits=edits, length=16_000 if edits == 50 else 0)
        yield Job(size, wanted)
    yield from (Job(2, makers.renamed) for _ in range(3))
    yield from (Job(size, makers.identical) for size in (3, 5, 2))
    yield from (Job(size, makers.same_form) for size in (8, 12))
    yield from (Job(size, makers.contains) for size in (3, 2))
    yield from (Job(3, makers.mixed), Job(5, makers.archive), Job(9, makers.versions))


def _random_families(dice: Dice, documents: int) -> Iterator[Job]:
    longest = 12 + min(documents // 20_000, 50)
    largest_form = min(2_000, max(12, documents // 60))
    while True:
        draw = dice.below(100)
        if draw < 45:
            length = dice.between(9_000, 18_000) if dice.chance(0.08) else 0
            edits = 50 if dice.chance(0.15) else 0
            yield Job(dice.zipf(2, longest), partial(makers.versions, length=length, edits=edits))
        elif draw < 60:
            yield Job(dice.zipf(2, longest), makers.identical)
        elif draw < 75:
            yield Job(dice.zipf(2, 5), partial(makers.same_words, other=dice.pick(makers.WRITINGS[1:])))
        elif draw < 83:
            yield Job(2, makers.renamed)
        elif draw < 90:
            length = 200_000 if dice.chance(0.1) else 0
            yield Job(dice.zipf(2, 4), partial(makers.contains, length=length))
        elif draw < 94:
            yield Job(dice.zipf(3, longest), makers.archive)
        elif draw < 97:
            yield Job(dice.zipf(3, 8), makers.mixed)
        else:
            yield Job(dice.zipf(6, largest_form), makers.same_form)


def _papers() -> Iterator[Job]:
    yield Job(3, office.across_formats)
    yield Job(2, office.mailed)
    yield Job(3, office.versions_across_formats)
    yield Job(3, office.boxed)
    yield Job(2, office.sheet)
    yield Job(2, office.mailed_box)
    yield Job(4, office.across_formats)
    yield Job(3, office.mailed)
    yield Job(4, office.versions_across_formats)
    yield Job(5, office.boxed)


def _fixed_strangers() -> Iterator[Job]:
    yield Job(2, makers.look_alikes)
    yield from (Job(1, makers.one_line) for _ in range(2))
    yield from (Job(1, makers.one_word), Job(1, makers.empty))
    for name, plain in makers.ODD_NAMES:
        yield Job(1, partial(makers.oddly_named, name=name, plain=plain))
    yield from (Job(2, makers.short_part), Job(2, makers.binary), Job(1, makers.binary))
    yield from (
        Job(1, makers.blank),
        Job(3, makers.empty),
        Job(3, makers.one_word),
        Job(6, makers.one_line),
    )
    yield from (Job(size, makers.look_alikes) for size in (3, 4, 2, 3))
    yield from (
        Job(2, makers.short_part),
        Job(1, makers.blank),
        Job(2, makers.binary),
        Job(10, makers.one_line),
    )


def _random_strangers(dice: Dice) -> Iterator[Job]:
    while True:
        draw = dice.below(100)
        if draw < 60:
            yield Job(dice.zipf(1, 3), makers.one_line)
        elif draw < 78:
            yield Job(dice.zipf(2, 9), makers.look_alikes)
        elif draw < 88:
            yield Job(1, makers.one_word)
        elif draw < 92:
            yield Job(1, makers.empty)
        elif draw < 93:
            yield Job(1, makers.blank)
        elif draw < 97:
            yield Job(dice.zipf(1, 3), makers.binary)
        else:
            yield Job(2, makers.short_part)
