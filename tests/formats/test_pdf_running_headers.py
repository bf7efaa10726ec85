"""Running headers are said once; what only looks like one stays."""

import pytest

from nearkin.formats.pdf_layout import said_once


def once(pages: list[str]) -> list[str]:
    return list(said_once(dict(enumerate(pages)), len(pages)))


def test_a_running_header_with_the_page_number_is_said_once() -> None:
    chapters = [*["Chapter 1: Data"] * 5, *["Chapter 2: Words"] * 3, *["Chapter 3: End"] * 2]
    pages = [f"{chapter} {at}\nwords of page {at}\nThe Manual" for at, chapter in enumerate(chapters, 1)]
    kept = once(pages)
    assert kept[0] == pages[0]
    assert kept[5] == "Chapter 2: Words 6\nwords of page 6"
    assert kept[8] == "Chapter 3: End 9\nwords of page 9"
    assert [*kept[1:5], *kept[6:8], kept[9]] == [f"words of page {at}" for at in (2, 3, 4, 5, 7, 8, 10)]


def test_page_numbers_of_a_total() -> None:
    pages = [f"{'abcd'[number]} text\nReference {number + 1} / 4" for number in range(4)]
    assert once(pages) == [pages[0], "b text", "c text", "d text"]


def test_two_pages_are_no_habit() -> None:
    pages = ["Header\na", "Header\nb"]
    assert once(pages) == pages


def test_numbers_that_do_not_go_with_the_pages_stay() -> None:
    pages = [f"text of {total}s\nTotal {total}" for total in (17, 4, 90, 33)]
    assert once(pages) == pages


def test_columns_of_numbers_stay() -> None:
    pages = [f"{first}\ntext\n{last}" for first, last in ((3, 9), (5, 2), (8, 8), (1, 7))]
    assert once(pages) == pages


def test_a_header_that_repeats_a_heading_is_left_out() -> None:
    texts = ["cats", "sat on", "the mats", "of yours"]
    chapter = [f"Chapter 1: Strings {number}\n{text}\nor {text}" for number, text in enumerate(texts, 3)]
    pages = ["title\n1 Strings\nby nobody", "1 Strings\nwords", *chapter, "A 7\nz", "A 8\ny", "B 9\nx", "B 10\nw"]
    assert once(pages) == [*pages[:2], *(f"{text}\nor {text}" for text in texts), "A 7\nz", "y", "B 9\nx", "w"]


def test_roman_numbers_go_along_with_the_pages_too() -> None:
    pages = ["a title", "its back", "iii\nof this", "iv\nand that", "v\nthere is", "vi\nnothing else"]
    assert once(pages) == ["a title", "its back", "of this", "and that", "there is", "nothing else"]


def test_where_others_go_along_two_pages_are_a_habit() -> None:
    pages = [f"Chapter 1: Data {number}\n{text}" for number, text in enumerate(["one", "two", "three", "four"], 1)]
    pages += ["Chapter 2: Words 5\nfive", "Chapter 2: Words 6\nsix", "Index 7\nseven", "Index 8\neight"]
    assert once(pages) == [pages[0], "two", "three", "four", pages[4], "six", pages[6], "eight"]


def test_words_that_are_no_numbers_stay() -> None:
    pages = ["i said\nand c\ntext", "vi is an editor\nand x\nof text", "mix\nl\nmore text", "civil\nv\nits text"]
    assert once(pages) == pages


def test_the_first_of_lines_that_are_all_of_a_page_stays() -> None:
    assert once(["Slide", "Slide", "Slide", "else"]) == ["Slide", "", "", "else"]


def test_a_number_that_is_all_of_a_page_stays() -> None:
    for pages in (["Ticket 1000", "Ticket 1001", "Ticket 1002"], ["1000", "1001", "1002"]):
        assert once(pages) == pages
    pages = [f"Ticket {number}\nAdmit one" for number in range(1000, 1003)]
    assert once(pages) == [pages[0], "Ticket 1001", "Ticket 1002"]


@pytest.mark.parametrize("many", [4, 8])
@pytest.mark.parametrize(
    ("words", "first"),
    [("Invoice", 1001), ("Order no.", 4711), ("Results of the year", 2015), ("Day", 1), ("Section", 1), ("", 40)],
)
def test_numbers_of_other_things_stay(words: str, first: int, many: int) -> None:
    numbered = [f"{words} {first + at}".strip() for at in range(many)]
    for pages in ([f"{line}\ntext of {line}s" for line in numbered], [f"text of {line}s\n{line}" for line in numbered]):
        assert once(pages) == pages


def test_beside_the_page_s_own_number_another_stays() -> None:
    pages = [f"Day {at}\ntext {at}s\n{at}" for at in range(1, 9)]
    assert once(pages) == [f"Day {at}\ntext {at}s" for at in range(1, 9)]


@pytest.mark.parametrize("last", [["Evening 8"], ["Evening 8", "Night 9"], ["Evening 8", "Evening 9", "Night 10"]])
def test_where_words_change_once_it_is_no_proof(last: list[str]) -> None:
    pages = [f"{line}\ntext of {line}s" for line in [*(f"Day {at}" for at in range(1, 8)), *last]]
    assert once(pages) == pages


def test_two_lines_with_the_same_number_are_no_proof() -> None:
    headers = [*["Invoice"] * 4, *["Bill"] * 3, *["Receipt"] * 3]
    pages = [f"{header} {at}\ntext {at}s\nTotal {at}" for at, header in enumerate(headers, 1)]
    assert once(pages) == pages


def test_numbered_chapters_of_a_page_each_stay() -> None:
    titles = ["Introduction", "Methods", "Results", "Discussion"]
    pages = ["Agenda\n" + "\n".join(titles) + "\nand questions"]
    pages += [f"{at} {title}\nit says\n{title[:4]}" for at, title in enumerate(titles, 2)]
    assert once(pages) == pages


def test_a_word_for_page_is_a_proof() -> None:
    pages = [f"text {at}s\nPage {at}" for at in range(1, 5)]
    assert once(pages) == [pages[0], "text 2s", "text 3s", "text 4s"]


def test_pages_without_text_count() -> None:
    pages = {place: f"text {place}s\n{place + 1}" for place in (0, 3, 5, 6)}
    assert list(said_once(pages, 8)) == ["text 0s", "text 3s", "text 5s", "text 6s"]


def test_a_header_that_says_more_than_the_heading_stays() -> None:
    texts = ["cats", "sat on", "the mats", "of yours"]
    for header in ("IBM Annual Report", "Volume II: Annual Report", "2 Annual Report", "Chapter 2: Annual Report"):
        pages = [f"{header} {number}\n{text}\nAnnual Report\nor {text}" for number, text in enumerate(texts, 3)]
        assert once(pages)[0] == pages[0]
