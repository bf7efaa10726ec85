"""Office documents, mail and archives of the sample, taken apart the obvious way: by the standard library."""

import email
import email.policy
import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree


def members(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The document itself, then all that lies in it."""
    yield path, data
    inside: dict[str, bytes] = {}
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            inside = {name: file.read(name) for name in file.namelist()}
    elif path.endswith(".eml"):
        mail = email.message_from_bytes(data, policy=email.policy.default)
        inside = {str(part.get_filename()): part.get_content() for part in mail.iter_attachments()}
    for name, held in inside.items():
        yield from members(f"{path}!/{name}", held)


def text(path: str, data: bytes) -> str | None:
    """None: it is no office document."""
    if path.endswith(".eml"):
        body = email.message_from_bytes(data, policy=email.policy.default).get_body(("plain",))
        return "" if body is None else str(body.get_content())
    if path.endswith(".docx"):
        return "\n".join(_texts(data, "word/document.xml", "p"))
    if path.endswith(".xlsx"):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            (name,) = re.findall(r'<sheet name="([^"]*)"', file.read("xl/workbook.xml").decode())
        return "\n".join([name, *_texts(data, "xl/worksheets/sheet1.xml", "c")])
    if path.endswith(".pdf"):
        lines = re.findall(rb"^\((.*)\) '$", data, re.M)
        return "\n".join(re.sub(r"\\(.)", r"\1", line.decode("cp1252")) for line in lines)
    return None


def _texts(data: bytes, part: str, tag: str) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        root = ElementTree.fromstring(file.read(part))
    for element in root.iter():
        if element.tag.endswith("}" + tag):
            yield "".join(element.itertext())
