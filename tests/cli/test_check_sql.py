"""`check --sql`: the query for another system's table, and which names it takes."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.world import FILES, Called
from nearkin.errors import UsageError
from nearkin.query.check import RangeQuery

SI = "si:method=1,stream=word,variation=A,k=4"


@pytest.fixture(scope="module")
def si_store(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("range") / "si.db"
    assert Called("scan", docs, "--store", path, "--scheme", SI, "--format", "json").code == 0
    return path


NAMES = ["documents", "archive.documents", '"Order"', "`group`", "[my files]", '"a ""b"" c"', "Größe_2"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_printed_as_they_are_given(name: str) -> None:
    assert RangeQuery(name, "n").between(-3, 5) == f"SELECT * FROM {name} WHERE n BETWEEN -3 AND 5;"
    assert RangeQuery("t", name).between(-3, 5) == f"SELECT * FROM t WHERE {name} BETWEEN -3 AND 5;"


NO_WORDS = ["", " ", "a b", "a;", "a; DROP TABLE a", "a--", "1a", "a.", ".a", "a\n", "a/**/b", "(SELECT 1)"]
NO_QUOTES = ['"', '""', '"a" b"', '"a\\"', '"a\nb"', "'a'", "[a]]", "`a``"]


@pytest.mark.parametrize("name", NO_WORDS + NO_QUOTES)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="table"):
        RangeQuery(table=name)
    with pytest.raises(UsageError, match="column"):
        RangeQuery(column=name)


def test_the_query_answers_in_another_systems_database(docs: Path, si_store: Path) -> None:
    numbers = {record["path"]: record["number"] for record in Called("sign", "--store", si_store).records}
    asked = ("check", docs / "manual-1.txt", "--store", si_store, "--sql")
    called = Called(*asked, "--table", '"my files"', "--column", "si")
    assert (called.code, called.err) == (0, "")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute('CREATE TABLE "my files" (path BLOB, si INTEGER)')
        connection.executemany(
            'INSERT INTO "my files" VALUES (?, ?)', [(os.fsencode(path), number) for path, number in numbers.items()]
        )
        found = {os.fsdecode(path) for path, _ in connection.execute(called.out)}
    number = numbers["copies/manual-1.html"]
    assert found == {path for path, other in numbers.items() if other and 10 * abs(other - number) < 3 * abs(number)}
    assert len(found) < len(FILES) - 2
    plain = Called(*asked).out
    assert plain.startswith("SELECT * FROM documents WHERE similarity_index BETWEEN ")
    assert plain.endswith(";\n")
    assert plain.split("BETWEEN")[1] == called.out.split("BETWEEN")[1]


def test_names_are_refused_where_they_have_no_use_or_are_none(docs: Path, si_store: Path) -> None:
    asked = ("check", docs / "manual-1.txt", "--store", si_store)
    for option in ("--table", "--column"):
        unused = Called(*asked, option, "documents")
        assert (unused.code, unused.out) == (2, "")
        assert unused.err == f"nearkin: {option} goes with --sql; use: nearkin check FILE --sql {option} …\n"
        wrong = Called(*asked, "--sql", option, "a; DROP TABLE a")
        assert (wrong.code, wrong.out) == (2, "")
        assert "is no name in SQL" in wrong.err
