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


def test_a_header_that_repeats_a_heading_is_left_out() -> None:
    texts = ["cats", "sat on", "the mats", "of yours"]
    chapter = [f"Chapter 1: Strings {number}\n{text}\nor {text}" for number, text in enumerate(texts, 3)]
    pages = ["title\n1 Strings\nby nobody", "1 Strings\nwords", *chapter]
    assert list(said_once(pages)) == [*pages[:2], *(f"{text}\nor {text}" for text in texts)]


def test_roman_numbers_go_along_with_the_pages_too() -> None:
    pages = ["iii\nof this", "iv\nand that", "v\nthere is", "vi\nnothing else"]
    assert list(said_once(pages)) == ["of this", "and that", "there is", "nothing else"]


def test_where_others_go_along_two_pages_are_a_habit() -> None:
    pages = [f"Chapter 1: Data {number}\n{text}" for number, text in enumerate(["one", "two", "three", "four"], 1)]
    pages += ["Chapter 2: Words 5\nfive", "Chapter 2: Words 6\nsix"]
    assert list(said_once(pages)) == [pages[0], "two", "three", "four", pages[4], "six"]


def test_words_that_are_no_numbers_stay() -> None:
    pages = ["i said\nand c\ntext", "vi is an editor\nand x\nof text", "mix\nl\nmore text", "civil\nv\nits text"]
    assert list(said_once(pages)) == pages


def test_the_first_of_lines_that_are_all_of_a_page_stays() -> None:
    assert list(said_once(["Slide", "Slide", "Slide", "else"])) == ["Slide", "", "", "else"]


def test_a_number_that_is_all_of_a_page_stays() -> None:
    for pages in (["Ticket 1000", "Ticket 1001", "Ticket 1002"], ["1000", "1001", "1002"]):
        assert list(said_once(pages)) == pages
    pages = [f"Ticket {number}\nAdmit one" for number in range(1000, 1003)]
    assert list(said_once(pages)) == [pages[0], "Ticket 1001", "Ticket 1002"]


def test_a_header_that_says_more_than_the_heading_stays() -> None:
    texts = ["cats", "sat on", "the mats", "of yours"]
    for header in ("IBM Annual Report", "Volume II: Annual Report", "2 Annual Report", "Chapter 2: Annual Report"):
        pages = [f"{header} {number}\n{text}\nAnnual Report\nor {text}" for number, text in enumerate(texts, 3)]
        assert next(said_once(pages)) == pages[0]
