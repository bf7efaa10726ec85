"""What templates leave out of signatures: the same as signing the payload, for every scheme that samples shingles."""

from collections.abc import Sequence

import numpy as np
import pytest

from nearkin.matching.template import LeftOut, among, features_of, passages_in, shingles_of, without_templates
from nearkin.scheme import parse_scheme, sign
from nearkin.scheme.shingler import Shingler
from nearkin.store.signatures import Signatures
from nearkin.store.templates import Template
from nearkin.text.canon import Canon
from oracle import units
from oracle.prose import prose

CANON = Canon.parse("words/1:ignore=case+punctuation")


def template(*passages: bytes, canon: str = CANON.spec) -> Template:
    return Template(1, "form", "text", None, canon, passages, "ann", None, "")


def signatures(texts: list[bytes], spec: str) -> Signatures:
    signed = [sign(text, parse_scheme(spec)) for text in texts]
    weighed = parse_scheme(spec).measure == "bytes"
    return Signatures(
        moduli=np.array([one.modulus for one in signed], np.uint64),
        offsets=np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        features=np.concatenate([one.features for one in signed]),
        weights=np.concatenate([np.zeros(0, np.uint32), *(one.weights for one in signed if weighed)]),
    )


def left(texts: list[bytes], spec: str, *passages: bytes, kept: bool = True) -> list[set[int]]:
    """The features of each text that are left."""
    scheme = parse_scheme(spec)
    features = features_of(template(*passages), scheme, CANON)

    def read(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] if kept else None for row in rows]

    found = without_templates(signatures(texts, spec), scheme, read, LeftOut(1, features, features, features))
    ends = found.offsets.astype(np.int64)
    if len(found.weights):
        assert len(found.weights) == len(found.features)
    return [set(found.features[ends[i] : ends[i + 1]].tolist()) for i in range(len(texts))]


FORM = prose(1, 1500)
TEXTS = [FORM + prose(2, 500), prose(3, 400) + FORM, prose(4, 900), FORM]


@pytest.mark.parametrize(
    "spec",
    [
        "exact:window=20",
        "exact:window=20,label=yes",
        "exact:window=4,unit=word",
        "mod:window=20,n=8",
        "mod:window=20,n=4,seed=5,bits=40",
        "mod:window=20,sample=100,most=8",
    ],
)
def test_samples_lose_the_shingles_of_the_template(spec: str) -> None:
    scheme = parse_scheme(spec)
    assert scheme.shingler is not None
    template_shingles = set(scheme.shingler.native().all(FORM).tolist())
    for text, found in zip(TEXTS, left(TEXTS, spec, FORM), strict=True):
        assert found == set(sign(text, scheme).features.tolist()) - template_shingles
    assert left(TEXTS, spec, FORM)[3] == set()


@pytest.mark.parametrize(
    "spec", ["min:window=20,n=50", "min:window=20,n=50,mod=4", "min:window=20,n=30,seed=3,bits=32"]
)
def test_the_smallest_are_those_of_the_payload(spec: str) -> None:
    scheme = parse_scheme(spec)
    assert scheme.shingler is not None
    native = scheme.shingler.native()
    modulus = sign(TEXTS[0], scheme).modulus
    for text, found in zip(TEXTS, left(TEXTS, spec, FORM), strict=True):
        payload_shingles = {one for one in set(native.all(text).tolist()) if one % modulus == 0}
        assert found == set(sorted(payload_shingles - set(native.all(FORM).tolist()))[: scheme.limit])


def test_slots_are_filled_by_the_payload() -> None:
    with_form, plain = prose(5, 600) + FORM, prose(5, 600)
    first, second = left([with_form, plain], "sketch:window=20,n=100", FORM)
    alone = set(sign(plain, parse_scheme("sketch:window=20,n=100")).features.tolist())
    assert second == alone
    assert len(first & alone) >= 80, "but for the shingles across the border they are the same text"


@pytest.mark.parametrize("spec", ["min:window=20,n=50", "sketch:window=20,n=100"])
def test_samples_of_fixed_size_stay_whole_without_texts(spec: str) -> None:
    whole = [set(sign(text, parse_scheme(spec)).features.tolist()) for text in TEXTS]
    assert left(TEXTS, spec, FORM, kept=False) == whole


def test_whole_chunks_of_the_template_are_left_out() -> None:
    spec = "tttd:mean=40"
    scheme = parse_scheme(spec)
    chunks = set(sign(FORM, scheme).features.tolist())
    for text, found in zip(TEXTS, left(TEXTS, spec, FORM), strict=True):
        assert found == set(sign(text, scheme).features.tolist()) - chunks
    assert len(left(TEXTS, spec, FORM)[1]) < len(sign(TEXTS[1], scheme)) / 2


@pytest.mark.parametrize("unit", ["byte", "char", "word", "soundex", "line"])
@pytest.mark.parametrize("label", [False, True])
def test_shingles_of_passages(unit: str, label: bool) -> None:
    join = b"\n" if unit == "line" else b" "
    passages = [join.join([b"rose", b"is", b"a"] * 3), join.join([b"robert", b"rose"])]
    found = shingles_of(passages, Shingler(3, unit, label))
    window = units.shingle_set(passages[0], unit, 3, label=label)
    more = units.shingle_set(passages[1], unit, 3, label=label) if unit in ("byte", "char") else set()
    assert len(found) == len(window | more), "a passage shorter than the window has none"


def test_passages_of_other_texts_are_made_canonical_again() -> None:
    digits = Canon.parse("words/1:ignore=case+punctuation+digits")
    cut = "é nine 9 lives".encode()[1:]  # begins inside a character
    assert passages_in(template(cut), CANON) == (cut,)
    assert passages_in(template(cut), digits) == [b"nine lives"]


def test_among() -> None:
    ascending = np.array([3, 5, 9], np.uint64)
    assert among(np.array([9, 1, 5, 10, 3, 0], np.uint64), ascending).tolist() == [
        True,
        False,
        True,
        False,
        True,
        False,
    ]
    assert not among(ascending, np.zeros(0, np.uint64)).any()
