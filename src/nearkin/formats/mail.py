"""Mail (RFC 5322, MIME), mailboxes (RFC 4155) and saved web pages (MHTML, RFC 2557).

Of a mail, header fields come first, then the plain body, the HTML or both; attachments and embedded mail are members. A
body that was signed and packed into the signature (S/MIME) is read as if it stood in the mail itself.

A mailbox holds mails one after another, each begun by a line `From …` after an empty one. Sentences begin so, too, and
not every program quotes them. So the line must have an address and a date, as mailers write it, and a header field must
follow. A mail's own length counts only where another mail begins there or the file ends.

Of a saved web page, the text of its HTML parts is read, frames included; pictures and style sheets are no members.
"""

import re
from collections.abc import Iterator
from email.message import Message
from email.utils import parseaddr
from functools import partial
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO

from nearkin.formats import mail_text, smime
from nearkin.formats.adapter import (
    ContainerMember,
    Extraction,
    Limits,
    MemberBudget,
    Problem,
    TextBuilder,
    failures_summed_up,
)
from nearkin.formats.mail_parser import Mail, parsed, taken_out
from nearkin.formats.mail_text import labelled, properties, spelled, unflowed
from nearkin.formats.registry import FORMATS
from nearkin.formats.sniff import BEGINS_MAIL
from nearkin.model import Reason
from nearkin.text.html import page
from nearkin.text.kind import visible_text

PACKED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
SEALED = "application/pgp-encrypted"
EMBEDDED = ("message/rfc822", "message/global")
HEADER = re.compile(rb"\s*[!-9;-~]{1,76}[ \t]*:")
STARTS = 4096  # bytes
LONG = 1000  # characters of a field in which an address is looked for
DEEPEST = 8  # signatures within signatures
# Endings of parts without a name. Python's mimetypes is not used: it reads files of the system, which differ.
ENDINGS = {known.media: known.extensions[0] for known in FORMATS} | {
    "application/json": ".json",
    "application/octet-stream": ".bin",
    "application/pgp-signature": ".asc",
    "application/pkcs7-mime": ".p7m",
    "application/pkcs7-signature": ".p7s",
    "application/x-pkcs7-mime": ".p7m",
    "application/xhtml+xml": ".xhtml",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "text/calendar": ".ics",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/rtf": ".rtf",
    "text/vcard": ".vcf",
    "text/x-vcard": ".vcf",
    "text/xml": ".xml",
}

Attached = Mail | ContainerMember  # a part of the mail, or a member that was made of one


def read_eml(file: BinaryIO, limits: Limits) -> Extraction:
    check_start(file)
    mail = parsed(file)
    header = fields(mail)
    prose = TextBuilder(limits)
    mail_text.add_fields(header, prose)
    inline, attached = _shown_and_attached(mail, limits)
    for part in inline:
        prose.line(body(part))
        attached += [ContainerMember(name.encode("utf-8", "replace"), data) for name, data in _in_text(part)[1]]
    return Extraction(prose.text(), mail_text.properties(header), failures_summed_up(_attachments(attached, limits)))


def check_start(file: BinaryIO) -> None:
    """Raise a Problem unless the file begins with a header field, or with the line that mailboxes have before one."""
    head = file.read(STARTS).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    if head and not HEADER.match(head) and not head.startswith((b"From ", b">From ")):
        raise Problem(Reason.CORRUPT, "not a mail: it does not begin with a header field")


def fields(mail: "Message[Any, Any]") -> dict[str, str]:
    """The header fields that are shown. Of several Message-IDs the first counts. A Reply-To that is the sender's own
    address is left out."""
    values = {"Message-ID": field(mail, "Message-ID", most=1), **{name: field(mail, name) for name in mail_text.SEEN}}
    sender, answered = (parseaddr(values[name][:LONG])[1] for name in ("From", "Reply-To"))
    if sender == answered:
        values["Reply-To"] = ""
    return values


def field(mail: "Message[Any, Any]", name: str, *, most: int | None = None) -> str:
    """The values of all fields of that name, on one line."""
    return ", ".join(spelled(str(value)) for value in mail.get_all(name, [])[:most]).strip()


def body(part: Mail) -> str:
    """The text that a part shows."""
    if part.get_content_type() == "text/html":
        return visible_text(decoded(part).encode("utf-8", "replace")).decode()
    return _in_text(part)[0]


def _in_text(part: Mail) -> tuple[str, list[tuple[str, bytes]]]:
    """A plain text without the files that stand in it, and these files."""
    return taken_out(decoded(part)) if part.get_content_type() == "text/plain" else (decoded(part), [])


def decoded(part: Mail) -> str:
    text = labelled(part.data, part.label or "utf-8", html=part.get_content_type() == "text/html")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unflowed(text) if str(part.get_param("delsp", "")).strip().lower() == "yes" else text


def _shown_and_attached(part: Mail, limits: Limits, depth: int = 0) -> tuple[list[Mail], list[Attached]]:
    """Parts that are shown as the text, and those that are attached."""
    kind = part.kind
    if kind in PACKED or part.file_name.lower().endswith(".p7m"):
        return _signed_content(part, limits, depth)
    if kind in EMBEDDED or kind == SEALED:
        return [], [part]
    if not part.is_multipart():
        attached = part.get_content_disposition() == "attachment" or part.file_name
        # Also shown are reports of deliveries, and a part that should have parts, but whose boundary is nowhere.
        shown = kind in ("text/plain", "text/html") or kind.startswith(("message/", "multipart/"))
        return ([part], []) if shown and not attached else ([], [part])
    inner = [_shown_and_attached(child, limits, depth) for child in part.inner]
    shown_parts = [inline for inline, _ in inner if inline]
    if kind == "multipart/alternative":
        shown_parts = _alternatives_shown(shown_parts)
    return [shown for parts in shown_parts for shown in parts], [member for _, held in inner for member in held]


def _alternatives_shown(alternatives: list[list[Mail]]) -> list[list[Mail]]:
    html = [parts for parts in alternatives if any(part.kind == "text/html" for part in parts)]
    plain = [parts for parts in alternatives if parts not in html]
    plain_text, html_text = ("\n".join(body(part) for parts in some for part in parts) for some in (plain, html))
    keeps_plain, keeps_html = mail_text.shown(plain_text, html_text)
    return (plain * keeps_plain + html * keeps_html) or alternatives


def _signed_content(part: Mail, limits: Limits, depth: int) -> tuple[list[Mail], list[Attached]]:
    """The parts of what was signed: a mail's body, shown and attached as its own, or a file (letter.pdf.p7m)."""
    if part.size > limits.member or str(part.get_param("smime-type", "")).lower() == "certs-only":
        return [], [part]
    name = part.file_name or "smime.p7m"
    try:
        held = smime.content(part.data)
        if not held or depth >= DEEPEST:
            raise Problem(Reason.CORRUPT, "what was signed is not in it" if not held else "signed too many times")
    except Problem as problem:
        return [], [ContainerMember.failed(name.encode("utf-8", "replace"), problem)]
    file_name = name[:-4] if name.lower().endswith(".p7m") else name
    if "." not in file_name and (HEADER.match(held) or held.startswith((b"\n", b"\r\n"))):
        return _shown_and_attached(parsed(BytesIO(held)), limits, depth + 1)
    return [], [ContainerMember(file_name.encode("utf-8", "replace"), held)]


def _attachments(attached: list[Attached], limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    for number, part in enumerate(attached, 1):
        budget.begin()
        if isinstance(part, ContainerMember):
            yield part if part.problem else budget.attached(part.name, len(part.data), partial(_data_of_member, part))
        elif part.kind == SEALED:
            yield ContainerMember.failed(_name(part, number), Problem(Reason.ENCRYPTED, "the mail's text is encrypted"))
        else:
            yield budget.attached(_name(part, number), part.size, partial(_data, part))


def _data_of_member(member: ContainerMember) -> bytes:
    return member.data


def _data(part: Mail) -> bytes:
    """The bytes of an attachment. Embedded mail may be labelled base64 and be none: base64 has no colon."""
    is_mislabelled = part.kind in EMBEDDED and part.is_base64 and HEADER.match(part.written)
    return part.written if is_mislabelled else part.data


def _name(part: Mail, number: int) -> bytes:
    ending = ".eml" if part.kind in EMBEDDED else ENDINGS.get(part.kind, "")
    return (part.file_name or f"part-{number}{ending}").encode("utf-8", "replace")


LONGEST_LINE = 1 << 20
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
BLANK = (b"\n", b"\r\n")
MOST_BLANK = 4  # lines between two mails that state their length
LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})\s*$", re.IGNORECASE)
FIELD = re.compile(rb">From |[!-9;-~]{1,76}[ \t]*:")


def read_mbox(file: BinaryIO, limits: Limits) -> Extraction:
    check_start(file)
    return Extraction(None, members=_messages(file, limits))


def _messages(file: BinaryIO, limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    for number, mail in enumerate(_Mailbox(file, limits.member).mails(), 1):
        budget.begin()
        name = f"{number}.eml".encode()
        if mail is None:
            yield ContainerMember.failed(name, Problem(Reason.TOO_LARGE, f"over {limits.member} bytes"))
        else:
            budget.spend(len(mail))
            yield ContainerMember(name, mail)


class _Mailbox:
    """A mailbox file, read mail by mail."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._most = most
        self._size = file.seek(0, SEEK_END)
        file.seek(0)
        first = file.readline(LONGEST_LINE)
        # Some programs write another sort of line: then all mails of the file begin like its first.
        self._begins = BEGINS_MAIL if BEGINS_MAIL.match(first) else re.compile(rb"From \S")
        if not first.startswith(b"From "):
            file.seek(0)

    def mails(self) -> Iterator[bytes | None]:
        """The mails; None in place of one that is too large."""
        while self._file.tell() < self._size:
            yield self._mail()

    def _mail(self) -> bytes | None:
        """The next mail. The line that begins the one after it is passed."""
        held, size, length = [b""], 0, 0
        header, blank = True, False
        while line := self._file.readline(LONGEST_LINE):
            if blank and self._begins_mail(line):
                break
            blank = line in BLANK
            if header and blank and self._is_length(length):
                size += length
                line += self._file.read(length) if size <= self._most else b""
                self._file.seek(length if size > self._most else 0, 1)
            header = header and not blank
            if header and (stated := LENGTH.match(line)):
                length = int(stated[1])
            size += len(line)
            if size <= self._most:
                held.append(QUOTED.sub(rb"\1", line))
        return b"".join(held) if size <= self._most else None

    def _begins_mail(self, line: bytes) -> bool:
        if not self._begins.match(line):
            return False
        at = self._file.tell()
        after = self._file.readline(LONGEST_LINE)
        self._file.seek(at)
        return FIELD.match(after) is not None

    def _is_length(self, length: int) -> bool:
        """Whether so many bytes from here the file ends, or a mail begins after an empty line."""
        at = self._file.tell()
        if not length or at + length > self._size:
            return False
        self._file.seek(at + length - 1)
        after_line = self._file.read(1) == b"\n"
        line = self._file.readline(LONGEST_LINE)
        for _ in range(MOST_BLANK):
            if line in BLANK:
                after_line, line = True, self._file.readline(LONGEST_LINE)
        is_length = not line or (after_line and self._begins_mail(line))
        self._file.seek(at)
        return is_length


SHOWN = ("text/html", "application/xhtml+xml", "text/plain")


def read_mhtml(file: BinaryIO, limits: Limits) -> Extraction:
    check_start(file)
    saved = parsed(file)
    prose = TextBuilder(limits)
    own: dict[str, str] = {}  # properties of the first page that has any
    for part in saved.walk():
        if not part.is_multipart() and part.get_content_type() in SHOWN:
            text = decoded(part)
            if "html" in part.get_content_type():
                shown, of_page = page(text.encode("utf-8", "replace"))
                text, own = shown.decode(), own or of_page
            prose.line(text)
    date = properties({"Date": field(saved, "Date")}).get("date", "")
    known = {"title": field(saved, "Subject"), "created": date}
    return Extraction(prose.text(), {key: value for key, value in known.items() if value} | own)
