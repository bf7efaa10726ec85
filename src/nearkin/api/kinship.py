"""What families mean, as Python sees it: folders that hold the same, who derives from whom, who holds what.

One pair in full, and where the passages of a text went, as Python asks.

What a scan would take and find, before it is done.
"""

from collections.abc import Iterable, Sequence
from os import PathLike
from sys import maxsize
from typing import TYPE_CHECKING, Unpack

from nearkin.api.keeping import Keeping
from nearkin.api.options import ScanOptions, at_least_one, paths_of, refuse_no_share, settings_of
from nearkin.api.session import Written
from nearkin.api.texts import EXACT, IGNORED, Text, canon_for, data_of, extracted_from
from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme
from nearkin.settings import checked

if TYPE_CHECKING:
    import pyarrow as pa

    from nearkin.forecast.estimate import Forecast
    from nearkin.query.comparison import Comparison


class Kinship(Keeping):
    def lineage(self, family: str, *, dates: bool = True, beyond: bool = True) -> "pa.Table":
        """The likely order of derivation in a family (by its id, or by a document's path), sources before what derives
        from them; without `dates` from the texts alone, without `beyond` of what reaches the threshold only."""
        import pyarrow as pa

        from nearkin.query.lineage import lineage_record, trace_lineage
        from nearkin.query.records import backslashed
        from nearkin.query.store_view import is_scoped, opened

        checked("family", family, str)
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = trace_lineage(connection, family, dates=dates, beyond=beyond)
        scopes = [("scope", pa.string()), ("source_scope", pa.string())] if scoped else []
        columns = [
            ("path", pa.string()),
            ("source", pa.string()),
            *scopes,
            ("depth", pa.int64()),
            ("date", pa.string()),
            ("date_from", pa.string()),
            ("new", pa.int64()),
            ("lost", pa.int64()),
            ("exact", pa.bool_()),
            ("new_margin", pa.int64()),
            ("lost_margin", pa.int64()),
            ("same_words", pa.bool_()),
            ("copies", pa.list_(pa.string())),
            ("nearer", pa.string()),
            ("beyond", pa.bool_()),
        ]
        records = [lineage_record(one, scoped=scoped, name=backslashed) for one in found]
        return pa.Table.from_pylist(records, schema=pa.schema(columns))

    def custodians(self, subject: str) -> "pa.Table":
        """Who holds copies or near-copies of a document (by its path or file), or documents of a family (by its id)."""
        import pyarrow as pa

        from nearkin.query.kinship import custodian_record, list_custodians
        from nearkin.query.records import backslashed
        from nearkin.query.store_view import is_scoped, opened

        checked("subject", subject, str)
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_custodians(connection, subject)
        text = pa.string()
        scopes = [("scope", text)] if scoped else []
        document = pa.struct(
            [("path", text), *scopes, ("tier", text), ("resemblance", pa.float64()), ("exact", pa.bool_())]
        )
        columns = [("custodian", text), ("known_by", text), ("count", pa.int64()), ("bytes", pa.int64())]
        records = [custodian_record(one, scoped=scoped, name=backslashed) for one in found]
        return pa.Table.from_pylist(records, schema=pa.schema([*columns, ("documents", pa.list_(document))]))

    def folders(self, *, min_share: float = 0.5, min_documents: int = 2) -> "pa.Table":
        """Pairs of folder trees of which `min_share` of b lives in a: of the same bytes, or near by family."""
        import pyarrow as pa

        from nearkin.query.kinship import folder_record, list_folders
        from nearkin.query.records import backslashed
        from nearkin.query.store_view import is_scoped, opened

        refuse_no_share(min_share=checked("min_share", min_share, float))
        at_least_one("min_documents", checked("min_documents", min_documents, int))
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_folders(connection, least=min_documents, share=min_share)
        records = [folder_record(pair, scoped=scoped, name=backslashed) for pair in found]
        columns: list[tuple[str, pa.DataType]] = []
        for side in ("a", "b"):
            columns += [(side, pa.string()), *([(f"{side}_scope", pa.string())] if scoped else [])]
            columns += [(f"{side}_{what}", pa.int64()) for what in ("documents", "same", "near", "only")]
        columns += [("b_in_a", pa.float64()), ("a_in_b", pa.float64())]
        return pa.Table.from_pylist(records, schema=pa.schema(columns))


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
    from nearkin.query.lookup import NamedDocument

    if checked("min_length", min_length, int) < 1:
        raise UsageError(f"min_length is in characters, at least 1; it is {min_length}.")
    how = parse_scheme(scheme)

    def side(name: str, text: Text) -> NamedDocument:
        extracted = extracted_from(text, raw)
        data = data_of(text)
        return NamedDocument(name, len(data), sha256(data).digest(), extracted)

    return measure(side("a", a), side("b", b), how, canon_for(raw, ignore, how), least=min(min_length, maxsize))


class Tracing(Written):
    def trace(self, text: Text, *, min_length: int = 100, quick: bool = False) -> "pa.Table":
        """Every document that holds a passage of a text of at least so many characters, those that hold most first.

        `share` is how much of the text a document holds, `share_of_all` how much all of them hold together. With
        `quick` only what shares a stored feature is read, which may miss short passages. Where texts were not kept, the
        table's metadata say how many may hold some, under `nearkin.partial`.
        """
        from hashlib import sha256

        from nearkin.query.arrow_tables import traced_table
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


def plan_scan(paths: str | PathLike[str] | Iterable[str | PathLike[str]], **options: Unpack[ScanOptions]) -> "Forecast":
    """Documents, bytes, time, memory, disk, matches and hot features to expect of `Store.scan` with these options, from
    a sample. Nothing is written."""
    from nearkin.environment import version
    from nearkin.forecast.estimate import forecast
    from nearkin.forecast.rehearsal import rehearse
    from nearkin.forecast.survey import survey
    from nearkin.read.table import columns_of
    from nearkin.read.table_reader import check_tables
    from nearkin.read.walk import check_starts

    settings = settings_of(options)
    starts = check_starts(paths_of(paths))
    if (columns := columns_of(settings.table)) is not None:
        check_tables(starts, settings.walk, columns)
    found = survey(starts, settings)
    return forecast(found, rehearse(found, settings, version()), settings)
