"""Mail (RFC 5322, MIME): header fields, the plain body, the HTML or both; attachments and embedded mail are members.

What was signed and packed into the signature (S/MIME) is read as if it stood in the mail itself.
"""

import re
from collections.abc import Iterator
from email.message import Message
from email.utils import parseaddr
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO

from nearkin.formats import letter, smime
from nearkin.formats.adapter import Found, Limits, Member, Problem
from nearkin.formats.charset import labelled
from nearkin.formats.lacking import few_failed
from nearkin.formats.mail_parser import Mail, parsed
from nearkin.formats.mail_text import spelled
from nearkin.formats.members import Counted
from nearkin.formats.prose import Prose
from nearkin.formats.registry import FORMATS
from nearkin.formats.unflowed import unflowed
from nearkin.formats.uuencoded import taken_out
from nearkin.model import Reason
from nearkin.text.kind import visible_text

PACKED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
SEALED = "application/pgp-encrypted"
EMBEDDED = ("message/rfc822", "message/global")
HEADER = re.compile(rb"\s*[!-9;-~]{1,76}[ \t]*:")
STARTS = 4096  # bytes
LONG = 1000  # characters that an address is looked for in
DEEPEST = 8  # signed in signed
# Of parts without a name. Not by Python's mimetypes: it reads files of the system, and another has other ones.
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

Attached = Mail | Member  # parts of the mail, and what was made of one


def read_eml(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    mail = parsed(file)
    told = fields(mail)
    prose = Prose(limits)
    letter.add_fields(told, prose)
    inline, attached = _sorted(mail, limits)
    for part in inline:
        prose.line(body(part))
        attached += [Member(name.encode("utf-8", "replace"), data) for name, data in _in_text(part)[1]]
    return Found(prose.text(), letter.properties(told), few_failed(_attachments(attached, limits)))


def check_start(file: BinaryIO) -> None:
    """It begins with a header field, or with the line that mailboxes have before one. Anything else is no text."""
    head = file.read(STARTS).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    if head and not HEADER.match(head) and not head.startswith((b"From ", b">From ")):
        raise Problem(Reason.CORRUPT, "not a mail: it does not begin with a header field")


def fields(mail: "Message[Any, Any]") -> dict[str, str]:
    """A mail has one Message-ID: where there are more, the first counts. Answers go to the sender unless it says so."""
    told = {"Message-ID": field(mail, "Message-ID", most=1), **{name: field(mail, name) for name in letter.SEEN}}
    sender, answered = (parseaddr(told[name][:LONG])[1] for name in ("From", "Reply-To"))
    if sender == answered:
        told["Reply-To"] = ""
    return told


def field(mail: "Message[Any, Any]", name: str, *, most: int | None = None) -> str:
    """All fields of that name, on one line."""
    return ", ".join(spelled(str(value)) for value in mail.get_all(name, [])[:most]).strip()


def body(part: Mail) -> str:
    if part.get_content_type() == "text/html":
        return visible_text(decoded(part).encode("utf-8", "replace")).decode()
    return _in_text(part)[0]


def _in_text(part: Mail) -> tuple[str, list[tuple[str, bytes]]]:
    """A plain text without the files that stand in it, and these."""
    return taken_out(decoded(part)) if part.get_content_type() == "text/plain" else (decoded(part), [])


def decoded(part: Mail) -> str:
    text = labelled(part.data, part.label or "utf-8", html=part.get_content_type() == "text/html")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unflowed(text) if str(part.get_param("delsp", "")).strip().lower() == "yes" else text


def _sorted(part: Mail, limits: Limits, depth: int = 0) -> tuple[list[Mail], list[Attached]]:
    """Parts that are shown as the text, and those that are attached."""
    kind = part.kind
    if kind in PACKED or part.file_name.lower().endswith(".p7m"):
        return _unpacked(part, limits, depth)
    if kind in EMBEDDED or kind == SEALED:
        return [], [part]
    if not part.is_multipart():
        attached = part.get_content_disposition() == "attachment" or part.file_name
        # What became of a delivery; and what should have parts, but its boundary is nowhere.
        shown = kind in ("text/plain", "text/html") or kind.startswith(("message/", "multipart/"))
        return ([part], []) if shown and not attached else ([], [part])
    inner = [_sorted(one, limits, depth) for one in part.inner]
    shown_parts = [inline for inline, _ in inner if inline]
    if kind == "multipart/alternative":
        shown_parts = _chosen(shown_parts)
    return [one for parts in shown_parts for one in parts], [one for _, held in inner for one in held]


def _chosen(alternatives: list[list[Mail]]) -> list[list[Mail]]:
    html = [parts for parts in alternatives if any(part.kind == "text/html" for part in parts)]
    plain = [parts for parts in alternatives if parts not in html]
    said, meant = ("\n".join(body(part) for parts in some for part in parts) for some in (plain, html))
    keeps_plain, keeps_html = letter.shown(said, meant)
    return (plain * keeps_plain + html * keeps_html) or alternatives


def _unpacked(part: Mail, limits: Limits, depth: int) -> tuple[list[Mail], list[Attached]]:
    """What was signed: a mail's body, shown and attached as its own, or a file (letter.pdf.p7m)."""
    if part.size > limits.member or str(part.get_param("smime-type", "")).lower() == "certs-only":
        return [], [part]
    name = part.file_name or "smime.p7m"
    try:
        held = smime.content(part.data)
        if not held or depth >= DEEPEST:
            raise Problem(Reason.CORRUPT, "what was signed is not in it" if not held else "signed too many times")
    except Problem as problem:
        return [], [Member(name.encode("utf-8", "replace"), b"", problem=problem)]
    file_name = name[:-4] if name.lower().endswith(".p7m") else name
    if "." not in file_name and (HEADER.match(held) or held.startswith((b"\n", b"\r\n"))):
        return _sorted(parsed(BytesIO(held)), limits, depth + 1)
    return [], [Member(file_name.encode("utf-8", "replace"), held)]


def _attachments(attached: list[Attached], limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    for number, part in enumerate(attached, 1):
        counted.begin()
        if isinstance(part, Member):
            yield part if part.problem else counted.attached(part.name, len(part.data), partial(_held, part))
        elif part.kind == SEALED:
            yield Member(_name(part, number), b"", problem=Problem(Reason.ENCRYPTED, "the mail's text is encrypted"))
        else:
            yield counted.attached(_name(part, number), part.size, partial(_data, part))


def _held(member: Member) -> bytes:
    return member.data


def _data(part: Mail) -> bytes:
    """Embedded mail may say that it is base64 and be none: no colon is in base64."""
    is_none = part.kind in EMBEDDED and part.is_base64 and HEADER.match(part.written)
    return part.written if is_none else part.data


def _name(part: Mail, number: int) -> bytes:
    ending = ".eml" if part.kind in EMBEDDED else ENDINGS.get(part.kind, "")
    return (part.file_name or f"part-{number}{ending}").encode("utf-8", "replace")
