"""How many steps of known version chains a lineage links: `python -m bench.lineage FOLDER TRUTH [THRESHOLD]`.

TRUTH is a tab-separated file of lines `chain, path, date`: the versions of each chain in their order, paths relative to
FOLDER, dates in ISO form or empty (then the versions' order stands for dates). Versions are copied under names that
tell nothing, with these dates, scanned as anyone would, and every step between adjacent versions of unlike text is
looked up in the lineages of all documents. A step whose versions are in different lineages is not linked.
"""

import os
import shutil
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from nearkin.api.store import Store
from nearkin.errors import InputError


@dataclass(frozen=True)
class LinkedSteps:
    linked: int  # steps
    together: int  # of one lineage
    steps: int
    links: int
    strange: int  # links between texts of different chains


def steps(folder: Path, truth: Path, work: Path, threshold: float) -> dict[str, LinkedSteps]:
    """With dates and without."""
    chains: dict[str, list[str]] = defaultdict(list)
    (work / "tree").mkdir()
    for line in truth.read_text(encoding="utf-8").splitlines():
        chain, path, date = line.split("\t")
        data = (folder / path).read_bytes()
        name = sha256(data).hexdigest()[:20] + Path(path).suffix
        moment = datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp() if date else 1e9 + len(chains[chain])
        if not (work / "tree" / name).exists():
            shutil.copyfile(folder / path, work / "tree" / name)
            os.utime(work / "tree" / name, (moment, moment))
        chains[chain].append(name)
    store = Store.open(work / "store.db")
    store.scan(work / "tree", threshold=threshold, floor=min(threshold, 0.5))
    wanted = {(a, b) for names in chains.values() for a, b in pairwise(names) if a != b}
    of = {name: {chain for chain in chains if name in chains[chain]} for names in chains.values() for name in names}
    held = {_file(path): path for path in store.documents()["path"].to_pylist() if "!/" in path}
    by_mode = {}
    for mode in (True, False):
        links: set[frozenset[str]] = set()
        node: dict[str, str] = {}
        trees: set[frozenset[str]] = set()
        for name in of:
            try:
                tree = store.lineage(held.get(name, name), dates=mode).to_pylist()
            except InputError:  # it has no text
                continue
            same = [[_file(path) for path in (node["path"], *node["copies"])] for node in tree]
            node |= {path: names[0] for names in same for path in names}
            links |= {frozenset((_file(node["path"]), _file(node["source"]))) for node in tree if node["source"]}
            trees.add(frozenset(path for names in same for path in names))
        equal = {(a, b) for a, b in wanted if a in node and node[a] == node.get(b)}
        together = sum(any({a, b} <= tree for tree in trees) for a, b in wanted - equal)
        linked = sum(a in node and b in node and frozenset((node[a], node[b])) in links for a, b in wanted)
        strange = sum(not of[a] & of[b] for a, b in map(tuple, links))
        mode_name = "with dates" if mode else "without dates"
        by_mode[mode_name] = LinkedSteps(linked, together, len(wanted - equal), len(links), strange)
    return by_mode


def _file(path: str) -> str:
    """What lies in a file counts as that file: one version was kept as the mail that it came in."""
    return path.partition("!/")[0]


def main() -> None:
    folder, truth = map(Path, sys.argv[1:3])
    threshold = float(sys.argv[3]) if len(sys.argv) > 3 else 0.7
    with tempfile.TemporaryDirectory() as work:
        for mode, result in steps(folder, truth, Path(work), threshold).items():
            share = result.linked / result.steps
            print(
                f"{mode}: {result.linked} of {result.steps} steps linked ({share:.1%});"
                f" {result.together} are in one lineage;"
                f" {result.strange} of {result.links} links are between texts of different chains"
            )


if __name__ == "__main__":
    main()
