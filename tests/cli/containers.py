"""Containers made of nothing but the standard library, a folder of them, and what a scan of it lists."""

import io
import json
import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from cli.world import Called, edited, prose

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


INNER = zipped({"deep.txt": prose(3).encode(), "page.html": f"<html><p>{prose(4)}</p></html>".encode()})
FILES = {
    "plain.txt": prose(1).encode(),
    "arch.zip": zipped(
        {"folder/a.txt": prose(1).encode(), "b.txt": edited(prose(2), 9).encode(), "in.zip": INNER, "x.bin": b"\0\1\2"}
    ),
    "box.tar.gz": tarred({"b.txt": prose(2).encode()}),
    "mail.eml": mail(prose(5), {"report.txt": prose(2).encode(), "in.zip": INNER}),
    "broken.zip": b"PK\x03\x04 and nothing more",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0",
}
PATHS = [
    "arch.zip",
    "arch.zip!/b.txt",
    "arch.zip!/folder/a.txt",
    "arch.zip!/in.zip",
    "arch.zip!/in.zip!/deep.txt",
    "arch.zip!/in.zip!/page.html",
    "arch.zip!/x.bin",
    "box.tar.gz",
    "box.tar.gz!/b.txt",
    "mail.eml",
    "mail.eml!/in.zip",
    "mail.eml!/in.zip!/deep.txt",
    "mail.eml!/in.zip!/page.html",
    "mail.eml!/report.txt",
    "picture.png",
    "plain.txt",
]


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def scan(store: Path, *more: object, code: int = 0) -> dict[str, Any]:
    done = Called("scan", *more, "--store", store, "--format", "json")
    assert done.code == code, done.err
    summary: dict[str, Any] = json.loads(done.out)
    return summary


def changes(summary: dict[str, Any]) -> dict[str, int]:
    return {name: summary[name] for name in ("new", "changed", "moved", "gone") if summary[name]}
