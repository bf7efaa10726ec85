"""What lies in a mail comes out byte for byte, and what a mail program shows of it is its text."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.archives import plain_zip
from formats.test_archives import members
from formats.test_places import found

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


@pytest.mark.parametrize(
    ("plain", "html", "told"),
    [
        (STUB, f"<p>{SIGNED}</p>", SIGNED),
        ("See the web page.", f"<p>{SIGNED}</p>" * 3, "\n".join([SIGNED] * 3)),
        (SIGNED, f"<h1>News</h1><p>{SIGNED}</p>", SIGNED),
        (SIGNED.upper() + " More of it.", f"<p>{SIGNED}</p>", SIGNED.upper() + " More of it."),
        (SIGNED, "<img src=a>", SIGNED),
        (" ", f"<p>{SIGNED}</p>", SIGNED),
    ],
)
def test_the_plain_body_counts_where_it_says_what_the_html_says(plain: str, html: str, told: str) -> None:
    parts = (b"Content-Type: text/plain", plain.encode()), (b"Content-Type: text/html", html.encode())
    text = text_of(holding(*parts, kind=b"alternative"))
    assert [line for line in text.split("\n")[1:] if line] == told.split("\n")


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
