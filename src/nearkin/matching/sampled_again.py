"""Samples of fixed size without what templates ignore: taken again from the texts (nearkin.matching.template)."""

import numpy as np

from nearkin import _native
from nearkin.matching.candidates import Postings
from nearkin.matching.distinct import distinct
from nearkin.matching.template import AT_ONCE, NOTHING, Features, among
from nearkin.matching.verify import Texts
from nearkin.scheme import Scheme
from nearkin.scheme.min import Min
from nearkin.scheme.sketch import Sketch
from nearkin.store.signatures import Signatures


def sampled_again(signed: Signatures, scheme: Scheme, texts: Texts, ignored: Features) -> Postings:
    """The sample of what is left of each. Texts that were not kept stay whole.

    Of the n smallest none is new where no template is among them. A slot's number does not tell whose it was: every
    text is sampled again there.
    """
    assert isinstance(scheme, Sketch | Min)
    lists = np.split(signed.features, signed.offsets[1:-1].astype(np.int64)) if len(signed.moduli) else []
    for start in range(0, len(lists), AT_ONCE):
        rows = [row for row in range(start, min(start + AT_ONCE, len(lists))) if len(lists[row])]
        if isinstance(scheme, Min):
            rows = [row for row in rows if among(lists[row], ignored).any()]
        for row, text in zip(rows, texts(rows), strict=True):
            if text is not None:
                lists[row] = _sample(text, scheme, ignored)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.uint64)
    return Postings(offsets, np.concatenate([NOTHING, *lists]), signed.weights, signed.moduli)


def _sample(text: bytes, scheme: Sketch | Min, ignored: Features) -> Features:
    shingles = distinct(scheme.shingler.native().all(text))
    left = shingles[~among(shingles, ignored)]
    if isinstance(scheme, Sketch):
        return _native.slot_minima(left, scheme.n)
    if scheme.modulus > 1:
        left = left[left % np.uint64(scheme.modulus) == 0]
    return left[: scheme.n]
