"""The C++20 core. Kernels are in native/kernels, conversions in native/bindings.cpp."""

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]

# Rabin fingerprints: x^64 + POLYNOMIAL is the modulus. `fingerprints` gives one per window, in order.
POLYNOMIAL: int

def fingerprint(text: bytes) -> int: ...
def fingerprints(text: bytes, window: int) -> U64: ...

# Digests and encodings.
def sha256(data: bytes, portable: bool = False) -> bytes: ...
def valid_utf8(data: bytes) -> bool: ...
def count_code_points(utf8: bytes) -> int: ...

# What sniff says. OTHER is text in an encoding that is not UTF-8.
EMPTY: int
TEXT: int
HTML: int
BINARY: int
OTHER: int

def sniff(data: bytes, named_html: bool) -> int: ...

# The text a reader of a page sees; UTF-8 in, UTF-8 out.
def visible_text(html: bytes) -> bytes: ...

# Bits of what canonical text ignores.
IGNORE_CASE: int
IGNORE_PUNCTUATION: int
IGNORE_DIGITS: int
IGNORE_ACCENTS: int

# Words separated by single spaces. The map gives, for every byte, the index of its character in the input.
def canonical(text: bytes, ignore: int) -> bytes: ...
def canonical_all(texts: list[bytes], ignore: int, threads: int) -> list[bytes]: ...
def canonical_map(text: bytes, ignore: int) -> tuple[bytes, U64]: ...

class Scheme: ...

def shingles(*, window: int, modulus: int, sample: int, most: int) -> Scheme: ...
def tttd(
    *, window: int, min: int, max: int, divisor: int, backup: int, residue: int, seed: int, bits: int
) -> Scheme: ...

# Features ascending, weights (empty where every feature weighs `modulus`), modulus.
def sign(scheme: Scheme, text: bytes) -> tuple[U64, U32, int]: ...

# Offsets, features, weights in order of offset.
def place(scheme: Scheme, text: bytes) -> tuple[U64, U64, U32]: ...

class Recipe:
    raw: bool
    def __init__(self, *, scheme: Scheme, raw: bool, ignore: int, max_size: int) -> None: ...

class Batch:
    """Rows as columns; variable-length things lie end to end, row i from ends[i-1] to ends[i]."""

    errors: NDArray[np.int32]
    kinds: U8
    sizes: U64
    mtimes: NDArray[np.int64]
    inodes: NDArray[np.int64]  # as SQLite can hold them
    owners: U32
    characters: U64
    lengths: U64
    moduli: U64
    digests: bytes
    content_digests: bytes
    texts: bytes
    canonical: bytes  # row i has lengths[i] bytes
    text_ends: U64
    features: bytes
    weights: bytes
    feature_ends: U64

# May stop early, with fewer rows than paths, when the texts grow large.
def ingest_files(paths: list[bytes], named_html: list[bool], recipe: Recipe) -> Batch: ...
def ingest_texts(texts: list[bytes], html: list[bool], recipe: Recipe) -> Batch: ...

# a, b, shared, size_a, size_b, strong: a < b, sorted by (a, b).
def candidates(
    offsets: U64,
    features: U64,
    weights: U32,
    moduli: U64,
    *,
    sampled: bool,
    resemblance: float,
    containment: float,
    floor: float,
    confidence: float,
    floor_reach: int,
    floor_most: int,
    short_part: int,
    short_sample: int,
    threads: int,
) -> tuple[U32, U32, U64, U64, U64, U8]: ...

# shared, size_a, size_b; `shared` may be 0 for pairs that reach neither bound.
def verify(
    texts: list[bytes],
    a: U32,
    b: U32,
    *,
    window: int,
    resemblance: float,
    containment: float,
    threads: int,
) -> tuple[U64, U64, U64]: ...
def intervals(k: U64, n: U64, *, confidence: float) -> tuple[F64, F64]: ...
def components(nodes: int, a: U32, b: U32) -> U32: ...
