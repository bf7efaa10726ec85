"""What the command line lists, Python lists: the same records, as objects, dicts and tables."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import nearkin
from cli.world import FILES, Called, write
from nearkin.api.check import range_query
from nearkin.api.listing import Listing
from nearkin.api.listings import Listings
from nearkin.api.scans import files_to_scan, has_unfinished_documents, scan_result
from nearkin.api.schemes import learn_reference_from, plan_schemes, sign_document
from nearkin.errors import InputError, StoreError, UsageError

Open = Callable[[Listings], AbstractContextManager[Listing[Any]]]
LISTINGS: dict[str, Open] = {
    "documents": lambda listings: listings.documents(),
    "documents --failed": lambda listings: listings.documents(failed=True),
    "documents --without-text": lambda listings: listings.documents(without_text=True),
    "documents --changes": lambda listings: listings.changes(),
    "identical": lambda listings: listings.identical(),
    "matches": lambda listings: listings.matches(),
    "matches --min-resemblance 0.9": lambda listings: listings.matches(min_resemblance=0.9),
    "families": lambda listings: listings.families(),
    "families --view pivot": lambda listings: listings.families(view="pivot"),
    "families --history": lambda listings: listings.family_history(),
    "folders --min-share 0.1": lambda listings: listings.folders(min_share=0.1),
    "sign --digest": lambda listings: listings.signatures(),
    "verdict list": lambda listings: listings.verdicts(),
    "template list": lambda listings: listings.templates(),
    "template suggest": lambda listings: listings.suggestions(),
    "audit": lambda listings: listings.audit(),
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("world") / "docs", FILES)


@pytest.fixture(scope="module")
def store(docs: Path) -> nearkin.Store:
    made = nearkin.Store.open(docs.parent / "kin.db")
    made.scan(docs)
    made.set_verdict((a_match(made)["a"], a_match(made)["b"]), "version", note="both")
    return made


def a_match(store: nearkin.Store) -> dict[str, Any]:
    first: dict[str, Any] = store.matches().to_pylist()[0]
    return first


@pytest.mark.parametrize("command", LISTINGS)
def test_the_command_line_lists_the_records_of_the_api(store: nearkin.Store, command: str) -> None:
    called = Called(*command.split(), "--store", store.path, "--format", "json", "--quiet")
    with LISTINGS[command](store.listings) as listing:
        records = list(listing.records())
    assert json.loads(called.out) == json.loads(json.dumps(records))


@pytest.mark.parametrize("command", LISTINGS)
def test_a_listing_has_as_many_rows_as_records(store: nearkin.Store, command: str) -> None:
    with LISTINGS[command](store.listings) as listing:
        number = len(list(listing.records()))
    with LISTINGS[command](store.listings) as listing:
        assert listing.table().num_rows == number


def test_items_can_be_made_records_after_the_listing_was_closed(store: nearkin.Store) -> None:
    with store.listings.matches() as listing:
        matches = list(listing.items)
    assert [record["a"] for record in listing.records(matches)] == [match.a.name for match in matches]


def test_an_unscanned_store_has_no_answer(tmp_path: Path) -> None:
    with pytest.raises(StoreError), nearkin.Store(tmp_path / "none.db").listings.documents():
        pass


def test_a_file_is_checked_and_added_as_by_the_command_line(store: nearkin.Store, docs: Path) -> None:
    match = a_match(store)
    with store.checking() as checker:
        document = checker.read(str(docs / match["a"]))
        similar = checker.check(document)
        assert checker.has_words(document)
        assert {"path", "tier", "resemblance"} <= checker.record(similar[0]).keys()
    assert match["a"] in {one.location.name for one in similar if one.tier == "bytes"}
    ((asked, added),) = store.add_documents([document])
    assert asked is document
    assert added is not None
    assert not added.new
    with store.checking() as checker, pytest.raises(InputError):
        checker.read("nowhere.txt")
    with store.checking() as checker, pytest.raises(UsageError):
        checker.sql(document, range_query("documents"))


def test_documents_are_compared_and_traced_by_their_names(store: nearkin.Store, tmp_path: Path) -> None:
    match = a_match(store)
    compared = store.compare(match["a"], match["b"])
    assert compared.record()["resemblance"] == pytest.approx(match["resemblance"])
    assert compared.relation
    assert list(compared.rows(ends=12) or [])
    compared.write_page(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    with store.tracing() as tracer:
        traced = tracer.trace(tracer.read(match["a"]))
    assert match["a"] in {document.location.name for document in traced.documents}


def test_a_document_is_signed_by_its_name(store: nearkin.Store, docs: Path) -> None:
    name = a_match(store)["a"]
    signed = sign_document(store.path, name, "tttd:mean=100", None, raw=False, ignore=("case", "punctuation"))
    digest = nearkin.sign((docs / name).read_bytes(), "tttd:mean=100").digest
    assert signed.digest()["digest"] == digest
    assert sum(feature["weight"] for feature in signed.features()) > 0


def test_the_result_of_a_scan_can_be_asked_for_its_parts(store: nearkin.Store, docs: Path) -> None:
    with scan_result(store.path, (docs,)) as result:
        assert result.scanned == store.documents().num_rows
        assert result.matches(1)[0].a.name == a_match(store)["a"]
        assert result.notes.lost == []
        assert not result.is_nothing_read
    assert len(list(files_to_scan(store.path, docs, {}))) >= store.documents().num_rows - 1
    assert not has_unfinished_documents(store.path)


def test_schemes_are_listed_and_planned(docs: Path) -> None:
    assert {scheme.name for scheme in nearkin.list_schemes()} >= {"exact", "mod", "tttd", "fuzzy", "si"}
    assert plan_schemes(error=0.1).sample == nearkin.plan_sample(error=0.1)
    assert learn_reference_from(docs).startswith("fuzzy:")
    with pytest.raises(InputError):
        learn_reference_from(docs / "nowhere")
