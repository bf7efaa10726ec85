"""Numbers of an index go where its entries stand on the pages they lead to, and only there."""

from random import Random

import pytest

from formats import documents
from formats.test_visible_text import found
from nearkin.formats import pdf_layout
from nearkin.formats.pdf_layout import without_leaders

WORDS = [f"{a}{b}" for a in ("bal", "cor", "dem", "fil", "gan", "har") for b in ("ton", "mar", "vex", "lin", "dor")]
Index = list[tuple[str, int]]


def book(*, front: int, entries: int = 12, pages: int = 30) -> tuple[dict[int, str], Index]:
    """Pages of filler on which words of an index stand, and on which; before them some that are not counted."""
    dice = Random(1)
    shown = {place: " ".join(dice.choice(WORDS) + "x" for _ in range(40)) for place in range(front + pages)}
    index = [(word, dice.randrange(1, pages + 1)) for word in sorted(dice.sample(WORDS, entries))]
    for word, number in index:
        shown[front + number - 1] += f"\nhere is {word} told"
    return shown, index


def told(shown: dict[int, str], rows: list[str]) -> list[str]:
    """The numbers that are left of a table of leaders at the end."""
    table = "\n".join(rows)
    text = "\n".join([*shown.values(), table])
    left = without_leaders(text, len(shown) + 1, {**shown, len(shown): table})
    return [word.strip(",") for word in left[left.rindex("told") :].split() if word.strip(",").isdecimal()]


def rows(index: Index) -> list[str]:
    return [f"{word} . . . . . . . {number}" for word, number in index]


@pytest.mark.parametrize("front", [0, 7])
def test_an_index_is_proven_from_wherever_pages_are_counted(front: int) -> None:
    shown, index = book(front=front)
    assert told(shown, rows(index)) == []


def test_other_numbers_of_the_same_words_stay() -> None:
    shown, index = book(front=3)
    dice = Random(2)
    wrong = [(word, dice.randrange(1, 31)) for word, _ in index]
    assert told(shown, rows(wrong)) == [str(number) for _, number in wrong]


def test_of_a_table_most_must_be_there() -> None:
    shown, index = book(front=3, entries=24)
    half = [(word, number if at % 2 else number % 30 + 1) for at, (word, number) in enumerate(index)]
    assert told(shown, rows(half)) == [str(number) for _, number in half]


def test_words_that_are_everywhere_prove_nothing() -> None:
    """An annual report names its items on most pages, and their amounts may be small."""
    shown, index = book(front=0)
    every = " ".join(word for word, _ in index)
    assert told({place: f"{page} {every} told" for place, page in shown.items()}, rows(index)) == [
        str(number) for _, number in index
    ]


def test_few_lines_prove_nothing() -> None:
    shown, index = book(front=0, entries=7)
    assert told(shown, rows(index)) == [str(number) for _, number in index]


def test_several_pages_of_one_entry_go_and_what_is_no_page_stays() -> None:
    shown, index = book(front=2)
    (first, one), *others_ = index
    other = one % 30 + 1
    more = [f"{first} . . . . . . . {one},\n{other}", *rows(others_), "weight . . . . . . . 4711"]
    assert told(shown, more) == ["4711"]


def test_too_long_to_be_held_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, index = book(front=0)
    monkeypatch.setattr(pdf_layout, "LONGEST", 100)
    assert told(shown, rows(index)) == [str(number) for _, number in index]


def test_in_a_file() -> None:
    shown, index = book(front=1)
    text = (
        found(documents.pdf_of([*(page.split("\n") for page in shown.values()), ["Index", *rows(index)]]))[1].text or ""
    )
    assert text[text.rindex("Index") :].split() == ["Index", *(word for word, _ in index)]
