"""Dots that lead to numbers go; the numbers go only where they prove to be those of pages."""

import pytest

from formats import documents
from formats.test_visible_text import found
from nearkin.formats.pdf_layout import without_leaders


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Net sales ........ 52,314\nCosts ........ 7\n", "Net sales  52,314\nCosts  7\n"),
        ("Coffee . . . . . 350\nTea . . . . . 400\n", "Coffee 350\nTea 400\n"),
        ("Grade ..... c\n", "Grade  c\n"),
        ("Signed ..........\n1200\n", "Signed \n1200\n"),
        ("cat . . . 7\n", "cat . . . 7\n"),
        ("and so on ... 7 of them", "and so on ... 7 of them"),
        ("wait... 7", "wait... 7"),
        ("a . . . . . . 3 men", "a 3 men"),
        ("sockets . . . . . 15, 16", "sockets 15, 16"),
        ("version 1.2.3.4.5 7", "version 1.2.3.4.5 7"),
    ],
)
def test_numbers_stay_where_nothing_proves_them(text: str, told: str) -> None:
    assert words(without_leaders(text, 500, {0: text})) == words(told)


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n")]


LABELS = ["ape", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "kite"]


def lines(numbers: list[str], dots: str = " ........ ") -> str:
    return "".join(f"{label}{dots}{number}\n" for label, number in zip(LABELS, numbers, strict=False))


def book(numbers: list[str], front: int = 0) -> dict[int, str]:
    """Each label stands on the page that its line leads to."""
    pages = dict.fromkeys(range(30), "words of no line")
    for label, number in zip(LABELS, numbers, strict=False):
        if number.isdecimal() and int(number) < 30:
            pages[front + int(number) - 1] += f"\n{label}"
    return pages


CONTENTS = pytest.mark.parametrize(
    ("numbers", "dots"),
    [
        (["1", "3", "3", "7", "20"], " ........ "),
        (["1", "3", "3", "7", "20"], " . . . "),
        (["iii", "1", "3", "3", "20"], " ........ "),
        (["1", "3", "3", "7", "20"], " ........\n"),
        (["1", "3", "3", "7", "8", "20", "1", "3", "4", "5", "9"], " ........ "),
    ],
)


@CONTENTS
@pytest.mark.parametrize("front", [0, 2])
def test_page_numbers_of_contents_go(numbers: list[str], dots: str, front: int) -> None:
    text = lines(numbers, dots)
    assert without_leaders(text, 20, book(numbers, front)).split() == LABELS[: len(numbers)]
    assert numbers_of(without_leaders(text, 19, book(numbers, front)))[-1:] == numbers[-1:] or len(numbers) > 8
    assert numbers_of(without_leaders(text, 20, {})) == numbers


@CONTENTS
def test_numbers_of_contents_stay_where_their_lines_stand_elsewhere(numbers: list[str], dots: str) -> None:
    """Prices rise too, and what is sold may be told of anywhere."""
    text = lines(numbers, dots)
    assert numbers_of(without_leaders(text, 20, book([*numbers[2:], "2", "9"]))) == numbers
    every = dict.fromkeys(range(30), " ".join(LABELS))
    assert numbers_of(without_leaders(text, 20, every)) == numbers


def test_prices_that_rise_stay() -> None:
    prices = {"Hammer": 12, "Saw": 15, "Drill": 29, "Ladder": 35, "Mixer": 58, "Bucket": 59}
    pages = [[f"page of {word}", f"{word} and nails"] for word in (*prices, *LABELS * 5)]
    pages[4] = [f"{word} ............ {price}" for word, price in prices.items()]
    text = found(documents.pdf_of(pages[:60]))[1].text or ""
    assert [line.split() for line in text.split("\n") if line[-1:].isdecimal()] == [
        [word, str(price)] for word, price in prices.items()
    ]


def numbers_of(text: str) -> list[str]:
    return [word for word in text.split() if word not in (*LABELS, ".")]


@pytest.mark.parametrize(
    "numbers",
    [
        ["1", "3", "5", "7"],  # four
        ["2", "2", "2", "3", "3", "3"],  # two different ones
        ["1", "3", "7", "5", "9", "11"],
        ["c", "i", "c", "i", "v", "x"],
        ["1", "2", "3", "4", "5", "6", "7,000", "8"],
        ["1", "2", "3", "4", "5", "6", "900", "8"],
        ["9", "1", "2", "3", "4", "5", "4", "3"],  # a run by chance
    ],
)
def test_amounts_stay(numbers: list[str]) -> None:
    assert numbers_of(without_leaders(lines(numbers), 300, book(numbers[:7]))) == numbers


def test_lines_far_apart_prove_nothing() -> None:
    text = "text\n\n\n\n\n\n".join(lines([str(number)]) for number in range(1, 9))
    assert [word for word in without_leaders(text, 100, {0: text}).split() if word.isdecimal()] == [
        str(n) for n in range(1, 9)
    ]


def test_statements_of_other_amounts_are_other_texts() -> None:
    labels = ("Net sales", "Cost of sales", "Rent", "Wages", "Tax", "Net income")
    amounts = (["52,314", "30,122", "1200", "9000", "350", "7"], ["61,007", "30,122", "1300", "9100", "410", "9"])
    for column in amounts:
        told = (
            found(documents.pdf_of([[f"{a} ........ {b}" for a, b in zip(labels, column, strict=True)]]))[1].text or ""
        )
        assert all(amount in told.split() for amount in column)
