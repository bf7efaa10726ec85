"""Numbers and names as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.cli.options import size_of
from nearkin.cli.wording import cells, name, seconds, shortened
from nearkin.model import Location
from nearkin.wording import count, safe, share, size


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (99940, "99.9 kB"),
        (123456, "123 kB"),
        (999499, "999 kB"),
        (999999, "1.0 MB"),
        (2600000, "2.6 MB"),
        (5 * 10**12, "5.0 TB"),
        (10**16, "10000 TB"),
    ],
)
def test_sizes(number: int, words: str) -> None:
    assert size(number) == words


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("512M", 512 << 20), ("2g", 2 << 30), ("1.5K", 1536), ("64 MiB", 64 << 20)]
)
def test_sizes_people_type(text: str, number: int) -> None:
    assert size_of(text) == number


def test_counts_and_times() -> None:
    assert (count(1, "families"), count(2, "families"), count(1, "matches")) == (
        "1 family",
        "2 families",
        "1 match",
    )
    assert (count(1, "documents"), count(12_345)) == ("1 document", "12,345")
    assert (seconds(0.34), seconds(61.4)) == ("0.3 s", "1 min 01 s")


def test_only_one_is_shown_as_one() -> None:
    assert (share(1.0), share(0.99999), share(0.9994), share(None)) == ("1.000", "0.999", "0.999", "–")


def test_names_cannot_mess_up_a_terminal() -> None:
    assert name(Location("s", b"a\x1b[2J\n\xe9\xe2\x80\xae.txt"), scoped=False) == "a\\x1b[2J\\n\\xe9\\u202e.txt"
    assert name(Location("s", b"a.txt"), scoped=True) == "s:a.txt"


@given(st.text(), st.integers(1, 60))
def test_shortened_fits(text: str, width: int) -> None:
    shown = safe(text)
    assert shown.isprintable() or set(shown) & set("\u200c\u200d")
    short = shortened(shown, width)
    assert cells(short) <= width
    assert short == shown if cells(shown) <= width else "…" in short


def test_more_is_kept_of_the_end() -> None:
    assert shortened("manuals/borent/the-long-name-of-it.txt", 20) == "manuals…me-of-it.txt"
    assert cells("取扱説明書") == 10
    assert cells("มือ") == 2
