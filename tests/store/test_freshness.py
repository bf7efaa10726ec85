"""What was signed, made canonical or extracted in another way is never compared: it is made anew, and that is said."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.containers import mail, zipped
from cli.world import Called
from nearkin.api.store import Store
from nearkin.engine import scan_files
from nearkin.errors import UsageError
from nearkin.scheme import FORMAT
from nearkin.settings import DEFAULT_SCHEME as SCHEME
from oracle.prose import prose
from store.world import is_sound, listings, repository, rows

pytestmark = pytest.mark.usefixtures("either_insert")

TEXTS, CONTENTS = 8, 7  # of the repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "docs")


def newer_normaliser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nearkin.text.canon.VERSION", 2)


def newer_format(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nearkin.run", "nearkin.query.check", "nearkin.scheme"):
        monkeypatch.setattr(f"{module}.FORMAT", FORMAT + 1)


NEWER_EXTRACTOR = """
import json, sys
from nearkin.text.kind import EXTRACTORS

EXTRACTORS.update({kind: "text/999" for kind, name in EXTRACTORS.items() if name.startswith("text/")})
sys.path.insert(0, sys.argv[1])
from cli.world import Called

done = [Called(*arguments) for arguments in json.loads(sys.argv[2])]
print(json.dumps([(one.code, one.out, one.err) for one in done]))
"""


def by_a_newer_extractor(*commands: tuple[object, ...], store: Store) -> Iterator[tuple[str, str]]:
    """What each command, one after the other, said and complained of. What is known of extractors is fixed when nearkin
    starts, so it must be another."""
    asked = json.dumps([[*map(str, command), "--store", str(store.path)] for command in commands])
    program = [sys.executable, "-c", NEWER_EXTRACTOR, str(Path(__file__).parents[1]), asked]
    for code, said, complaint in json.loads(subprocess.run(program, capture_output=True, check=True).stdout):
        assert code == 0, complaint
        yield said, complaint


NEWER = {"normaliser": newer_normaliser, "format": newer_format}


def reads_and_renewed(store: Store, folder: Path, **options: object) -> tuple[int, int]:
    done = [0]
    summary = store.scan(
        folder,
        progress=lambda stage, number, _: done.append(number) if stage == "read" else None,
        **options,  # type: ignore[arg-type]
    )
    assert (summary.new, summary.changed, summary.moved, summary.gone) == (0, 0, 0, 0)
    return done[-1], summary.resigned


@pytest.mark.parametrize("what", NEWER)
@pytest.mark.parametrize("keep_text", [True, False])
def test_the_next_scan_makes_it_anew(
    what: str, keep_text: bool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(folder, keep_text=keep_text)
    before = listings(store)
    NEWER[what](monkeypatch)
    reads, renewed = reads_and_renewed(store, folder, keep_text=keep_text)
    assert (reads, renewed) == ((0, CONTENTS) if keep_text else (TEXTS, TEXTS))
    assert listings(store) == before
    fresh = Store(tmp_path / "fresh.db")
    fresh.scan(folder, keep_text=keep_text)
    assert listings(store) == listings(fresh)
    assert is_sound(store)
    assert store.verify() == []
    assert reads_and_renewed(store, folder, keep_text=keep_text) == (0, 0)
    # Every signature that is compared was made in the new way.
    ((schemes,),) = rows(store, "SELECT count(DISTINCT scheme) FROM match WHERE scheme = (SELECT max(id) FROM scheme)")
    assert schemes == 1


def test_another_scheme_signs_the_kept_texts(folder: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    assert reads_and_renewed(store, folder, scheme="tttd:mean=100") == (0, CONTENTS)
    assert reads_and_renewed(store, folder) == (0, 0)


@pytest.mark.parametrize("what", ["normaliser", "format"])
def test_other_folders_are_made_anew_from_their_kept_texts(
    what: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "like.txt").write_bytes(prose(3, 1900))
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    store.scan(other)
    before = listings(store)
    assert any(match["b_scope"] == "other" or match["a_scope"] == "other" for match in before["matches"])
    NEWER[what](monkeypatch)
    assert reads_and_renewed(store, other) == (0, CONTENTS + 1)
    assert listings(store) == before


def test_what_an_older_extractor_took_is_read_again(folder: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    before = listings(store)
    commands = ("documents", "identical", "matches")
    scan, asked = ("scan", folder, "--format", "jsonl"), [(command, "--format", "json") for command in commands]
    first, second, *said = (json.loads(one) for one, _ in by_a_newer_extractor(scan, scan, *asked, store=store))
    for renewed, summary in ((TEXTS, first), (0, second)):
        assert (summary["resigned"], summary["new"], summary["changed"], summary["gone"]) == (renewed, 0, 0, 0)
    taken = "SELECT DISTINCT extractor FROM present d JOIN text t ON t.id = d.text"
    assert rows(store, taken) == [("text/999",)]
    for command, listed in zip(commands, said, strict=True):
        key = "path" if command == "documents" else "paths" if command == "identical" else "a"
        assert [one[key] for one in listed] == [one[key] for one in before[command]]


def test_documents_of_an_older_extractor_are_left_out_until_they_are_read(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "like.txt").write_bytes(prose(3, 1900))
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    store.scan(other)
    found = Called("matches", "--store", store.path).out
    assert "like.txt" in found
    told = by_a_newer_extractor(
        ("scan", other, "--format", "table"),
        ("matches",),
        ("check", folder / "manual.txt", "--scheme", SCHEME),
        ("store", "info"),
        ("scan", folder),
        ("matches",),
        ("store", "info"),
        store=store,
    )
    (shown, _), (none, _), (_, checked), (before, _), _, (again, _), (after, _) = told
    assert (
        "8 documents of other folders were read by an older nearkin and left out; scan those folders again."
        in " ".join(shown.split())
    )
    assert "1 text was signed again: the scheme, the text settings or nearkin changed." in " ".join(shown.split())
    assert none == ""
    assert "8 documents were read by an older nearkin and not compared" in checked
    assert "an older nearkin took" in before
    assert again == found
    assert "an older nearkin took" not in after


@pytest.mark.parametrize("what", ["normaliser", "format"])
def test_a_check_compares_nothing_that_is_stale(
    what: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    NEWER[what](monkeypatch)
    refused = Called("check", folder / "single.txt", "--store", store.path)
    assert refused.code in (2, 4)
    assert refused.out == ""


def test_the_screen_says_so(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store.db"
    Called("scan", folder, "--store", store)
    newer_normaliser(monkeypatch)
    shown = Called("scan", folder, "--store", store, "--format", "table").words
    assert "7 texts were signed again: the scheme, the text settings or nearkin changed." in shown


def test_texts_that_were_not_kept_and_cannot_be_read_are_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_bytes(prose(70, 2000))
    store = Store(tmp_path / "store.db")
    store.scan(folder, keep_text=False)
    with pytest.raises(UsageError, match="signed with another scheme and not kept"):
        store.scan(other, scheme="tttd:mean=100")


@pytest.mark.parametrize(("what", "made"), [("normaliser", "ingest_again"), ("format", "sign_again")])
def test_a_scan_that_is_cut_short_while_it_makes_texts_anew_is_gone_on_with(
    what: str, made: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of folders that are not scanned then, and of what lies in archives."""
    other, store = tmp_path / "other", Store(tmp_path / "store.db")
    other.mkdir()
    (folder / "b.zip").write_bytes(zipped({"m.eml": mail(prose(30, 300).decode(), {"r.txt": prose(40, 300)})}))
    store.scan(folder)
    (other / "like.txt").write_bytes(prose(3, 1900))
    store.scan(other)
    before = listings(store)
    NEWER[what](monkeypatch)
    monkeypatch.setattr("nearkin.store.freshness.AT_ONCE", 2)
    monkeypatch.setattr("nearkin.store.document_writer.TRANSACTION_FILES", 1)
    makes, left, texts = getattr(scan_files, made), [3], 0

    def counted(first: list[Any], second: list[Any], how: object) -> object:
        nonlocal texts
        texts += len(first)
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return makes(first, second, how)

    monkeypatch.setattr(scan_files, made, counted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            store.scan(other, jobs=1)
        assert listings(store) == before
        left[0] = 1
    left[0], texts = 1000, 0
    summary = store.scan(other, jobs=1)
    assert 0 < texts < len(rows(store, "SELECT 1 FROM present WHERE text IS NOT NULL")) - 6
    assert (summary.new, summary.changed, summary.gone) == (0, 0, 0)
    assert listings(store) == before
    assert store.verify() == []
    unfinished = "SELECT count(*) FROM document WHERE seen NOT IN (SELECT id FROM run WHERE state = 'done')"
    assert rows(store, unfinished) == [(0,)]


def test_what_lies_in_a_mail_stays_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "store.db")
    folder.mkdir()
    (folder / "a.eml").write_bytes(mail(prose(1, 300).decode(), {"r.txt": prose(2, 300)}))
    (folder / "b.zip").write_bytes(zipped({"m.eml": mail(prose(3, 300).decode(), {"r.txt": prose(4, 300)})}))
    store.scan(folder)
    newer_normaliser(monkeypatch)
    assert store.scan(folder).resigned == 4
    of_gone = "SELECT count(*) FROM present d WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM present)"
    assert rows(store, of_gone) == [(0,)]
    assert len(rows(store, "SELECT 1 FROM present WHERE parent IS NOT NULL")) == 3
