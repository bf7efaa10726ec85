"""Random graphs of links, and contents that they link."""

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nearkin.group.families import Containments, Evidence, Links
from nearkin.settings import MatchSettings
from oracle.views import Link

STRENGTHS = [0.7, 0.7, 0.75, 0.8, 0.8, 0.9, 0.97, 1.0]


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> tuple[list[int], list[Link]]:
    """Lengths of contents, few of them different, and links with many ties; nearly complete ones among them."""
    nodes = draw(st.integers(0, most))
    lengths = draw(st.lists(st.sampled_from([100, 200, 200, 300]), min_size=nodes, max_size=nodes))
    dense = draw(st.sampled_from([0.2, 0.5, 0.85, 1.0]))
    links = []
    for a, b in combinations(range(nodes), 2):
        if draw(st.floats(0, 1)) < dense:
            links.append((a, b, draw(st.sampled_from(STRENGTHS))))
    return lengths, draw(st.permutations(links)) if links else []


def columns(links: list[Link]) -> tuple[Any, Any, Any]:
    a, b = (np.array([link[side] for link in links], np.uint32) for side in (0, 1))
    return a, b, np.array([link[2] for link in links], np.float64)


def evidence(links: list[Link], inside: list[tuple[int, int, float]] = (), *, exact: bool = True) -> Evidence:  # type: ignore[assignment]
    """`inside`: part, container, share; the sizes are such that the larger row is the larger content."""
    a, b, strength = columns(links)
    part, whole, share = columns(list(inside))
    return Evidence(
        Links(a, b, strength, np.full(len(links), exact)),
        Containments(
            part, whole, share, np.full(len(part), 0.1), 300 + part.astype(np.int64), 900 + whole.astype(np.int64)
        ),
        MatchSettings(),
    )
