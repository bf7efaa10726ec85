"""What lies in a mail comes out byte for byte, and what a mail program shows of it is its text."""

import base64
import quopri
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import outlook
from formats.archives import plain_zip
from formats.office import zipped
from formats.test_archives import members
from formats.test_scan_hostile_files import scanned
from formats.test_visible_text import found
from nearkin.api.store import Store
from nearkin.engine.workers import Workers
from nearkin.formats import mail_parser
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason

HEAD = b"From: ann@example.org\r\nMessage-ID: <1@example.org>\r\nMIME-Version: 1.0\r\n"
INNER = (
    b"Received: from a\r\n\tby b;   Mon\r\nFrom: bob@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= long\r\n"
    b"Message-ID: <2@example.org>\r\n\r\nFrom here the inner mail.\r\nSecond line.\r\n"
)


def holding(*parts: tuple[bytes, bytes], kind: bytes = b"mixed") -> bytes:
    """Each part: its header fields, its bytes."""
    inside = b"".join(b"--=b=\r\n" + fields + b"\r\n\r\n" + data + b"\r\n" for fields, data in parts)
    return HEAD + b"Content-Type: multipart/" + kind + b'; boundary="=b="\r\n\r\n' + inside + b"--=b=--\r\n"


def attached(name: str, *, encoding: str, kind: str = "application/octet-stream") -> bytes:
    fields = f'Content-Type: {kind}\r\nContent-Disposition: attachment; filename="{name}"\r\n'
    return (fields + f"Content-Transfer-Encoding: {encoding}").encode()


def text_of(data: bytes) -> str:
    return found(data)[1].text or ""


def test_an_archive_attached_as_it_is() -> None:
    data = plain_zip().replace(b"the first", b"the\r\nrst") + b"\r\n\r\r\n\n"
    assert members(holding((attached("a.zip", encoding="binary"), data)))["a.zip"] == data


@given(st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"-", b"a: b", b"\xff", b"\0", b"x" * 70_000]), max_size=12))
def test_bytes_of_any_sort_come_out_as_they_are(pieces: list[bytes]) -> None:
    """Not the carriage return before the end: with the line feed of the boundary it is one line end."""
    data = b"".join(pieces) + b"."
    assert members(holding((attached("x", encoding="binary"), data)))["x"] == data


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_mail_and_text_in_mail_keep_their_bytes(line_end: bytes) -> None:
    inner, note = INNER.replace(b"\r\n", line_end), b"first line" + line_end + b"second line" + line_end
    outer = holding(
        (b"Content-Type: message/rfc822", inner),
        (attached("note.txt", encoding="7bit", kind="text/plain"), note),
    )
    assert members(outer) == {"part-1.eml": inner, "note.txt": note}


def test_mail_in_a_digest_keeps_its_bytes() -> None:
    assert members(holding((b"Content-Description: one", INNER), kind=b"digest")) == {"part-1.eml": INNER}


STUB = "Your mail program does not show HTML."
SIGNED = "The contract is signed for 40000 euro."
LONG = " ".join(f"Sentence {i} says price {i}a." for i in range(150))
OTHER = " ".join(f"word{i}" for i in range(55))  # under a tenth of the long one, and no note


@pytest.mark.parametrize(
    ("plain", "html", "told"),
    [
        (STUB, f"<p>{SIGNED}</p>" * 11, "\n".join([SIGNED] * 11)),
        ("See the web page.", f"<p>{SIGNED}</p>" * 6, "\n".join([SIGNED] * 6)),
        (SIGNED, f"<p>{SIGNED}</p>", SIGNED),
        (SIGNED, f"<h1>News</h1><p>{SIGNED}</p>", f"News\n{SIGNED}"),
        (LONG, f"<h1>News</h1><p>{LONG}</p>", f"News\n{LONG}"),
        (f"{LONG}\nPay 4200.", f"<p>{LONG}</p><p>Pay 9900.</p>", f"{LONG}\nPay 9900."),
        (f"{LONG}\nPay 4200 not 9900.", f"<p>{LONG}</p><p>Pay 9900 not 4200.</p>", f"{LONG}\nPay 9900 not 4200."),
        (f"{LONG}\nNow 5 %", f"<p>{LONG}</p><p>Now -5 %</p>", f"{LONG}\nNow -5 %"),
        (f"{LONG}\nPay 5", f"<p>{LONG}</p><p>Pay 5 €</p>", f"{LONG}\nPay 5 €"),
        (LONG[: len(LONG) * 2 // 3], f"<p>{LONG}</p>", LONG),
        (SIGNED.upper() + " More of it.", f"<p>{SIGNED}</p>", SIGNED.upper() + " More of it."),
        (f"{LONG}\nsee http://example.org/a", f"<p>{LONG}</p><p><a>see</a></p>", f"{LONG}\nsee http://example.org/a"),
        (SIGNED, "<img src=a>", SIGNED),
        (" ", f"<p>{SIGNED}</p>", SIGNED),
        (LONG, '<img src="cid:1" alt="Newsletter Juni">', f"{LONG}\nNewsletter Juni"),
        (LONG, f"<p>{STUB}</p>", f"{LONG}\n{STUB}"),
        (STUB, f"<p>{SIGNED}</p>", f"{STUB}\n{SIGNED}"),
        (LONG, f"<p>{OTHER}</p>", f"{LONG}\n{OTHER}"),
        (OTHER, f"<p>{LONG}</p>", f"{OTHER}\n{LONG}"),
    ],
)
def test_what_the_html_shows_is_read_and_the_plain_body_alone_where_it_says_all_of_it(
    plain: str, html: str, told: str
) -> None:
    parts = (b"Content-Type: text/plain", plain.encode()), (b"Content-Type: text/html", html.encode())
    text = text_of(holding(*parts, kind=b"alternative"))
    assert [line for line in text.split("\n")[1:] if line] == told.split("\n")
    bodies = outlook.stream("__substg1.0_10130102", html.encode()), outlook.text(0x1000, plain)
    same = text_of(outlook.ole(outlook.fixed(32), outlook.text(0x0037, "Subject"), *bodies)).replace("\0", "")
    assert [line for line in same.split("\n")[1:] if line] == told.split("\n")


def test_a_body_as_long_as_a_book_loses_no_last_word() -> None:
    book = "words of a book " * 100_000
    parts = (
        (b"Content-Type: text/plain", f"{book}\nPay 4200.".encode()),
        (b"Content-Type: text/html", f"<p>{book}</p><p>Pay 9900.</p>".encode()),
    )
    text = text_of(holding(*parts, kind=b"alternative"))
    assert "4200" in text
    assert "9900" in text


def test_all_of_the_chosen_alternative_is_shown() -> None:
    """As some programs write it: the HTML in pieces, with a plain one among them."""
    pieces = holding((b"Content-Type: text/html", b"<p>%s</p>" % LONG.encode()), (b"Content-Type: text/plain", b"last"))
    kind = pieces.split(b"\r\n\r\n", 1)[0].split(b"1.0\r\n")[1].replace(b"=b=", b"=c=")
    inner = pieces.split(b"\r\n\r\n", 1)[1].replace(b"=b=", b"=c=")
    text = text_of(holding((b"Content-Type: text/plain", LONG.encode()), (kind, inner), kind=b"alternative"))
    assert text.endswith("\nlast\n")
    assert text.count(LONG) == 1


@pytest.mark.parametrize("kind", [b"multipart/mixed", b'multipart/mixed; boundary="other"'])
def test_parts_without_their_boundary_are_text(kind: bytes) -> None:
    data = HEAD + b"Content-Type: " + kind + b"\r\n\r\n--bb\r\nContent-Type: text/plain\r\n\r\nthe words\r\n--bb--\r\n"
    assert "\nthe words\n" in text_of(data)


def test_parts_without_a_name_are_named_alike_everywhere(tmp_path: Path) -> None:
    """By no list of the system, which workers may not even open."""
    named = {
        b"text/calendar": "part-1.ics", b"image/png": "part-2.png", b"application/pdf": "part-3.pdf",
        b"x/y": "part-4", b"text/rfc822-headers": "part-5",
    }  # fmt: skip
    mail = holding(
        *((b"Content-Type: " + kind, b"BEGIN") for kind in named), (attached("z.txt", encoding="7bit"), b"z")
    )
    assert members(mail) == {**dict.fromkeys(named.values(), b"BEGIN"), "z.txt": b"z"}
    _, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", {"a.eml": mail})
    assert set(failed) == {"a.eml!/part-3.pdf"}  # it is none


def test_one_that_cannot_be_taken_out_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(written: bytes) -> bytes:
        raise RuntimeError("whatever")

    monkeypatch.setattr("quopri.decodestring", broken)
    monkeypatch.setattr(mail_parser, "HELD", 1)
    mail = holding(
        (attached("a", encoding="quoted-printable"), b"first words"), (attached("b", encoding="7bit"), b"second words")
    )
    first, second = found(mail)[1].members
    assert (first.problem and first.problem.detail, second.data) == ("damaged: it cannot be taken out", b"second words")


def test_mail_embedded_in_outlook_has_the_same_bytes_every_time() -> None:
    inner = outlook.fixed(8), outlook.text(0x3707, "a.bin"), outlook.stream("__substg1.0_37010102", b"attached")
    attachment = outlook.storage("__attach_version1.0_#00000000", *inner)
    inside = outlook.storage("__substg1.0_3701000D", outlook.fixed(24), outlook.text(0x1000, "inner"), attachment)
    embedded = outlook.storage("__attach_version1.0_#00000001", outlook.fixed(8), outlook.text(0x3001, "In"), inside)
    mail = outlook.ole(outlook.fixed(32), outlook.text(0x1000, "the text"), embedded)
    assert members(mail) == members(mail)
    (held,) = found(members(mail)["In.eml"], b"In.eml")[1].members
    assert held.data.startswith(b"attached")


@pytest.mark.parametrize("kind", ["delivery-status", "disposition-notification", "feedback-report"])
def test_what_became_of_a_delivery_is_text(kind: str) -> None:
    status = b"Reporting-MTA: dns; a\r\n\r\nFinal-Recipient: rfc822; b@c\r\nDiagnostic-Code: smtp; 550\r\n"
    data = holding((b"Content-Type: text/plain", b"Not sent."), (f"Content-Type: message/{kind}".encode(), status))
    assert text_of(data).endswith("\nNot sent.\n" + status.decode().replace("\r\n", "\n"))
    assert members(data) == {}


@pytest.mark.parametrize("kind", [b"message/rfc822", b"message/global"])
def test_mail_in_mail_is_decoded(kind: bytes) -> None:
    fields = b"Content-Type: " + kind + b"\r\nContent-Transfer-Encoding: base64"
    assert members(holding((fields, base64.encodebytes(INNER)))) == {"part-1.eml": INNER}
    assert members(holding((fields, INNER))) == {"part-1.eml": INNER}


def test_the_first_message_id_counts() -> None:
    data = b"Message-ID: <q@x>\r\n" + HEAD + b"\r\nwords"
    assert found(data)[1].properties["message-id"] == "<q@x>"


LINES = st.sampled_from([b"x" * 40, b"", b"--", b"-- ", b"--=b", b"a: b", "\ue0000\ue000".encode(), b"\xff\xfe", b"\r"])
ENCODED: dict[str, Callable[[bytes], bytes]] = {
    "binary": lambda data: data,
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
    "x-unknown": lambda data: data,
}


@given(st.lists(st.tuples(st.sampled_from(sorted(ENCODED)), st.lists(LINES, max_size=12)), max_size=4), st.data())
def test_what_is_left_in_the_file_is_put_back_as_it_was(
    parts: list[tuple[str, list[bytes]]], data: st.DataObject
) -> None:
    """Also a mail that looks as if something had been left out."""
    ends = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    mail = holding(
        *((attached(f"{i}", encoding=how), ENCODED[how](ends.join(lines))) for i, (how, lines) in enumerate(parts)),
        (b"Content-Type: text/plain", ends.join(lines) if (lines := data.draw(st.lists(LINES, max_size=5))) else b"x"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mail_parser, "HELD", 1 << 30)
        text, whole = text_of(mail), members(mail)
        patch.setattr(mail_parser, "HELD", data.draw(st.integers(1, 300)))
        patch.setattr(mail_parser, "LONGEST_LINE", data.draw(st.sampled_from([7, 41, 64, 1 << 16])))
        assert members(mail) == whole
        assert text_of(mail) == text


def test_a_line_that_ends_where_a_piece_of_the_file_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_parser, "HELD", 8)
    monkeypatch.setattr(mail_parser, "LONGEST_LINE", 64)
    for size in range(55, 75):
        data = b"first line\r\n" + b"x" * size
        assert members(holding((attached("a", encoding="binary"), data))) == {"a": data}


@pytest.mark.parametrize("stray", [b"", b"\n\n", b"\r\n", b"\n\r\r\n"])
def test_mail_whose_lines_end_otherwise_keeps_its_parts(stray: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"a": b"x" * 100 + stray + b"y" * 100, "b": b"z" * 90 + b"\r--\r" + b"z" * 90, "c": b"end"}
    mail = holding(*((attached(name, encoding="binary"), held) for name, held in data.items())).replace(b"\r\n", b"\r")
    expected = {name: held.replace(b"\r\n", b"\r") for name, held in data.items()}
    monkeypatch.setattr(mail_parser, "HELD", 16)
    for longest in (7, 64, 1 << 16):
        monkeypatch.setattr(mail_parser, "LONGEST_LINE", longest)
        taken = found(mail, b"a.eml")[1].members
        assert {one.name.decode(): one.data for one in taken} == expected


def test_what_is_no_base64_is_the_same_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    mail = holding((attached("a", encoding="base64"), b"aaaa\r\naaaa\r\na"))
    whole = members(mail)
    monkeypatch.setattr(mail_parser, "HELD", 1)
    assert members(mail) == whole


LARGE = b"large " * 50_000


@pytest.mark.parametrize("how", ["binary", "base64", "quoted-printable"])
def test_what_is_attached_and_too_large_fails_alone(how: str) -> None:
    small = (attached("small.txt", encoding="7bit"), b"small")
    mail = holding(
        (b"Content-Type: text/plain", b"the text"), (attached("a", encoding=how), ENCODED[how](LARGE)), small
    )
    for limits in (Limits(member=100_000), Limits(unpacked=100_000)):
        document = found(mail, limits=limits)[1]
        assert "the text" in (document.text or "")
        first, second = document.members
        assert (first.name, first.data, first.problem and first.problem.reason) == (b"a", b"", Reason.TOO_LARGE)
        assert (second.data, second.problem) == (b"small", None)
    assert members(mail) == {"a": LARGE, "small.txt": b"small"}


def test_objects_of_other_programs_in_outlook_are_no_mail() -> None:
    """Embedded in the text: some are whole files, the others are not read, and not taken for an empty mail."""

    def embedded(number: int, name: str, *inside: outlook.Node) -> outlook.Node:
        told = outlook.fixed(8), outlook.text(0x3001, name), outlook.storage("__substg1.0_3701000D", *inside)
        return outlook.storage(f"__attach_version1.0_#{number:08X}", *told)

    sheet = embedded(1, "Sheet", outlook.stream("Workbook", b"records"))
    letter = embedded(2, "Letter", outlook.stream("Package", b"a whole file"))
    _, mail = found(outlook.ole(outlook.fixed(32), outlook.text(0x1000, "the text"), sheet, letter))
    assert [(one.name, one.data.rstrip(b"\0"), one.problem and one.problem.reason) for one in mail.members] == [
        (b"Sheet", b"", Reason.UNSUPPORTED),
        (b"Letter", b"a whole file", None),
    ]


def test_what_is_attached_in_outlook_and_too_large_fails_alone() -> None:
    def attachment(number: int, data: bytes) -> outlook.Node:
        name = outlook.text(0x3707, f"{number}.bin")
        inner = outlook.fixed(8), name, outlook.stream("__substg1.0_37010102", data)
        return outlook.storage(f"__attach_version1.0_#{number:08X}", *inner)

    inside = outlook.storage("__substg1.0_3701000D", outlook.fixed(24), attachment(0, LARGE))
    embedded = outlook.storage("__attach_version1.0_#00000009", outlook.fixed(8), outlook.text(0x3001, "Inner"), inside)
    mail = outlook.ole(
        outlook.fixed(32), outlook.text(0x1000, "the text"), attachment(1, LARGE), attachment(2, b"s"), embedded
    )
    document = found(mail, limits=Limits(member=100_000))[1]
    assert "the text" in (document.text or "")
    told = {one.name: one.problem and one.problem.reason for one in document.members}
    large = Reason.TOO_LARGE
    assert told == {b"1.bin": large, b"2.bin": None, b"Inner.eml": None, b"Inner.eml/0.bin": large}


@pytest.mark.parametrize(("many", "rest"), [(100, None), (101, "other parts: 1"), (1250, "other parts: 1,150")])
def test_what_cannot_be_read_of_a_mail_is_named_up_to_a_hundred(many: int, rest: str | None) -> None:
    """100,000 sealed parts of no words take 6 MB, and each would be a row of the store."""
    sealed = (b"Content-Type: application/pgp-encrypted", b"x")
    mail = holding(
        (b"Content-Type: text/plain", b"the text"), *[sealed] * many, (attached("a", encoding="7bit"), b"in")
    )
    document = found(mail)[1]
    taken = list(document.members)
    assert "the text" in (document.text or "")
    assert [one.data for one in taken if one.problem is None] == [b"in"]
    failed = [one for one in taken if one.problem]
    assert {one.problem and one.problem.reason for one in failed} == {Reason.ENCRYPTED}
    assert [one.name.decode() for one in failed[100:]] == ([rest] if rest else [])
    if rest:
        told = failed[-1].problem
        assert told is not None
        assert told.detail == f"{many - 100:,} more parts that cannot be read: encrypted {many - 100:,}"


def test_parts_that_fail_for_several_reasons_are_counted_together() -> None:
    sealed, large = (b"Content-Type: application/pgp-encrypted", b"x"), (attached("a", encoding="7bit"), b"x" * 2000)
    mail = holding(*[sealed] * 103, *[large] * 7)
    *_, last = found(mail, limits=Limits(member=1000))[1].members
    assert last.name == b"other parts: 10"
    assert last.problem is not None
    assert last.problem.reason is Reason.TOO_LARGE
    assert last.problem.detail == "10 more parts that cannot be read: too large 7, encrypted 3"


def test_what_failed_is_counted_also_where_the_rest_is_not_known() -> None:
    sealed = (b"Content-Type: application/pgp-encrypted", b"x")
    members = iter(found(holding(*[sealed] * 200), limits=Limits(members=150))[1].members)
    taken = [member.name for member in islice(members, 101)]
    with pytest.raises(Problem, match="more than 150 members"):
        next(members)
    assert len(taken) == 101
    assert taken[-1] == b"other parts: 50"


def test_a_mail_with_many_sealed_parts_is_counted(tmp_path: Path) -> None:
    sealed = (b"Content-Type: application/pgp-encrypted", b"x")
    files = {"a.eml": holding((b"Content-Type: text/plain", b"the text"), *[sealed] * 300)}
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    assert (summary.documents, summary.failed) == (1, 101), failed
    assert failed["a.eml!/other parts: 200"] == (
        "encrypted",
        "200 more parts that cannot be read: encrypted 200",
    )


def test_a_mail_keeps_its_text_whatever_is_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may be unpacked, in the second of two archives, and a small text after it. Of an archive that holds the
    same it is the archive that fails: it is nothing but what lies in it."""
    limits = Limits(unpacked=9_000_000)
    monkeypatch.setattr("nearkin.engine.documents.Workers", partial(Workers, limits=limits))
    packed = zipped({f"{number}.txt": b"words " * 100_000 for number in range(10)})
    archives = {"1.zip": packed, "2.zip": packed, "small.txt": b"small words"}
    shown = (b"Content-Type: text/plain", b"the text")
    mail = holding(
        shown, *((attached(name, encoding="base64"), base64.encodebytes(archives[name])) for name in archives)
    )
    files = {"a.eml": mail, "b.zip": zipped({**archives})}
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    too_large = {name for name, (reason, _) in failed.items() if reason == "too large"}
    assert too_large == {"a.eml!/2.zip", "a.eml!/small.txt", "b.zip"}
    assert len(failed) == summary.failed == 3


def packed_rtf(text: bytes, *, mark: bytes = b"MELA") -> outlook.Node:
    data = b"{\\rtf1 " + text + b"\\par}"
    return outlook.stream("__substg1.0_10090102", bytes(8) + mark + bytes(4) + data.ljust(4080))


def test_rtf_of_outlook_is_read_where_the_plain_body_says_less() -> None:
    plain = outlook.text(0x1000, STUB)
    told = text_of(outlook.ole(outlook.fixed(32), plain, packed_rtf(SIGNED.encode() * 9)))
    assert SIGNED in told
    same = text_of(outlook.ole(outlook.fixed(32), outlook.text(0x1000, SIGNED), packed_rtf(SIGNED.encode())))
    assert same.count(SIGNED) == 1
    document = found(outlook.ole(outlook.fixed(32), plain, packed_rtf(b"x", mark=b"oops")))[1]
    assert STUB in (document.text or "")
    assert [(one.name, one.problem and one.problem.reason) for one in document.members] == [
        (b"body.rtf", Reason.CORRUPT)
    ]
