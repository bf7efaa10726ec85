"""How many words must be put in, taken out or replaced to make one text of another (Cherkasova 2009 §5)."""

from dataclasses import dataclass

from nearkin import _native

MOST = 2_000  # edits; the square of it in steps and, four times, in bytes: 0.05 s and 16 MB where it is reached


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes of the texts; an empty range says where something was put in or taken out."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True)
class WordEdits:
    distance: int
    edits: list[Edit]  # neighbours as one, in the order of the texts


def word_edits(a: bytes, b: bytes, *, most: int = MOST) -> WordEdits | None:
    """Of texts whose words are separated by single spaces, as canonical ones are; None: more than `most`."""
    found = _native.word_edits(a, b, most=most)
    if found is None:
        return None
    distance, columns = found
    return WordEdits(distance, [Edit(*one) for one in zip(*(column.tolist() for column in columns), strict=True)])
