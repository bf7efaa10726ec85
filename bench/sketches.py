"""`sketch` beside rensa's RMinHash: shingles a second at equal n, one core, the same shingles, rounds in turn.

rensa gets its quickest way in that makes one sketch a document: a buffer of 64-bit hashes, so that neither cutting
nor hashing of tokens counts for it (its "rho" sketches are of another kind and come without pairs). Beside it stands
`update` with a list of strings, what its users write; cutting the text into that list is not counted either. nearkin
is shown three times: on the same hashes, the same without vector instructions, and from the text itself, hashing
counted.
"""

import importlib.util
from collections.abc import Callable
from functools import partial

import numpy as np

from bench.kernels import WINDOW, inputs_of, named
from bench.speed import Clock
from bench.table import figure, table
from nearkin import _native
from nearkin.scheme import parse_scheme

SLOTS = 128
SIZES = (2 << 10, 64 << 10, 2 << 20)  # from 2^20 hashes on rensa takes a quicker way
OURS, THEIRS = "nearkin, hashes", "rensa, hashes"
Works = dict[str, Callable[[], object]]


def sketch_table(clock: Clock, *, sizes: tuple[int, ...] = SIZES) -> str:
    columns = [_measured(clock, size) for size in sizes]
    rows = [[name, *(figure(column[name] / 1e6) for column in columns)] for name in columns[0]]
    if THEIRS in columns[0]:
        rows.append([f"{OURS} / {THEIRS}", *(f"{column[OURS] / column[THEIRS]:.2f}" for column in columns)])
    return table([f"sketch, n = {SLOTS}: M shingles/s", *map(named, sizes)], rows)


def _measured(clock: Clock, size: int) -> dict[str, float]:
    """The best of many short rounds: what else runs on the machine can only slow one down."""
    text = inputs_of(size)["canonical"]
    hashes = _native.fingerprints(text, WINDOW)
    return {name: max(found) for name, found in clock.in_turn(_works(text, hashes), len(hashes)).items()}


def _works(text: bytes, hashes: np.ndarray) -> Works:
    scheme = parse_scheme(f"sketch:window={WINDOW},n={SLOTS}").native()
    works: Works = {
        OURS: partial(_native.slot_minima, hashes, SLOTS),
        "nearkin, hashes, portable": partial(_native.slot_minima, hashes, SLOTS, portable=True),
        "nearkin, from the text": partial(_native.sign, scheme, text),
    }
    if importlib.util.find_spec("rensa"):
        from rensa import RMinHash

        row = np.array([0, len(hashes)], np.uint64)
        tokens = [text[i : i + WINDOW].decode("latin-1") for i in range(len(hashes))]
        works[THEIRS] = partial(RMinHash.digest_matrix_from_flat_token_hashes, hashes, row, SLOTS, 42)
        works["rensa, update(strings)"] = lambda: RMinHash(SLOTS, 42).update(tokens)
    return works
