"""OpenDocument: in one file or in many; formulas, charts, and the cells of sheets as others tell them."""

import pytest

from formats import office
from formats.office import NAMES, flat, line, opened, say
from formats.test_visible_text import found
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason


@pytest.mark.parametrize(
    ("name", "data", "places"),
    [
        ("odt", office.odt(is_flat=True), office.ODT_PLACES),
        ("odp", office.odp(is_flat=True), office.ODP_PLACES),
        ("ods", office.ods(is_flat=True), [place for place in office.ODS_PLACES if place != "chart"]),
    ],
)
def test_an_open_document_in_one_file_is_read_as_one_in_many(name: str, data: bytes, places: tuple[str, ...]) -> None:
    told, document = found(data)
    words = " ".join((document.text or "").split())
    assert told == name
    assert [place for place in places if words.count(office.say(place)) != 1] == []
    assert "Deleted" not in words
    assert document.properties == office.OFFICE_PROPERTIES


def test_formulas_stand_where_they_are_drawn_and_years_are_categories() -> None:
    text = found(office.odt())[1].text or ""
    assert f"\nWhere E={office.say('formula')} is.\n" in text
    assert "\n1871\n" in text
    alone = office.zipped(
        {"mimetype": "application/vnd.oasis.opendocument.formula", "content.xml": office.formula("a formula")}
    )
    assert found(alone)[1].text == "E=a formula\n"


CELL = "<table:table-cell {}>{}</table:table-cell>"


def sheet(*rows: str) -> bytes:
    inside = "".join(
        row if row.startswith("<table:table-row") else f"<table:table-row>{row}</table:table-row>" for row in rows
    )
    return opened(
        "spreadsheet",
        f"<office:spreadsheet><table:table table:name='S'>{inside}</table:table></office:spreadsheet>",
        "",
    )


@pytest.mark.parametrize(
    ("attributes", "shown", "told"),
    [
        ("office:value-type='float' office:value='2'", "2,00", "2"),
        ("office:value-type='percentage' office:value='0.05'", "5 %", "0.05"),
        ("office:value-type='currency' office:value='1e3'", "1.000 EUR", "1000"),
        ("office:value-type='float' office:value='rubbish'", "shown", "shown"),
        ("office:value-type='date' office:date-value='2024-03-01'", "1.3.24", "2024-03-01"),
        ("office:value-type='date' office:date-value='2024-03-01T10:20:30'", "x", "2024-03-01 10:20:30"),
        ("office:value-type='date' office:date-value='0000-00-00'", "shown", "shown"),
        ("office:value-type='time' office:time-value='PT26H02M03S'", "x", "1 day, 2:02:03"),
        ("office:value-type='time' office:time-value='PT9H'", "shown", "shown"),
        ("office:value-type='boolean' office:boolean-value='true'", "WAHR", "TRUE"),
        ("office:value-type='string' office:string-value='attribute'", "", "attribute"),
        ("", "a<text:s text:c='2'/>b<text:tab/>c<text:line-break/>d<text:span>e</text:span>", "a  b\tc\nde"),
    ],
)
def test_cells_of_open_sheets(attributes: str, shown: str, told: str) -> None:
    assert found(sheet(CELL.format(attributes, line(shown) if shown else "")))[1].text == f"S\n{told}\n"


def test_cells_that_stand_for_many() -> None:
    many = "<table:table-row table:number-rows-repeated='3'>{}</table:table-row>"
    twice, far = "table:number-columns-repeated='2'", "table:number-columns-repeated='16000'"
    text = found(
        sheet(
            many.format(CELL.format(twice, line("x")) + CELL.format(far, "") + "<table:covered-table-cell/>"),
            "<table:table-row table:number-rows-repeated='1048000'><table:table-cell/></table:table-row>",
            CELL.format("", line("a") + line("b")) + CELL.format(twice, "") + CELL.format("", line("c")),
        )
    )[1].text
    assert text == "S\n" + "x\tx\n" * 3 + "a\nb\t\t\tc\n"


@pytest.mark.parametrize("repeated", ["999999999", "99999999999999999999"])
def test_cells_that_stand_for_too_many_are_refused(repeated: str) -> None:
    wide = CELL.format(f"table:number-columns-repeated='{repeated}'", line("x"))
    long = (
        f"<table:table-row table:number-rows-repeated='{repeated}'>{CELL.format('', line('x' * 300))}</table:table-row>"
    )
    for data in (sheet(wide), sheet(long)):
        with pytest.raises(Problem) as error:
            found(data, limits=Limits(characters=1_000_000))
        assert error.value.reason is Reason.TOO_LARGE


def test_values_of_a_chart_without_categories_are_none() -> None:
    chart = office.ODF_CHART.replace("<chart:categories/>", "")
    text = found(flat("text", f"<office:text><draw:object>{chart}</draw:object></office:text>", ""))[1].text or ""
    assert office.say("series") in text
    assert "1871" not in text


def test_a_formula_drawn_often_is_unpacked_once() -> None:
    drawn = "<text:p><draw:object xlink:href='Object 1/'/></text:p>" * 500
    data = opened(
        "text", f"<office:text>{drawn}</office:text>", "", **{"Object_1__content.xml": office.formula("x" * 999)}
    )
    assert (found(data, limits=Limits(unpacked=200_000))[1].text or "").count("E=x") == 500


def test_a_formula_that_is_broken_is_told() -> None:
    data = opened(
        "text",
        f"<office:text>{line('words')}<draw:object xlink:href='./Object 1'/></office:text>",
        "",
        **{"Object_1__content.xml": f"<math:math {NAMES}><math:mi>x"},
    )
    document = found(data)[1]
    assert document.text == "words\nx\n"
    assert [(one.name, one.problem and one.problem.reason) for one in document.members] == [
        (b"Object 1/content.xml", Reason.CORRUPT)
    ]


def test_boxes_and_pictures_within_a_paragraph_do_not_run_into_its_words() -> None:
    box = f"<draw:frame><draw:text-box>{line('box')}</draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><svg:title>title</svg:title><svg:desc>alt text</svg:desc></draw:frame>"
    note = f"<text:note><text:note-body>{line(f'note{box}')}</text:note-body></text:note>"
    body = line(f"Hello{box}world{picture}{note}.") + line(f"{box}more")
    text = found(opened("text", f"<office:text>{body}</office:text>", ""))[1].text
    assert text == "Hello\nbox\nworld\ntitle\nalt text\n.\nbox\nmore\nnote\nbox\n\n"


def test_numbers_of_a_fraction_stand_apart() -> None:
    half = "<math:math><math:mi>x</math:mi><math:mn>3</math:mn><math:mfrac><math:mn>1</math:mn><math:mn>2</math:mn>"
    body = line(f"{half}</math:mfrac></math:math>".replace("math:", ""))
    assert found(opened("text", f"<office:text>{body}</office:text>", ""))[1].text == "x3 1 2\n"


def test_forms_say_their_labels_and_what_was_filled_in() -> None:
    controls = (
        f"<form:fixed-text form:label='{say('label')}'/>"
        f"<form:text form:value='Deleted' form:current-value='{say('value')}'/>"
        f"<form:text form:value='{say('preset')}'/>"
        "<form:password form:current-value='Deleted'/><form:hidden form:value='Deleted'/>"
        f"<form:checkbox form:label='{say('box')}' form:value='Deleted'/>"
        "<form:listbox><form:option form:label='Deleted'/>"
        "<form:option form:label='Deleted' form:selected='true' form:current-selected='false'/>"
        f"<form:option form:label='{say('choice')}' form:current-selected='true'/></form:listbox>"
    )
    forms = f"<office:forms xmlns:form='f'>{controls}</office:forms>"
    for kind in ("text", "spreadsheet", "presentation"):
        text = found(opened(kind, f"<office:{kind}>{forms}</office:{kind}>", ""))[1].text or ""
        assert text.splitlines() == [say(place) for place in ("label", "value", "preset", "box", "choice")]
