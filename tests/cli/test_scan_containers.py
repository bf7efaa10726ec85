"""Archives and mail, as a user scans them: what lies in them is documents of their own, and every one is counted."""

import hashlib
import json
import os
import sqlite3
import warnings
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nearkin
from cli.containers import FILES, INNER, PATHS, changes, mail, scan, write, zipped
from cli.world import Called, listed, paths, prose
from nearkin.api.store import Store
from nearkin.engine import container
from nearkin.engine import documents as engine_documents
from nearkin.engine.workers import Request, Workers
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason
from store.world import is_sound


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("boxes") / "docs", FILES)


@pytest.fixture(scope="module")
def store(folder: Path) -> Path:
    path = folder.parent / "kin.db"
    scan(path, folder)
    return path


def test_members_are_documents_and_all_are_counted(store: Path) -> None:
    assert paths(store) == PATHS
    (broken,) = listed("documents", store, "--failed")
    assert (broken["path"], broken["reason"]) == ("broken.zip", "corrupt")
    assert is_sound(Store(store))


def test_each_names_the_container_it_lies_in(store: Path) -> None:
    for one in listed("documents", store):
        before, inside, _ = one["path"].rpartition("!/")
        assert one["parent"] == (before if inside else None)


def test_they_are_compared_with_all_else(store: Path) -> None:
    groups = {tuple(group["paths"]) for group in listed("identical", store) if group["tier"] == "bytes"}
    assert ("arch.zip!/folder/a.txt", "plain.txt") in groups
    assert ("box.tar.gz!/b.txt", "mail.eml!/report.txt") in groups
    assert ("arch.zip!/in.zip", "mail.eml!/in.zip") in groups
    pairs = {(match["a"], match["b"]) for match in listed("matches", store)}
    assert ("arch.zip!/b.txt", "box.tar.gz!/b.txt") in pairs


def test_what_a_mail_says_of_itself_is_kept(store: Path) -> None:
    (found,) = [one for one in listed("documents", store) if one["path"] == "mail.eml"]
    properties = found["properties"]
    assert properties["message-id"] == "<1@example.org>"
    assert properties["from"] == "Ann <ann@example.org>"
    assert properties["date"].startswith("2020-01-06T10:00:00")
    assert found["edrm_message_hash"] == hashlib.md5(b"1@example.org").hexdigest()


def dump(store: Path) -> list[Any]:
    """All that was stored, ids and all, but when."""
    wanted = {
        "document": "id, path, parent, size, media, encoding, digest, text, reason, detail, reader, properties",
        "text": "*",
        "content": "*",
        "signature": "*",
        "match": "*",
        "family_content": "*",
    }
    with closing(sqlite3.connect(store)) as connection:
        return [connection.execute(f"SELECT {what} FROM {table}").fetchall() for table, what in wanted.items()]


@pytest.mark.parametrize("small", [False, True])
def test_the_same_is_stored_whatever_the_jobs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    """Also where containers are too large to be held."""
    if small:
        monkeypatch.setattr(container, "HELD_MEMBERS", 1)
    dumps = []
    for jobs in (1, 2, 5):
        scan(tmp_path / f"{jobs}.db", folder, "--jobs", jobs)
        dumps.append(dump(tmp_path / f"{jobs}.db"))
        assert paths(tmp_path / f"{jobs}.db") == PATHS
        assert is_sound(Store(tmp_path / f"{jobs}.db"))
    assert dumps[0] == dumps[1] == dumps[2]


def never(*_: object) -> Any:
    raise AssertionError("nothing needs to be read")


def test_what_is_known_is_not_taken_apart_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store = write(tmp_path / "docs", FILES), tmp_path / "kin.db"
    scan(store, folder)
    before = dump(store)
    monkeypatch.setattr(Workers, "ask", never)
    assert changes(scan(store, folder)) == {}
    for name in FILES:
        os.utime(folder / name, (1, 1))
    assert changes(scan(store, folder)) == {}
    assert dump(store) == before
    monkeypatch.undo()
    assert changes(scan(store, folder, "--full")) == {}
    assert dump(store) == before


def test_only_what_changed_in_a_container_has_changed(tmp_path: Path) -> None:
    folder, store = (
        write(tmp_path / "docs", {"a.zip": FILES["arch.zip"], "m.eml": FILES["mail.eml"]}),
        tmp_path / "k.db",
    )
    scan(store, folder)
    other = zipped({"deep.txt": prose(3).encode(), "new.txt": prose(8).encode()})
    (folder / "a.zip").write_bytes(zipped({"folder/a.txt": prose(1).encode(), "b.txt": b"other", "in.zip": other}))
    # Changed: the archive, b.txt, in.zip. New: new.txt. Gone: page.html, x.bin.
    assert changes(scan(store, folder)) == {"new": 1, "changed": 3, "gone": 2}
    test_each_names_the_container_it_lies_in(store)
    (folder / "m.eml").rename(folder / "n.eml")
    assert changes(scan(store, folder)) == {"moved": 5}
    test_each_names_the_container_it_lies_in(store)
    (folder / "n.eml").write_bytes(mail("no longer", {}))
    assert changes(scan(store, folder)) == {"changed": 1, "gone": 4}
    (folder / "a.zip").write_text("only a name")
    assert changes(scan(store, folder)) == {"changed": 1, "gone": 5}
    assert paths(store) == ["a.zip", "n.eml"]
    (folder / "n.eml").unlink()
    assert changes(scan(store, folder)) == {"gone": 1}
    assert is_sound(Store(store))


def test_names_that_lead_elsewhere_stay_inside(tmp_path: Path) -> None:
    members = [("../../x.txt", b"one"), ("/etc/passwd", b"two"), ("a!/b", b"three"), ("a.txt", b"4"), ("a.txt", b"5")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write(tmp_path / "docs", {"odd.zip": zipped(members)})
    scan(tmp_path / "kin.db", tmp_path / "docs")
    found = {path.removeprefix("odd.zip!/") for path in paths(tmp_path / "kin.db")}
    assert found == {"odd.zip", "%2E%2E/%2E%2E/x.txt", "etc/passwd", "a%21/b", "a.txt", "a.txt#5"}
    assert [path.name for path in (tmp_path / "docs").rglob("*")] == ["odd.zip"]
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {"docs", "kin"}


def nested(depth: int) -> bytes:
    data = prose(1).encode()
    for level in range(depth):
        data = zipped({f"{level}.zip" if level else "text.txt": data})
    return data


@pytest.mark.parametrize("small", [False, True])
def test_nesting_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: bool) -> None:
    if small:
        monkeypatch.setattr(container, "HELD_MEMBERS", 0)
    write(tmp_path / "docs", {"eight.zip": nested(9), "more.zip": nested(10)})
    found = scan(tmp_path / "kin.db", tmp_path / "docs")
    assert (found["documents"], found["failed"]) == (10 + 9, 1)
    (failed,) = listed("documents", tmp_path / "kin.db", "--failed")
    assert failed["reason"] == "too large"
    assert failed["detail"] == "it lies in more than 8 containers"
    assert failed["path"].count("!/") == 9


def test_bombs_cost_no_more_than_limits_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = partial(Workers, limits=Limits(unpacked=3_000_000, members=50))
    monkeypatch.setattr(engine_documents, "Workers", limited)
    monkeypatch.setattr(container, "HELD_MEMBERS", 10)
    flat = zipped({"zeros.txt": b"0" * 5_000_000})
    layer = zipped({f"{i}.txt": prose(i, 20).encode() for i in range(9)})
    write(
        tmp_path / "docs",
        {
            "flat.zip": flat,
            "many.zip": zipped({f"{i}.txt": b"%d" % i for i in range(60)}),
            "nested.zip": zipped({f"{i}.zip": layer for i in range(9)}),
            "fine.zip": layer,
        },
    )
    found = scan(tmp_path / "kin.db", tmp_path / "docs")
    failed = {one["path"]: one["reason"] for one in listed("documents", tmp_path / "kin.db", "--failed")}
    assert set(failed.values()) == {"too large"}
    assert {"many.zip", "nested.zip"} <= set(failed)
    assert any(path.startswith("flat.zip") for path in failed)
    assert found["documents"] + found["failed"] == len(paths(tmp_path / "kin.db")) + len(failed)
    other = tmp_path / "other.db"
    scan(other, tmp_path / "docs", "--jobs", 1)
    assert dump(other) == dump(tmp_path / "kin.db")


def test_one_bad_member_costs_itself(tmp_path: Path) -> None:
    box = zipped({"bad.zip": b"PK\x03\x04", "bad.pdf": b"%PDF-1.7 no", "good.txt": b"good", "empty.txt": b""})
    write(tmp_path / "docs", {"box.zip": box})
    found = scan(tmp_path / "kin.db", tmp_path / "docs")
    assert (found["documents"], found["failed"]) == (3, 2)


def test_strict_is_an_error_when_all_is_stored(folder: Path, tmp_path: Path) -> None:
    done = Called("scan", folder, "--store", tmp_path / "kin.db", "--format", "json", "--strict")
    assert done.code == 3
    assert json.loads(done.out)["failed"] == 1
    assert "1 file or folder could not be read (corrupt); everything else was stored." in done.err
    assert paths(tmp_path / "kin.db") == PATHS
    (folder.parent / "whole").mkdir(exist_ok=True)
    (folder.parent / "whole" / "a.txt").write_text("fine")
    scan(tmp_path / "other.db", folder.parent / "whole", "--strict")


def test_failures_are_told_by_reason(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    done = Called("scan", folder, "--store", store, "--format", "json")
    see = f"see: nearkin documents --failed --store {store}\n"
    assert f"nearkin: 1 file or folder could not be read (corrupt); {see}" in done.err
    shown = Called("scan", folder, "--store", tmp_path / "other.db", "--format", "table")
    assert "1 file or folder could not be read (corrupt)" in shown.out


def test_failed_files_are_copies_by_their_bytes(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.zip": FILES["broken.zip"], "b.zip": FILES["broken.zip"]})
    assert scan(tmp_path / "kin.db", tmp_path / "docs", code=3)["identical"] == 1  # nothing of it could be read
    assert [one["paths"] for one in listed("identical", tmp_path / "kin.db")] == [["a.zip", "b.zip"]]


def test_legacy_digests_where_asked_for(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    scan(store, folder)
    assert all(one["legacy_md5"] is None for one in listed("documents", store))
    assert changes(scan(store, folder, "--legacy-digests")) == {}
    found = {one["path"]: one for one in listed("documents", store)}
    for path, data in {
        "plain.txt": prose(1).encode(),
        "arch.zip": FILES["arch.zip"],
        "arch.zip!/in.zip": INNER,
    }.items():
        assert found[path]["legacy_md5"] == hashlib.md5(data).hexdigest()
        assert found[path]["legacy_sha1"] == hashlib.sha1(data).hexdigest()
    assert all(one["legacy_sha1"] for one in found.values())


def custodians(store: Path) -> dict[str, str | None]:
    return {one["path"]: one["custodian"] for one in listed("documents", store)}


def test_custodians_by_every_rule(tmp_path: Path) -> None:
    folder, store = tmp_path / "docs", tmp_path / "kin.db"
    write(
        folder,
        {
            "users/ann/a.zip": zipped({"x/y.txt": b"one"}),
            "users/bob/b.txt": b"two",
            "m.eml": mail("text", {"c.txt": b"three"}, sender="Cy <CY@example.org>"),
        },
    )
    whose = {
        "path:2": ["ann", "ann", "bob", None, None],
        "path:users": ["ann", "ann", "bob", None, None],
        "path:1": ["users", "users", "users", None, None],
        "mail": [None, None, None, "cy@example.org", "cy@example.org"],
    }
    names = ["users/ann/a.zip", "users/ann/a.zip!/x/y.txt", "users/bob/b.txt", "m.eml", "m.eml!/c.txt"]
    for rule, expected in whose.items():
        scan(store, folder, "--custodian", rule)
        assert [custodians(store)[name] for name in names] == expected, rule
    scan(store, folder, "--custodian", "owner")
    assert all(one["custodian"] == one["owner"] for one in listed("documents", store))
    (tmp_path / "map.csv").write_text("users,everyone\nusers/bob,Bob B.\nm.eml,Post\n")
    scan(store, folder, "--custodian", tmp_path / "map.csv")
    expected = ["everyone", "everyone", "Bob B.", "Post", "Post"]
    assert [custodians(store)[name] for name in names] == expected
    (folder / "users/bob/b.txt").write_text("changed")
    scan(store, folder)
    assert [custodians(store)[name] for name in names] == expected
    assert "Bob B." in Called("documents", "--store", store, "--format", "table").out


@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("nobody", 2, "names no custodians"),
        ("", 2, "names no custodians"),
        ("path:0", 2, "counts folders from 1"),
        ("none.csv", 3, "Cannot read"),
    ],
)
def test_wrong_rules_are_refused_before_a_store_is_made(rule: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    done = Called("scan", tmp_path, "--store", tmp_path / "kin.db", "--custodian", rule)
    assert (done.code, said in done.err) == (code, True)
    assert not (tmp_path / "kin.db").exists()


def test_other_commands_read_such_files_too(store: Path, folder: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.eml"
    letter.write_bytes(mail(prose(5), {}, number=2))
    (found,) = Called("check", letter, "--store", store, "--format", "jsonl").records
    assert found["path"] == "mail.eml"
    assert found["tier"] == "near"
    compared = Called("compare", letter, "mail.eml", "--store", store, "--format", "json")
    assert json.loads(compared.out)["resemblance"] > 0.9
    assert Called("sign", letter, "--store", store, "--format", "jsonl").records
    bad = Called("check", folder / "broken.zip", "--store", store, "--format", "jsonl")
    assert "broken.zip has no readable text (corrupt: " in bad.err
    (pair,) = nearkin.match([letter.read_bytes(), FILES["mail.eml"], b"unlike"]).to_pylist()
    assert (pair["a"], pair["b"]) == (0, 1)


def test_raw_takes_containers_as_bytes(folder: Path, tmp_path: Path) -> None:
    assert scan(tmp_path / "kin.db", folder, "--raw")["documents"] == len(FILES)


def test_a_folder_named_like_members_is_said(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.zip": INNER, "a.zip!/deep.txt": b"one"})
    scan(tmp_path / "kin.db", tmp_path / "docs")
    (failed,) = listed("documents", tmp_path / "kin.db", "--failed")
    assert (failed["path"], failed["reason"]) == ("a.zip", "unreadable")
    assert "rename that" in failed["detail"]


def test_a_worker_is_asked_by_path_and_never_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.zip").write_bytes(INNER)
    (tmp_path / "link.zip").symlink_to(tmp_path / "real.zip")
    with Workers() as workers, pytest.raises(Problem) as raised:
        list(workers.ask(Request(b"link.zip", os.fsencode(tmp_path / "link.zip"))))
    assert raised.value.reason is Reason.UNREADABLE


def test_what_is_attached_to_a_mail_is_the_same_bytes(tmp_path: Path) -> None:
    """Line ends stay as they are, and an archive need not be written as letters."""
    inner = b"From: bob@example.org\r\nMessage-ID: <2@example.org>\r\n\r\n" + prose(6).encode() + b"\r\nBob\r\n"
    note = prose(7).encode() + b"\r\nlast line\r\n"
    box = zipped({"a.txt": prose(8).encode(), "b.bin": b"\r\n\n\r" * 50})
    parts = (
        b"message/rfc822\r\n\r\n" + inner,
        b"text/plain; name=note.txt\r\n\r\n" + note,
        b"application/zip; name=box.zip\r\nContent-Transfer-Encoding: binary\r\n\r\n" + box,
    )
    inside = b"".join(b"--=b=\r\nContent-Type: " + part + b"\r\n" for part in parts)
    head = b"From: ann@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary==b=\r\n\r\n"
    files = {"inner.eml": inner, "note.txt": note, "box.zip": box, "outer.eml": head + inside + b"--=b=--\r\n"}
    store = tmp_path / "kin.db"
    assert scan(store, write(tmp_path / "docs", files))["failed"] == 0
    groups = {tuple(group["paths"]) for group in listed("identical", store) if group["tier"] == "bytes"}
    assert groups >= {
        ("inner.eml", "outer.eml!/part-1.eml"),
        ("note.txt", "outer.eml!/note.txt"),
        ("box.zip", "outer.eml!/box.zip"),
    }


def test_a_member_too_large_for_the_memory_fails_alone(tmp_path: Path) -> None:
    box = zipped({"first.txt": prose(1).encode(), "zeros.txt": bytes(120_000_000), "after.txt": prose(2).encode()})
    store, folder = tmp_path / "kin.db", write(tmp_path / "docs", {"ok.zip": box})
    scan(store, folder, "--document-memory", "256M")
    assert paths(store) == ["ok.zip", "ok.zip!/after.txt", "ok.zip!/first.txt"]
    (failed,) = listed("documents", store, "--failed")
    assert (failed["path"], failed["reason"]) == ("ok.zip!/zeros.txt", "too large")
