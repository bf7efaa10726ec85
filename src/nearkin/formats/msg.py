"""Outlook's mail: an OLE file with a stream for each property ([MS-OXMSG] §2).

It is read by olefile alone: the library made for it gives no embedded mail and no body that is in compressed RTF only.
An embedded mail is a storage, not a file: as a member it is written as an ordinary mail.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from email.parser import HeaderParser
from email.utils import format_datetime
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, BinaryIO

from nearkin.formats import mail_text, rtf
from nearkin.formats.adapter import (
    ContainerMember,
    Extraction,
    Limits,
    MemberBudget,
    Problem,
    TextBuilder,
    failures_summed_up,
)
from nearkin.formats.mail import fields as header_fields
from nearkin.formats.ole import STREAM, opened, stream_of, windows_time
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import visible_text

SUBJECT, HEADERS, BODY, RTF, HTML, MESSAGE_ID = 0x0037, 0x007D, 0x1000, 0x1009, 0x1013, 0x1035
SENT, DELIVERED, CODE_PAGE = 0x0039, 0x0E06, 0x3FFD
SENDER_NAME, SENDER_SMTP, SENDER = 0x0C1A, 0x5D01, 0x0C1F
NAME, ADDRESS, SMTP, RECIPIENT_TYPE = 0x3001, 0x3003, 0x39FE, 0x0C15
DATA, LONG_NAME, SHORT_NAME = 0x3701, 0x3707, 0x3704
LATEST = 2650467743990000000  # the last second of the year 9999, in 100 ns since 1601
DEEPEST = 8
PROPERTIES = "__properties_version1.0"
WHOLE = ("Package", "CONTENTS")  # of Office since 2007; of Acrobat


class Storage:
    """A mail, recipient or attachment: its properties and the storages within."""

    def __init__(self, ole: Any, path: tuple[str, ...] = ()) -> None:
        self._ole = ole
        self._path = path
        fixed = self.stream(PROPERTIES)
        header = 8 if path and not path[-1].endswith("000D") else 24 if path else 32
        rows = (fixed[at : at + 16] for at in range(header, len(fixed) - 15, 16))
        self._fixed = {int.from_bytes(row[2:4], "little"): row[8:16] for row in rows}

    def stream(self, name: str) -> bytes:
        return stream_of(self._ole, "/".join((*self._path, name)))

    @property
    def is_mail(self) -> bool:
        return bool(self.stream(PROPERTIES))

    def text(self, key: int) -> str:
        wide = self.stream(f"__substg1.0_{key:04X}001F")
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        return self._decoded(self.stream(f"__substg1.0_{key:04X}001E")).rstrip("\0")

    def _decoded(self, data: bytes) -> str:
        page = self.number(CODE_PAGE)
        try:
            return data.decode("utf-8" if page in (0, 65001) else f"cp{page}")
        except (LookupError, UnicodeDecodeError):
            return decode(data).text

    def data(self, key: int) -> bytes:
        return self.stream(f"__substg1.0_{key:04X}0102")

    def size(self, key: int) -> int:
        return self.length(f"__substg1.0_{key:04X}0102")

    def length(self, name: str) -> int:
        place = "/".join((*self._path, name))
        return int(self._ole.get_size(place)) if self._ole.get_type(place) == STREAM else 0

    def number(self, key: int) -> int:
        return int.from_bytes(self._fixed.get(key, b"")[:4], "little")

    def time(self, key: int) -> datetime | None:
        ticks = int.from_bytes(self._fixed.get(key, b""), "little")
        return windows_time(ticks) if 0 < ticks < LATEST else None

    def inner(self, start: str) -> Iterator["Storage"]:
        depth = len(self._path)
        names = {
            entry[depth]
            for entry in self._ole.listdir()
            if tuple(entry[:depth]) == self._path and len(entry) > depth + 1
        }
        for name in sorted(names):
            if name.startswith(start):
                yield Storage(self._ole, (*self._path, name))


def read(file: BinaryIO, limits: Limits) -> Extraction:
    mail = Storage(opened(file))
    fields = _fields(mail)
    prose = TextBuilder(limits)
    mail_text.add_fields(fields, prose)
    lost: list[ContainerMember] = []
    prose.line(_body(mail, limits, lost))
    return Extraction(
        prose.text(), mail_text.properties(fields), failures_summed_up(chain(lost, _members(mail, limits)))
    )


def _fields(mail: Storage) -> dict[str, str]:
    """Header fields as the sender's server wrote them; of drafts and internal mail, which have none, from the
    properties."""
    headers = HeaderParser().parsestr(mail.text(HEADERS))
    fields = header_fields(headers)
    to: dict[int, list[str]] = {1: [], 2: []}
    for recipient in mail.inner("__recip_version1.0_"):
        who = _person(recipient.text(NAME), recipient.text(SMTP) or recipient.text(ADDRESS))
        to.setdefault(recipient.number(RECIPIENT_TYPE), []).append(who)
    sent = mail.time(SENT) or mail.time(DELIVERED)
    own = {
        "Message-ID": mail.text(MESSAGE_ID),
        "From": _person(mail.text(SENDER_NAME), mail.text(SENDER_SMTP) or mail.text(SENDER)),
        "To": ", ".join(to[1]),
        "Cc": ", ".join(to[2]),
        "Date": format_datetime(sent) if sent else "",
        "Subject": mail.text(SUBJECT),
    }
    return {name: fields[name] or own.get(name, "") for name in ("Message-ID", *mail_text.SEEN)}


def _person(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _body(mail: Storage, limits: Limits, lost: list[ContainerMember]) -> str:
    """The text of a mail. RTF counts as HTML where there is none. A damaged body of RTF is added to `lost` if the plain
    body is there."""
    plain = mail.text(BODY).replace("\r\n", "\n")
    page = mail.data(HTML) or mail.text(HTML).encode("utf-8", "replace")
    html = visible_text(decode(page, html=True).text.encode()).decode() if page else ""
    if not html.strip() and (packed := mail.data(RTF)):
        try:
            html = rtf.parsed(decompressed_rtf(packed, limits), limits).prose.text()
        except Problem as problem:
            if not plain.strip():
                raise
            lost.append(ContainerMember.failed(b"body.rtf", problem))
    chosen = zip((plain, html), mail_text.shown(plain, html), strict=True)
    return "\n".join(text for text, shown in chosen if shown) or plain


def _members(mail: Storage, limits: Limits, depth: int = 0) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    for number, attached in enumerate(mail.inner("__attach_version1.0_"), 1):
        budget.begin()
        own_name = attached.text(LONG_NAME) or attached.text(SHORT_NAME) or attached.text(NAME)
        name = own_name.replace("\\", "/").rpartition("/")[2].strip()
        embedded = next(attached.inner(f"__substg1.0_{DATA:04X}000D"), None)
        if embedded is None:
            place = name or f"part-{number}"
            yield budget.attached(place.encode("utf-8", "replace"), attached.size(DATA), partial(attached.data, DATA))
            continue
        if not embedded.is_mail:
            place, size = name or f"part-{number}", max(map(embedded.length, WHOLE))
            yield budget.attached(place.encode("utf-8", "replace"), size, partial(_object, embedded))
            continue
        place = (name.removesuffix(".msg") or f"part-{number}") + ".eml"
        if depth >= DEEPEST:
            yield ContainerMember.failed(place.encode(), Problem(Reason.TOO_LARGE, "mail in mail in mail"))
        else:
            lost: list[ContainerMember] = []
            written = partial(_as_mail, embedded, limits, depth + 1, lost)
            yield budget.attached(place.encode("utf-8", "replace"), 0, written)
            yield from (replace(member, name=place.encode("utf-8", "replace") + b"/" + member.name) for member in lost)


def _object(storage: Storage) -> bytes:
    """An object that another program put into the text of the mail: its file, where it is kept as one."""
    for name in WHOLE:
        if data := storage.stream(name):
            return data
    raise Problem(Reason.UNSUPPORTED, "an object that another program put into the mail is not read")


def _as_mail(mail: Storage, limits: Limits, depth: int, lost: list[ContainerMember]) -> bytes:
    """Write an embedded mail as an ordinary one. Members that cannot be taken out of it are added to `lost`."""
    written, digest = EmailMessage(), sha256()
    for name, value in _fields(mail).items():
        if value:
            written.add_header(name, " ".join(value.split()))
    written.set_content(_body(mail, limits, lost))
    for member in _members(mail, limits, depth):
        if member.problem is not None:
            lost.append(member)
            continue
        digest.update(member.data)
        written.add_attachment(
            member.data, maintype="application", subtype="octet-stream", filename=member.name.decode("utf-8", "replace")
        )
    if written.is_multipart():  # the boundary that Python makes differs every time
        written.set_boundary(digest.hexdigest()[:32])
    return written.as_bytes()


USUAL = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans "
    rb"SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u"
    rb"\tab\tx"
)
RING = 4096
PLAIN, PACKED = b"MELA", b"LZFu"


def decompressed_rtf(data: bytes, limits: Limits) -> bytes:
    """Unpack RTF as Outlook keeps it: LZ77 with a dictionary that begins with usual words of RTF ([MS-OXRTFCP] §3)."""
    if data[8:12] == PLAIN:
        return data[16:]
    if data[8:12] != PACKED:
        raise Problem(Reason.CORRUPT, "the mail's text is compressed in an unknown way")
    ring = bytearray(USUAL.ljust(RING, b" "))
    at = len(USUAL)
    output = bytearray()
    place = 16
    while place < len(data):
        control = data[place]
        place += 1
        for bit in range(8):
            if place >= len(data):
                break
            if not control >> bit & 1:
                piece = data[place : place + 1]
                place += 1
                ring[at] = piece[0]
                at = (at + 1) % RING
                output += piece
                continue
            token = int.from_bytes(data[place : place + 2], "big")
            place += 2
            start, length = token >> 4, (token & 15) + 2
            if start == at:
                return bytes(output)
            for step in range(length):
                byte = ring[(start + step) % RING]
                ring[at] = byte
                at = (at + 1) % RING
                output.append(byte)
        if len(output) > limits.unpacked:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")
    return bytes(output)
