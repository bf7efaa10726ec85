"""What a page says of itself, and that every way of reading one tells it: a scan, a check, a row of a table."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.world import Called, listed
from nearkin import _native
from nearkin.scheme import parse_scheme
from nearkin.text.html import fill_property_json, page, properties, property_json, read_json
from nearkin.text.kind import extract

HEAD = """<!DOCTYPE html><html><head><meta charset="utf-8"><TITLE> Of  dogs
&amp; cats </TITLE><title>another</title>
<meta name="Author" content="Ann &quot;A&quot; Author"><meta content='nobody' name=author>
<META NAME="dcterms.created" CONTENT="2024-01-02"><meta property="article:modified_time" content="2024-02-03T04:05:06Z">
<meta name=date content="1999-01-01"></head><body><svg><title>drawn</title></svg>"""
SAID = {
    "title": "Of dogs & cats",
    "author": 'Ann "A" Author',
    "created": "2024-01-02",
    "modified": "2024-02-03T04:05:06+00:00",
}


def said(html: str) -> dict[str, str]:
    return page(html.encode())[1]


def test_what_a_page_says_of_itself() -> None:
    assert said(HEAD) == SAID
    assert page(HEAD.encode())[0].decode() == "Of dogs & cats\nanother\ndrawn"


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ('name="created" content="2024-01-02T03:04:05.000000000"', {"created": "2024-01-02T03:04:05"}),
        ('name="changed" content="20240102;3040500"', {"modified": "2024-01-02"}),
        (
            'http-equiv="Last-Modified" content="Tue, 02 Jan 2024 03:04:05 GMT"',
            {"modified": "2024-01-02T03:04:05+00:00"},
        ),
        ('property="og:updated_time" content="2024-01-02T03:04:05+02:00"', {"modified": "2024-01-02T03:04:05+02:00"}),
        ('name="DC.Date" content="2024-01"', {"created": "2024-01"}),
        ('name="date" content="2024/01/02"', {"created": "2024-01-02"}),
        ('name="date" content="1/2/2024"', {}),
        ('name="date" content="2024-13-45"', {}),
        ('name="date" content="today"', {}),
        ('name="date" content="2024"', {"created": "2024"}),
        ('name="date" content="2024-99"', {}),
        ('name="date" content="2024-00"', {}),
        ('name="date" content="0000"', {}),
        ('name="date" content="\u0662\u0660\u0662\u0664"', {}),
        ('name="date" content="Tue, \u0660\u0662 Jan 2024 03:04:05 GMT"', {}),
        (f'name="date" content="Tue, 02 Jan 2024 03:04:05 GMT ({"x" * 100})"', {}),
        ('property="og:x" name=author content=Z', {"author": "Z"}),
        ('http-equiv="x" property="og:updated_time" name="y" content="2024"', {"modified": "2024"}),
        ('name="author" content="  "', {}),
        ('name="author"', {}),
        ('name="description" content="dogs"', {}),
        ('name="author" content="x\0y"', {}),
        (f'name="author" content="{"x" * 5000}"', {}),
        ('name="author" content="cut off', {}),
    ],
)
def test_meta_elements(meta: str, expected: dict[str, str]) -> None:
    assert said(f"<meta {meta}><p>text</p>") == expected


def test_of_very_many_values_a_few_are_looked_at() -> None:
    """Each costs time: pages of one meta element after the other had 190,000 of them parsed."""
    told = _native.page(b"<meta name=date content=x>" * 1000 + b"<meta name=author content=' '>" * 9)[1]
    assert told == b"created\0x\0" * 4
    page = "<meta name=date content=x>" * 3 + "<meta name=author content=' '>" * 9 + "<title>t</title>" * 9
    assert said(f"{page}<meta name=date content=2024><meta name=author content=Z>") == {
        "title": "t",
        "created": "2024",
        "author": "Z",
    }


def test_titles_that_are_none() -> None:
    assert said("<title>never ends <p>text") == {}
    assert said("<title> </title><p>text") == {}
    assert said("<template><title>hidden</title><meta name=author content=x></template>") == {}
    assert said(f"<title>{'x ' * 3000}</title>") == {}
    assert said("<pre>a\n</pre>\n<title>x</title>") == {"title": "x"}


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_json(title: str, author: str) -> None:
    told = page(f"<title>{title}</title><meta name=author content='{author}'>".encode("utf-8", "replace"))[1]
    assert all(value.strip() for value in told.values())
    assert property_json(b"") is None


# Letters that JSON escapes, white space of Unicode, letters of two units in UTF-16, and halves of such.
LETTERS = st.characters() | st.sampled_from(
    '\t\n\x0b\x1c\x1f\x7f\x85\xa0\u2003\u3000\u200b "\\/a\u00e9\ufffd\U0001f600\ud83d'
)
KEYS = st.sampled_from(["title", "author", "created", "modified", ""]) | st.text(max_size=3)


@given(st.lists(st.tuples(KEYS, st.text(LETTERS, max_size=12) | st.just("2024-01-02") | st.just("a &amp; b"))))
def test_they_are_written_as_json_is(pairs: list[tuple[str, str]]) -> None:
    raw = "".join(f"{key}\0{value}\0" for key, value in pairs).encode("utf-8", "surrogatepass")
    values = properties(raw)
    expected = json.dumps(values, sort_keys=True) if values else None
    assert property_json(raw) == expected
    assert read_json(raw) == (expected or "")
    assert _native.page_json(raw) in (expected or "", None)


@given(st.text(LETTERS, max_size=12))
def test_python_reads_only_dates_and_character_references(text: str) -> None:
    utf8 = text.replace("\0", "").encode("utf-8", "replace")
    assert _native.page_json(b"title\0" + utf8 + b"\0") is not None
    assert (_native.page_json(b"author\0" + utf8 + b"\0") is None) == ("&" in text)
    assert _native.page_json(b"created\0" + utf8 + b"\0") is None


def test_every_way_of_reading_a_page_tells_it(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    folder.mkdir()
    words = " ".join(f"word{i}" for i in range(60))
    pages = {
        "plain.html": f"{HEAD}<p>{words} one</p>".encode(),
        "wide.html": f"{HEAD}<p>{words} two</p>".encode("utf-16"),
        "other.xhtml": f"<?xml version='1.0'?>{HEAD}<p>{words} three</p>".encode(),
    }
    for name, data in pages.items():
        (folder / name).write_bytes(data)
    (folder / "none.html").write_bytes(f"<p>{words} four</p>".encode())
    (folder / "rows.jsonl").write_text(json.dumps({"id": "a", "text": f"{HEAD}<p>{words} five</p>"}))
    assert Called("scan", folder, "--store", store, "--text-column", "text").code == 0
    told = {one["path"]: one["properties"] for one in listed("documents", store)}
    assert told == dict.fromkeys([*pages, "rows.jsonl!/#1"], SAID) | {"none.html": {}, "rows.jsonl": {}}
    for name, data in pages.items():
        found = extract(data, named_html=True)
        assert json.loads(found.properties or "") == SAID, name


@given(
    st.text(max_size=8).map(str.strip) | st.text('\u00e9\u2003\U0001f600 \t\n\x0b\x1c\x1f\x7f "\\a', max_size=8),
    st.sampled_from([b"", b"author\0someone\0", b"title\0another\0", b"rest", b"\xc3"]),
)
def test_any_title_is_written_as_json_writes_it(title: str, more: bytes) -> None:
    start = f"title\0{title}".encode("utf-8", "replace")
    for raw in (start + b"\0" + more, start + b"\xc3\0" + more, start + more):
        values = properties(raw)
        assert property_json(raw) == (json.dumps(values, sort_keys=True) if values else None)


def test_a_batch_writes_the_properties_of_its_pages_once() -> None:
    pages = ["<title>Caf\u00e9 \U0001f600</title>", "<p>none</p>", "<meta name=date content=2024>", "<title> </title>"]
    pages.append("<meta name=author content='A &amp; B'><title>t</title>")
    scheme = parse_scheme("mod:window=20,n=1").native()
    recipe = _native.Recipe(scheme=scheme, raw=False, ignore=0, lines=False, max_size=1 << 20)
    batch = _native.ingest_texts([page.encode() for page in pages], [True] * len(pages), recipe)
    assert _native.properties_for_python(batch) == [b"created\x002024\0", b"author\0A &amp; B\0title\0t\0"]
    with pytest.raises(ValueError, match="for each page that Python reads"):
        _native.fill_property_json(_native.chosen_rows(batch, [2]), [])
    fill_property_json(batch)
    expected = [property_json(_native.page(page.encode())[1]) for page in pages]
    assert expected == [
        '{"title": "Caf\\u00e9 \\ud83d\\ude00"}',
        None,
        '{"created": "2024"}',
        None,
        '{"author": "A & B", "title": "t"}',
    ]
    assert _native.property_json(batch) == expected
    fill_property_json(batch)
    assert _native.property_json(batch) == expected
    assert _native.properties_for_python(batch) == []
