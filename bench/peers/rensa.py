"""rensa: RMinHash and RMinHashLSH.

Tokens must be cut in Python, the most expensive step, so workers cut and sign, and sketches of 0.7 KB travel
back. Its faster digest matrices, and the "rho" sketch of its headline numbers, yield a flag a document, no
pairs.
"""

from typing import Any

from bench.peer_shingles import (
    BANDS,
    PERMUTATIONS,
    THRESHOLD,
    Pairs,
    Part,
    collect,
    pairs_of,
    pool,
    read_pages,
    run_peer,
    shingles,
)


def find_pairs(parts: list[Part]) -> Pairs:
    from rensa import RMinHashLSH

    with pool() as workers:
        sketches = collect(workers.imap(_sign, parts))
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
    index.insert_many(sketches)
    return pairs_of(index.query_all(sketches))


def _sign(part: Part) -> Any:
    from rensa import RMinHash

    tokens = [shingles(text) for text in read_pages(part)]
    return RMinHash.from_token_sets(tokens, num_perm=PERMUTATIONS, seed=42)


if __name__ == "__main__":
    run_peer(find_pairs)
