"""PDF files written object by object."""


def made(objects: list[str]) -> bytes:
    """From the catalogue on. PDFium finds the objects of a file without a table of them."""
    numbered = "".join(f"{number} 0 obj{one}endobj\n" for number, one in enumerate(objects, 1))
    return f"%PDF-1.7\n{numbered}trailer<</Root 1 0 R>>\n".encode()


def shown(text: str) -> str:
    stream = f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET"
    return f"<</Length {len(stream)}>>stream\n{stream}\nendstream\n"


PAGES = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
FONT = "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
PAGE = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]{FONT}"


def attached(number: int, name: str, text: str) -> list[str]:
    """A file and its description, from that object on."""
    return [
        f"<</Type/Filespec/F({name})/UF({name})/EF<</F {number + 1} 0 R>>>>",
        f"<</Type/EmbeddedFile/Length {len(text)}>>stream\n{text}\nendstream\n",
    ]


def appearance(text: str) -> str:
    stream = f"BT /F1 12 Tf 2 5 Td ({text}) Tj ET"
    return f"<</Type/XObject/Subtype/Form/BBox[0 0 300 20]{FONT}/Length {len(stream)}>>stream\n{stream}\nendstream\n"
