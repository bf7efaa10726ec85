"""What a scan did, in numbers that add up: every file met is a document or failed, never both."""

import sqlite3

from nearkin.group.grouping import Grouped
from nearkin.model import Summary
from nearkin.settings import MatchSettings
from nearkin.store.documents import count_documents, count_identical


def summarise(
    connection: sqlite3.Connection, grouped: Grouped, settings: MatchSettings, contents: int, seconds: float
) -> Summary:
    documents, failed = count_documents(connection)
    return Summary(
        documents=documents,
        contents=contents,
        failed=failed,
        identical=count_identical(connection),
        matches=int(grouped.matches.strong(settings.threshold, settings.containment).sum()),
        families=len(grouped.families),
        seconds=round(seconds),
    )
