"""Mail with attachments (RFC 5322, MIME), written by hand: what Python's own writer makes changes with its version."""

from base64 import b64encode, encodebytes
from collections.abc import Mapping
from email.utils import formatdate

_BOUNDARY = "=-sample-part-="


def mail(subject: str, body: str, attached: Mapping[str, bytes], *, sender: str, receiver: str, when: int) -> bytes:
    """Names of what is attached are ASCII."""
    fields = (
        f"From: {sender} <{sender.lower()}@example.org>",
        f"To: {receiver} <{receiver.lower()}@example.org>",
        f"Date: {formatdate(when)}",
        f"Subject: =?utf-8?b?{b64encode(subject.encode()).decode()}?=",
        f"Message-ID: <{when}.{sender.lower()}@example.org>",
        "MIME-Version: 1.0",
        f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
    )
    parts = [("text/plain; charset=utf-8", "inline", body.encode())]
    parts += [("application/octet-stream", f'attachment; filename="{name}"', data) for name, data in attached.items()]
    lines = "".join(
        f"--{_BOUNDARY}\nContent-Type: {kind}\nContent-Disposition: {place}\n"
        f"Content-Transfer-Encoding: base64\n\n{encodebytes(data).decode()}"
        for kind, place, data in parts
    )
    return ("\n".join(fields) + f"\n\n{lines}--{_BOUNDARY}--\n").replace("\n", "\r\n").encode("ascii")
