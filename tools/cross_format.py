"""How alike is the same document in several formats? For each pair of formats the least and the median resemblance.

    python tools/cross_format.py FOLDER

FOLDER holds a folder for each document, with one file for each format, or a folder of that name (html) with its pages.
"""

import sys
from itertools import combinations
from pathlib import Path
from statistics import median

import nearkin
from nearkin.formats.adapter import Limits
from nearkin.formats.registry import HEAD, detect, read_with
from nearkin.text.kind import extract, named_html

GOAL = 0.85


def text_of(path: Path) -> str:
    if path.is_dir():
        return "\n".join(text_of(page) for page in sorted(path.iterdir()))
    with path.open("rb") as file:
        data = file.read()
        chosen = detect(data[:HEAD], path.name.encode(), file)
        if chosen:
            return read_with(chosen, file, Limits()).text or ""
    return (extract(data, named_html=named_html(path.name.encode())).text or b"").decode("utf-8", "replace")


def main(folder: Path) -> None:
    pairs: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for document in sorted(path for path in folder.iterdir() if path.is_dir()):
        texts = {path.suffix or f".{path.name}": text_of(path) for path in sorted(document.iterdir())}
        for one, other in combinations(sorted(texts), 2):
            alike = nearkin.resemblance(texts[one], texts[other])
            pairs.setdefault((one, other), []).append((alike, document.name))
    for (one, other), told in pairs.items():
        for alike, name in sorted(told):
            if alike < GOAL:
                sys.stdout.write(f"below {GOAL}: {name} {one} {other} {alike:.3f}\n")
    for (one, other), told in sorted(pairs.items(), key=lambda item: min(item[1])):
        least, name = min(told)
        below = sum(alike < GOAL for alike, _ in told)
        sys.stdout.write(
            f"{one:6} {other:6} documents {len(told):3}  least {least:.3f} ({name})  "
            f"median {median(alike for alike, _ in told):.3f}  below {GOAL}: {below}\n"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
