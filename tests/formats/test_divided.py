"""Words divided at line ends are one word again; words with a hyphen of their own stay two."""

import pytest

from nearkin.formats.divided import joined
from nearkin.formats.pdf import LEADERS


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("it is avail\ufffeable here", "it is available here"),
        ("it is avail\x02\nable here", "it is available here"),
        ("at Springer\ufffeVerlag", "at Springer-Verlag"),
        ("a 32\ufffebit word", "a 32bit word"),
        ("the ISO\ufffe8859 sets", "the ISO-8859 sets"),
        ("a full-screen editor, a full\ufffescreen editor", "a full-screen editor, a full-screen editor"),
        ("Full-screen is full\ufffescreen", "Full-screen is full-screen"),
        ("co-operate and cooperate, co\ufffeoperate", "co-operate and cooperate, cooperate"),
        ("Über\ufffegänge, перенос\ufffeами", "Übergänge, переносами"),
        ("an end\ufffe", "an end"),
        ("\ufffebegins", "begins"),
        ("nothing - divided, full-\nscreen", "nothing - divided, full-\nscreen"),
    ],
)
def test_one_page(page: str, told: str) -> None:
    assert joined([page]) == [told]


def test_other_pages_tell_too() -> None:
    assert joined(["a full\ufffescreen", "full-screen"]) == ["a full-screen", "full-screen"]
    assert joined(["a full\ufffescreen", "full-screen", "Fullscreen"])[0] == "a fullscreen"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("1.1 Imports . . . . . . . 3\nnext", "1.1 Imports \nnext"),
        ("Preface.......... xii\n", "Preface \n"),
        ("sockets . . . . . 15, 16", "sockets "),
        ("cat . . . 7\n", "cat \n"),
        ("and so on ... 7 of them", "and so on ... 7 of them"),
        ("wait... 7", "wait... 7"),
        ("a . . . . . . 3 men", "a 3 men"),
        ("version 1.2.3.4.5 7", "version 1.2.3.4.5 7"),
    ],
)
def test_leaders_go_with_the_numbers_of_pages(line: str, told: str) -> None:
    assert LEADERS.sub(" ", line) == told
