"""A payload score says what it was counted on: all shingles, or samples, with an interval where theory gives one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from group.test_form import drafts, invoices
from nearkin.api.store import Store
from nearkin.matching.match_columns import COMPLETE, UNKNOWN, Payload
from oracle.prose import prose

EXACT = "exact:window=20"
DEFAULT = "mod:window=20,sample=200,most=64"
SAID = ("payload", "payload_exact", "payload_low", "payload_high")


def matched(tmp_path: Path, files: dict[str, bytes], scheme: str) -> dict[tuple[str, str], dict[str, Any]]:
    folder = tmp_path / "docs"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text)
    store = Store(tmp_path / f"{scheme.partition(':')[0]}.db")
    store.scan(folder, scheme=scheme)
    return {(one["a"], one["b"]): one for one in store.matches().to_pylist()}


def test_samples_give_an_interval_that_holds_the_payload_of_the_whole_texts(tmp_path: Path) -> None:
    files = {**invoices(12), **drafts(40)}
    sampled, whole = (matched(tmp_path, files, scheme) for scheme in (DEFAULT, EXACT))
    assert sampled.keys() == whole.keys()
    assert {(one["payload_exact"], one["payload_low"], one["payload_high"]) for one in whole.values()} == {
        (True, None, None)
    }
    inside = []
    for pair, one in sampled.items():
        assert one["exact"] is True  # of the resemblance
        assert one["payload_exact"] is False
        assert one["payload_low"] <= one["payload"] <= one["payload_high"]
        inside.append(one["payload_low"] <= whole[pair]["payload"] <= one["payload_high"])
    assert len(inside) > 300
    assert np.mean(inside) > 0.97  # of 99 % intervals, whose errors are not independent of each other
    assert any(one["payload"] != whole[pair]["payload"] for pair, one in sampled.items())


def test_short_texts_are_not_sampled(tmp_path: Path) -> None:
    form = prose(1, 100)
    files = {f"{n}.txt": form + b" %d %d" % (n * 7919, n * 104_729) for n in range(1, 7)}
    sampled, whole = (matched(tmp_path, files, scheme) for scheme in (DEFAULT, EXACT))
    assert {one["payload_exact"] for one in sampled.values()} == {True}
    assert [[one[key] for key in SAID] for one in sampled.values()] == [
        [one[key] for key in SAID] for one in whole.values()
    ]


@pytest.mark.parametrize("scheme", ["min:window=20,n=100", "sketch:window=20,n=100", "bsw:window=20,n=20"])
def test_other_samples_have_no_interval(tmp_path: Path, scheme: str) -> None:
    found = matched(tmp_path, drafts(12), scheme)
    assert {(one["payload_exact"], one["payload_low"], one["payload_high"]) for one in found.values()} == {
        (False, None, None)
    }


def test_features_of_a_sample_without_a_modulus_all_count(tmp_path: Path) -> None:
    """Those of bsw are no multiples of what each stands for: nothing was left as payload, and all looked alike."""
    files = invoices(12)
    sampled, whole = (matched(tmp_path, files, scheme) for scheme in ("bsw:window=20,n=20", EXACT))
    values = [one["payload"] for one in sampled.values()]
    assert max(values) < 0.5
    assert np.mean(values) == pytest.approx(np.mean([one["payload"] for one in whole.values()]), abs=0.1)


def test_a_sample_without_payload_says_nothing(tmp_path: Path) -> None:
    """One word of each is its own: few samples have a shingle of it."""
    form = prose(3, 9000)
    files = {f"{n}.txt": form[: 400 * n] + b" own%d " % n + form[400 * n :] for n in range(1, 9)}
    found = matched(tmp_path, files, DEFAULT)
    assert len(found) == 28
    said = {tuple(one[key] is None for key in SAID) for one in found.values()}
    assert (True, True, True, True) in said
    assert said <= {(True, True, True, True), (False, False, False, False)}


def test_a_store_of_an_older_version_does_not_tell_its_samples() -> None:
    assert Payload.stored(None, None) == Payload(None, None, None, None)
    assert Payload.stored(0.5, None) == Payload(0.5, exact=False)
    assert Payload.stored(0.5, UNKNOWN) == Payload(0.5, exact=False)
    assert Payload.stored(0.5, COMPLETE) == Payload(0.5, exact=True)
    few, many = Payload.stored(0.5, 10.0), Payload.stored(0.5, 1000.0)
    assert 0.0 < (few.low or 0.0) < (many.low or 0.0) < 0.5 < (many.high or 1.0) < (few.high or 1.0) < 1.0
