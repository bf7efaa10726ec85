"""The Python surface, as INTERFACE promises it."""

import pickle
from contextlib import closing
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nearkin
from nearkin.errors import InputError, SpecMismatchError, StoreError, UsageError
from nearkin.settings import RunSettings
from nearkin.store import runs
from nearkin.store.database import connect
from similar_texts import MATCH_COLUMNS, WINDOW, few_texts, prose, shingles

PUBLIC = [
    "EngineError",
    "Estimate",
    "InputError",
    "NearkinError",
    "Signature",
    "Store",
    "StoreError",
    "Summary",
    "UsageError",
    "__version__",
    "compare",
    "containment",
    "families",
    "learn_reference",
    "list_schemes",
    "match",
    "plan_sample",
    "plan_scan",
    "resemblance",
    "selftest",
    "sign",
    "write_sample",
]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return few_texts()


def test_what_is_public() -> None:
    assert nearkin.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(nearkin))
    for name in PUBLIC:
        assert getattr(nearkin, name) is not None
    with pytest.raises(AttributeError):
        nearkin.nothing  # noqa: B018


def test_everything_public_says_what_it_is() -> None:
    named = {name: getattr(nearkin, name) for name in PUBLIC if name != "__version__"}
    for owner in (nearkin.Store, nearkin.Signature):
        named |= {f"{owner.__name__}.{name}": getattr(owner, name) for name in dir(owner) if name[0] != "_"}
    silent = [name for name, one in named.items() if callable(one) and not one.__doc__]
    silent += [name for name, one in named.items() if (one.__doc__ or "").startswith(f"{name}(")]  # a dataclass's own
    assert silent == []


def test_a_package_of_the_same_name_does_not_hide_the_function() -> None:
    import nearkin.matching.score

    assert callable(nearkin.match)
    assert nearkin.match([]).num_rows == 0


def test_sign_gives_features_and_weights() -> None:
    signature = nearkin.sign(prose(1), "mod:window=20,n=10")
    assert signature.scheme == "mod:window=20,n=10"
    assert signature.features.dtype == np.uint64
    assert signature.weights.dtype == np.uint32
    assert len(signature) > 20
    assert all(signature.features % 10 == 0)


def test_signatures_are_equal_by_what_they_hold() -> None:
    one, same, other = nearkin.sign(prose(1)), nearkin.sign(prose(1)), nearkin.sign(prose(2))
    assert one == same == pickle.loads(pickle.dumps(one))
    assert len({one, same, other}) == 2
    assert one != other
    assert one != nearkin.sign(prose(1), "exact")
    assert one != nearkin.sign(prose(1), ignore=["case"])
    assert one != "a signature"


def test_signatures_of_unlike_schemes_never_meet() -> None:
    with pytest.raises(SpecMismatchError):
        nearkin.sign("a", "mod:n=10").resemblance(nearkin.sign("a", "mod:n=20"))


def test_signatures_of_texts_made_canonical_in_other_ways_never_meet() -> None:
    text = prose(1)
    plain, raw = nearkin.sign(text, "exact"), nearkin.sign(text, "exact", raw=True)
    strict = nearkin.sign(text, "exact", ignore=["case"])
    for one, other in combinations((plain, raw, strict), 2):
        for measure in (one.resemblance, one.containment):
            with pytest.raises(SpecMismatchError) as refused:
                measure(other)
            assert one.canon in str(refused.value)
            assert other.canon in str(refused.value)
    turned = nearkin.sign(text, "exact", ignore=["punctuation", "case"]).resemblance(plain)
    assert turned is not None
    assert turned.value == 1.0


def test_resemblance_and_containment_are_those_of_the_definition(texts: list[str]) -> None:
    for a, b in combinations([text for text in texts if len(text) > WINDOW], 2):
        one, other = shingles(a), shingles(b)
        assert nearkin.resemblance(a, b) == pytest.approx(len(one & other) / len(one | other))
        assert nearkin.containment(a, b) == pytest.approx(len(one & other) / len(one))


def test_texts_are_made_canonical_unless_raw() -> None:
    text = prose(5)
    assert nearkin.resemblance(text, text.upper() + "!") == 1.0
    raw = nearkin.resemblance(text, text.upper(), raw=True)
    assert raw is not None
    assert raw < 0.1
    kept = nearkin.resemblance(text, text.upper(), ignore=["punctuation"])
    assert kept is not None
    assert kept < 0.1


def test_bytes_are_read_as_a_scan_reads_them() -> None:
    text = prose(6) + " größe"
    page = f"<html><head><script>x()</script></head><body><p>{text}</p></body></html>"
    assert nearkin.resemblance(text, page.encode()) == 1.0
    assert nearkin.resemblance(text, b"\xff\xfe" + text.encode("utf-16-le")) == 1.0
    assert nearkin.resemblance(text.encode("latin-1"), text) == 1.0
    assert nearkin.resemblance(page, page.encode(), raw=True) == 1.0


def test_empty_texts() -> None:
    assert nearkin.resemblance("", "") == 1.0
    assert nearkin.resemblance("", "word") == nearkin.resemblance("word", "") == 0.0
    assert nearkin.containment("", "word") is None
    assert nearkin.containment("...", "word") is None
    assert nearkin.containment("word", "") == 0.0
    assert nearkin.containment("", "") == 1.0
    assert nearkin.resemblance(prose(1, 9), prose(2, 9), "mod:n=1000000") is None


def test_half_a_surrogate_pair_is_no_question_mark_where_texts_are_raw(tmp_path: Path) -> None:
    assert nearkin.resemblance("\ud800", "?", raw=True) == 0.0
    assert nearkin.resemblance("\ud800", "\udfff", raw=True) == 0.0
    assert nearkin.resemblance("\ud800", "\ud800", raw=True) == 1.0
    (tmp_path / "mark.txt").write_text("?")
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(tmp_path / "mark.txt", raw=True, jobs=1)
    assert store.check("?").num_rows == 1
    assert store.check("\ud800").num_rows == 0


def test_binary_bytes_have_no_text() -> None:
    picture, other = b"\x89PNG\r\n\x1a\n\x00\x00", b"\x89PNG\r\n\x1a\n\x00\x01"
    assert nearkin.resemblance(picture, picture) == 1.0
    assert nearkin.resemblance(picture, other) is None
    assert len(nearkin.sign(picture)) == 0


def test_one_text_has_no_reference_to_learn() -> None:
    for wrong in ("one text", b"one text"):
        with pytest.raises(UsageError, match="learn_reference takes a list"):
            nearkin.learn_reference(wrong)  # type: ignore[arg-type]


def test_a_store(tmp_path: Path, texts: list[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for at, text in enumerate(texts):
        (docs / f"{at}.txt").write_text(text)
    with nearkin.Store.open(tmp_path / "kin.db") as store:
        summary = store.scan(docs, jobs=1)
        assert (summary.documents, summary.failed, summary.identical) == (len(texts), 0, 1)
        matches = store.matches()
        assert matches.column_names == MATCH_COLUMNS
        assert {(row["a"], row["b"]) for row in matches.to_pylist()} == {
            ("0.txt", "1.txt"),
            ("3.txt", "4.txt"),
        }
        assert store.matches(min_resemblance=0.8).num_rows == 1
        assert store.matches(all_copies=True).num_rows == 3
        assert store.identical().to_pylist()[0]["paths"] == ["0.txt", "2.txt"]
        assert store.families().num_rows == store.families(threshold=0.75).num_rows == 2
        greedy = store.families(view="greedy").to_pylist()
        assert [{d["path"] for d in family["documents"]} for family in greedy] == [{"0.txt", "1.txt", "2.txt"}]
        assert [d["exact"] for d in greedy[0]["documents"]] == [True] * 3
        assert store.families(view="greedy", representative="popular").num_rows == 1
        for wrong in ({"view": "circle"}, {"view": "greedy", "representative": "last"}, {"representative": "popular"}):
            with pytest.raises(UsageError):
                store.families(**wrong)  # type: ignore[arg-type]
        assert store.documents()["path"].to_pylist() == sorted(f"{at}.txt" for at in range(len(texts)))
        assert store.documents(failed=True).num_rows == 0


@pytest.mark.parametrize("share", [3.0, -0.1, float("nan")])
@pytest.mark.parametrize("name", ["min_resemblance", "min_containment"])
def test_a_share_out_of_range_is_refused(tmp_path: Path, name: str, share: float) -> None:
    (tmp_path / "a.txt").write_text("a text")
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(tmp_path / "a.txt", jobs=1)
    with pytest.raises(UsageError, match=f"{name} must be between 0 and 1"):
        store.matches(**{name: share})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{name} must be between 0 and 1"):
        store.check("a text", **{name: share})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="min_shared_bytes must be 0 or more"):
        store.matches(min_shared_bytes=-1)


def test_the_store_and_match_agree(tmp_path: Path, texts: list[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for at, text in enumerate(texts):
        (docs / f"{at}").write_text(text)
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(docs)
    in_memory = nearkin.match({str(at): text for at, text in enumerate(texts)}, all_copies=False).to_pylist()
    assert store.matches().to_pylist() == [row for row in in_memory if (row["a"], row["b"]) != ("0", "2")]


def test_a_floor_not_given_follows_a_lower_threshold(tmp_path: Path) -> None:
    text = prose(1)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text(text)
    (docs / "b.txt").write_text(text[: len(text) * 5 // 8] + prose(2)[: len(text) * 3 // 8])
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(docs, threshold=0.4, jobs=1)
    assert 0.4 <= store.matches()["resemblance"][0].as_py() < 0.5
    assert store.families().num_rows == 1
    with pytest.raises(UsageError, match=r"floor \(0.5\)"):
        store.scan(docs, threshold=0.4, floor=0.5)


def test_nothing_is_made_for_a_wrong_request(tmp_path: Path) -> None:
    path = tmp_path / "kin.db"
    with nearkin.Store.open(path) as store:
        with pytest.raises(InputError):
            store.scan(tmp_path / "missing")
        with pytest.raises(UsageError):
            store.scan(tmp_path, threshold=7.0)
        with pytest.raises(UsageError):
            store.scan(tmp_path, colour="blue")  # type: ignore[call-arg]
        with pytest.raises(StoreError):
            store.matches()
    with pytest.raises(StoreError):
        nearkin.Store.open(path, create=False)
    assert not path.exists()


def test_errors_speak_of_arguments_in_python(tmp_path: Path, texts: list[str]) -> None:
    """And of options on the command line, of which tests/cli/test_errors.py is."""
    store, folder = nearkin.Store(tmp_path / "kin.db"), tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(texts[0])
    store.scan(folder)
    for ask, said in (
        (lambda: nearkin.match(texts, threshold=1.5), "threshold must be greater than 0 and at most 1, not 1.5."),
        (lambda: nearkin.match(texts, containment=1.5), "containment must be greater than 0 and at most 1, not 1.5."),
        (lambda: nearkin.match(texts, jobs=0), "jobs must be between 1 and 512, not 0."),
        (lambda: store.families(threshold=0.2), "Below 0.5 the scan kept no matches; scan again with floor=0.2."),
        (lambda: store.scan(folder, max_size=0), "max_size must be between 1 byte and 1024T, not 0."),
        (lambda: store.scan(folder, floor=0.9), "floor (0.9) must not exceed threshold (0.7)."),
        (
            lambda: store.scan(folder, id_column="id"),
            "id_column is for tables only; also give text_column.",
        ),
        (
            lambda: store.scan(folder, scheme="fuzzy", keep_text=False),
            "leave out keep_text=False, or use another scheme.",
        ),
    ):
        with pytest.raises(UsageError) as refused:
            ask()
        assert str(refused.value).endswith(said)
    with pytest.raises(UsageError, match="run: nearkin scan FOLDER --scheme min:window=20,n=5 --store"):
        store.check("some text", scheme="min:window=20,n=5")
    assert str(UsageError("--a.txt and '--b' stay, --jobs 3 not.")) == "--a.txt and '--b' stay, jobs=3 not."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": "2"}, "jobs must be a whole number, not '2'"),
        ({"jobs": 2.5}, "jobs must be a whole number, not 2.5"),
        ({"jobs": True}, "jobs must be a whole number, not True"),
        ({"memory": "1G"}, "memory must be a whole number"),
        ({"max_size": "1M"}, "max_size must be a whole number"),
        ({"threshold": "0.8"}, "threshold must be a number, not '0.8'"),
        ({"containment": "0.8"}, "containment must be a number"),
        ({"floor": [0.5]}, "floor must be a number"),
        ({"hot": "all"}, "hot must be a number"),
        ({"timeout": "30"}, "timeout must be a number"),
        ({"raw": "no"}, "raw must be True or False, not 'no'"),
        ({"keep_text": "no"}, "keep_text must be True or False"),
        ({"include": "*.txt"}, "include must be a list of strings, not '\\*.txt'"),
        ({"ignore": [1]}, "ignore must be a list of strings"),
        ({"text_column": 3}, "text_column must be a string, not 3"),
        ({"custodian": 3}, "custodian must be a string"),
        ({"scheme": 3}, "scheme must be a string"),
    ],
)
def test_settings_of_another_kind_are_refused(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    (tmp_path / "a.txt").write_text("a text")
    store = nearkin.Store.open(tmp_path / "kin.db")
    with pytest.raises(UsageError, match=f"^{said}"):
        store.scan(tmp_path / "a.txt", **options)
    assert not (tmp_path / "kin.db").exists()


def test_arguments_of_another_kind_are_refused(tmp_path: Path, texts: list[str]) -> None:
    (tmp_path / "a.txt").write_text("a text")
    with pytest.raises(UsageError, match="threshold must be a number"):
        nearkin.match(texts, threshold="0.7")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="jobs must be a whole number"):
        nearkin.match(texts, jobs="2")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="min_length must be a whole number"):
        nearkin.compare("a", "b", min_length="3")  # type: ignore[arg-type]
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(tmp_path / "a.txt", jobs=np.int64(1), threshold=np.float32(0.5), include=("*.txt",))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="threshold must be a number"):
        store.families(threshold="0.7")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="limit must be a whole number"):
        store.families(limit="3")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="min_resemblance must be a number"):
        store.matches(min_resemblance="0.7")  # type: ignore[arg-type]


def test_what_is_no_store_is_told_as_python_opens_it(tmp_path: Path) -> None:
    script = tmp_path / "make.py"
    script.write_text("print()" * 1000)
    with pytest.raises(StoreError) as refused:
        nearkin.Store.open(script)
    assert str(refused.value) == f"{script} is damaged or not a nearkin store; choose another file."
    assert refused.value.sentence.endswith("choose another file with --store.")
    with pytest.raises(StoreError, match=r"not a file; choose another store[.]$"):
        nearkin.Store.open(tmp_path)


def test_a_store_without_a_folder_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no folder .*nowhere to put the store in"):
        nearkin.Store.open(tmp_path / "nowhere" / "kin.db")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Keep it on a local disk and name it with --store.", "Keep it on a local disk and open it."),
        ("Scan again into another --store.", "Scan again into another store."),
        ("Make one with: nearkin scan FOLDER --store a.db", "Make one with: nearkin scan FOLDER --store a.db"),
    ],
)
def test_stores_have_no_option_in_python(sentence: str, said: str) -> None:
    assert str(StoreError(sentence)) == said
    assert StoreError(sentence).sentence == sentence


def test_what_is_grouped_again_takes_no_more_than_this_machine_has(tmp_path: Path, texts: list[str]) -> None:
    """The store may have been scanned on a machine of 300 cores."""
    for at, text in enumerate(texts[:2]):
        (tmp_path / f"{at}.txt").write_text(text)
    store = nearkin.Store.open(tmp_path / "kin.db")
    store.scan(tmp_path, jobs=300, memory=900 << 30)
    store.set_verdict(("0.txt", "1.txt"), "same")
    with closing(connect(tmp_path / "kin.db")) as connection:
        assert runs.last(connection).settings["run"] == asdict(RunSettings())
