"""What families mean, as Python sees it: folders that hold the same, who derives from whom, who holds what."""

from typing import TYPE_CHECKING

from nearkin.api.keeping import Keeping
from nearkin.api.options import at_least_one, refuse_no_share
from nearkin.settings import checked

if TYPE_CHECKING:
    import pyarrow as pa


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
