"""Running headers are said once; what only looks like one stays."""

from nearkin.formats.running import said_once


def test_a_running_header_with_the_page_number_is_said_once() -> None:
    pages = [f"Chapter 1: Data {number}\nwords of page {number}\nThe Manual" for number in range(7, 12)]
    kept = list(said_once(pages))
    assert kept[0] == pages[0]
    assert kept[1:] == [f"words of page {number}" for number in range(8, 12)]


def test_page_numbers_of_a_total() -> None:
    pages = [f"{'abcd'[number]} text\nReference {number + 1} / 4" for number in range(4)]
    assert list(said_once(pages)) == [pages[0], "b text", "c text", "d text"]


def test_two_pages_are_no_habit() -> None:
    pages = ["Header\na", "Header\nb"]
    assert list(said_once(pages)) == pages


def test_numbers_that_do_not_go_with_the_pages_stay() -> None:
    pages = [f"text of {total}s\nTotal {total}" for total in (17, 4, 90, 33)]
    assert list(said_once(pages)) == pages


def test_columns_of_numbers_stay() -> None:
    pages = [f"{first}\ntext\n{last}" for first, last in ((3, 9), (5, 2), (8, 8), (1, 7))]
    assert list(said_once(pages)) == pages
