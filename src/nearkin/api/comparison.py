"""Two texts or documents in full: every measure, their relation, and what they have in common."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING

from nearkin.api.texts import EXACT, IGNORED, Text, canon_for, data_of, extracted_from
from nearkin.errors import InputError, UsageError
from nearkin.query.comparison import Comparison, TemplatePayload, aligned, label, payload_of, without_templates
from nearkin.query.comparison import compare as measure
from nearkin.query.lookup import NamedDocument, Readable, find_document, in_characters
from nearkin.query.records import Record, comparison_record
from nearkin.scheme import Scheme, parse_scheme
from nearkin.scheme.shingler import ALL_BITS
from nearkin.settings import checked
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.report.word_marks import AlignedRow


def compare(
    a: Text,
    b: Text,
    scheme: str = EXACT,
    *,
    min_length: int = 20,
    raw: bool = False,
    ignore: Sequence[str] = IGNORED,
) -> Comparison:
    """Every measure of two texts, their relation in words, and their common passages with the places in both.

    Places are code points of the texts as they read (bytes where they are `raw`), passages at least `min_length` long.
    """
    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)

    def side(name: str, text: Text) -> NamedDocument:
        extracted = extracted_from(text, raw)
        data = data_of(text)
        return NamedDocument(name, len(data), sha256(data).digest(), extracted)

    return measure(side("a", a), side("b", b), how, canon_for(raw, ignore, how), least=min(min_length, maxsize))


@dataclass(frozen=True)
class ComparedDocuments:
    """Two documents, each by its name, with what they have in common."""

    names: tuple[str, str]  # as they were asked for
    a: NamedDocument
    b: NamedDocument
    comparison: Comparison
    payload: TemplatePayload | None  # what is left without the store's templates; None: it has none
    scheme: Scheme
    canon: Canon

    @property
    def relation(self) -> str:
        """What the two are to each other, in words."""
        return label(self.comparison.relation)

    @property
    def is_in_chunks(self) -> bool:
        """Whether shares count whole chunks, so that they are lower bounds."""
        return self.scheme.measure == "bytes" and not self.comparison.tier

    @property
    def short_bits(self) -> int | None:
        """Bits of fingerprints that are so few that different shingles may be taken for one; None: they are not."""
        shingler = self.scheme.shingler
        return shingler.bits if shingler and shingler.bits < ALL_BITS and not self.comparison.tier else None

    def record(self) -> Record:
        """All of it with the fields of JSON."""
        payload = self.payload.resemblance if self.payload else None
        sizes = self.a.size, self.b.size
        return comparison_record(*self.names, *sizes, self.comparison, self.scheme.spec, payload)

    @cached_property
    def texts(self) -> tuple[Readable, Readable]:
        """Both texts as people read them; places of passages are places in these."""
        a, b = (Readable.of(side.text or b"", self.canon) for side in (self.a, self.b))
        return a, b

    def rows(self, *, ends: int) -> "Iterator[AlignedRow] | None":
        """Both texts side by side, what is the same shortened to so many words at either end. None: one has no text."""
        from nearkin.report.word_marks import rows

        alignment = aligned(self.comparison, self.a, self.b, self.canon)
        if alignment is None:
            return None
        a, b = self.texts
        return rows(in_characters(alignment, a, b), a.text, b.text, self.canon, ends=ends)

    def write_page(self, page: Path) -> None:
        """Write both texts side by side as a web page."""
        from nearkin.report.comparison_page import comparison_page

        try:
            with page.open("w", encoding="utf-8", errors="replace") as file:
                file.writelines(comparison_page(self.a, self.b, self.comparison, self.scheme.spec, self.canon))
        except OSError as error:
            raise InputError(f"Cannot write {page}: {(error.strerror or str(error)).lower()}.") from error


def row_unit(row: "AlignedRow") -> str:
    """What a row of `ComparedDocuments.rows` is counted in: words, or characters in scripts without spaces."""
    from nearkin.report.word_marks import unit

    return unit(row.a)


def compare_documents(
    store: Path, a: str, b: str, scheme: str, *, min_length: int, raw: bool, ignore: Sequence[str]
) -> ComparedDocuments:
    """Two files, or documents of the store by their paths there."""
    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)
    canon = canon_for(raw, ignore, how)
    first, second = find_document(a, store, raw=raw), find_document(b, store, raw=raw)
    comparison = measure(first, second, how, canon, least=min(min_length, maxsize))
    payload = payload_of(first, second, how, canon, store)
    return ComparedDocuments((a, b), first, second, without_templates(comparison, payload), payload, how, canon)
