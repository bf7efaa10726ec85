"""One definition a record: every form of a match, a document or a family has the fields that nearkin.model declares."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import pytest

from cli.world import Called, prose, write
from nearkin import model
from nearkin.api.store import Store
from nearkin.keep.plan import PlanRow
from nearkin.matching.match_columns import MatchColumns
from nearkin.query.arrow_tables import arrow_columns, match_table
from nearkin.query.records import document_columns, match_columns
from nearkin.record import Field, Schema, values_of
from nearkin.store.database import connect
from nearkin.store.matches import columns_named
from nearkin.store.schema import RECORDS, SCHEMA_VERSION

# The fields that users rely on, in the order in which JSON has them. More may be added, none taken away or moved.
MATCH = "a b resemblance a_in_b b_in_a payload shared_bytes exact low high verdict template"
MATCH += " payload_exact payload_low payload_high"
FAMILY = "id kind view documents links weakest mean_resemblance mean_exact bytes verdict keep template reason"
DOCUMENT = "path size modified media encoding digest reason detail parent owner custodian properties"
DOCUMENT += " legacy_md5 legacy_sha1 edrm_message_hash"
CHANGE = "change path moved_from size modified media encoding digest reason detail"
IDENTICAL = "tier size overhead paths"
CHECK = "path tier resemblance query_in_doc doc_in_query exact low high template"
KEEP = "group kind action path scope root size sha256 tier kept_path kept_scope kept_root kept_sha256 characters"
KEEP += " contained missing residue passages why respaced"
COMPARE = "a b resemblance a_in_b b_in_a cosine relation relation_details tier shared_bytes a_size b_size scheme exact"
COMPARE += " low high collision_error collision_chance similar template payload word_distance word_distance_over"
COMPARE += " a_covered b_covered passages"
MEMBER = "path pivot to_pivot role exact"
LINK = "a b resemblance exact"
PASSAGE = "a_start a_end b_start b_end"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("record")
    changed = prose(1) + " and a few words more"
    write(root / "docs", {b"a.txt": prose(1), b"b.txt": changed, b"copy.txt": prose(1), b"other.txt": prose(2)})
    assert Called("scan", root / "docs", "--store", root / "kin.db").code == 0
    return root / "kin.db"


def test_json_has_the_fields_that_users_rely_on(store: Path) -> None:
    def fields(*command: object) -> list[str]:
        return list(Called(*command, "--store", store).records[0])

    docs = store.parent / "docs"
    assert fields("matches") == MATCH.split()
    assert fields("families") == [*FAMILY.split(), "most_distant"]
    assert fields("families", "--view", "clique") == [*FAMILY.split(), "evaluated"]
    assert fields("families", "--view", "pivot") == FAMILY.split()
    assert fields("documents") == DOCUMENT.split()
    assert fields("documents", "--changes") == CHANGE.split()
    assert fields("identical") == IDENTICAL.split()
    assert fields("check", docs / "a.txt") == CHECK.split()
    assert fields("keep") == KEEP.split()
    assert fields("compare", docs / "a.txt", docs / "b.txt") == COMPARE.split()
    (family,) = Called("families", "--store", store).records
    assert list(family["documents"][0]) == MEMBER.split()
    assert list(family["weakest"]) == LINK.split()
    (comparison,) = Called("compare", docs / "a.txt", docs / "b.txt", "--store", store).records
    assert list(comparison["passages"][0]) == PASSAGE.split()


def test_csv_and_arrow_have_the_same_fields(store: Path) -> None:
    def header(*command: object) -> list[str]:
        return Called(*command, "--store", store, "--format", "csv").out.split("\n")[0].strip().split(",")

    tables = Store(store)
    assert header("matches") == tables.matches().column_names == MATCH.split()
    assert header("documents") == DOCUMENT.split()
    assert sorted(tables.documents().column_names) == sorted(DOCUMENT.split())
    assert header("documents", "--changes") == tables.documents(changes=True).column_names == CHANGE.split()
    assert tables.identical().column_names == IDENTICAL.split()
    assert tables.families().column_names == [*FAMILY.split(), "most_distant"]
    assert tables.check(prose(1)).column_names == CHECK.split()
    assert {"id", "kind", "view", *MEMBER.split(), "weakest_a", "most_distant_exact"} <= set(header("families"))


def test_a_plan_has_the_fields_that_users_rely_on() -> None:
    assert list(PlanRow.__dataclass_fields__) == KEEP.split()


def test_a_fresh_store_has_the_columns_that_are_declared(tmp_path: Path) -> None:
    keys = {"document": {"id"}, "match": set(), "family": {"id"}, "family_content": {"family"}}
    with closing(connect(tmp_path / "kin.db", create=True)) as connection:
        for table, schema in RECORDS.items():
            stored = {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}
            declared = {field.name: field.sql.split()[0] for field in schema.stored}
            assert {name: stored[name] for name in declared} == declared
            assert stored.keys() - declared.keys() == keys[table]
            assert max(field.since for field in schema.stored) <= SCHEMA_VERSION


def test_arrays_have_the_columns_that_are_declared(store: Path) -> None:
    with closing(connect(store)) as connection:
        ((scheme,),) = connection.execute("SELECT DISTINCT scheme FROM match")
        columns = columns_named(connection, scheme)
    assert {name: column.dtype.str for name, column in columns.items()} == model.MATCH.dtypes
    assert [*vars(MatchColumns.stored(columns))] == [*model.MATCH.dtypes]


def test_columns_that_are_none_of_a_match_are_refused() -> None:
    rows = np.zeros(1, np.uint32)
    with pytest.raises(TypeError, match="resemblance"):
        MatchColumns(a=rows, b=rows)


# A match with one field more, which is one line: it is stored since the next version, and listed.
@dataclass(frozen=True, slots=True, kw_only=True)
class Masked(model.Match):
    masked: Annotated[float | None, Field("Resemblance with values masked.", "REAL", "<f8", since=SCHEMA_VERSION + 1)]
    masked_by: ClassVar = Field("The rule that masks.", arrow="string", source="verdict", when=("tiers",))


def test_a_new_field_is_one_line() -> None:
    schema = Schema(Masked)
    assert schema.dtypes == {**model.MATCH.dtypes, "masked": "<f8"}
    assert schema.columns() == f"{model.MATCH.columns()}, masked"
    assert schema.names() == [*match_columns(scoped=False), "masked"]
    assert schema.names("tiers")[-2:] == ["masked", "masked_by"]
    assert [name for name, _ in arrow_columns(schema.listed())] == schema.names()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(schema.create("match", "scheme a b resemblance"))
        connection.executescript(schema.added("match", SCHEMA_VERSION + 1))
        assert [row[1:3] for row in connection.execute("PRAGMA table_info(match)")][-1] == ("masked", "REAL")
    place = model.Location("docs", b"a.txt")
    match = Masked(
        a=place, b=place, tier="near", resemblance=0.5, a_in_b=None, b_in_a=None, payload=None, shared_bytes=9,
        exact=True, low=None, high=None, masked=0.75,
    )  # fmt: skip
    assert values_of(schema)(match)["masked"] == 0.75


def test_every_field_says_what_it_means() -> None:
    for schema in (*RECORDS.values(), model.CHANGE, model.IDENTICAL, model.SIMILAR, model.LINK):
        for field in schema.fields:
            assert field.meaning.endswith("."), field.name
            assert field.sql or field.arrow, field.name


def test_empty_tables_have_all_columns() -> None:
    assert match_table([], scoped=True, tiers=True).column_names == match_columns(scoped=True, tiers=True)
    assert document_columns(scoped=True)[:2] == ["path", "scope"]
