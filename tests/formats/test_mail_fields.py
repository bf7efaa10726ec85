"""Header fields and bodies of mail, in whatever charset: as their label says, and as they are where it says nothing."""

import base64

import pytest

from formats.test_archives import members
from formats.test_mail import HEAD, attached, holding, text_of
from formats.test_visible_text import found

RUSSIAN = "Договор аренды помещения и приложение"


def mail(*fields: bytes, body: bytes = b"words") -> bytes:
    return HEAD + b"".join(field + b"\r\n" for field in fields) + b"\r\n" + body


def subject(value: bytes, *more: bytes) -> str:
    return found(mail(b"Subject: " + value, *more))[1].properties["subject"]


@pytest.mark.parametrize(
    ("value", "label", "told"),
    [
        (RUSSIAN.encode(), b"", RUSSIAN),
        (RUSSIAN.encode(), b"koi8-r", RUSSIAN),
        (RUSSIAN.encode("koi8-r"), b"koi8-r", RUSSIAN),
        (RUSSIAN.encode("cp1251"), b"", RUSSIAN),
        (RUSSIAN.encode("cp1251"), b"utf-8", RUSSIAN),
        ("Grüße aus Köln".encode("latin-1"), b"", "Grüße aus Köln"),
        ("Grüße aus Köln".encode("latin-1"), b"us-ascii", "Grüße aus Köln"),
    ],
)
def test_raw_bytes_in_fields(value: bytes, label: bytes, told: str) -> None:
    kind = b"Content-Type: text/plain" + (b"; charset=" + label if label else b"")
    assert subject(value, kind) == told


def test_raw_bytes_in_names_of_files_and_in_two_encodings() -> None:
    utf8 = (attached("a", encoding="7bit").replace(b'"a"', '"Größe.txt"'.encode()), b"one")
    old = (attached("a", encoding="7bit").replace(b'"a"', '"Maße.txt"'.encode("latin-1")), b"two")
    assert members(holding(utf8, old)) == {"Größe.txt": b"one", "Maße.txt": b"two"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (b"=?utf-8*de?Q?gr=C3=B6=C3=9Fe?=", "größe"),
        (b"=?x-mac-cyrillic?B?" + base64.b64encode("договор".encode("mac-cyrillic")) + b"?=", "договор"),
        (b"=?gb2312?B?" + base64.b64encode("朱镕基".encode("gb18030")) + b"?=", "朱镕基"),
        (b"=?utf-8?B?w7Y==?=  =?utf-8?Q?_=C3?=\r\n =?utf-8?q?=B6x?= end", "ö öx end"),
        (b"a =?utf-8?q?b?= c =?x-none?q?d=E4?= e", "a b c dä e"),
        (b"=?utf-8?q?with space?= =?utf-8?q?=FF?=", "with spaceÿ"),
        (b"=?utf-8?b?A?= =?utf-8?q?=C3=B6?= =?utf-8", "=?utf-8?b?A?= ö =?utf-8"),
        (b"=?utf-8?q?never ends", "=?utf-8?q?never ends"),
        (b"\\u0041 =?utf-8?q?x?=", "\\u0041 x"),
    ],
)
def test_encoded_words(value: bytes, told: str) -> None:
    assert subject(value) == told


def test_many_words_that_never_end_take_no_quadratic_time() -> None:
    value = b"=?utf-8?q?x-" * 100_000
    assert subject(value) == value.decode()
    assert subject(b"=?utf-8?q?x?= " * 50_000) == "x" * 50_000


def test_names_of_files_in_any_charset() -> None:
    field = b"Content-Disposition: attachment; filename*=windows-874''%A1%A2.txt"
    assert members(holding((field, b"x"))) == {"กข.txt": b"x"}


@pytest.mark.parametrize(
    ("label", "text", "codec"),
    [
        ("windows-874", "สัญญาเช่า", "cp874"),
        ("iso-8859-8-i", "חוזה שכירות", "iso8859-8"),
        ("x-mac-cyrillic", RUSSIAN, "mac-cyrillic"),
        ("x-euc-jp", "契約書です", "euc-jp"),
        ("gb2312", "朱镕基的合同", "gb18030"),
        ("iso-8859-1", "“quoted” €", "cp1252"),
        ("unicode-1-1-utf-7", "größe", "utf-7"),
        ("undefined", "größe", "utf-8"),
        ("idna", "größe", "utf-8"),
        ("mbcs", "größe", "utf-8"),
        ("x-nobody-knows", "größe", "utf-8"),
        ("us-ascii", RUSSIAN, "utf-8"),
        ("utf-8", "a\ufeffb", "utf-8-sig"),
    ],
)
def test_bodies_by_their_label(label: str, text: str, codec: str) -> None:
    data = mail(f"Content-Type: text/plain; charset={label}".encode(), body=text.encode(codec))
    assert text_of(data).rstrip("\n").endswith(f"\n{text}")


def test_japanese_as_windows_writes_it() -> None:
    """①, in no set of ISO-2022-JP, and half-width letters."""
    body = b"\x1b$B7@Ls=q-!\x1b(B ok \x1b(I1\x1b(B."
    assert "契約書① ok \uff71." in text_of(mail(b"Content-Type: text/plain; charset=iso-2022-jp", body=body))


def test_lines_cut_anywhere_are_put_together() -> None:
    body = b"The con \r\ntract is si \r\ngned.\r\n> quo \r\n> ted\r\n-- \r\nAnn\r\n"
    told = text_of(mail(b"Content-Type: text/plain; format=flowed; DelSp=Yes", body=body))
    assert told.endswith("The contract is signed.\n> quoted\n-- \nAnn\n")
    assert "con \ntract" in text_of(mail(b"Content-Type: text/plain; format=flowed", body=body))


def test_where_answers_go_is_told_if_it_is_elsewhere() -> None:
    assert "\nReply-To: Desk <desk@example.org>\n" in text_of(mail(b"Reply-To: Desk <desk@example.org>"))
    assert "Reply-To" not in text_of(mail(b"Reply-To: Ann <ann@example.org>"))


UU = b"begin 644 a b.txt\r\n#0V%T\r\n`\r\nend\r\n"


def test_a_file_in_the_text_is_taken_out() -> None:
    data = mail(body=b"before\r\n\r\n" + UU + b"after\r\n")
    assert members(data) == {"a b.txt": b"Cat"}
    assert text_of(data).endswith("\nbefore\n\nafter\n")


@pytest.mark.parametrize("body", [b"begin 644 a.txt\r\nwords of a text\r\nend\r\n", UU[:-5], b"begin 644 a\r\nend\r\n"])
def test_what_is_no_such_file_stays_in_the_text(body: bytes) -> None:
    data = mail(body=body)
    assert members(data) == {}
    assert text_of(data).endswith(body.decode().replace("\r\n", "\n").rstrip("\n") + "\n")


@pytest.mark.parametrize("line", [b"From the first of May", b": no name"])
def test_lines_that_are_no_fields_are_text(line: bytes) -> None:
    text = found(mail(line, b"Subject: x"), b"a.eml")[1].text or ""
    assert line.decode() in text
    assert "Subject: x" in text


def test_a_part_that_begins_with_space_keeps_its_first_line() -> None:
    data = HEAD + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n  Dear Ann,\r\n\r\nmore\r\n--b--\r\n'
    assert "Dear Ann," in text_of(data)
