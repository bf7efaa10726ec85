"""What callers of the Python surface may give by mistake: refused with a sentence, before anything is done."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nearkin
from nearkin.errors import InputError, UsageError
from similar_texts import prose


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> nearkin.Store:
    folder = tmp_path_factory.mktemp("arguments")
    docs = folder / "docs"
    docs.mkdir()
    for name, text in (("a", prose(1)), ("b", prose(1) + " more"), ("c", prose(1)), ("d", prose(2))):
        (docs / f"{name}.txt").write_text(text)
    store = nearkin.Store.open(folder / "kin.db")
    store.scan(docs)
    return store


ANY: Any = None


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda _: nearkin.sign("a", ANY), "scheme must be a string, not None"),
        (lambda _: nearkin.sign("a", ignore=ANY), "ignore must be a list of strings, not None"),
        (lambda _: nearkin.match(["a"], ignore="case"), "ignore must be a list of strings, not 'case'"),
        (lambda _: nearkin.plan_sample(error="0.1"), "error must be a number, not '0.1'"),  # type: ignore[arg-type]
        (lambda store: store.scan([]), "Name at least one file or folder"),
        (lambda store: store.scan(ANY), "A scan takes a path or a list of paths; None is none"),
        (lambda _: nearkin.plan_scan([]), "Name at least one file or folder"),
        (lambda store: store.check("a", scheme=5), "scheme must be a string, not 5"),
        (lambda store: store.add("a", name=5), "name must be a string, not 5"),
        (lambda store: store.add("a", name="\ud800"), "is no name for a document"),
        (lambda store: store.add("a", name="x", by=5), "by must be a string"),
        (lambda store: store.matches(between="docs"), "between names two scopes, a master and a candidate, not 'docs'"),
        (lambda store: store.set_verdict(("a.txt",), "same"), "A verdict is on a family, by its id, or on two"),
        (lambda store: store.clear_verdict(ANY), "A verdict is on a family, by its id, or on two"),
        (lambda store: store.lineage(5), "family must be a string"),
        (lambda store: store.custodians(5), "subject must be a string"),
        (lambda store: store.folders(min_documents=0), "min_documents must be at least 1, not 0"),
        (lambda store: store.suggest_templates(least="many"), "least must be a whole number"),
        (lambda store: store.add_template(text="a", name=5), "name must be a string"),
        (lambda store: store.add_template(text="a", tolerance="0.5"), "tolerance must be a number"),
        (lambda store: store.audit(limit=-1), "limit must be at least 1, not -1"),
        (lambda store: store.audit(since="yesterday"), "'yesterday' is not a date like 2026-01-31"),
        (lambda store: store.keep(prefer=5), "prefer must be a list of strings"),
        (lambda store: store.compact(by=5), "by must be a string"),
    ],
)
def test_they_are_refused(store: nearkin.Store, ask: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask(store)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800", "x" * 300])
def test_names_that_no_file_can_have(store: nearkin.Store, name: str) -> None:
    for ask in (store.scan, nearkin.plan_scan):
        with pytest.raises(InputError, match="Cannot read "):
            ask(name)
    for look_up in (store.custodians, store.forget):
        with pytest.raises(nearkin.NearkinError, match="document "):
            look_up(name)


def test_who_did_it_is_asked_before_it_is_done(store: nearkin.Store, tmp_path: Path) -> None:
    """Files were moved by then, and the audit knew nothing of it."""
    store.keep(plan=tmp_path / "plan.csv")
    with pytest.raises(UsageError, match="by must be a string"):
        store.apply_plan(tmp_path / "plan.csv", action="quarantine", by=5)  # type: ignore[arg-type]
    assert not (tmp_path / "plan.csv.journal").exists()
    before = store.audit().num_rows
    assert store.add(prose(9), name="notes/nine.txt", by="ann \ud800")
    assert store.audit(limit=1)["by"].to_pylist() == ["ann \\ud800"]
    assert store.audit().num_rows == before + 1


def test_one_family_or_rule_is_no_list_of_letters(store: nearkin.Store) -> None:
    (family,) = store.families()["id"].to_pylist()
    assert store.keep(family).equals(store.keep([family]))
    assert store.keep(prefer="oldest").equals(store.keep(prefer=["oldest"]))
    assert store.keep(prefer=iter(["oldest"])).equals(store.keep(prefer=["oldest"]))


def test_the_audit_since_a_moment(store: nearkin.Store) -> None:
    (at,) = store.audit(limit=1)["at"].to_pylist()
    last = datetime.fromisoformat(at)
    elsewhere = last.astimezone(UTC).replace(tzinfo=None)
    for since in (last, at, last.astimezone().replace(tzinfo=None), date(2020, 1, 1), "2020-01-01"):
        assert store.audit(since=since).num_rows >= 1
    assert store.audit(since=last + timedelta(seconds=1)).num_rows == 0
    assert store.audit(since=f"{elsewhere.isoformat()}-05:00").num_rows == 0  # five hours later


def test_names_in_tables_lead_back_to_their_documents(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "byte\udcff.txt").write_text(prose(1))
    (folder / "other.txt").write_text(prose(1) + " more")
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(folder)
    listed = store.documents()["path"].to_pylist()
    assert listed == ["byte\\xff.txt", "other.txt"]
    assert store.custodians(listed[0]).num_rows == 1
    assert store.lineage(listed[0]).num_rows == 2
    assert store.set_verdict((listed[0], listed[1]), "not-similar").ended == 1
    (folder / "byte\\xff.txt").write_text(prose(2))  # goes first: it is called so
    store.scan(folder)
    assert len(store.forget(listed[0])) == 1
    assert sorted(store.documents()["digest"].to_pylist()) == sorted(
        sha256(text.encode()).hexdigest() for text in (prose(1), prose(1) + " more")
    )


def test_numbers_of_numpy_are_names_as_other_numbers_are() -> None:
    text = prose(1)
    pairs = nearkin.match(dict(zip(np.array([7, 9]), [text, text], strict=True)))
    assert pairs.select(["a", "b"]).to_pylist() == [{"a": 7, "b": 9}]


def test_names_that_are_no_unicode_are_spelled() -> None:
    pairs = nearkin.match({"half \ud800": prose(1), "byte \udcff": prose(1)})
    assert pairs.select(["a", "b"]).to_pylist() == [{"a": "half \\ud800", "b": "byte \\xff"}]
