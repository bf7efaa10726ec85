"""How many steps of known version chains a lineage links: `python -m bench.lineage FOLDER TRUTH [THRESHOLD]`.

TRUTH is a tab-separated file of lines `chain, path, date`: the versions of each chain in their order, paths relative to
FOLDER, dates in ISO form or empty (then the versions' order stands for dates). Versions are copied under names that
tell nothing, with these dates, scanned as anyone would, and every step between adjacent versions of unlike text is
looked up in the lineage of their family. A step whose versions are in different families is not linked.
"""

import os
import shutil
import sys
import tempfile
from collections import defaultdict
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from nearkin.api.store import Store


def steps(folder: Path, truth: Path, work: Path, threshold: float) -> dict[str, tuple[int, int, int]]:
    """(linked, in one family, all), with dates and without."""
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
    families = {one["id"]: {d["path"] for d in one["documents"]} for one in store.families().to_pylist()}
    together = sum(any({a, b} <= members for members in families.values()) for a, b in wanted)
    found = {}
    for mode in (True, False):
        links: set[frozenset[str]] = set()
        node: dict[str, str] = {}
        for family in families:
            tree = store.lineage(family, dates=mode).to_pylist()
            node |= {path: one["path"] for one in tree for path in (one["path"], *one["copies"])}
            links |= {frozenset((one["path"], one["source"])) for one in tree if one["source"]}
        linked = sum(a in node and b in node and frozenset((node[a], node[b])) in links for a, b in wanted)
        equal = sum(a in node and node[a] == node.get(b) for a, b in wanted)
        found["with dates" if mode else "without dates"] = linked, together - equal, len(wanted) - equal
    return found


def main() -> None:
    folder, truth = map(Path, sys.argv[1:3])
    threshold = float(sys.argv[3]) if len(sys.argv) > 3 else 0.7
    with tempfile.TemporaryDirectory() as work:
        for mode, (linked, together, every) in steps(folder, truth, Path(work), threshold).items():
            print(f"{mode}: {linked} of {every} steps linked ({linked / every:.1%}); {together} are in one family")


if __name__ == "__main__":
    main()
