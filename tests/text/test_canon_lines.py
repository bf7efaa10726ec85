"""Canonical text that keeps its lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import StoreError
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon
from oracle import canon as oracle

LINES = Canon.of(TextSettings(), lines=True)
ENDS = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
TEXTS = st.one_of(
    st.text(max_size=60),
    st.text("aB ,\u0301\u2028\x85é\r\n", max_size=60),
    st.text("a\n", max_size=20),
)


def by_definition(text: str) -> tuple[str, list[int]]:
    out, origin = "", list[int]()
    at, ended = 0, 0
    for end in [*ENDS.finditer(text), None]:
        stop = end.start() if end else len(text)
        made, places = oracle.canonical_map(text[at:stop])
        if made:
            if out:
                out += "\n"
                origin.append(ended)
            out += made
            origin += [at + place for place in places]
            ended = stop
        at = end.end() if end else stop
    return out, origin


@given(TEXTS)
def test_each_line_is_made_canonical_by_itself(text: str) -> None:
    expected, origin = by_definition(text)
    made = LINES.apply(text.encode("utf-8", "surrogatepass"))
    assert made.decode() == expected
    mapped, places = LINES.apply_map(text.encode("utf-8", "surrogatepass"))
    assert mapped == made
    assert places.tolist() == [at for char, at in zip(expected, origin, strict=True) for _ in char.encode()]
    assert LINES.apply(made) == made
    assert LINES.apply_all([made, b"", text.encode("utf-8", "surrogatepass")], threads=2) == [made, b"", made]


@given(st.binary(max_size=60))
def test_any_bytes(text: bytes) -> None:
    made, origin = LINES.apply_map(text)
    assert made == LINES.apply(text)
    assert len(origin) == len(made)
    assert not made.startswith(b"\n")
    assert b"\n\n" not in made
    made.decode()


def test_the_two_canons_have_different_names() -> None:
    assert LINES.spec == "words/1:ignore=case+punctuation,lines"
    assert Canon.of(TextSettings(raw=True), lines=True).spec == "raw"
    for canon in (LINES, Canon.of(TextSettings()), Canon.of(TextSettings(ignore=()), lines=True)):
        assert Canon.parse(canon.spec) == canon
    for spec in ("raw,lines", "words/1:ignore=case,lines,lines", "words/1:ignore=lines"):
        with pytest.raises(StoreError):
            Canon.parse(spec)
