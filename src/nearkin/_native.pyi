"""The C++20 core. Kernels are in native/kernels, conversions in native/bindings.cpp."""

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL: int

def fingerprint(text: bytes, /) -> int: ...
def blake2b(data: bytes) -> bytes: ...
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
def canonical_map(text: bytes, ignore: int) -> tuple[bytes, NDArray[np.uint64]]: ...
