"""Broken XML without its tags, in one pass. What cannot be told from text stays: losing text is worse than a tag.

No element's name means anything here, unlike in HTML: text of <style> or <template> is text. Comments, processing
instructions and document types go whole, if they end; words of side-by-side elements stay apart, as in whole XML.
"""

import html
import re
from collections.abc import Iterator

NAME = r"[^\W\d][^\s<>=/\"']*"
TAG = re.compile(rf"</?{NAME}(?:\s+{NAME}\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*\s*/?>")
UNTIDY = re.compile(rf"<(?:!|{NAME}\s)[^<>]*>")  # attributes without quotes, or with one too many
TYPE = re.compile(r"<!DOCTYPE[^\[<>]*(\[|>)")
TYPE_ENDS = re.compile(r"\]\s*>")
SPANS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);")


def without_tags(text: str) -> Iterator[str]:
    at = 0
    typed = text.find("<!DOCTYPE")  # the first alone
    after_end = False
    unclosed: set[str] = set()  # marks that do not come any more: each is looked for once in vain
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
    """Where a document type ends, with what it declares; -1: none is here, or its end cannot be told."""
    if not (match := TYPE.match(text, start)):
        return -1
    if match[1] == ">":
        return match.end()
    ends = TYPE_ENDS.search(text, match.end())
    return ends.end() if ends and text.find("<![CDATA[", start, ends.start()) < 0 else -1


def _plain(text: str) -> str:
    return REFERENCE.sub(lambda match: html.unescape(match[0]), text)
