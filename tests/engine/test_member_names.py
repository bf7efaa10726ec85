from hypothesis import given
from hypothesis import strategies as st

from nearkin.engine.container import MemberNames

PARTS = st.sampled_from([b"", b".", b"..", b"a", b"b", b"a!", b"!", b"#1", b"#2", b"a#2", b"\xff", b"\0", b"c" * 5000])


@given(st.lists(st.lists(PARTS, max_size=4).map(b"/".join), max_size=12))
def test_names_are_unlike_and_lead_nowhere(given_names: list[bytes]) -> None:
    names = MemberNames()
    found = [names.of(name, number) for number, name in enumerate(given_names, 1)]
    assert len(set(found)) == len(found)
    for name in found:
        assert name
        assert b"!/" not in name
        assert b"\0" not in name
        assert not {b"", b".", b".."} & set(name.split(b"/"))
        assert len(name) < 4200


def test_harmless_names_are_kept() -> None:
    names = MemberNames()
    assert names.of(b"folder/a.docx", 1) == b"folder/a.docx"
    assert names.of(b"./folder//b.docx", 2) == b"folder/b.docx"
    assert names.of(b"/etc/passwd", 3) == b"etc/passwd"
    assert names.of(b"folder/a.docx", 4) == b"folder/a.docx#4"
    assert names.of(b"", 5) == b"#5"
    assert names.of(b"../x", 6) == b"%2E%2E/x"
    assert names.of(b"a!/b", 7) == b"a%21/b"
    assert names.of(b"caf\xe9", 8) == b"caf\xe9"
