"""XML of any sort as text, and XML as a stream of events for the formats that are made of it.

The text is that of the elements. Where attributes hold more text than elements do, as in files of settings and data,
they are added: of DocBook or TEI a person sees no attribute, of such files nothing else. Of broken XML the tags are
taken away; where nothing is left, it is broken, not empty. Of 176 revisions of HOWTOs three were broken (a second root,
a document type without an address), and each was a gap in its history.

As a stream, nothing is held but the names of open elements. Expat keeps open elements on the heap, so 300,000 levels
are fine. Entities a document declares are never expanded in its text (a billion laughs stay one `&lol9;`), in
attributes expat itself stops at a hundredfold; nothing external is fetched. Names come without prefix: strict and
transitional files differ in namespaces, not in names.
"""

import html
import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import IO, BinaryIO, NamedTuple
from xml.parsers import expat

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.model import Reason
from nearkin.text.decode import decode

SPACE = b" \t\r\n\xef\xbb\xbf"
NO_TEXT = ("xmlns", "xsi:", "xml:id", "xml:space")


def read(file: BinaryIO, limits: Limits) -> Extraction:
    try:
        text = _well_formed(file, limits)
    except Problem as problem:
        if problem.reason is not Reason.CORRUPT or "amplification" in problem.detail:  # such a file is meant to harm
            raise
        file.seek(0)
        text = _loose(file.read(limits.member + 1), limits, problem)
    if not text.strip():
        raise Problem(Reason.EMPTY, "XML without text")
    return Extraction(text)


def _loose(data: bytes, limits: Limits, problem: Problem) -> str:
    if len(data) > limits.member or not data.lstrip(SPACE).startswith(b"<"):
        raise problem
    prose = TextBuilder(limits)
    for piece in without_tags(decode(data).text):
        prose.add(piece)
    if not prose.text().strip():
        raise problem
    return prose.text()


def _well_formed(file: BinaryIO, limits: Limits) -> str:
    elements = attributes = 0
    for event in events(file):
        if event.kind == "text":
            elements += len(event.name.strip())
        elif event.kind == "start":
            attributes += sum(map(len, event.attributes.values()))
    file.seek(0)
    prose = TextBuilder(limits)
    last = ""
    for event in events(file):
        if event.kind == "text":
            prose.add(event.name)
        elif event.kind == "start":
            if last == "end":
                prose.end()  # elements side by side are separate words
            if attributes > elements:
                for name, value in event.attributes.items():
                    if not name.startswith(NO_TEXT):
                        prose.line(value)
        last = event.kind
    return prose.text()


CHUNK = 1 << 16
LONGEST_TOKEN = 16 << 20  # of one tag: expat holds it whole


class XmlEvent(NamedTuple):
    """The start or end of an element, or a piece of text."""

    kind: str  # "start", "end" or "text"
    name: str  # of the element, without prefix; of a piece of text the text itself
    attributes: dict[str, str]  # names with their prefix

    def get(self, name: str) -> str:
        """The attribute of that name, whatever its prefix; the one without a prefix first."""
        if not self.attributes or name in self.attributes:
            return self.attributes.get(name, "")
        return next((value for key, value in self.attributes.items() if bare(key) == name), "")


MOST_NAMES = 10_000  # that are remembered without their prefix
NO_ATTRIBUTES: dict[str, str] = {}


def bare(name: str) -> str:
    return name.rpartition(":")[2]


class _BareNames(dict[str, str]):
    """Names without their prefix, each cut once."""

    def __missing__(self, name: str) -> str:
        if len(self) > MOST_NAMES:
            self.clear()
        self[name] = bare(name)
        return self[name]


def events(stream: IO[bytes], *, encoding: str | None = None) -> Iterator[XmlEvent]:
    """The events of XML. A mistake in it is a Problem, raised after the events before the mistake."""
    parser = expat.ParserCreate(encoding)
    ready: list[XmlEvent] = []
    names = _BareNames()
    parser.StartElementHandler = lambda name, attributes: ready.append(XmlEvent("start", names[name], attributes))
    parser.EndElementHandler = lambda name: ready.append(XmlEvent("end", names[name], NO_ATTRIBUTES))
    parser.CharacterDataHandler = lambda text: ready.append(XmlEvent("text", text, NO_ATTRIBUTES))

    def add_reference(text: str) -> None:
        """With a default handler expat hands references over instead of expanding them."""
        if text[0] == "&":
            ready.append(XmlEvent("text", html5.get(text[1:], text), NO_ATTRIBUTES))

    parser.DefaultHandler = add_reference
    fed = waiting = 0
    try:
        # Expat begins a tag anew with each chunk until it has all of it: chunks grow with what waits, or a long tag
        # would take quadratic time.
        while chunk := stream.read(CHUNK + min(waiting, LONGEST_TOKEN // 4)):
            parser.Parse(chunk, False)
            fed += len(chunk)
            waiting = fed - parser.CurrentByteIndex
            if waiting > LONGEST_TOKEN:
                raise Problem(Reason.TOO_LARGE, "an XML tag of over 16 MB")
            yield from ready
            ready.clear()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        yield from ready  # the events before the mistake
        raise Problem(Reason.CORRUPT, f"broken XML: {error}") from error
    yield from ready


def without_hidden(events: Iterator[XmlEvent], hides: Callable[[XmlEvent, str], bool]) -> Iterator[XmlEvent]:
    """The events outside of hidden elements. `hides` is asked with an element and the name of its parent; it hides the
    element with all that is in it."""
    depth = 0
    around = [""]
    for event in events:
        if depth:
            depth += (event.kind == "start") - (event.kind == "end")
            continue
        if event.kind == "start":
            if hides(event, around[-1]):
                depth = 1
                continue
            around.append(event.name)
        elif event.kind == "end":
            around.pop()
        yield event


NAME = r"[^\W\d][^\s<>=/\"']*"
TAG = re.compile(rf"</?{NAME}(?:\s+{NAME}\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*\s*/?>")
UNTIDY = re.compile(rf"<(?:!|{NAME}\s)[^<>]*>")  # a tag with attributes without quotes, or with one quote too many
TYPE = re.compile(r"<!DOCTYPE[^\[<>]*(\[|>)")
TYPE_ENDS = re.compile(r"\]\s*>")
SPANS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);")


def without_tags(text: str) -> Iterator[str]:
    """Broken XML without its tags, in one pass. What cannot be told from text stays: losing text is worse than a tag.

    No element's name means anything here, unlike in HTML: text of <style> or <template> is text. Comments, processing
    instructions and document types go whole, if they end; words of side-by-side elements stay apart, as in whole XML.
    """
    at = 0
    typed = text.find("<!DOCTYPE")  # only the first counts
    after_end = False
    unclosed: set[str] = set()  # end marks that do not follow any more: each is looked for in vain only once
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield _plain(text[at:start])
            after_end = False
        opens, closes = next((span for span in SPANS if text.startswith(span[0], start)), ("", ""))
        end = -1
        if opens and closes not in unclosed:
            if (end := text.find(closes, start + len(opens))) < 0:
                unclosed.add(closes)
            elif opens == "<![CDATA[":
                yield text[start + len(opens) : end]
                after_end = False
        if end >= 0:
            at = end + len(closes)
        elif opens:
            at = start + len(opens)
        elif start == typed and (after := _after_type(text, start)) >= 0:
            at = after
        else:
            tag = TAG.match(text, start) or UNTIDY.match(text, start)
            if tag and (tag.re is TAG or text[start + 1] == "!" or "=" in tag[0]):
                if after_end and tag[0][1] not in "/!":
                    yield "\n"
                after_end = tag[0][1] == "/" or tag[0][-2] == "/" or (after_end and tag[0][1] == "!")
                at = tag.end()
            else:
                yield "<"
                at, after_end = start + 1, False
    yield _plain(text[at:])


def _after_type(text: str, start: int) -> int:
    """Where a document type ends, with all it declares; -1 where there is none, or its end cannot be told."""
    if not (match := TYPE.match(text, start)):
        return -1
    if match[1] == ">":
        return match.end()
    ends = TYPE_ENDS.search(text, match.end())
    return ends.end() if ends and text.find("<![CDATA[", start, ends.start()) < 0 else -1


def _plain(text: str) -> str:
    return REFERENCE.sub(lambda match: html.unescape(match[0]), text)
