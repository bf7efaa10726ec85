"""Every scheme of `nearkin schemes`, by its own examples: how fast it signs, and how large its signatures are."""

from functools import partial

import numpy as np

from bench.kernels import SIZES, inputs_of, named
from bench.speed import Clock
from bench.table import figure, table
from bench.truth import Truth
from nearkin import _native
from nearkin.scheme import SCHEMES, Scheme, parse_scheme


def specs() -> list[str]:
    return [example for known in SCHEMES.values() for example in known.example.split(" or ")]


def scheme_table(clock: Clock, truth: Truth, *, sizes: tuple[int, ...] = SIZES) -> str:
    texts = [inputs_of(size)["canonical"] for size in sizes]
    rows = []
    for spec in specs():
        scheme = parse_scheme(spec)
        row = [spec]
        for text in texts:
            speed = clock.measure(partial(_native.sign, scheme.native(), text), len(text))
            row += [figure(speed.per_second / 1e6), f"{speed.share:.1%}"]
        rows.append([*row, figure(_bytes_each(scheme, truth))])
    head = ["sign, one core"]
    for size in sizes:
        head += [f"{named(size)}: MB/s", "of memcpy"]
    return table([*head, "bytes/document"], rows)


def _bytes_each(scheme: Scheme, truth: Truth) -> float:
    """Of the signatures of the folder's documents that have a text, as a store keeps them."""
    texts = [text for text in truth.texts.values() if text][:2000]
    signed = (_native.sign(scheme.native(), text) for text in texts)
    return float(np.mean([features.nbytes + weights.nbytes for features, weights, _ in signed]))
