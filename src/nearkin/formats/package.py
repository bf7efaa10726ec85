"""Whether a zip file is one document, as its list of parts says: its main part is there, and no other files lie beside.

Asked only where the name does not say so. Someone's folder, packed, may hold an unpacked Word file among the rest: read
as that document, all the rest would be lost.
"""

from collections.abc import Iterable

# Where parts of OOXML lie (ECMA-376 part 1), and those that programs add.
OOXML = (
    "[Content_Types].xml", "_rels/", "docProps/", "word/", "xl/", "ppt/", "customXml/", "customUI/", "docMetadata/",
    "userCustomization/", "[trash]/", "MsoDataStore/", "_xmlsignatures/",
)  # fmt: skip
OPEN_DOCUMENT = (
    "mimetype", "content.xml", "styles.xml", "meta.xml", "settings.xml", "manifest.rdf", "layout-cache", "current.xml",
    "META-INF/", "Pictures/", "Thumbnails/", "Configurations/", "Configurations2/", "Object ", "ObjectReplacements/",
    "Basic/", "Dialogs/", "Fonts/", "Versions/", "Media/", "media/", "VersionList.xml",
)  # fmt: skip
MAIN = {
    "docx": "word/document",
    "pptx": "ppt/presentation",
    "xlsx": "xl/workbook",
    "odt": "content.xml",
    "ods": "content.xml",
    "odp": "content.xml",
    "epub": "META-INF/container.xml",
}


def is_archive(format_name: str, parts: Iterable[str], *, named_zip: bool) -> bool:
    """Though parts of that format are in it. What lacks its main part is damaged, unless it is called a zip."""
    plain = [part.replace("\\", "/").lstrip("/") for part in parts]
    if named_zip and not any(part.startswith(MAIN[format_name]) for part in plain):
        return True
    if format_name == "epub":  # its pages may lie anywhere
        return False
    if format_name in ("docx", "pptx", "xlsx"):
        return not all(part.startswith(OOXML) for part in plain)
    # Formulas and charts lie in folders of any name.
    objects = tuple(part.removesuffix("content.xml") for part in plain if part.endswith("/content.xml"))
    return not all(part.startswith(OPEN_DOCUMENT + objects) for part in plain)
