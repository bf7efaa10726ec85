import pytest

from nearkin.errors import UsageError
from nearkin.group.lineage import UNKNOWN, Moment, moment_of
from nearkin.keep.groups import KeepOption, choose, rules_of
from nearkin.model import Location


def candidate(path: str, *, size: int = 1, at: float = 1.0, loose: bool = True, complete: int | None = 0) -> KeepOption:
    return KeepOption(Location("s", path.encode()), size, Moment(at, "file"), loose, complete)


@pytest.mark.parametrize(
    ("prefer", "kept", "why"),
    [
        ((), "a/whole", "most complete"),
        (("newest",), "b/new", "newest"),
        (("oldest",), "b/old", "oldest"),
        (("largest",), "a/large", "largest"),
        (("folder:b", "largest"), "b/old", "largest"),
        (("folder:b/", "newest"), "b/new", "newest"),
        (("scope:s",), "a/whole", "most complete"),
    ],
)
def test_what_is_asked_for_goes_first(prefer: tuple[str, ...], kept: str, why: str) -> None:
    some = [
        candidate("a/large", size=9, at=3, complete=50),
        candidate("a/whole", size=8, at=4, complete=99),
        candidate("b/new", size=2, at=5, complete=50),
        candidate("b/old", size=3, at=1, complete=50),
    ]
    found = choose(some, rules_of(prefer))
    assert (some[found.row].location.path.decode(), why in found.why) == (kept, True)


def test_every_rule_that_left_some_out_is_told() -> None:
    """ "Newest" alone would be false: one that is newer was left out before, as less complete."""
    some = [
        candidate("a", at=1, complete=90),
        candidate("b", at=2, complete=90),
        candidate("c", at=3, complete=80),
        candidate("d", at=2, complete=90),
    ]
    found = choose(some, rules_of(()))
    assert some[found.row].location.path == b"b"
    complete, newest, path = found.why.split("; ")
    assert complete.startswith("most complete: it has 90 %")
    assert newest.startswith("among equals, newest: ")
    assert path == "among equals, the first path"


def test_files_go_before_members() -> None:
    some = [candidate("box.zip!/a", size=9, at=9, loose=False), candidate("b")]
    assert choose(some, rules_of(())).row == 1


def test_ties_end_with_the_first_path_whatever_the_order() -> None:
    some = [candidate("b"), candidate("a"), candidate("c")]
    assert choose(some, rules_of(())).row == 1
    assert choose(some[::-1], rules_of(())).row == 1


@pytest.mark.parametrize("rule", ["best", "scope:", "folder:", ""])
def test_other_rules_are_refused(rule: str) -> None:
    with pytest.raises(UsageError, match="known are"):
        rules_of([rule])


def test_own_dates_go_before_the_files() -> None:
    assert moment_of({"created": "1999-01-01T00:00:00", "modified": "2001-02-03T04:05:06Z"}, 7) == (
        981173106.0,
        "modified",
    )
    assert moment_of({"date": "2001-02-03T05:05:06+01:00"}, 7) == (981173106.0, "date")
    assert moment_of({"created": "some day"}, 7_000_000_000) == (7.0, "file")
    assert moment_of({}, 0) == UNKNOWN
    assert UNKNOWN.shown == "no date"
