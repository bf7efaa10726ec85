"""gaoya: MinHashStringIndex, whose own Rust analyser cuts the words and signs on every core.

Its three containers insert about equally fast. A query signs its texts again: it cannot ask with signatures.
Texts of fewer than five words have no shingles there and all match one another.
"""

from bench.peer_shingles import BANDS, ROWS, THRESHOLD, Pairs, Part, collect, pairs_of, pool, read_pages, run_peer


def find_pairs(parts: list[Part]) -> Pairs:
    with pool() as workers:
        texts = collect(workers.imap(read_pages, parts))
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=THRESHOLD,
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="word",
        lowercase=False,  # done while reading
        ngram_range=(5, 5),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return pairs_of(index.par_bulk_query(texts))


if __name__ == "__main__":
    run_peer(find_pairs)
