"""What callers may give as a text.

A text is a str, taken as it reads, or bytes, read as a scan reads a file: sniffed, decoded, stripped to what
a reader of a page sees. Either is made canonical as in a scan, unless `raw` is set.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nearkin.errors import UsageError
from nearkin.scheme import Scheme, keeps_lines
from nearkin.settings import TextSettings, checked
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.text.kind import Extracted

Text = str | bytes
Texts = Mapping[Any, Text] | Iterable[Text]

EXACT = "exact:window=20"  # two texts at hand are measured, not sampled
IGNORED = TextSettings().ignore


def canon_for(raw: bool, ignore: Sequence[str], scheme: Scheme) -> Canon:
    some = tuple(ignore) if isinstance(ignore, list) else ignore
    return Canon.of(TextSettings(raw=raw, ignore=checked("ignore", some, tuple[str, ...])), lines=keeps_lines(scheme))


def extracted_from(text: Text, raw: bool) -> bytes | None:
    """None: there is no text in it."""
    return extraction_of(text, raw).text


def extraction_of(text: Text, raw: bool) -> "Extracted":
    from nearkin.text.kind import Extracted

    if isinstance(text, str):
        # Half a surrogate pair is no character, so it reads as nothing; taken as it is, it is no other string's.
        return Extracted(text.encode("utf-8", "surrogatepass" if raw else "replace"), "text/plain", "utf-8")
    if isinstance(text, bytes):
        from nearkin.engine.single_document import extracted

        return extracted(text, b"", raw=raw)
    raise UsageError(f"A text is a str or bytes, not {type(text).__name__}.")


def data_of(text: Text) -> bytes:
    """The bytes of a file with this text."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def canonical(text: Text, canon: Canon) -> bytes | None:
    extracted = extracted_from(text, canon.raw)
    return None if extracted is None else canon.apply(extracted)
