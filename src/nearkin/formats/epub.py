"""EPUB: the pages of the spine in their order, each as XHTML through the HTML extractor."""

import posixpath
from typing import BinaryIO
from urllib.parse import unquote

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.package_parts import Parts
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import visible_text

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
ONLY_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
META = {"title": "title", "creator": "author", "date": "created"}


def read(file: BinaryIO, limits: Limits) -> Extraction:
    parts = Parts(file, limits)
    if parts.has(ENCRYPTION) and any(
        event.name == "EncryptionMethod" and event.kind == "start" and event.get("Algorithm") not in ONLY_FONTS
        for event in parts.events(ENCRYPTION)
    ):
        raise Problem(Reason.ENCRYPTED, "the book is protected")
    pages, properties = _package(parts)
    prose = TextBuilder(limits)
    for page in pages:
        with parts.tolerating_damage(page):
            data = parts.data(page)
            prose.line(visible_text(decode(data, html=True).text.encode(), xml=True).decode())
    parts.require_any(pages, "pages")
    return Extraction(prose.text(), properties, parts.failed_parts)


def _package(parts: Parts) -> tuple[list[str], dict[str, str]]:
    roots = [event.get("full-path") for event in parts.events(CONTAINER) if event.name == "rootfile"]
    package = next((root for root in roots if root), "")
    if not package:
        raise Problem(Reason.CORRUPT, "damaged: its list of pages is missing")
    folder = posixpath.dirname(package)
    items: dict[str, str] = {}
    spine: list[str] = []
    properties: dict[str, str] = {}
    key = None
    for event in parts.events(package):
        if event.kind == "text":
            if key and key not in properties and event.name.strip():
                properties[key] = event.name.strip()
            continue
        key = META.get(event.name) if event.kind == "start" else None
        if key == "created" and event.get("event") == "modification":  # EPUB 2
            key = "modified"
        if event.kind == "start" and event.name == "item":
            place = posixpath.normpath(posixpath.join(folder, unquote(event.get("href"))))
            items[event.get("id")] = place
        elif event.kind == "start" and event.name == "itemref":
            spine.append(event.get("idref"))
        elif event.kind == "start" and event.name == "meta" and event.get("property") == "dcterms:modified":
            key = "modified"
    pages = [page for name in spine if parts.has_named(page := items.get(name, name))]
    if spine and not pages:
        raise Problem(Reason.CORRUPT, f"the {len(spine)} pages it names are missing")
    return pages, properties
