"""The same job by every tool: read a folder, report the pairs of similar documents."""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bench import nearkin_command
from bench.folder import Folder
from bench.peer_shingles import PROCESSES, Pairs
from bench.process import FailedError, Measured, measure
from bench.table import figure, share, table
from bench.truth import Truth

PEERS = ("rensa", "gaoya", "datasketch")
ALONE = ", alone"
JUDGED = ("prec.", "recall", "5w prec.", "5w rec.")


@dataclass
class Contestant:
    name: str
    command: Callable[[Path, Path], list[str]]
    pairs: Callable[[Path, Folder], Pairs]
    runs: list[Measured] = field(default_factory=list)
    failure: str = ""

    @property
    def seconds(self) -> float:
        return min(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        return min(run.cpu for run in self.runs)

    @property
    def peak(self) -> int:
        return max(run.peak for run in self.runs)


def contestants() -> list[Contestant]:
    installed = [peer for peer in PEERS if importlib.util.find_spec(peer)]
    return [
        Contestant("nearkin", nearkin_command.command, _reported),
        *(Contestant(peer, _peer_command(peer), lambda output, _: _load(output)) for peer in installed),
        # As their users run them: none of these libraries reads, strips or cuts in several processes by itself. Not
        # datasketch: the slowest takes as long alone as all others together.
        *(
            Contestant(f"{peer}{ALONE}", _peer_command(peer, f"{PROCESSES}=1"), lambda output, _: _load(output))
            for peer in installed
            if peer != "datasketch"
        ),
    ]


def contest(folder: Folder, truth: Truth, work: Path, *, rounds: int) -> str:
    """The best of several rounds in turn: what else runs on the machine can only slow a tool down."""
    tools = contestants()
    for turn in range(rounds):
        for tool in tools:
            _run(tool, folder, work, watch=turn == 0)
    ran = [tool for tool in tools if not tool.failure]
    fastest = min((tool.seconds for tool in ran if tool.name != "nearkin"), default=None)
    rows = [_row(tool, folder, truth, work, fastest) for tool in ran]
    head = ("tool", "wall s", "CPU s", "× best peer", "peak MB", "pairs", "judged", *JUDGED)
    lines = [table(head, rows), *(f"{tool.name} failed: {tool.failure}" for tool in tools if tool.failure)]
    if ran and ran[0].name == "nearkin":
        if fastest is not None and not folder.generated:
            lines.append(_goal(ran[0].seconds, {tool.name: tool.seconds for tool in ran[1:]}))
        lines += ["", _profile(work / "nearkin", ran[0].runs[-1].seconds)]
    return "\n".join(lines)


def _goal(seconds: float, peers: dict[str, float]) -> str:
    """Beside the fastest as it is spread here over all cores, and as its users run it."""
    ratios = []
    ways = {False: "in a process for each core", True: "in one process, as its users run it"}
    for alone, how in ways.items():
        own = {name: took for name, took in peers.items() if name.endswith(ALONE) == alone}
        if own:
            name, took = min(own.items(), key=lambda timed: timed[1])
            ratios.append(f"{seconds / took:.2f} of {name.removesuffix(ALONE)}'s {how}")
    return f"nearkin's time is {' and '.join(ratios)} (goal: at most 0.33)"


def _run(tool: Contestant, folder: Folder, work: Path, *, watch: bool) -> None:
    output = work / tool.name
    nearkin_command.forget(output)
    try:
        tool.runs.append(measure(tool.command(folder.path, output), watch=watch))
    except FailedError as error:
        tool.failure = str(error)


def _row(tool: Contestant, folder: Folder, truth: Truth, work: Path, fastest: float | None) -> list[str]:
    pairs = tool.pairs(work / tool.name, folder)
    exact = truth.judge(pairs, truth.by_bytes.pairs)
    words = truth.judge(pairs, truth.by_words)
    ratio = "–" if fastest is None or folder.generated else f"{tool.seconds / fastest:.2f}"
    return [
        tool.name,
        figure(tool.seconds),
        figure(tool.cpu),
        ratio,
        figure(tool.peak / 1e6),
        f"{len(pairs):,}",
        f"{exact.reported:,}",
        *map(share, (exact.precision, exact.recall, words.precision, words.recall)),
    ]


def _profile(store: Path, seconds: float) -> str:
    spent = nearkin_command.stages(store)
    spent["rest"] = seconds - sum(spent.values())
    stages = " · ".join(f"{stage} {time:.2f} s" for stage, time in spent.items())
    return f"nearkin by stage, last round: {stages}; store {nearkin_command.size(store) / 1e6:.0f} MB"


def _peer_command(peer: str, *environment: str) -> Callable[[Path, Path], list[str]]:
    started = ["env", *environment, sys.executable, "-m", f"bench.peers.{peer}"]
    return lambda folder, output: [*started, str(folder), str(output)]


def _load(output: Path) -> Pairs:
    loaded: Pairs = np.load(output)
    return loaded


def _reported(store: Path, folder: Folder) -> Pairs:
    return nearkin_command.reported(store, folder)[0]
