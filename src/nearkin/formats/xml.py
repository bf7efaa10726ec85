"""XML of any sort: the text of its elements. Where attributes hold more text than elements do, as in files of settings
and data, they are told too: of DocBook or TEI a reader sees no attribute, of such files nothing else.
"""

from typing import BinaryIO

from nearkin.formats.found import Found, Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import events
from nearkin.model import Reason

NO_TEXT = ("xmlns", "xsi:", "xml:id", "xml:space")


def read(file: BinaryIO, limits: Limits) -> Found:
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
    text = prose.text()
    if not text.strip():
        raise Problem(Reason.EMPTY, "XML without text")
    return Found(text)
