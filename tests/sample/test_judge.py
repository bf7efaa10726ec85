"""The judge: nearkin is right about a sample, and the judge would say so if it were not."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import nearkin
from nearkin.errors import InputError
from nearkin.sample import judge as judging
from nearkin.sample.judge import Accuracy, Score, judge
from nearkin.sample.repository import write_sample
from nearkin.sample.truth import RelationKind, TrueRelation, Truth


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    root = tmp_path_factory.mktemp("judged")
    truth = write_sample(root / "sample", documents=600, seed=1)
    nearkin.Store.open(root / "kin.db").scan(root / "sample", exclude=["truth.json"])
    return root / "kin.db", truth


def by_kind(verdict: Accuracy) -> dict[str, Score]:
    return {str(score.kind): score for score in verdict.scores}


def test_nearkin_is_right_about_the_sample(sample: tuple[Path, Truth]) -> None:
    verdict = judge(*sample)
    scores = by_kind(verdict)
    assert {"short parts", "identical … attached", "same-words … formats", "versions … formats"} <= scores.keys()
    for score in scores.values():
        assert score.expected > 0, score
        assert score.recall == 1.0, score
        assert score.precision in (1.0, None), score
    for kind in ("identical", "identical … attached", "same-words", "same-words … formats", "contains", "families"):
        assert scores[kind].precision == 1.0
    told = {str(score.kind): score for score in verdict.kinds}
    assert all(score.recall == score.precision == 1.0 for score in told.values()), told


def test_the_judge_sees_what_was_missed(sample: tuple[Path, Truth]) -> None:
    store, truth = sample
    kin = {path for family in truth.families for path in family.members}
    single, other = [path for path in nearkin.Store.open(store).documents()["path"].to_pylist() if path not in kin][:2]
    added = [TrueRelation(kind, (single, other), {"grouped": True}) for kind in RelationKind]
    worse = by_kind(judge(store, replace(truth, relations=[*truth.relations, *added])))
    right = by_kind(judge(store, truth))
    for kind in RelationKind:
        assert worse[kind].expected == right[kind].expected + 1
        assert worse[kind].found == right[kind].found + (kind is RelationKind.LOOK_ALIKE)


def test_the_judge_sees_what_was_wrong(sample: tuple[Path, Truth]) -> None:
    store, truth = sample
    none = by_kind(judge(store, replace(truth, relations=[], families=[])))
    for kind in ("identical", "identical … attached", "same-words", "same-words … formats", "contains", "families"):
        assert none[kind].precision == 0.0
        assert none[kind].recall is None


def test_the_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, store = tmp_path / "demo", tmp_path / "demo.db"
    for _ in range(2):  # the second replaces what the first made
        assert judging.show(folder, store, documents=200) == 0
        shown = capsys.readouterr().out
        assert "How accurate was that?" in shown
        assert "look-alikes kept apart" in shown
        assert re.search(r"\b20\d documents", shown), shown  # those that lie in others too


def test_the_show_deletes_the_whole_of_the_last_store(tmp_path: Path) -> None:
    store = tmp_path / "demo.db"
    write_sample(tmp_path / "sample", documents=20)
    nearkin.Store.open(store).scan(tmp_path / "sample")
    (tmp_path / "demo.db-letters.txt").write_text("mine")
    assert (tmp_path / "demo.db.segments").is_dir()
    judging.clear_store(store)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.db-letters.txt", "sample"]


def test_the_show_says_where_its_command_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be copied: it stands on a line of its own."""
    folder = tmp_path / ("bin" * 20)
    folder.mkdir()
    (folder / "nearkin").touch()
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert judging.show(tmp_path / "demo", tmp_path / "demo.db", documents=20) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f'  export PATH="{folder}:$PATH"'


def test_the_show_deletes_nothing_it_did_not_make(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "truth.json").write_text("mine")
    with pytest.raises(InputError):
        judging.show(tmp_path / "demo", tmp_path / "demo.db")
    assert (tmp_path / "demo" / "truth.json").read_text() == "mine"
