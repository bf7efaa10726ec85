"""Texts in memory, signed and held natively, against canonical texts and signatures made one by one."""

import hashlib
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.api.texts import IGNORED, canon_for
from nearkin.engine.texts import SignedTexts, in_batches, sign_texts
from nearkin.scheme import parse_scheme
from oracle.prose import prose

SCHEMES = ("mod:window=20,sample=200,most=64", "tttd:mean=100", "min:n=20", "fuzzy")
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([b"", b" ", b"...", b"\xef\xbb\xbf", b"a", b"A", b"a!", "\u00c9t\u00e9".encode(), b"\xff"]),
        st.builds(prose, st.integers(0, 4), st.sampled_from([5, 400, 401, 3000])),
    ),
    max_size=12,
)


def signed(texts: list[str | bytes], scheme: str, *, raw: bool = False, jobs: int = 2) -> SignedTexts:
    how = parse_scheme(scheme)
    named = ((f"text {at}", text) for at, text in enumerate(texts))
    return sign_texts(in_batches(named), how, canon_for(raw, IGNORED, how), jobs=jobs)


@settings(max_examples=60)
@given(TEXTS, st.sampled_from(SCHEMES), st.booleans(), st.integers(1, 4), st.data())
def test_each_content_once_in_the_order_of_digests(
    texts: list[bytes], scheme: str, raw: bool, at_once: int, data: st.DataObject
) -> None:
    how = parse_scheme(scheme)
    canon = canon_for(raw, IGNORED, how)
    holders: dict[bytes, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        canonical = text if raw else canon.apply(text.removeprefix(b"\xef\xbb\xbf"))
        if canonical:
            holders[canonical].append(at)
    wanted = sorted(holders, key=lambda text: hashlib.sha256(text).digest())
    given: list[str | bytes] = [
        text.decode() if text.isascii() and data.draw(st.booleans(), label="as a string") else text for text in texts
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nearkin.engine.texts.AT_ONCE", at_once)
        found = signed(given, scheme, raw=raw)
    assert found.names == [f"text {at}" for at in range(len(texts))]
    contents = found.contents
    assert list(contents.texts(range(len(wanted)))) == wanted
    assert contents.lengths.tolist() == [len(text) for text in wanted]
    assert found.holders.tolist() == [at for text in wanted for at in holders[text]]
    assert found.starts.tolist() == [0, *np.cumsum([len(holders[text]) for text in wanted]).tolist()]
    assert len(contents.offsets) == len(wanted) + 1
    for row, text in enumerate(wanted):
        features, weights, modulus = _native.sign(how.native(), text)
        place = slice(int(contents.offsets[row]), int(contents.offsets[row + 1]))
        assert contents.features[place].tolist() == features.tolist()
        assert contents.moduli[row] == modulus
        if how.measure == "bytes":
            assert contents.weights[place].tolist() == weights.tolist()
    if how.measure != "bytes":
        assert len(contents.weights) == 0


def test_what_is_lent_outlives_who_lent_it() -> None:
    text = prose(1, 5000)
    features = signed([text], SCHEMES[0]).contents.features
    some = signed([text], SCHEMES[0]).contents.texts([0])
    assert features.tolist() == signed([text], SCHEMES[0]).contents.features.tolist()
    assert some[0] == text


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError, match="no content"):
        signed([b"one text"], SCHEMES[0]).contents.texts([1])


def test_other_strings_are_refused() -> None:
    """They would be encoded beside the string, for as long as it lives."""
    with pytest.raises(TypeError, match="ASCII"):
        signed(["caf\u00e9"], SCHEMES[0])
