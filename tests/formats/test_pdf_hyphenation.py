"""Words divided at line ends are one word again; words with a hyphen of their own stay two."""

import pytest

from nearkin.formats.pdf_layout import joined


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
        ("make-full-screen, make-full\ufffescreen", "make-full-screen, make-full-screen"),  # of three words
        ("make-full-screen, make\ufffefull-screen", "make-full-screen, make-full-screen"),
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
    "page", ["a" * 200_000 + " b\ufffec", "\ufffe" + "a1" * 100_000 + "_", "a\x02" * 50_000, "a-" * 50_000 + "\ufffe"]
)
def test_long_words_take_no_quadratic_time(page: str) -> None:
    """From each letter on, 20,000 of them took 18 seconds."""
    assert len(joined([page])[0]) >= len(page) // 2
