"""What families are made of: links that join or tell a distance, and containments that attach parts.

Columns, so that a million matches are grouped without a loop in Python. Rows are in order of digests: where scores are
equal the smaller row decides, the same way everywhere.
"""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.match_columns import MatchColumns
from nearkin.settings import MatchSettings

Rows = NDArray[np.uint32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Links:
    """Pairs of rows that resemble each other, each pair once."""

    a: Rows
    b: Rows
    resemblance: Floats
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, chosen: NDArray[np.bool_] | NDArray[np.intp] | Rows) -> "Links":
        return Links(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


@dataclass(frozen=True)
class Containments:
    """Pairs of rows of which one lies in the other, but which do not resemble each other by the threshold."""

    a: Rows
    b: Rows
    a_in_b: Floats  # NaN: unknown
    b_in_a: Floats
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]

    def __getitem__(self, chosen: NDArray[np.bool_]) -> "Containments":
        return Containments(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


@dataclass(frozen=True)
class Evidence:
    links: Links
    inside: Containments
    settings: MatchSettings

    @classmethod
    def of(cls, matches: MatchColumns, settings: MatchSettings) -> "Evidence":
        links = Links(**{field.name: getattr(matches, field.name) for field in fields(Links)})
        inside = Containments(**{field.name: getattr(matches, field.name) for field in fields(Containments)})
        reached = np.fmax(inside.a_in_b, inside.b_in_a) >= settings.containment
        return cls(links, inside[reached & (links.resemblance < settings.threshold)], settings)

    @property
    def joins(self) -> Links:
        """Those that reach the threshold."""
        return self.links[self.links.resemblance >= self.settings.threshold]

    def without(self, apart: NDArray[np.bool_], apart_inside: NDArray[np.bool_]) -> "Evidence":
        return replace(self, links=self.links[~apart], inside=self.inside[~apart_inside])

    def homes(self, degree: NDArray[np.int64]) -> Rows:
        """For every part the content in whose family it belongs; for all others they themselves.

        A content that resembles another by the threshold is its version, never a part: parts are the same in every
        view.
        """
        inside = self.inside
        return _native.homes(
            (degree == 0).astype(np.uint8),
            inside.a,
            inside.b,
            inside.a_in_b,
            inside.b_in_a,
            inside.size_a,
            inside.size_b,
            share=self.settings.containment,
            size=self.settings.part_shingles,
        )


def degrees(contents: int, joins: Links) -> NDArray[np.int64]:
    """How many others each content resembles."""
    return np.bincount(joins.a, minlength=contents) + np.bincount(joins.b, minlength=contents)
