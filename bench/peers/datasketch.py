"""datasketch: MinHash.bulk in workers, MinHashLSH in one process; for 0.7 it chooses 14 bands of 9 rows."""

from typing import Any

from bench.peer_shingles import (
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
    from datasketch import MinHashLSH

    with pool() as workers:
        sketches = collect(workers.imap(_sign, parts))
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    for key, sketch in enumerate(sketches):
        index.insert(key, sketch, check_duplication=False)
    return pairs_of(index.query(sketch) for sketch in sketches)


def _sign(part: Part) -> Any:
    from datasketch import MinHash

    tokens = ([shingle.encode() for shingle in set(shingles(text))] for text in read_pages(part))
    return MinHash.bulk(tokens, num_perm=PERMUTATIONS)


if __name__ == "__main__":
    run_peer(find_pairs)
