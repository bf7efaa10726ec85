"""What templates leave out of signatures and of exact measures (Forman 2005 §4).

"These chunks are to be ignored on future runs, effectively reducing the file sizes to their non-template payload. …
Note that the files do not need to be re-chunked." Here too signatures stay as they are stored, and lose the templates'
features when they are loaded. Samples of fixed size are the exception: what a template took from the n smallest, or
from a slot, its payload must fill, and that is in the text only. Such contents are sampled again, in memory, if their
texts were kept.

`fuzzy` and `si` make a few numbers of a whole text. Nothing in them is the template's alone, so templates do not apply.

"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Postings, distinct
from nearkin.matching.verify import Texts
from nearkin.scheme import Scheme, sign
from nearkin.scheme.min import Min
from nearkin.scheme.shingler import ALL_BITS, Shingler
from nearkin.scheme.sketch import Sketch
from nearkin.store.segments import digest_of
from nearkin.store.signatures import Signatures
from nearkin.store.templates import Template, all_templates, store_features, stored_features
from nearkin.text.canon import Canon

Features = NDArray[np.uint64]
NOTHING: Features = np.zeros(0, np.uint64)
AT_ONCE = 256  # texts
UNSTORED = -1  # the id of a scheme that is not in the store: features are made for the moment


def templates_apply(scheme: Scheme) -> bool:
    """Whether signatures of a scheme have features that are a template's alone."""
    return not scheme.estimator.coded


class LeftOut(NamedTuple):
    """Features that the templates of a store take from every comparison under one scheme."""

    templates: int  # how many there are; 0 also where they do not apply
    features: Features  # of signatures, ascending
    shingles: Features  # of the exact measure, which knows neither seed nor bits
    indexed: Features  # what an index leaves out: samples of fixed size must not, they would only be smaller

    @property
    def digest(self) -> bytes:
        """The digest of the features; empty where there are none."""
        return digest_of(self.features)

    @property
    def counts(self) -> dict[str, int]:
        """The counts that a run stores."""
        return {"templates": self.templates, "template_state": self.state}

    @property
    def state(self) -> int:
        """The digest as a number, as a run's counts have it."""
        return int.from_bytes(self.digest[:6], "big")


def left_out(connection: sqlite3.Connection, scheme_id: int, scheme: Scheme, canon: Canon) -> LeftOut:
    """Load what the templates of a store leave out under a scheme."""
    templates = all_templates(connection) if templates_apply(scheme) else []
    if not templates:
        return LeftOut(0, NOTHING, NOTHING, NOTHING)
    known = stored_features(connection, scheme_id)
    features = [
        known[template.id] if template.id in known else features_of(template, scheme, canon) for template in templates
    ]
    plain = plain_shingler(scheme)
    shingles = [shingles_of(passages_in(template, canon), plain) for template in templates] if plain else []
    united = _united(features)
    return LeftOut(len(templates), united, _united(shingles), NOTHING if scheme.limit else united)


def keep_features(connection: sqlite3.Connection, scheme_id: int, scheme: Scheme, canon: Canon) -> None:
    """Store the features of templates that are missing under a scheme. In a transaction."""
    if templates_apply(scheme):
        known = stored_features(connection, scheme_id)
        for template in all_templates(connection):
            if template.id not in known:
                store_features(connection, template.id, scheme_id, features_of(template, scheme, canon))


def features_of(template: Template, scheme: Scheme, canon: Canon) -> Features:
    """All features of a template, not a sample: those that a signature has of its text are among them."""
    passages = passages_in(template, canon)
    if scheme.shingler is not None:
        return shingles_of(passages, scheme.shingler)
    return _united([sign(passage, scheme).features for passage in passages])


def passages_in(template: Template, canon: Canon) -> Sequence[bytes]:
    """The passages of a template, made canonical as the texts they are compared with."""
    if template.canon == canon.spec:
        return template.passages
    # A passage that was cut may begin or end inside a character.
    whole = (passage.decode("utf-8", "ignore").encode() for passage in template.passages)
    return [made for made in map(canon.apply, whole) if made]


def shingles_of(passages: Sequence[bytes], shingler: Shingler) -> Features:
    """The shingles of passages; those shorter than one shingle have none. Where occurrences are told apart, as many as
    some passage has."""
    native, units = shingler.native(), replace(shingler, window=1, label=False).native()
    return _united([native.all(passage) for passage in passages if units.count(passage) >= shingler.window])


def plain_shingler(scheme: Scheme) -> Shingler | None:
    """The shingler of the exact measure, without seed and with all bits; None: the scheme has no shingles."""
    return None if scheme.shingler is None else replace(scheme.shingler, bits=ALL_BITS, seed=0)


def _united(parts: Sequence[Features]) -> Features:
    return distinct(np.concatenate([NOTHING, *parts]))


def among(features: Features, ascending: Features) -> NDArray[np.bool_]:
    """Say of each feature whether it is among these. NumPy's own function sorts both once more; far fewer are looked up
    here than that would pay for."""
    if not len(ascending):
        return np.zeros(len(features), np.bool_)
    at = np.minimum(np.searchsorted(ascending, features), len(ascending) - 1)
    is_among: NDArray[np.bool_] = ascending[at] == features
    return is_among


def without_templates(signed: Signatures, scheme: Scheme, texts: Texts, ignored: LeftOut) -> Postings:
    """Signatures without the features of templates."""
    if not len(ignored.features):
        return Postings(signed.offsets, signed.features, signed.weights, signed.moduli)
    if scheme.limit:
        return sampled_again(signed, scheme, texts, ignored.features)
    kept = ~among(signed.features, ignored.features)
    before = np.concatenate([[0], np.cumsum(kept)])
    weights = signed.weights[kept] if len(signed.weights) else signed.weights
    return Postings(before[signed.offsets].astype(np.uint64), signed.features[kept], weights, signed.moduli)


def sign_all(scheme: Scheme, texts: Texts, count: int) -> Signatures:
    """Sign contents 0 to count, in memory; those without a kept text have no features."""
    signed = []
    for start in range(0, count, AT_ONCE):
        for text in texts(range(start, min(start + AT_ONCE, count))):
            signed.append(sign(text or b"", scheme))
    return Signatures(
        moduli=np.array([signature.modulus for signature in signed], np.uint64),
        offsets=np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        features=np.concatenate([NOTHING, *(signature.features for signature in signed)]),
        weights=np.zeros(0, np.uint32),
    )


def sampled_again(signed: Signatures, scheme: Scheme, texts: Texts, ignored: Features) -> Postings:
    """Sample again what templates leave of each text. Signatures whose text was not kept stay as they are.

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
    offsets = np.concatenate([[0], np.cumsum([len(features) for features in lists])]).astype(np.uint64)
    return Postings(offsets, np.concatenate([NOTHING, *lists]), signed.weights, signed.moduli)


def _sample(text: bytes, scheme: Sketch | Min, ignored: Features) -> Features:
    shingles = distinct(scheme.shingler.native().all(text))
    left = shingles[~among(shingles, ignored)]
    if isinstance(scheme, Sketch):
        return _native.slot_minima(left, scheme.n)
    if scheme.modulus > 1:
        left = left[left % np.uint64(scheme.modulus) == 0]
    return left[: scheme.n]
