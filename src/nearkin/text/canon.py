"""Canonical text: what is left of a text when formatting is ignored (Broder 1997 §2's parser).

By default Unicode NFKC, case folded, letters of every script with their marks, digits; everything else one space.
Where a scheme counts lines they stay apart, each made canonical by itself. The rules live in the kernel
native/kernels/text/canon.cpp; this file names them. The spec is stored with every content: texts made canonical in
different ways are never compared.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import StoreError
from nearkin.settings import IGNORABLE, TextSettings

# The number is raised whenever the kernel would make something else of the same text.
VERSION = 1
LINES = ",lines"


@dataclass(frozen=True)
class Canon:
    """How texts are made canonical."""

    raw: bool
    ignore: frozenset[str]
    lines: bool = False  # each line by itself: for schemes that count lines

    @classmethod
    def of(cls, settings: TextSettings, *, lines: bool = False) -> "Canon":
        if settings.raw:
            return cls(True, frozenset())
        return cls(False, frozenset(settings.ignore), lines)

    @classmethod
    def parse(cls, spec: str) -> "Canon":
        """Read a stored spec. One that this version would not write is refused, never compared."""
        _, _, names = spec.removesuffix(LINES).partition("=")
        canon = cls(spec == "raw", frozenset(filter(None, names.split("+"))), spec.endswith(LINES))
        if canon.spec != spec:
            raise StoreError(f"The store's texts were made canonical as {spec!r}, which this nearkin does not know.")
        return canon

    @property
    def spec(self) -> str:
        if self.raw:
            return "raw"
        ignored = "+".join(name for name in IGNORABLE if name in self.ignore)
        return f"words/{VERSION}:ignore={ignored}" + (LINES if self.lines else "")

    @property
    def mask(self) -> int:
        return sum(1 << bit for bit, name in enumerate(IGNORABLE) if name in self.ignore)

    def apply(self, extracted: bytes) -> bytes:
        return extracted if self.raw else _native.canonical(extracted, self.mask, lines=self.lines)

    def apply_all(self, extracted: list[bytes], *, threads: int) -> list[bytes]:
        if self.raw:
            return extracted
        return _native.canonical_all(extracted, self.mask, threads, lines=self.lines)

    def apply_map(self, extracted: bytes) -> tuple[bytes, NDArray[np.uint64]]:
        """The canonical text, and for each of its bytes where it came from: a code point of the extracted text, or a
        byte of a raw one."""
        if self.raw:
            return extracted, np.arange(len(extracted), dtype=np.uint64)
        return _native.canonical_map(extracted, self.mask, lines=self.lines)
