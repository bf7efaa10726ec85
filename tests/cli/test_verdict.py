"""Verdicts as a person gives them: families follow, and nothing undoes them but another verdict."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose, write
from nearkin import Store
from nearkin.errors import UsageError
from nearkin.model import Location
from nearkin.store.database import connect
from nearkin.store.verdicts import VerdictIndex

FILES = {
    b"one.txt": prose(1),
    b"two.txt": edited(prose(1), 40),
    b"three.txt": edited(edited(prose(1), 40), 120),
    b"sub/one.html": f"<p>{prose(1)}</p>",
    b"other-1.txt": prose(2),
    b"other-2.txt": edited(prose(2), 40),
    b"single.txt": prose(3),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    docs = write(tmp_path / "docs", FILES)
    path = tmp_path / "store.db"
    assert Called("scan", docs, "--store", path).code == 0
    return path


def rescan(store: Path, *more: object) -> None:
    assert Called("scan", store.parent / "docs", "--store", store, *more).code == 0


def families(store: Path, *more: object) -> list[dict[str, Any]]:
    return Called("families", "--store", store, *more).records


def groups(store: Path, *more: object) -> list[list[str]]:
    return sorted(sorted(member["path"] for member in family["documents"]) for family in families(store, *more))


def pairs(store: Path, *more: object) -> dict[tuple[str, str], str | None]:
    return {(one["a"], one["b"]): one["verdict"] for one in Called("matches", "--store", store, *more).records}


def say(store: Path, *words: object) -> Called:
    called = Called("verdict", "set", *words, "--store", store)
    assert called.code == 0, called.err
    return called


OTHERS = ["other-1.txt", "other-2.txt"]


def test_a_pair_that_is_not_similar_links_no_family_and_is_not_listed(store: Path) -> None:
    assert OTHERS in groups(store)
    say(store, "other-2.txt", "other-1.txt", "not-similar", "--by", "ann", "--note", "by another author")
    assert OTHERS not in groups(store)
    assert OTHERS not in groups(store, "--threshold", 0.8)
    assert OTHERS not in groups(store, "--view", "greedy")
    assert tuple(OTHERS) not in pairs(store)
    assert pairs(store, "--parted")[OTHERS[0], OTHERS[1]] == "not-similar"
    (one,) = Called("verdict", "list", "--store", store).records
    assert (one["by"], one["note"], one["paths"]) == ("ann", "by another author", OTHERS)
    assert Called("verdict", "clear", *OTHERS, "--store", store).records == [{"cleared": 1}]
    assert OTHERS in groups(store)
    assert OTHERS in groups(store, "--view", "greedy")


def test_a_family_that_is_not_similar_falls_apart_but_for_equal_words(store: Path) -> None:
    family = max(families(store), key=lambda one: len(one["documents"]))
    assert len(family["documents"]) == 4
    say(store, family["id"], "not-similar")
    assert groups(store) == [["one.txt", "sub/one.html"], OTHERS]
    assert Called("verdict", "clear", family["id"][:7], "--store", store).code == 0
    assert [len(one["documents"]) for one in families(store)] == [4, 2]


def test_verdicts_survive_scans_moves_other_texts_and_other_schemes(store: Path) -> None:
    say(store, *OTHERS, "not-similar")
    docs = store.parent / "docs"
    shutil.move(docs / "other-1.txt", docs / "sub" / "moved.txt")
    rescan(store)
    assert ("other-2.txt", "sub/moved.txt") not in pairs(store)
    assert ("other-2.txt", "sub/moved.txt") in pairs(store, "--parted")
    for options in (["--scheme", "exact:window=12"], ["--scheme", "tttd:mean=40"], ["--ignore", "case,digits"]):
        rescan(store, *options)
        assert ["other-2.txt", "sub/moved.txt"] not in groups(store), options
        assert len(pairs(store, "--parted")) > len(pairs(store)), options
    (docs / "sub" / "moved.txt").write_text(edited(prose(2), 90))
    rescan(store)
    assert ["other-2.txt", "sub/moved.txt"] in groups(store), "other bytes are another document"


def test_same_and_version_are_shown(store: Path) -> None:
    say(store, "one.txt", "two.txt", "version")
    assert pairs(store)["one.txt", "two.txt"] == "version"
    assert pairs(store)["one.txt", "three.txt"] is None
    smaller = families(store)[1]
    assert (smaller["verdict"], smaller["keep"]) == (None, None)
    say(store, smaller["id"], "same")
    say(store, smaller["id"][:8], "keep", "other-2.txt")
    shown = families(store)[1]
    assert (shown["verdict"], shown["keep"]) == ("same", "other-2.txt")
    table = Called("families", "--store", store, "--format", "table").out
    assert "verdict: same" in table
    assert "keep" in table
    assert "version" in Called("matches", "--store", store, "--format", "table").out


def test_a_template_pair_links_nothing_and_says_what_to_do(store: Path) -> None:
    family = families(store)[1]
    called = say(store, family["id"], "template")
    assert f"nearkin template add --family {family['id']}" in called.err
    assert OTHERS not in groups(store)
    added = Called("template", "add", "--family", family["id"], "--store", store)
    assert (added.code, added.err) == (0, ""), "what was parted can still be made a template"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["one.txt", "two.txt", "alike"], 2, "verdicts are same, version, not-similar, template, keep PATH"),
        (["one.txt"], 2, "Use: nearkin verdict set"),
        (["one.txt", "nowhere.txt", "same"], 3, "nowhere.txt is not a document of the store"),
        (["one.txt", "one.txt", "same"], 2, "have the same bytes"),
        (["one.txt", "sub/one.html", "not-similar"], 2, "have the same words"),
        (["xyz", "same"], 3, "xyz is not a family id"),
        (["0123456789", "same"], 3, "There is no family 0123456789"),
        (["0123456789", "keep"], 2, "Name the document to keep"),
    ],
)
def test_what_cannot_be_said(store: Path, words: list[str], code: int, message: str) -> None:
    called = Called("verdict", "set", *words, "--store", store)
    assert called.code == code
    assert message in called.err
    assert called.err.count("\n") == 1
    assert Called("verdict", "list", "--store", store).records == []


def test_other_mistakes(store: Path) -> None:
    family = families(store)[1]["id"]
    assert "is no document of family" in Called("verdict", "set", family, "keep", "one.txt", "--store", store).err
    assert Called("verdict", "clear", "--store", store).code == 2
    assert "There is no verdict on" in Called("verdict", "clear", *OTHERS, "--store", store).err
    assert Called("verdict", "clear", "--id", 5, "--store", store).code == 3
    assert Called("verdict", "set", *OTHERS, "same", "--store", store.parent / "no.db").code == 4
    with pytest.raises(UsageError, match="is neither other-1"):
        Store(store).set_verdict(("other-1.txt", "other-2.txt"), "keep", keep="one.txt")
    assert "There are no verdicts" in Called("verdict", "list", "--store", store, "--format", "table").out


def test_which_of_a_pair_to_keep(store: Path) -> None:
    say(store, *OTHERS, "keep", "other-2.txt")
    (said,) = Called("verdict", "list", "--store", store).records
    assert (said["about"], said["verdict"], said["keep"]) == ("pair", "keep", "other-2.txt")
    (pair,) = (one for one in Called("matches", "--store", store).records if {one["a"], one["b"]} == {*OTHERS})
    assert pair["verdict"] == "keep"
    say(store, *OTHERS, "version")  # said beside it
    assert len(Called("verdict", "list", "--store", store).records) == 2
    (pair,) = (one for one in Called("matches", "--store", store).records if {one["a"], one["b"]} == {*OTHERS})
    assert pair["verdict"] == "version"


def test_the_copy_to_keep_is_that_of_its_scope(tmp_path: Path) -> None:
    for scope in ("candidate", "master"):
        folder = tmp_path / scope
        folder.mkdir()
        (folder / "letter.txt").write_text(prose(1))
        (folder / "draft.txt").write_text(prose(1) + " one more")
        Store(tmp_path / "kin.db").scan(folder, scope=scope)
    (family,) = families(tmp_path / "kin.db")
    say(tmp_path / "kin.db", family["id"], "keep", "master:letter.txt")
    with closing(connect(tmp_path / "kin.db")) as connection:
        decided = VerdictIndex(connection)
        contents = [content for (content,) in connection.execute("SELECT id FROM content")]
        assert decided.of_family(contents)[1] == Location("master", b"letter.txt")


def test_from_python(store: Path) -> None:
    with Store.open(store) as opened:
        opened.set_verdict(("other-1.txt", "other-2.txt"), "not-similar", by="ann")
        assert opened.verdicts().to_pylist()[0]["paths"] == OTHERS
        assert len(opened.matches(parted=True)) == len(opened.matches()) + 1
        assert opened.clear_verdict(opened.verdicts().to_pylist()[0]["id"]) == 1
        (cleared, set_, scan) = opened.audit().to_pylist()
    assert [scan["action"], set_["action"], cleared["action"]] == ["scan", "verdict set", "verdict clear"]
    assert json.loads(set_["after"])["verdict"] == "not-similar"


def test_a_verdict_during_a_scan_is_heeded_when_it_ends(store: Path) -> None:
    from nearkin.store.database import one_scan

    with one_scan(store):  # as a scan that runs holds it
        say(store, *OTHERS, "not-similar")
    rescan(store)
    assert OTHERS not in groups(store)


def test_a_verdict_spoken_while_a_scan_groups_is_heeded_by_it(store: Path) -> None:
    spoken: list[str] = []

    def speak(stage: str, _documents: int, _bytes: int) -> None:
        if stage == "group" and not spoken:
            spoken.append(stage)
            Store(store).set_verdict(("other-1.txt", "other-2.txt"), "not-similar")

    (store.parent / "docs" / "new.txt").write_text(prose(9))
    Store(store).scan(store.parent / "docs", progress=speak)
    assert spoken
    assert OTHERS not in groups(store)


def test_an_interrupted_scan_is_in_the_audit_and_still_told_after_a_verdict(store: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    (store.parent / "docs" / "new.txt").write_text(prose(9))
    with pytest.raises(KeyboardInterrupt):
        Store(store).scan(store.parent / "docs", progress=stop)
    assert Called("audit", "--store", store).records[0]["action"] == "scan interrupted"
    say(store, *OTHERS, "not-similar")
    assert "interrupted" in Called("families", "--store", store).err
    rescan(store)
    assert Called("families", "--store", store).err == ""


def test_the_audit(store: Path) -> None:
    say(store, *OTHERS, "same", "--by", "ann")
    say(store, *OTHERS, "version", "--by", "bob")
    last, first = Called("audit", "--store", store, "--action", "verdict").records
    assert (last["by"], last["before"]["verdict"], last["after"]["verdict"]) == ("bob", "same", "version")
    assert first["subject"] == "pair other-1.txt and other-2.txt"
    (scan,) = Called("audit", "--store", store, "--action", "scan").records
    assert scan["after"]["documents"] == len(FILES)
    assert str(store.parent / "docs") in scan["subject"]
    assert Called("audit", "--store", store, "--since", "2999-01-01").records == []
    assert len(Called("audit", "--store", store, "--limit", 2).records) == 2
    assert Called("audit", "--store", store, "--since", "yesterday").code == 2
    assert "verdict set" in Called("audit", "--store", store, "--format", "table").out
    assert '""verdict"": ""version""' in Called("audit", "--store", store, "--format", "csv").out


def test_what_followed_from_a_verdict_is_said(store: Path) -> None:
    pair = ["verdict", "set", "one.txt", "two.txt"]
    first = Called(*pair, "version", "--store", store).records[0]
    assert (first["replaced"], first["families_ended"], first["families_changed"]) == (None, 0, 0)
    shown = Called(*pair, "same", "--store", store, "--format", "table").out
    assert shown == "one.txt and two.txt: same, instead of version\n  No family changed.\n"
    (family, *_) = Called("families", "--store", store).records
    parted = Called("verdict", "set", family["id"], "not-similar", "--store", store).records[0]
    assert parted["families_ended"] + parted["families_changed"] == 1
    assert Called("verdict", "set", family["id"], "same", "--store", store, "--format", "table").out.startswith(
        f"family {family['id']}: same, instead of not-similar\n"
    )


def test_ids_of_verdicts_are_never_used_again(store: Path) -> None:
    pair = ["one.txt", "two.txt"]
    Called("verdict", "set", *pair, "same", "--store", store)
    (first,) = Called("verdict", "list", "--store", store).records
    Called("verdict", "clear", *pair, "--store", store)
    Called("verdict", "set", *pair, "version", "--store", store)
    (second,) = Called("verdict", "list", "--store", store).records
    assert second["id"] > first["id"]


def test_the_audit_says_what_was_done(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    pair = ["one.txt", "two.txt"]
    Called("verdict", "set", *pair, "same", "--note", "both signed", "--store", store)
    Called("verdict", "set", *pair, "version", "--store", store)
    Called("verdict", "clear", *pair, "--store", store)
    loose = tmp_path / "elsewhere" / "loose.txt"
    loose.parent.mkdir()
    loose.write_text("a few words that nobody has")
    Called("check", loose, "--add", "--store", store)
    Called("store", "forget", f"added:{str(loose)[1:]}", "--yes", "--store", store)
    Called("store", "compact", "--by", "ann", "--store", store)
    assert Called("audit", "--action", "compact", "--store", store).records[0]["by"] == "ann"
    table = Called("audit", "--store", store, "--format", "table").out
    assert "same, “both signed”" in table
    assert "version, instead of same" in table
    assert "no longer version" in table
    assert "1 version: " in table
    assert " documents, " in table
    assert "nothing was stale" in table
    Called("check", loose, "--add", "--store", store)
    added = Called("audit", "--action", "check", "--store", store, "--format", "table").out
    assert "added:" in added
    assert "27 B" in added
    Called("verdict", "set", *pair, "same", "--store", store)
    scope = Called("documents", "--store", store).records[-1]["scope"]
    about = Called("audit", "--action", "verdict", "--limit", 1, "--store", store).records[0]["subject"]
    assert about == f"pair {scope}:one.txt and {scope}:two.txt"
    unknown = Called("audit", "--action", "verdcit", "--store", store)
    assert unknown.code == 2
    assert "known are: scan, scan interrupted, scope moved, verdict set" in unknown.err
