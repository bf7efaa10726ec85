"""How SQLite goes about every query of the program: none that names few rows looks through a whole table.

A day of commands is traced; each statement is then explained on the store they left.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cli.world import Called
from nearkin.store.database import connect, see
from oracle.prose import prose
from store.world import repository

LARGE = {"document", "text", "content", "signature", "match", "code", "delta", "family_content", "verdict_bytes"}

# Queries that are about every row, or every document that is present: the beginning of each, and why.
WHOLE = {
    "SELECT id, path, size, mtime_ns": "what a scan knows of a scope, and what unfinished ones left",
    "SELECT id FROM text WHERE": "which texts are stale: found in indices, most of which are empty",
    "SELECT verdict, digest FROM verdict_bytes": "what people decided, all of it",
    "SELECT d.id FROM present d JOIN": "documents that were added since the last scan",
    "SELECT nearkin_gathered(content) FROM delta": "contents that wait for a segment: few",
    "SELECT count(*) FROM delta": "contents that wait for a segment: few",
    "DELETE FROM delta WHERE scheme = ?": "contents that wait for a segment: few",
    "SELECT 1 FROM content": "whether there are contents of another canon at all",
    "SELECT sum(length(features)) FROM signature": "how much there is to be joined, before it all is",
    "SELECT (SELECT count(*) FROM content": "whether all contents are signed",
    "DELETE FROM content WHERE id": "forget turns the keys' checks off: it has removed all that refers to it",
    "SELECT id FROM scope WHERE EXISTS": "ends at the first document of each scope; only a dropped one has none",
    "SELECT path, reason FROM present": "how many documents the scanned folders have, once a scan",
    "SELECT count(*) FROM document r JOIN document t": "rows of tables that a scan has left out, once a scan",
    "WITH done AS": "what was there when a run had finished",
    "SELECT t.content, d.id FROM present d": "documents of all families",
    "SELECT d.scope, d.path": "a scan's question whether all texts can be compared",
    "SELECT DISTINCT t.content FROM present d": "contents that are not signed",
    "SELECT d.id, d.path, t.digest, t.extractor": "texts to be made canonical in another way",
    "SELECT id, digest FROM content": "the contents that are matched",
    "SELECT content, modulus, features, weights FROM signature WHERE scheme": "the signatures that are matched",
    "SELECT content, modulus, features FROM signature": "a check without segments",
    "SELECT t.content, scope.name, d.path, d.size": "documents of every content",
    "SELECT count(*) FILTER (WHERE reason IS NULL)": "how many documents",
    "SELECT count(*) FROM (SELECT 1 FROM present d": "how many identical groups",
    "SELECT nearkin_gathered(digest) FROM present d": "the same",
    "SELECT 'bytes'": "the list of identical documents",
    "SELECT 'words'": "the list of identical documents",
    "SELECT scope.name, d.path, d.size, d.mtime_ns": "the list of documents",
    "UPDATE document SET custodian": "documents that follow others, through the index of those",
    "SELECT scope.name, d.path, d.digest, c.digest": "the list of identical documents",
    "SELECT a, b, resemblance": "the list of matches",
    "SELECT nearkin_gathered(text), nearkin_gathered(size) FROM present": "what views of families are made of: copies",
    "SELECT nearkin_gathered(id), nearkin_gathered(content) FROM text": "the same: what texts hold",
    "SELECT nearkin_gathered(id), nearkin_gathered(length) FROM content": "the same: lengths",
    "SELECT nearkin_gathered(id) FROM (SELECT id, digest FROM content": "the same: the order of digests",
    "SELECT nearkin_gathered(id), nearkin_gathered(digest) FROM (SELECT id, digest FROM content": "the same, with them",
    "SELECT nearkin_gathered(content) FROM signature WHERE scheme": "the same: what is signed",
    "SELECT nearkin_gathered(content), nearkin_gathered(family)": "the same: the families there are",
    "SELECT family, content, role": "the list of families",
    "SELECT id, founder": "the list of families",
    "SELECT coalesce(sum(size), 0) FROM present": "bytes of all documents",
    "SELECT count(*) FROM present WHERE reason IS NULL AND text IS NULL": "documents without text",
    "SELECT scope, path, content FROM": "the signatures of the whole store",
    "SELECT count(DISTINCT t.content)": "contents that cannot be signed",
    "SELECT count(*) FROM match WHERE scheme = ?": "whether the columns of a run's matches are all of them",
    "DELETE FROM match WHERE scheme = ?": "matches are replaced as a whole",
    "SELECT count(*) FILTER (WHERE b.id IS NULL)": "what a scan changed in the scope it walked",
    "SELECT id, path, inode, digest FROM document WHERE scope = ? AND seen": "what a scan found in the scope it walked",
    "INSERT OR IGNORE INTO delta (scheme, content) SELECT": "segments are made anew",
    "SELECT count(*) FROM present d JOIN text t": "documents that were left out of a scan",
    "SELECT s.id, canon.id, canon.spec": "which scheme has signatures of what is present",
}
# Care of the store is about all of it: info, check and compact are asked for seldom, by people who can wait.
CARE = {"inventory", "integrity", "compaction"}


class Traced(sqlite3.Connection):
    """Remembers what it was asked, and by which module."""

    asked: dict[str, str]

    def execute(self, sql: str, *given: object) -> sqlite3.Cursor:
        import sys

        self.note(sql, sys._getframe(1).f_globals["__name__"])
        return super().execute(sql, *given)  # type: ignore[arg-type]

    def executemany(self, sql: str, *given: object) -> sqlite3.Cursor:
        import sys

        self.note(sql, sys._getframe(1).f_globals["__name__"])
        return super().executemany(sql, *given)  # type: ignore[arg-type]

    @classmethod
    def note(cls, sql: str, module: str) -> None:
        cls.asked.setdefault(re.sub(r"\?(,\?)+", "?,?", " ".join(sql.split())), module)


@contextmanager
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    whole = sqlite3.connect
    Traced.asked = {}
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *given, **more: whole(*given, factory=Traced, **more))
        yield Traced.asked


def a_day(tmp_path: Path) -> Path:
    """Every command that opens a store, in every way that asks it something else."""
    folder = repository(tmp_path / "docs")
    for i in range(30):
        (folder / f"{i}.txt").write_bytes(prose(100 + i, 1500))
    store = tmp_path / "store.db"

    def run(*command: object, code: int = 0) -> None:
        called = Called(*command, "--store", store, "--format", "jsonl")
        assert called.code == code, called.err

    run("scan", folder)
    (folder / "manual.txt").write_bytes(prose(60, 1500))
    (folder / "1.txt").rename(folder / "one.txt")
    (folder / "2.txt").unlink()
    (folder / "picture.png").rename(folder / "photo.png")
    run("scan", folder)
    run("scan", folder, "--full")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_bytes(prose(60, 1400))
    run("scan", other)
    for scheme in ("tttd:mean=100", "si:method=3,stream=soundex,variation=B,k=8", "fuzzy"):
        run("scan", folder, "--scheme", scheme)
        run("check", folder / "manual.txt")
        run("check", folder / "photo.png")
    run("scan", folder)
    for command in ("identical", "matches", "families", "documents"):
        run(command)
    run("matches", "--all-copies", "--min-resemblance", 0.6)
    run("families", "--threshold", 0.8)
    run("families", "--view", "greedy")
    run("documents", "--failed")
    run("check", folder / "manual.txt", "--all-copies")
    run("check", folder / "manual.txt", "--scheme", "tttd:mean=100")
    run("compare", "docs:manual.txt", "docs:manual-2.txt")
    run("compare", "manual-2.txt", "manual-3.txt")
    run("sign")
    run("store", "forget", "private.txt", "--yes")
    return store


def explained_plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    marks = len(re.findall(r"\?(?!\d)", statement))
    numbered = [int(number) for number in re.findall(r"\?(\d+)", statement)]
    given = [None] * max([marks, *numbered])
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", given)]


def looked_through(plan: list[str], statement: str) -> set[str]:
    """Tables whose rows, or entries of an index, are read from the first to the last, or all of one scope or scheme."""
    names = {match[1] or match[0]: match[0] for match in ALIAS.findall(statement)}
    found: set[str] = set()
    for step in plan:
        if (scan := re.match(r"SCAN (\S+)|SEARCH (\S+) .*\((?:scope|scheme|canon)=\?\)$", step)) is not None:
            name: str = scan[1] or scan[2]
            found.add(names.get(name, name))
    return {"document" if name == "present" else name for name in found} & LARGE


ALIAS = re.compile(
    r"(?:FROM|JOIN) (?:temp\.)?(\w+)(?: (?:AS )?(?!WHERE|JOIN|LEFT|ON|ORDER|GROUP|SET|LIMIT|UNION)(\w+))?"
)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    monkeypatch = pytest.MonkeyPatch()
    with traced(monkeypatch) as asked:
        store = a_day(tmp_path_factory.mktemp("day"))
    return store, asked


def is_a_question(statement: str) -> bool:
    """Rows that are given are looked for nowhere."""
    given = " VALUES " in statement or " FROM nearkin_rows(" in statement
    return re.match(r"SELECT|UPDATE|DELETE|INSERT|WITH", statement) is not None and not given


def test_the_day_was_busy(day: tuple[Path, dict[str, str]]) -> None:
    _, asked = day
    assert sum(map(is_a_question, asked)) > 60
    assert {
        "nearkin.store.documents",
        "nearkin.store.signatures",
        "nearkin.store.forget",
        "nearkin.store.changes",
    } <= set(asked.values())


def used_indices(connection: sqlite3.Connection, asked: dict[str, str]) -> set[str]:
    plans = (explained_plan(connection, statement) for statement in asked if is_a_question(statement))
    return {name for plan in plans for step in plan for name in re.findall(r"INDEX (\w+)", step)}


def is_about_all(statement: str) -> bool:
    """One that goes on, AND names something, is another."""
    return any(re.match(rf"{re.escape(beginning)}(?! AND )", statement) for beginning in WHOLE)


def test_no_query_that_names_few_rows_looks_through_a_table(day: tuple[Path, dict[str, str]]) -> None:
    store, asked = day
    guilty = []
    with closing(connect(store, write=True)) as connection:
        see(connection, 3)
        connection.execute("CREATE TEMP TABLE forgotten (id INTEGER PRIMARY KEY)")
        for statement, module in asked.items():
            if not is_a_question(statement) or module.rpartition(".")[2] in CARE:
                continue
            if is_about_all(statement):
                continue
            tables = looked_through(explained_plan(connection, statement), statement)
            if tables:
                guilty.append((module, sorted(tables), statement))
    assert not guilty, "\n".join(map(str, guilty))


# Those that no command's plan uses yet: by references that are checked, or by commands this version does not have.
KEPT = {
    "verdict_bytes_digest": "decisions on given bytes",
    "document_container": "members of containers, when one is deleted",
}


def test_every_index_is_used(day: tuple[Path, dict[str, str]]) -> None:
    store, asked = day
    with closing(connect(store, write=True)) as connection:
        connection.execute("CREATE TEMP TABLE forgotten (id INTEGER PRIMARY KEY)")
        named = "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'sqlite%'"
        indices = {name for (name,) in connection.execute(named)}
        assert indices - used_indices(connection, asked) <= KEPT.keys()


def test_the_judge_can_tell(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "store", create=True)) as connection:
        for statement, tables in {
            "SELECT path FROM present d WHERE d.path = ?": {"document"},
            "SELECT path FROM present d WHERE d.scope = ?": {"document"},
            "SELECT path FROM present d WHERE d.scope = ? AND d.path = ?": set(),
            "SELECT d.path FROM text t JOIN document AS d ON d.text = t.id WHERE t.characters = ?": {"text"},
            "SELECT 1 FROM signature WHERE content = ?": {"signature"},
            "DELETE FROM match WHERE b = ?": {"match"},
            "DELETE FROM match INDEXED BY match_b WHERE scheme = ? AND b = ?": set(),
            "UPDATE document SET before = NULL WHERE before = ?": set(),
        }.items():
            assert looked_through(explained_plan(connection, statement), statement) == tables, statement
