"""XML of any sort: the text of its elements. Where attributes hold more text than elements do, as in files of settings
and data, they are told too: of DocBook or TEI a reader sees no attribute, of such files nothing else.

Of broken XML the tags are taken away; where nothing is left, it is broken, not empty. Of 176 revisions of HOWTOs
three were broken (a second root, a document type without an address), and each was a gap in its history.
"""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import events
from nearkin.formats.xml_loose import without_tags
from nearkin.model import Reason
from nearkin.text.decode import decode

SPACE = b" \t\r\n\xef\xbb\xbf"
NO_TEXT = ("xmlns", "xsi:", "xml:id", "xml:space")


def read(file: BinaryIO, limits: Limits) -> Found:
    try:
        text = _well_formed(file, limits)
    except Problem as problem:
        if problem.reason is not Reason.CORRUPT or "amplification" in problem.detail:  # that one is meant to harm
            raise
        file.seek(0)
        text = _loose(file.read(limits.member + 1), limits, problem)
    if not text.strip():
        raise Problem(Reason.EMPTY, "XML without text")
    return Found(text)


def _loose(data: bytes, limits: Limits, problem: Problem) -> str:
    if len(data) > limits.member or not data.lstrip(SPACE).startswith(b"<"):
        raise problem
    prose = Prose(limits)
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
    prose = Prose(limits)
    last = ""
    for event in events(file):
        if event.kind == "text":
            prose.add(event.name)
        elif event.kind == "start":
            if last == "end":
                prose.end()  # elements side by side are words apart
            if attributes > elements:
                for name, value in event.attributes.items():
                    if not name.startswith(NO_TEXT):
                        prose.line(value)
        last = event.kind
    return prose.text()
