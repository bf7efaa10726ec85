"""The whole way from a table to families at growing sizes: what doubles when the documents do?"""

import json
import math
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.nearkin_command import stages
from bench.process import Measured, held, measure
from bench.scale.repository import Repository
from bench.table import figure, table

SIZES = (10_000, 100_000, 1_000_000)
HEAD = (
    "documents",
    "text MB",
    "wall s",
    "CPU s",
    "µs CPU/doc",
    "peak MB",
    "store MB",
    "spill MB",
    "matches",
    "families",
    "made",
)


@dataclass(frozen=True)
class Grown:
    repository: Repository
    text: int  # bytes
    run: Measured
    store: int  # bytes, with what stands beside it
    stages: dict[str, float]

    def row(self) -> list[str]:
        said = json.loads(self.run.output)
        return [
            f"{self.repository.documents:,}",
            figure(self.text / 1e6),
            figure(self.run.seconds),
            figure(self.run.cpu),
            figure(1e6 * self.run.cpu / self.repository.documents),
            figure(self.run.peak / 1e6),
            figure(self.store / 1e6),
            figure(max(0, self.run.disk - self.store) / 1e6),
            f"{said['matches']:,}",
            f"{said['families']:,}",
            f"{len(self.repository.families.sizes):,}",
        ]


def command(corpus: Path, store: Path) -> list[str]:
    script = Path(sys.executable).with_name("nearkin")
    columns = ["--text-column", "text", "--id-column", "id"]
    return [str(script), "scan", str(corpus), *columns, "--store", str(store), "--format", "json"]


def grow(work: Path, documents: int) -> Grown:
    repository, corpus, folder = Repository(documents), work / f"{documents}.parquet", work / f"store-{documents}"
    text = repository.write(corpus)
    folder.mkdir()
    run = measure(command(corpus, folder / "nearkin.db"), watch=True, folder=folder)
    grown = Grown(repository, text, run, held(folder), stages(folder / "nearkin.db"))
    shutil.rmtree(folder)
    corpus.unlink()
    return grown


def slope(sizes: list[float], times: list[float]) -> float:
    """Of the straight line through logarithms: 1 where time grows as size does, 2 where with its square."""
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True))
    return above / sum((one - mean_x) ** 2 for one in x)


def growth_table(work: Path, sizes: tuple[int, ...] = SIZES) -> str:
    grown = [grow(work, documents) for documents in sizes]
    lines = [table(HEAD, [one.row() for one in grown], words=0)]
    if len(sizes) > 1:
        counts = [float(size) for size in sizes]
        wall, cpu = slope(counts, [one.run.seconds for one in grown]), slope(counts, [one.run.cpu for one in grown])
        lines.append(f"slope of log time over log documents: wall {wall:.2f}, CPU {cpu:.2f} (goal: at most 1.1)")
    for one in grown:
        spent = one.stages | {"rest": one.run.seconds - sum(one.stages.values())}
        shown = " · ".join(f"{stage} {time:.1f} s" for stage, time in spent.items())
        lines.append(f"{one.repository.documents:,} by stage, wall: {shown}")
    return "\n".join(lines)
