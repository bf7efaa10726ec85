"""A store that is kept up to date holds, row by row, what a scan from nothing would find; only its names differ."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.matching import increment
from nearkin.matching.increment import can_be_incremental
from nearkin.pipeline import scan
from nearkin.run import RunContext
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings, RunSettings, Settings
from nearkin.store.database import connect
from oracle.prose import prose

MATCHES = """
SELECT hex(x.digest), hex(y.digest), resemblance, a_in_b, b_in_a, shared_bytes, size_a, size_b, exact, low, high,
       payload
FROM match JOIN content x ON x.id = a JOIN content y ON y.id = b
"""
FAMILIES = """
SELECT family.id, kind, links, weakest, mean_resemblance, hex(c.digest), role, pivot, to_pivot
FROM family JOIN family_content m ON m.family = family.id JOIN content c ON c.id = m.content
"""


def bring_up_to_date(store: Path, folder: Path, how: Settings) -> dict[str, int]:
    with closing(connect(store, create=True, write=True)) as connection:
        summary = scan(RunContext(connection, store, how, "test", lambda *_: None), (folder,))
    return {name: getattr(summary, name) for name in ("new", "changed", "moved", "gone")}


def result(store: Path) -> tuple[Any, ...]:
    """Matches and families, by digests: ids are each store's own."""
    with closing(connect(store)) as connection:
        matches = set()
        for a, b, resemblance, a_in_b, b_in_a, shared, size_a, size_b, *rest in connection.execute(MATCHES):
            sides = [(a, a_in_b, size_a), (b, b_in_a, size_b)]
            matches.add((*sorted(sides), resemblance, shared, *rest))
        families: dict[int, list[Any]] = {}
        for number, kind, links, weakest, mean, *member in connection.execute(FAMILIES):
            families.setdefault(number, [(kind, links, weakest, round(mean or 0, 12))]).append(tuple(member))
        documents = connection.execute("SELECT path, size, hex(digest), reason FROM present ORDER BY path").fetchall()
        return matches, sorted((family[0], sorted(family[1:])) for family in families.values()), documents


class Tree:
    """Documents that share sentences with one another, and change as a repository does."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.dice = folder, random.Random(seed)
        folder.mkdir()
        self.sentences = [prose(number, 60).decode() for number in range(30)]
        self.clock = 10**18

    def text(self) -> str:
        dice = self.dice
        if dice.random() < 0.6:  # one of a few drafts, edited
            drawn = random.Random(dice.randrange(4)).sample(self.sentences, 10)
            for _ in range(dice.randrange(4)):
                drawn[dice.randrange(10)] = dice.choice(self.sentences)
            return " ".join(drawn[: dice.choice([10, 10, 10, 5, 1])])
        return " ".join(dice.sample(self.sentences, dice.randint(0, 12)))

    def write(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(self.text())

    def change(self, times: int) -> None:
        for _ in range(times):
            there = sorted(path for path in self.folder.rglob("*") if path.is_file())
            kind = self.dice.random()
            if not there or kind < 0.5:
                self.write(self.folder / f"{self.dice.randrange(3)}" / f"{self.dice.randrange(60)}.txt")
            elif kind < 0.65:
                self.write(self.dice.choice(there))
            elif kind < 0.75:
                self.dice.choice(there).rename(self.folder / f"moved {self.dice.randrange(1000)}.txt")
            elif kind < 0.85:
                (self.folder / f"copy {self.dice.randrange(1000)}.txt").write_bytes(
                    self.dice.choice(there).read_bytes()
                )
            else:
                self.dice.choice(there).unlink()


SPECS = ["exact:window=8", "mod:window=8,sample=30,most=8", "mod:window=8,n=4", "min:window=8,n=40"]
SPECS += ["sketch:window=8,n=40", "bsw:window=8,n=8", "tttd:mean=50", "fuzzy", "si"]


def judge(tmp_path: Path, seed: int, spec: str, steps: list[int], limits: MatchSettings) -> None:
    how = Settings(scheme=spec, match=limits, run=RunSettings(jobs=1, memory=1 << 30))
    tree = Tree(tmp_path / "docs", seed)
    store = tmp_path / "kept.db"
    for number, times in enumerate(steps):
        tree.change(times)
        bring_up_to_date(store, tree.folder, how)
        fresh = tmp_path / f"fresh {number}.db"
        bring_up_to_date(fresh, tree.folder, how)
        assert result(store) == result(fresh), (seed, spec, number)


@pytest.fixture
def always_incremental(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(increment, "FEW", 10.0)


LIMITS = st.builds(
    MatchSettings,
    threshold=st.sampled_from([0.6, 0.8]),
    containment=st.sampled_from([0.8, 0.9]),
    floor=st.sampled_from([0.1, 0.3, 0.5]),
    weak_matches=st.sampled_from([1, 2, 20]),  # lists that are soon full
    weak_reach=st.sampled_from([2, 4, 32]),  # features that are soon common
    part_shingles=st.sampled_from([50, 200]),
)
STEPS = st.lists(st.integers(0, 12), min_size=2, max_size=5).map(lambda steps: [25, *steps])


@pytest.mark.parametrize("spec", SPECS)
def test_up_to_date_is_as_good_as_new(
    spec: str, tmp_path_factory: pytest.TempPathFactory, always_incremental: None
) -> None:
    coded = spec in ("fuzzy", "si")
    whole = not can_be_incremental(parse_scheme(spec), MatchSettings())  # matched anew each time: there is less to err

    @settings(max_examples=2 if whole else 6, deadline=None)
    @given(seed=st.integers(0, 1 << 30), steps=STEPS, limits=LIMITS)
    def up_to_date(seed: int, steps: list[int], limits: MatchSettings) -> None:
        chosen = MatchSettings() if coded else limits
        judge(tmp_path_factory.mktemp("increment"), seed, spec, steps, chosen)

    up_to_date()


@pytest.mark.soak
@pytest.mark.parametrize("spec", SPECS[:5])
def test_up_to_date_is_as_good_as_new_for_long(
    spec: str, tmp_path_factory: pytest.TempPathFactory, always_incremental: None
) -> None:
    @settings(max_examples=150, deadline=None)
    @given(seed=st.integers(0, 1 << 30), steps=STEPS, limits=LIMITS)
    def up_to_date(seed: int, steps: list[int], limits: MatchSettings) -> None:
        judge(tmp_path_factory.mktemp("increment"), seed, spec, steps, limits)

    up_to_date()
