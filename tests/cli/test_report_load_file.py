"""The Concordance load file: its fields, which document is the original, and mail kept together."""

from pathlib import Path
from typing import Any

from cli import containers
from cli.test_report import load_file
from cli.world import Called, edited, prose, write
from nearkin.report.concordance import percent, status_of


def lines(folder: Path, *options: object) -> dict[str, dict[str, str]]:
    assert Called("scan", folder, "--store", folder.parent / "kin.db", "-q", "--format", "json", *options).code == 0
    assert Called("report", folder.parent / "x.dat", "--store", folder.parent / "kin.db", "-q").code == 0
    return {line["PATH"]: line for line in load_file(folder.parent / "x.dat")}


def test_statuses_groups_and_custodians(tmp_path: Path) -> None:
    docs = write(
        tmp_path / "docs",
        {
            b"ann/copy.txt": prose(1),
            b"bob/copy.txt": prose(1),
            b"bob/page.html": f"<p>{prose(2)}</p>",
            b"cid/words.txt": prose(2),
            b"cid/v1.txt": prose(3),
            b"cid/v2.txt": edited(prose(3), 30),
            b"ann/v2.txt": edited(prose(3), 30),
            b"cid/alone.txt": prose(4),
            b"cid/broken.zip": "PK\3\4",
            b"dan/pict.png": "\0\1\2",
            b"dan/pict2.png": "\0\1\2",
        },
    )
    found = lines(docs, "--custodian", "path:1", "--legacy-digests")
    status = {path: line["DUPSTATUS"] for path, line in found.items()}
    assert status["ann/copy.txt"] == "exact original"
    assert status["bob/copy.txt"] == "exact duplicate"
    assert {status["bob/page.html"], status["cid/words.txt"]} == {"near original", "near duplicate"}
    assert status["cid/alone.txt"] == "unique"
    assert status["cid/broken.zip"] == "excluded"
    assert sorted(status[name] for name in ("dan/pict.png", "dan/pict2.png")) == ["exact duplicate", "exact original"]
    versions = [found[name] for name in ("cid/v1.txt", "cid/v2.txt", "ann/v2.txt")]
    assert len({line["GROUPID"] for line in versions}) == 1
    assert {line["GROUPCOUNT"] for line in versions} == {"3"}
    assert [line["PIVOT"] for line in versions].count("Y") == 1
    assert sorted(line["DUPSTATUS"] for line in versions) == ["exact duplicate", "near duplicate", "near original"]
    assert all(line["SIMILARITY"] == "100" for line in versions if line["PIVOT"] == "Y")
    assert found["cid/v2.txt"]["ALLCUSTODIAN"] == "ann; cid"
    assert found["cid/v2.txt"]["CUSTODIAN"] == "cid"
    assert found["cid/alone.txt"]["ALLCUSTODIAN"] == "cid"
    assert found["bob/page.html"]["SAMEWORDS"] == found["cid/words.txt"]["SAMEWORDS"] != ""
    assert found["cid/alone.txt"]["SAMEWORDS"] == found["cid/alone.txt"]["GROUPID"] == ""
    assert len(found["cid/alone.txt"]["MD5"]) == 32
    assert len(found["cid/alone.txt"]["SHA1"]) == 40
    assert len({line["DOCID"] for line in found.values()}) == len(found)


def test_mail_and_attachments_follow_one_another(tmp_path: Path) -> None:
    mail = (
        "From: ann@example.org\nTo: bob@example.org\nSubject: plans\nMessage-ID: <1@example.org>\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="cut"\n\n--cut\nContent-Type: text/plain\n\n{}\n--cut\n'
        'Content-Type: text/plain\nContent-Disposition: attachment; filename="plan.txt"\n\n{}\n--cut--\n'
    )
    docs = write(
        tmp_path / "docs",
        {
            b"m.eml": mail.format(prose(1), prose(2)),
            b"m.eml!.txt": prose(3),
            b"m.eml .txt": prose(4),
            b"z.txt": prose(2),
        },
    )
    found = lines(docs)
    order = list(found)
    at = order.index("m.eml")
    assert order[at + 1] == "m.eml!/plan.txt"
    assert found["m.eml!/plan.txt"]["PARENTID"] == found["m.eml"]["DOCID"]
    assert found["m.eml!/plan.txt"]["MAILFAMILY"] == found["m.eml"]["MAILFAMILY"] == found["m.eml"]["DOCID"]
    assert found["z.txt"]["MAILFAMILY"] == ""
    assert found["m.eml!/plan.txt"]["GROUPID"] == found["z.txt"]["GROUPID"] != ""


def test_names_that_could_break_a_line(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"a\x14b\nc\rþ.txt".encode(): prose(1), b"caf\xe9.txt": prose(2)})
    assert set(lines(docs)) == {"a\\x14b\\nc\\rþ.txt", "caf\\xe9.txt"}


def test_every_status() -> None:
    alone: dict[str, Any] = {"copies": 1, "original": False, "near": False, "pivot": False, "textless": False}
    assert status_of(**alone) == "unique"
    assert status_of(**{**alone, "textless": True}) == "excluded"
    assert status_of(**{**alone, "copies": 2, "original": True}) == "exact original"
    assert status_of(**{**alone, "copies": 2, "original": True, "textless": True}) == "exact original"
    assert status_of(**{**alone, "copies": 2, "near": True, "pivot": True}) == "exact duplicate"
    assert status_of(**{**alone, "near": True, "pivot": True}) == "near original"
    assert status_of(**{**alone, "copies": 2, "original": True, "near": True}) == "near duplicate"


def test_only_the_same_is_100() -> None:
    assert [percent(value) for value in (None, 1.0, 0.99999, 0.5, 0.82376)] == ["", "100", "99.99", "50", "82.37"]


def test_the_pivot_of_a_group_is_an_original_wherever_its_copies_lie(tmp_path: Path) -> None:
    """By name the copy in the archive comes first, as an original the file does; the two must not be told apart."""
    docs = tmp_path / "docs"
    longest = prose(3, 400)
    containers.write(docs, {"aa.zip": containers.zipped({"x.txt": longest.encode()}), "zz.txt": longest.encode()})
    write(docs, {b"m1.txt": edited(longest, 30)[:-40], b"m2.txt": edited(longest, 90)[:-40]})
    found = lines(docs)
    group = [line for line in found.values() if line["GROUPCOUNT"] == "4"]
    assert [line["PATH"] for line in group if line["PIVOT"] == "Y"] == ["zz.txt"]
    status = sorted(line["DUPSTATUS"] for line in group)
    assert status == ["exact duplicate", "near duplicate", "near duplicate", "near original"]
