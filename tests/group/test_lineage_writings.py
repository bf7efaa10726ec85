"""Writings of the same words, against the plain definition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.group.lineage import Moment, Windows, derive, source_of_each, united

Worded = tuple[Windows, list[list[int]]]


@st.composite
def worded(draw: st.DrawFn) -> Worded:
    """Sets of windows in place of texts, each text in one of a few wordings."""
    texts = draw(st.lists(st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 12))), min_size=1, max_size=8))
    new = np.array([[len(v - u) for _, v in texts] for _, u in texts], np.int64)
    wordings = list(dict.fromkeys(wording for wording, _ in texts))
    sizes = np.array([len(text) for _, text in texts], np.int64)
    return Windows(sizes, new), [[at for at, text in enumerate(texts) if text[0] == one] for one in wordings]


@settings(max_examples=200, deadline=None)
@given(worded())
def test_wordings_are_as_far_apart_as_their_nearest_writings(given_: Worded) -> None:
    windows, writings = given_
    new = windows.new
    found = united(windows, writings).new
    for u, one in enumerate(writings):
        for v, other in enumerate(writings):
            if u == v:
                assert found[u, v] == 0
                continue
            least = min(new[a, b] + new[b, a] for a in one for b in other)
            pairs = {(new[a, b], new[b, a]) for a in one for b in other if new[a, b] + new[b, a] == least}
            assert (found[u, v], found[v, u]) in pairs


@settings(max_examples=200, deadline=None)
@given(worded())
def test_every_text_but_one_has_a_source_that_is_no_later(given_: Worded) -> None:
    windows, writings = given_
    moments = [Moment(float(at + 1), "file") for at in range(len(windows.sizes))]
    dated = derive(united(windows, writings), [moments[one[0]] for one in writings])
    found = source_of_each(dated, writings, windows, moments)
    assert found.count(None) == 1
    assert all(source is None or source < text for text, source in enumerate(found))
    for one in writings:
        assert all(found[text] in one for text in one[1:])
