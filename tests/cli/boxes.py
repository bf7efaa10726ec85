"""Containers made of nothing but the standard library."""

import io
import tarfile
import zipfile
from email.message import EmailMessage

Members = dict[str, bytes]


def zipped(members: Members | list[tuple[str, bytes]]) -> bytes:
    """Always the same bytes of the same members."""
    out = io.BytesIO()
    pairs = members.items() if isinstance(members, dict) else members
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in pairs:
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tarred(members: Members, *, mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def mail(text: str, attached: Members, *, sender: str = "Ann <ann@example.org>", number: int = 1) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, "bob@example.org", f"Report {number}"
    made["Date"], made["Message-ID"] = "Mon, 06 Jan 2020 10:00:00 +0000", f"<{number}@example.org>"
    made["MIME-Version"] = "1.0"
    made.set_content(text)
    for name, data in attached.items():
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    made.set_boundary("=====") if attached else None
    return made.as_bytes()
