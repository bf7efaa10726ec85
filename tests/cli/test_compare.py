"""`compare`: the relation in words, the passages, the screen and the page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import nearkin as library
from cli.world import Called, prose

NOTE = """Service note 4711, 12 March 2004. The FooServer stops answering when its log is full. Remove the lock file
in the spool folder, then restart FooServer with the option --clean. Wait for 12.5 seconds until the light is green.
"""
KEY = "Before you begin make sure that nobody is logged in. The administrator must hold the key of the cabinet. "
LINE = "If the light stays red, call the hot line. Customers with a gold contract are called back within an hour. "


def related(a: str, b: str, **options: Any) -> tuple[str, tuple[str, ...]]:
    found = library.compare(a, b, **options)
    return found.relation, found.details


def test_the_same_but_for_numbers_and_dates_which_are_listed() -> None:
    other = NOTE.replace("4711, 12 March 2004", "4902, 3 June 2005").replace("12.5", "12.7")
    relation, details = related(NOTE, other)
    assert relation == "same but for numbers and dates"
    assert details == ("4711, 12 March 2004 → 4902, 3 June 2005", "12.5 → 12.7")


def test_on_the_screen_a_name_with_a_digit_is_called_no_number(tmp_path: Path) -> None:
    for name, product in (("a.txt", "libuno-sal3"), ("b.txt", "libuno-cppu3")):
        (tmp_path / name).write_text(NOTE.replace("12.5", product))
    asked = ["compare", tmp_path / "a.txt", tmp_path / "b.txt"]
    assert Called(*asked, "--format", "jsonl").records[0]["relation"] == "same but for numbers and dates"
    shown = Called(*asked, "--html", tmp_path / "pair.html", "--format", "table").out
    for told in (shown, (tmp_path / "pair.html").read_text()):
        assert "same but for dates and words with numbers in them" in told
        assert "same but for numbers" not in told


def test_a_number_put_in_is_a_number_too() -> None:
    assert related(NOTE, NOTE.replace("seconds", "seconds (14)"))[1] == ("nothing → 14",)


def test_a_name_replaced_throughout() -> None:
    assert related(NOTE, NOTE.replace("FooServer", "Bar Station")) == (
        "same but for a name replaced throughout",
        ("FooServer → Bar Station, 2 times",),
    )
    with_date = NOTE.replace("FooServer", "BarStation").replace("2004", "2009")
    assert related(NOTE, with_date)[1] == ("FooServer → BarStation, 2 times", "2004 → 2009")


def test_a_name_replaced_here_and_there_is_not_replaced_throughout() -> None:
    left = f"{NOTE} Call for help where FooServer does not start."
    assert related(left, left.replace("FooServer", "BarStation", 2))[0] == "similar"
    assert related(NOTE, NOTE.replace("FooServer", "BarStation", 1))[0] == "similar"
    unlike = NOTE.replace("FooServer", "Bar", 1).replace("FooServer", "Baz")
    assert related(NOTE, unlike)[0] == "similar"


def test_one_is_the_other_plus_more() -> None:
    longer = f"{NOTE}{KEY}"
    words = len(KEY.split())
    assert related(NOTE, longer)[0] == "B is A plus more"
    assert related(longer, NOTE)[0] == "A is B plus more"
    assert related(NOTE, longer)[1][0] == f"{words} words in B only"
    inside = NOTE.replace("the lock file", "the old and rusty lock file")
    assert related(NOTE, inside) == ("B is A plus more", ("3 words in B only", "“old and rusty”"))


def test_one_is_contained_in_the_other_at_a_place() -> None:
    before, after = prose(1), prose(2)
    whole = f"{before}\n\n{NOTE}{after}"
    relation, (place,) = related(NOTE, whole)
    assert relation == "A is contained in B"
    start, end = (int(number.replace(",", "")) for number in re.findall(r"[\d,]+", place))
    assert whole[start:end] == NOTE.strip().rstrip(".")
    assert related(whole, NOTE)[0] == "B is contained in A"
    assert related(NOTE.replace("spool", "tool"), whole)[0] in ("similar", "unrelated", "A is mostly contained in B")


def test_scattered_words_do_not_make_one_contained_in_the_other() -> None:
    long = prose(1, 400)
    assert related(" ".join(long.split()[::40]), long)[0] == "unrelated"


def test_a_form_filled_in_by_two_hands() -> None:
    def filled(seed: int) -> str:
        answers = [prose(seed * 10 + at, 25) for at in range(4)]
        questions = (
            "Name and address of the applicant as in the passport:",
            "Reason for the application, in your own words please:",
            "Former employers and the years with each of them:",
            "Declare that all of the above is true and complete:",
        )
        return "\n".join(f"{question} {answer}" for question, answer in zip(questions, answers, strict=True))

    assert related(filled(1), filled(2))[0] == "share only a form"
    assert related(prose(1), prose(2))[0] == "unrelated"


def test_without_templates_a_form_is_all_they_share(tmp_path: Path) -> None:
    form = " ".join([KEY, LINE] * 2)
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, seed in (("a.txt", 1), ("b.txt", 2)):
        (docs / name).write_text(f"{form} {prose(seed, 12)}")
    (docs / "form.txt").write_text(form)
    store = tmp_path / "kin.db"
    Called("scan", docs, "--store", store)
    assert Called("compare", "a.txt", "b.txt", "--store", store).records[0]["relation"] == "similar"
    assert Called("template", "add", "--file", docs / "form.txt", "--store", store).code == 0
    assert Called("compare", "a.txt", "b.txt", "--store", store).records[0]["relation"] == "share only a form"


def test_words_changed() -> None:
    assert library.compare(NOTE, NOTE.replace("full", "quite full")).word_distance == 1
    assert library.compare(NOTE, NOTE.upper()).word_distance == 0
    far = library.compare(prose(1, 5000), prose(2, 5000))
    assert (far.word_distance, far.words_over) == (None, 2000)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text(f"{NOTE}{KEY}{LINE}")
    b.write_text(f"{NOTE.replace('green', 'blue <b>')}{LINE}{KEY}")
    return a, b


def test_passages_are_places_of_the_extracted_texts(pair: tuple[Path, Path]) -> None:
    (record,) = Called("compare", *pair).records
    a, b = (path.read_text() for path in pair)
    texts = [(a[one["a_start"] : one["a_end"]], b[one["b_start"] : one["b_end"]]) for one in record["passages"]]
    assert [list(one) for one in record["passages"]] == [["a_start", "a_end", "b_start", "b_end"]] * 3
    assert all(one == other for one, other in texts)
    assert {one for one, _ in texts} >= {KEY.strip(" ."), LINE.strip(" .")}
    assert 0.9 < record["a_covered"] < 1
    longer = Called("compare", *pair, "--min-length", 120).records[0]["passages"]
    assert [one["a_end"] - one["a_start"] >= 120 for one in longer] == [True]
    assert Called("compare", *pair, "--min-length", 0).code == 2


def test_equal_texts_are_one_passage_however_short(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("so  Short")
    (tmp_path / "b").write_text("So short!")
    (record,) = Called("compare", tmp_path / "a", tmp_path / "b").records
    assert record["relation"] == "same words"
    assert record["passages"] == [{"a_start": 0, "a_end": 9, "b_start": 0, "b_end": 8}]


def test_raw_passages_are_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("é".encode() + b"-5 " * 20)
    (tmp_path / "b").write_bytes(b"\xff" + b"-5 " * 20)
    (record,) = Called("compare", tmp_path / "a", tmp_path / "b", "--raw").records
    assert record["passages"] == [{"a_start": 2, "a_end": 62, "b_start": 1, "b_end": 61}]


@pytest.mark.parametrize(
    ("more", "shown"), [("été long", "été long"), ("كتاب قديم", "كتاب قديم"), (b"\xe9t\xe9", "\\xe9t\\xe9")]
)
def test_raw_texts_are_shown_in_characters(tmp_path: Path, more: str | bytes, shown: str) -> None:
    common = "café au lait est bon pour tout le monde ici".encode()
    (tmp_path / "a").write_bytes(common)
    (tmp_path / "b").write_bytes(common + b" " + (more.encode() if isinstance(more, str) else more))
    asked = ("compare", tmp_path / "a", tmp_path / "b", "--raw", "--html", tmp_path / "page.html")
    (record,) = Called(*asked).records
    assert record["relation"] == "B is A plus more"
    assert record["relation_details"][1:] == [f"“{shown}”"]
    assert record["passages"] == [{"a_start": 0, "a_end": 44, "b_start": 0, "b_end": 44}]
    on_screen = Called(*asked, "--format", "table").out
    for said in (on_screen, (tmp_path / "page.html").read_text()):
        assert shown in " ".join(said.split())
        assert "café au lait" in said
        assert "Ã" not in said


def test_raw_characters_that_begin_alike_differ_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("tout le monde ici aime le café")
    (tmp_path / "b").write_text("tout le monde ici aime le cafè encore, et le thé")
    page = tmp_path / "page.html"
    (record,) = Called("compare", tmp_path / "a", tmp_path / "b", "--raw", "--html", page).records
    assert record["passages"] == [{"a_start": 0, "a_end": 30, "b_start": 0, "b_end": 30}], "places are bytes"
    assert "<del>é</del>" in page.read_text()
    assert "<ins>è encore, et le thé</ins>" in page.read_text()
    assert "title='0 to 29'" in page.read_text()


def test_csv_and_json_have_the_same_passages(pair: tuple[Path, Path]) -> None:
    import csv

    in_json = json.loads(Called("compare", *pair, "--format", "json").out)
    (in_csv,) = csv.DictReader(Called("compare", *pair, "--format", "csv").out.splitlines())
    assert json.loads(in_csv["passages"]) == in_json["passages"]


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_side_by_side_fits_the_screen(pair: tuple[Path, Path], columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = Called("compare", *pair, "--format", "table").out
    assert max(map(len, shown.splitlines())) <= columns
    assert "\x1b" not in shown
    marks = {line[2 + (columns - 5) // 2 + 1] for line in shown.splitlines() if re.search(" [│≠↔] ?", line)}
    assert marks >= {"│", "≠", "↔"}
    assert re.search(r"green.* ≠ .*blue", shown)


def test_side_by_side_of_wide_letters_and_long_words_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nearkin.cli.wording import cells

    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "a").write_text("日本語の文章はここにあります。" * 12 + " und " + "x" * 300 + f" {KEY}")
    (tmp_path / "b").write_text("日本語の文章はここにあります。" * 9 + " oder " + "x" * 290 + f" {KEY}")
    shown = Called("compare", tmp_path / "a", tmp_path / "b", "--format", "table").out
    assert max(map(cells, shown.splitlines())) <= 80


def test_a_change_in_a_text_without_spaces_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = "乙方应当在收到甲方书面通知之日起十五日内支付费用，否则甲方有权依照本合同的约定解除合同并要求赔偿损失。"
    (tmp_path / "a").write_text(long)
    (tmp_path / "b").write_text(long.replace("支付费用", "公布账目"))
    shown = Called("compare", tmp_path / "a", tmp_path / "b", "--html", tmp_path / "page", "--format", "table").out
    assert re.search("支付费用 +≠ 公布账目", shown)
    assert "<del>支付费用</del>" in (tmp_path / "page").read_text()


def test_a_change_at_the_end_of_a_long_word_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    place = "https://example.org/one/very/long/way/to/a/page/that/nobody/reads/"
    for name, last in (("a", "old"), ("b", "new")):
        (tmp_path / name).write_text(f"{KEY}{place}{last} {LINE}")
    shown = Called("compare", tmp_path / "a", tmp_path / "b", "--format", "table").out
    assert re.search("reads/old +≠ .*reads/new", shown)


def test_a_long_same_part_is_shortened_on_the_screen(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(prose(1, 3000) + " one")
    (tmp_path / "b").write_text(prose(1, 3000) + " two")
    shown = Called("compare", tmp_path / "a", tmp_path / "b", "--format", "table").out
    assert "… 2,976 words …" in shown
    assert len(shown.splitlines()) < 40


def test_the_page_stands_alone_and_leads_across(pair: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert Called("compare", *pair, "--html", page).code == 0
    html = page.read_text()
    assert not re.search(r"(src|href)=['\"]?(http|//|file)|<script|@import|url\(", html)
    assert "prefers-color-scheme: dark" in html
    names = re.findall(r"id='(\w+)'", html)
    assert sorted(names) == sorted(f"{side}{number}" for side in "ab" for number in (1, 2, 3))
    assert set(re.findall(r"href='#(\w+)'", html)) == set(names)
    assert "<del>green.</del>" in html
    assert "<ins>blue &lt;b&gt;.</ins>" in html
    assert "class='moved'" in html


def test_a_passage_pasted_twice_leads_to_where_it_stands_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"{NOTE}{KEY}")
    (tmp_path / "b").write_text(f"{NOTE}{KEY} And once more: {KEY}")
    Called("compare", tmp_path / "a", tmp_path / "b", "--html", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    assert set(re.findall(r"href='#(\w+)'", html)) <= set(re.findall(r"id='(\w+)'", html))


def test_every_link_of_a_page_leads_somewhere(tmp_path: Path) -> None:
    lines = [
        f"{at}. The tenant of flat {at} shall pay {at % 5}00 euros on the first of {prose(at, 2)}." for at in range(40)
    ]
    (tmp_path / "a").write_text("\n".join(lines))
    (tmp_path / "b").write_text("\n".join([*lines[20:30], lines[3], *lines[:18], lines[25], *lines[33:]]))
    Called("compare", tmp_path / "a", tmp_path / "b", "--html", tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    names = re.findall(r"id='(\w+)'", html)
    assert len(names) == len(set(names))
    links = set(re.findall(r"href='#(\w+)'", html))
    assert len(links) > 6
    assert links <= set(names)


def test_what_stands_once_more_is_marked_as_put_in(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "twice.txt").write_text(f"{NOTE}{KEY}{LINE}\n{KEY}")
    asked = ("compare", pair[0], tmp_path / "twice.txt", "--html", tmp_path / "page.html", "--format", "table")
    shown = Called(*asked).out
    assert re.search("» Before you begin", shown)
    assert "↔" not in shown
    assert re.search(
        "<ins><a id='b2' href='#a2' title='passage 2'>Before you begin", (tmp_path / "page.html").read_text()
    )


def test_a_page_that_cannot_be_written(pair: tuple[Path, Path], tmp_path: Path) -> None:
    failed = Called("compare", *pair, "--html", tmp_path / "nowhere" / "page.html")
    assert failed.code == 3
    assert "Cannot write" in failed.err


def test_the_api_says_what_the_command_says(pair: tuple[Path, Path]) -> None:
    (record,) = Called("compare", *pair).records
    found = library.compare(pair[0].read_bytes(), pair[1].read_bytes())
    assert found.relation == record["relation"]
    assert [one.a_start for one in found.passages] == [one["a_start"] for one in record["passages"]]
    with pytest.raises(library.UsageError):
        library.compare("a", "b", min_length=0)
