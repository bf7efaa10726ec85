"""Shares on the command line: all between 0 and 1; and what is said where more is asked for than a scan kept."""

from pathlib import Path

import pytest

from cli.world import Called, edited, prose, write

SHARES = [
    "matches --min-resemblance",
    "matches --min-containment",
    "check FILE --min-resemblance",
    "check FILE --min-containment",
    "families --spread",
    "families --threshold",
    "families --view greedy --threshold",
    "folders --min-share",
    "keep --near",
]


@pytest.mark.parametrize("share", ["nan", "inf", "-0.1", "1.01", "half"])
@pytest.mark.parametrize("asked", SHARES)
def test_a_share_is_between_0_and_1(docs: Path, store: Path, asked: str, share: str) -> None:
    words = [str(docs / "manual-1.txt") if word == "FILE" else word for word in asked.split()]
    called = Called(*words, share, "--store", store)
    assert called.code == 2, called.err
    assert words[-1] in called.err
    assert share in called.err
    assert called.err.count("\n") == 1
    assert called.out == ""


@pytest.mark.parametrize("asked", SHARES)
def test_one_is_a_share(docs: Path, store: Path, asked: str) -> None:
    words = [str(docs / "manual-1.txt") if word == "FILE" else word for word in asked.split()]
    assert Called(*words, 1, "--store", store).code == 0


def test_below_the_floor_it_is_said_that_nothing_was_kept(store: Path) -> None:
    called = Called("matches", "--min-resemblance", 0.1, "--store", store)
    assert called.code == 0
    assert "Below 0.5 nothing was kept but parts (0.9 or more of them in the other document)" in called.err
    assert "scan again with --floor 0.1." in called.err
    assert "--floor" not in Called("matches", "--min-resemblance", 0, "--store", store).err
    assert "Below" not in Called("matches", "--min-resemblance", 0.5, "--store", store).err
    assert Called("matches", "--min-resemblance", 0.1, "--store", store, "--quiet").err == ""


def test_below_the_containment_it_is_said_what_was_kept(store: Path) -> None:
    called = Called("matches", "--min-containment", 0.1, "--store", store)
    assert "Below 0.9 only pairs that resemble each other by 0.5 or more were kept." in called.err
    assert Called("matches", "--min-containment", 0.9, "--store", store).err == ""


def test_what_is_said_of_the_floor_is_true(store: Path) -> None:
    weak = [
        one for one in Called("matches", "--min-resemblance", 0, "--store", store).records if one["resemblance"] < 0.5
    ]
    assert weak
    assert all(max(one["a_in_b"], one["b_in_a"]) >= 0.9 for one in weak)


def test_a_scheme_without_containment_keeps_no_parts(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {b"a.txt": prose(1), b"b.txt": edited(prose(1), 9)})
    assert Called("scan", folder, "--scheme", "min:n=50", "--store", tmp_path / "kin.db").code == 0
    told = Called("matches", "--min-resemblance", 0.1, "--store", tmp_path / "kin.db").err
    assert "Below 0.5 nothing was kept; to keep more, scan again with --floor 0.1." in told


@pytest.mark.parametrize(
    ("option", "size", "told"),
    [
        ("--memory", "1K", "--memory must be between 64M and 1024T, not 1K."),
        ("--memory", "2000T", "--memory must be between 64M and 1024T, not 2000T."),
        ("--max-size", "0", "--max-size must be between 1 byte and 1024T, not 0."),
        ("--document-memory", "1.5K", "--document-memory must be between 128M and 1024T, not 1536."),
    ],
)
def test_a_size_that_is_refused_is_repeated(tmp_path: Path, option: str, size: str, told: str) -> None:
    assert Called("scan", tmp_path, "--store", tmp_path / "kin.db", option, size).err == f"nearkin: {told}\n"
