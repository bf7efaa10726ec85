"""Reports of a store, as Python writes them."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nearkin.report.export import Written as WrittenReport


class Reports:
    path: Path

    def report(self, path: str | PathLike[str], *, table: str | None = None, links: bool = False) -> "WrittenReport":
        """Write what the store holds to a file: .xlsx, .html, .csv, .jsonl, .parquet or .dat.

        `table` says which one a flat file holds: documents, matches (unless told otherwise), families, identical or
        failed. With `links` names of files in .xlsx and .html lead to them. The file is there whole or not at all.
        """
        from nearkin.report.export import write_report

        return write_report(self.path, Path(path), table=table, links=links)
