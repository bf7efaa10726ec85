"""The words a reader of a page sees, from a tree: selectolax (lexbor) parses, a walk reads."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

HIDDEN = {"script", "style", "template", "iframe", "noembed"}
BLOCK_NAMES = """
    address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend
    li listing main menu nav ol optgroup p plaintext pre search section summary table tbody tfoot thead title
    tr ul xmp
"""
SPACE_NAMES = """
    td th area audio button canvas datalist embed image img input math meter object option progress select svg
    textarea video
"""
UNSEEN = ("hidden", "checkbox", "radio", "file", "range", "color")
BLOCKS = set(BLOCK_NAMES.split())
SPACES = set(SPACE_NAMES.split())


def alt(node: LexborNode) -> str:
    """Of a picture; what repeats the name of its file is none. Of another input its value."""
    told = node.attributes
    if node.tag == "input" and (kind := (told.get("type") or "").lower()) != "image":
        value = "" if kind == "password" else (told.get("value") or "").strip()
        return "" if kind in UNSEEN else value or told.get("placeholder") or ""
    pictured = node.tag in ("img", "area", "input")
    text, file = (told.get("alt") or "").strip(), (told.get("src") or "").rpartition("/")[2]
    name = file.lower().rpartition(".")[0]
    repeats = "." in file and text.lower() in (file.lower(), name, f"[{name}]")
    return text if pictured and not repeats else ""


def pieces(node: LexborNode | None) -> Iterator[str]:
    """Text in document order, with a break or a space around what is not inline, and no recursion."""
    top = node
    while node is not None:
        tag = node.tag
        if tag == "-text":
            yield node.text_content or ""
        elif tag in BLOCKS:
            yield f"\n{node.attributes.get('label') or ''}\n" if tag == "optgroup" else "\n"
        elif tag in SPACES:
            yield f" {alt(node)} "
        below = None if tag in HIDDEN else node.child
        while node is not None and below is None:
            if node.tag in BLOCKS:
                yield "\n"
            elif node.tag in SPACES:
                yield " "
            below = node.next
            node = node.parent if node != top else None
        node = below if node is not None else None


def visible_words(html: str) -> list[str]:
    return "".join(pieces(LexborHTMLParser(html).root)).split()
