"""RTF: encodings of its fonts, what stands beside the text, and what its writer meant for other readers."""

import pytest

from formats.outlook import lzfu
from formats.test_visible_text import found
from nearkin.formats.adapter import Limits
from nearkin.formats.msg import decompressed_rtf
from nearkin.formats.rtf import parsed


def text(inside: str) -> str:
    return found(rf"{{\rtf1{inside}}}".encode("latin-1"))[1].text or ""


def written(words: str, codec: str) -> str:
    return "".join(rf"\'{byte:02x}" for byte in words.encode(codec))


RUSSIAN, GERMAN, OLD = written("проверка", "cp1251"), written("größe", "cp1252"), written("größe", "cp850")


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        (rf"\ansi\ansicpg1252\deff0{{\fonttbl{{\f0\fcharset204 A;}}}} {RUSSIAN}", "проверка"),
        (rf"\deff0{{\fonttbl{{\f0 A;}}{{\f1\fcharset204 B;}}}}\f1 {RUSSIAN}\plain  {GERMAN}", "проверка größe"),
        (rf"\deff1{{\fonttbl{{\f0 A;}}{{\f1\fcharset204 B;}}}}{{\f0 {GERMAN}}} {RUSSIAN}", "größe проверка"),
        (rf"\pca{{\fonttbl{{\f0 A;}}}}\f0 {OLD}", "größe"),
        (rf"\pc{{\fonttbl{{\f0 A;}}}}\f0 {OLD}", "größe"),
        (rf"\ansi{{\fonttbl{{\f0\fnil\fcharset0\cpg1251 A;}}}}\f0 {RUSSIAN}", "проверка"),
        (r"{\fonttbl{\f0\fcharset128 A;}}\f0 \'83A\'83\\x\'8a\'bf", "アソx漢"),
    ],
)
def test_the_font_tells_the_code_page(inside: str, told: str) -> None:
    assert text(inside).lstrip() == told


@pytest.mark.parametrize(("page", "told"), [(10000, "größe"), (42, "grš§e"), (70_000, "grš§e")])
def test_code_pages_of_the_macintosh_and_those_nobody_knows(page: int, told: str) -> None:
    """Python decodes nothing at all by any name, so a name must be looked up."""
    assert text(rf"\ansi\ansicpg{page} {written('größe', 'mac-roman')}") == told


def test_properties_are_in_the_code_page_of_the_document() -> None:
    inside = rf"\deff0{{\fonttbl{{\f0\fcharset204 A;}}}}{{\info{{\title {GERMAN}}}}} {RUSSIAN}"
    assert found(rf"{{\rtf1{inside}}}".encode())[1].properties == {"title": "größe"}


@pytest.mark.parametrize(
    "beside",
    [
        r"{\*\atnid A}{\*\atnauthor B}\chatn{\*\annotation\pard\plain beside}",
        r"{\footnote\pard\plain beside}",
        r"{\*\footnote\pard\plain beside}",
        r"{\shp{\*\shpinst{\shptxt beside}}}",
        r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv beside}}}}",
    ],
)
def test_what_stands_beside_the_text_has_lines_of_its_own(beside: str) -> None:
    assert text(rf" word{beside} goes on\par").split("\n") == ["word", "beside", " goes on", ""]


def test_a_drop_down_field_shows_what_was_chosen() -> None:
    def field(chosen: str, result: str = "") -> str:
        choices = r"{\*\ffl one}{\*\ffl two}"
        told = rf"{{\*\formfield{{\fftype2{chosen}{choices}}}}}"
        return text(
            rf"{{\field{{\*\fldinst{{ FORMDROPDOWN {told}}}}}{{\fldrslt {result}}}}} {{\field{{\fldrslt end}}}}"
        )

    assert field(r"\ffres1") == "two end"
    assert field(r"\ffres0", "one") == "one end"
    assert field(r"\ffres25\ffdefres1") == "two end"
    assert field(r"\ffres7", "nine") == "nine end"


def test_mail_that_was_html_shows_what_the_page_said() -> None:
    """[MS-OXRTFEX] §2.1.3.1.4: what \\htmlrtf embraces is not of the page; its line ends are kept, words stay apart."""
    inside = (
        r"\ansi\fromhtml1{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 one{\*\htmltag84 <b>}\htmlrtf {\b \htmlrtf0 two"
        r"\htmlrtf }\htmlrtf0 \htmlrtf bullet\htmlrtf0 {\*\htmltag <br>}\htmlrtf\line\htmlrtf0 three"
        r"\htmlrtf\par}\htmlrtf0 "
    )
    assert text(inside) == "onetwo\nthree\n"
    assert text(r"\ansi \htmlrtf shown") == "shown"  # it never was HTML
    packed = decompressed_rtf(lzfu(rf"{{\rtf1{inside}}}".encode()), Limits())
    assert parsed(packed, Limits()).prose.text() == "onetwo\nthree\n"


def test_equations_are_read_without_their_looks() -> None:
    def run(words: str) -> str:
        return rf"{{\mr\mscr0\msty2 \f34 {words}}}"

    fraction = rf"{{\mf{{\mfPr{{\mtype bar}}{{\mctrlPr\f34 }}}}{{\mnum{run('alpha')}}}{{\mden{run('beta')}}}}}"
    assert text(rf" {{\mmath{{\*\moMath{fraction}}}}}") == "alphabeta"


def test_a_picture_that_is_there_twice_says_its_alt_text_once() -> None:
    """As LibreOffice writes it: for new programs, and once more for old ones."""
    told = rb"{\pict{\*\picprop{\sp{\sn wzDescription}{\sv a red square}}}\pngblip 89504e}"
    data = (
        rb"{\rtf1 before {\*\shppict"
        + told
        + rb"}{\nonshppict"
        + told
        + rb"} after {\shp{\shprslt"
        + told
        + rb"}}\par}"
    )
    assert " ".join((found(data)[1].text or "").split()) == "before a red square after"
