"""The join and the verifier on the signatures of real documents, on one thread and on all."""

from functools import partial

import numpy as np

from bench.process import cores
from bench.speed import Clock, Speed
from bench.table import figure, table
from bench.truth import Truth
from nearkin import _native
from nearkin.matching.candidates import Postings, find_candidates
from nearkin.scheme import parse_scheme
from nearkin.scheme.shingler import Shingler
from nearkin.settings import DEFAULT_SCHEME, MatchSettings


def join_table(clock: Clock, truth: Truth) -> str:
    scheme, settings = parse_scheme(DEFAULT_SCHEME), MatchSettings()
    texts = [text for text in truth.texts.values() if len(text) >= scheme.window]
    postings = _postings(texts)
    candidates = find_candidates(postings, scheme, settings, threads=cores())
    a, b = candidates.a[candidates.strong], candidates.b[candidates.strong]
    lengths = np.array([len(text) for text in texts], np.int64)
    size = int((lengths[a] + lengths[b]).sum())
    rows = []
    for threads in sorted({1, cores()}):
        join = partial(find_candidates, postings, scheme, settings, threads=threads)
        speed = clock.measure(join, postings.features.nbytes, rounds=3)
        done = f"{speed.per_second / 8e6:.2f} M postings/s"
        rows.append(["candidates", f"{threads}", f"{len(postings.features):,} postings", done, *_shown(speed)])
        check = partial(
            _native.verify,
            texts,
            a,
            b,
            shingler=Shingler(scheme.window).native(),
            resemblance=settings.floor,
            containment=settings.containment,
            threads=threads,
        )
        speed = clock.measure(check, size, rounds=3)
        done = f"{figure(len(a) * speed.per_second / max(size, 1) / 1e3)} k pairs/s"
        rows.append(["verify", f"{threads}", f"{len(a):,} pairs", done, *_shown(speed)])
    return table(("kernel", "threads", "work", "speed", "MB/s", "of memcpy"), sorted(rows))


def _shown(speed: Speed) -> tuple[str, str]:
    return figure(speed.per_second / 1e6), f"{speed.share:.1%}"


def _postings(texts: list[bytes]) -> Postings:
    native = parse_scheme(DEFAULT_SCHEME).native()
    signed = [_native.sign(native, text) for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(features) for features, _, _ in signed])])
    return Postings(
        offsets.astype(np.uint64),
        np.concatenate([np.zeros(0, np.uint64), *(features for features, _, _ in signed)]),
        np.concatenate([np.zeros(0, np.uint32), *(weights for _, weights, _ in signed)]),
        np.array([modulus for _, _, modulus in signed], np.uint64),
    )
