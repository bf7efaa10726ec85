"""The chain view (Forman 2005 §2.3 step 5: union-find over the matches): who resembles a member is a member.

The pivot is most linked, then longest, then first by digest. The weakest link is of those that hold the chain together:
weaker ones between members that hang together without them do not count.
"""

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Evidence, Links, Rows, degrees
from nearkin.group.families import Families
from nearkin.group.family import Partition, Tally, first_of
from nearkin.matching.match_columns import MatchColumns


def chain(evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64]) -> Families:
    chains = chained(evidence, lengths)
    return Families.of(chains, chains.labels(copies))


def chained(evidence: Evidence, lengths: NDArray[np.int64]) -> Partition:
    joins = evidence.joins
    label = linked(len(lengths), joins)
    degree = degrees(len(lengths), joins)
    return Partition(
        label=label,
        home=evidence.homes(degree),
        pivots=first_of(label, -degree, -lengths),
        counted=joins,
        tally=Tally.of(label, joins, chains=True),
        # What was only estimated is measured on the texts afterwards, or stays unknown.
        near=evidence.links[evidence.links.exact],
    )


def linked(contents: int, joins: Links | MatchColumns) -> Rows:
    """For every content a label that all have which hang together."""
    return _native.components(contents, joins.a, joins.b)
