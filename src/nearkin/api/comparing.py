"""One pair in full, and where the passages of a text went, as Python asks."""

from collections.abc import Sequence
from sys import maxsize
from typing import TYPE_CHECKING

from nearkin.api.text import EXACT, IGNORED, Text, canon_for, data_of, extracted_from
from nearkin.api.writing import Written
from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme
from nearkin.settings import checked

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.query.comparison import Comparison


def compare(
    a: Text,
    b: Text,
    scheme: str = EXACT,
    *,
    min_length: int = 20,
    raw: bool = False,
    ignore: Sequence[str] = IGNORED,
) -> "Comparison":
    """Every measure of two texts, their relation in words, and their common passages with the places in both.

    Places are code points of the texts as they read (bytes where they are `raw`), passages at least `min_length` long.
    """
    from hashlib import sha256

    from nearkin.query.comparison import compare as measure
    from nearkin.query.lookup import Found

    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)

    def side(name: str, text: Text) -> Found:
        extracted = extracted_from(text, raw)
        data = data_of(text)
        return Found(name, len(data), sha256(data).digest(), extracted)

    return measure(side("a", a), side("b", b), how, canon_for(raw, ignore, how), least=min(min_length, maxsize))


class Tracing(Written):
    def trace(self, text: Text, *, min_length: int = 100, quick: bool = False) -> "pa.Table":
        """Every document that holds a passage of a text of at least so many characters, those that hold most first.

        `share` is how much of the text a document holds, `share_of_all` how much all of them hold together. With
        `quick` only what shares a stored feature is read, which may miss short passages. Where texts were not kept, the
        table's metadata say how many may hold some, under `nearkin.partial`.
        """
        from hashlib import sha256

        from nearkin.query.records import traced_table
        from nearkin.query.store_view import connected, is_scoped
        from nearkin.query.trace import LONG_ENOUGH, trace
        from nearkin.store import runs
        from nearkin.text.canon import Canon

        if checked("min_length", min_length, int) < LONG_ENOUGH:
            raise UsageError(f"min_length is in characters, at least {LONG_ENOUGH}; it is {min_length}.")
        with connected(self.path) as connection:
            raw = Canon.parse(runs.canon_of(connection, runs.last(connection))).raw
            extracted = extracted_from(text, raw) or b""
            digest = sha256(data_of(text)).digest()
            found = trace(connection, self.path, extracted, digest, least=min_length, quick=quick)
            return traced_table(found, scoped=is_scoped(connection))
