"""What was signed is read, wherever the signature keeps it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.test_archives import members
from formats.test_mail import HEAD, attached, holding, text_of
from formats.test_visible_text import found
from nearkin.formats.adapter import Problem
from nearkin.formats.smime import content
from nearkin.model import Reason

SIGNED, ENVELOPED = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("06092a864886f70d010703")
DATA = bytes.fromhex("06092a864886f70d010701")
BODY = b"Content-Type: text/plain\r\n\r\nThe signed words.\r\n"


def der(tag: int, inside: bytes) -> bytes:
    size = len(inside)
    if size < 128:
        return bytes((tag, size)) + inside
    told = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(told))) + told + inside


def ber(tag: int, inside: bytes) -> bytes:
    return bytes((tag, 0x80)) + inside + b"\0\0"


def in_pieces(data: bytes) -> bytes:
    return ber(0x24, der(0x04, data[:7]) + ber(0x24, der(0x04, data[7:9])) + der(0x04, data[9:]))


def signature(string: bytes, made=der, kind: bytes = SIGNED) -> bytes:  # type: ignore[no-untyped-def]
    inside = made(0x30, DATA + (made(0xA0, string) if string else b""))
    rest = der(0xA0, b"certificates") + der(0x31, b"")
    return bytes(made(0x30, kind + made(0xA0, made(0x30, der(2, b"\1") + made(0x31, der(0x30, b"")) + inside + rest))))


WAYS = {
    "definite": signature(der(4, BODY)),
    "indefinite": signature(in_pieces(BODY), ber),
    "base64 twice": base64.encodebytes(signature(der(4, BODY))),
}


def packed(data: bytes, *, name: str = "smime.p7m", kind: str = "application/pkcs7-mime") -> bytes:
    return attached(name, encoding="base64", kind=kind), base64.encodebytes(data)  # type: ignore[return-value]


def mail(data: bytes, kind: str = "application/pkcs7-mime; smime-type=signed-data") -> bytes:
    fields = f"Content-Type: {kind}; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return HEAD + fields.encode() + base64.encodebytes(data)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["application/pkcs7-mime; smime-type=signed-data", "application/octet-stream"])
def test_a_signed_mail_has_its_text(way: str, kind: str) -> None:
    data = mail(WAYS[way], kind)
    assert text_of(data).endswith("\n\nThe signed words.\n")
    assert members(data) == {}


def test_what_is_attached_in_a_signed_mail_is_a_member() -> None:
    inner = holding((b"Content-Type: text/plain", b"shown"), (attached("a.txt", encoding="7bit"), b"words"))
    twice = mail(signature(der(4, mail(signature(der(4, inner))))))
    assert "shown" in text_of(twice)
    assert members(twice) == {"a.txt": b"words"}


def test_a_signed_file_is_a_member() -> None:
    part = packed(signature(der(4, b"Note: the file")), name="letter.txt.p7m")
    assert members(holding(part)) == {"letter.txt": b"Note: the file"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (signature(b"", kind=ENVELOPED), Reason.ENCRYPTED),
        (signature(b""), Reason.CORRUPT),
        (b"nothing of the sort", Reason.CORRUPT),
        (WAYS["definite"][:60], Reason.CORRUPT),
        (signature(der(4, BODY), kind=DATA), Reason.UNSUPPORTED),
    ],
)
def test_what_cannot_be_read_fails(data: bytes, reason: Reason) -> None:
    (lost,) = found(mail(data))[1].members
    assert (lost.name, lost.data, lost.problem and lost.problem.reason) == (b"smime.p7m", b"", reason)


def test_signed_in_signed_ends() -> None:
    data = BODY
    for _ in range(20):
        data = mail(signature(der(4, data)))
    (lost,) = found(data)[1].members
    assert lost.problem is not None


@given(st.sampled_from(sorted(WAYS)), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 255)), max_size=4))
def test_damage_is_told_or_changes_words(way: str, changes: list[tuple[int, int]]) -> None:
    data = bytearray(WAYS[way])
    for at, byte in changes:
        data[at] = byte
    try:
        content(bytes(data))
    except Problem:
        assert changes


def test_many_pieces_take_no_quadratic_time() -> None:
    data = signature(ber(0x24, der(4, b"x") * 200_000), ber)
    assert content(data) == b"x" * 200_000
    with pytest.raises(Problem):
        content(signature(b"\x24\x80" * 100_000, ber))
