"""Members come out one by one, whole or with the reason why not, and cost no more than the limits allow."""

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from formats.archives import MEMBERS, PACKERS, plain_zip, tar
from formats.documents import epub
from formats.office import docx, odt, zipped
from formats.seven_zip import archive
from formats.test_visible_text import found
from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason

BOMB = b"\0" * 3_000_000


def members(data: bytes, name: bytes = b"", limits: Limits | None = None) -> dict[str, bytes]:
    return {member.name.decode(): member.data for member in found(data, name, limits)[1].members}


def test_members_of_a_zip() -> None:
    assert found(plain_zip())[0] == "zip"
    assert members(plain_zip()) == MEMBERS
    assert [member.mtime_ns for member in found(plain_zip())[1].members] == [1704164646 * 10**9] * 2


@pytest.mark.parametrize("packer", ["none", *PACKERS])
def test_members_of_a_tar_packed_or_not(packer: str) -> None:
    data = tar() if packer == "none" else PACKERS[packer](tar())
    assert found(data)[0] == "tar"
    assert members(data) == MEMBERS


@pytest.mark.parametrize("packer", PACKERS)
def test_one_packed_file(packer: str) -> None:
    name, document = found(PACKERS[packer](b"some words"))
    assert name == packer
    assert [(member.name, member.data) for member in document.members] == [(b"content", b"some words")]


@pytest.mark.parametrize("pack_list", [True, False])
def test_members_of_7z(pack_list: bool) -> None:
    data = archive(MEMBERS, pack_list=pack_list)
    assert found(data)[0] == "7z"
    assert members(data) == MEMBERS


LINKED = {"a.txt": b"some words", "link": b"../a.txt", "no link": b"long " * 1000}


def zip_with_links() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in LINKED.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, (stat.S_IFREG if name == "a.txt" else stat.S_IFLNK) << 16
            packed.writestr(entry, data)
    return file.getvalue()


def seven_with_links() -> bytes:
    return archive(LINKED, modes=(stat.S_IFREG, stat.S_IFLNK, stat.S_IFLNK))


@pytest.mark.parametrize("make", [zip_with_links, seven_with_links])
def test_links_are_passed_over_but_for_what_is_too_long_to_be_one(make: Callable[[], bytes]) -> None:
    assert members(make()) == {name: data for name, data in LINKED.items() if name != "link"}


@pytest.mark.parametrize(
    ("coder", "reason"),
    [
        (b"\x04\x06\xf1\x07\x01", Reason.ENCRYPTED),
        (b"\x03\x03\x04\x01", Reason.UNSUPPORTED),
        (b"\x01\0", Reason.CORRUPT),
    ],
)
def test_members_of_7z_that_cannot_be_unpacked_say_why(coder: bytes, reason: Reason) -> None:
    told = list(found(archive(MEMBERS, coder=coder))[1].members)
    assert [member.name.decode() for member in told] == list(MEMBERS)
    assert [member.problem.reason if member.problem else None for member in told] == [reason, reason]


def test_a_bomb_that_is_7z() -> None:
    with pytest.raises(Problem) as error:
        members(archive({"a": b"words", "bomb": BOMB}), limits=Limits(unpacked=2_000_000))
    assert error.value.reason is Reason.TOO_LARGE


def test_gzip_remembers_the_name() -> None:
    file = io.BytesIO()
    with gzip.GzipFile("notes.txt", "wb", fileobj=file) as packed:
        packed.write(b"words")
    assert members(file.getvalue()) == {"notes.txt": b"words"}


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_file_that_ends_early_is_corrupt(packer: str) -> None:
    data = PACKERS[packer](bytes(range(256)) * 400)
    with pytest.raises(Problem) as error:
        members(data[: len(data) // 2])
    assert error.value.reason is Reason.CORRUPT


def test_names_are_bytes_as_the_archive_says() -> None:
    data = plain_zip().replace(b"b.html", b"\x94.html")
    assert b"\x94.html" in [member.name for member in found(data)[1].members]


def test_members_in_other_volumes_say_so() -> None:
    """In the list of a zip each has the number of its volume; a 7z has its list at its end."""
    packed = bytearray(plain_zip())
    second = packed.rindex(b"PK\1\2")
    packed[second + 34] = 1  # the last volume, which is this one
    packed[packed.rindex(b"PK\5\6") + 4] = 1
    told = [(one.name, one.problem and one.problem.reason) for one in found(bytes(packed))[1].members]
    first, other = (name.encode() for name in MEMBERS)
    assert told == [(first, Reason.UNSUPPORTED), (other, None)]
    with pytest.raises(Problem, match="another volume"):
        members(archive(MEMBERS)[:-10])


def test_an_encrypted_member_says_so_and_the_others_are_read() -> None:
    data = bytearray(plain_zip())
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    first, second = found(bytes(data))[1].members
    assert first.problem is not None
    assert first.problem.reason is Reason.ENCRYPTED
    assert (first.name, first.data) == (b"folder/a.txt", b"")
    assert second.data == MEMBERS["b.html"]


def test_a_damaged_member_says_so_and_the_others_are_read() -> None:
    data = bytearray(zipped(dict(MEMBERS), method=zipfile.ZIP_STORED))
    data[data.index(b"the first") + 1] ^= 1
    first, second = found(bytes(data))[1].members
    assert first.problem is not None
    assert first.problem.reason is Reason.CORRUPT
    assert second.data == MEMBERS["b.html"]


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_costs_no_more_than_the_limit(packer: str) -> None:
    with pytest.raises(Problem) as error:
        members(PACKERS[packer](BOMB), limits=Limits(unpacked=2_000_000))
    assert error.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_that_is_a_tar(packer: str) -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for number in range(4):
            entry = tarfile.TarInfo(str(number))
            entry.size = 1_000_000
            archive.addfile(entry, io.BytesIO(BOMB[: entry.size]))
    left = iter(found(PACKERS[packer](file.getvalue()), limits=Limits(unpacked=2_500_000))[1].members)
    assert [next(left).name, next(left).name] == [b"0", b"1"]
    with pytest.raises(Problem) as error:
        next(left)
    assert error.value.reason is Reason.TOO_LARGE


def test_a_member_too_large_for_itself_is_passed_over() -> None:
    first, second = found(zipped({"bomb": BOMB, "a": b"words"}), limits=Limits(member=1_000_000))[1].members
    assert first.problem is not None
    assert first.problem.reason is Reason.TOO_LARGE
    assert second.data == b"words"


def test_too_many_members() -> None:
    with pytest.raises(Problem, match="more than 1 members"):
        members(plain_zip(), limits=Limits(members=1))


def until_it_fails(data: bytes) -> tuple[list[str], Reason]:
    """Names of the members that come out, and why no more do."""
    names: list[str] = []
    with pytest.raises(Problem) as error:
        names.extend(member.name.decode() for member in found(data)[1].members)
    return names, error.value.reason


def two_members() -> bytearray:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in ("p.txt", "q.txt"):
            entry = tarfile.TarInfo(name)
            entry.size = 9
            archive.addfile(entry, io.BytesIO(b"some text"))
    return bytearray(file.getvalue())


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty"])
@pytest.mark.parametrize("packer", ["none", *PACKERS])
def test_a_tar_with_a_damaged_header_is_corrupt_after_what_was_read(packer: str, damage: str) -> None:
    data = two_members()
    if damage == "flipped":
        data[1024 + 10] ^= 1
    elif damage == "cut":
        del data[1024 + 100 :]
    else:
        data[1024:1536] = bytes(512)
        data[1536:1536] = data[:512]
    assert until_it_fails(PACKERS.get(packer, bytes)(bytes(data))) == (["p.txt"], Reason.CORRUPT)


@pytest.mark.parametrize("packer", ["none", *PACKERS])
def test_a_tar_of_many_empty_blocks_is_whole(packer: str) -> None:
    data = bytes(two_members()) + bytes(200_000)
    assert list(members(PACKERS.get(packer, bytes)(data))) == ["p.txt", "q.txt"]


def test_a_packed_tar_with_a_wrong_checksum_is_corrupt() -> None:
    data = bytearray(gzip.compress(bytes(two_members()), 0, mtime=0))
    data[data.index(b"some text")] ^= 1
    assert until_it_fails(bytes(data)) == (["p.txt", "q.txt"], Reason.CORRUPT)


def test_members_of_a_zip_whatever_they_are_called() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("empty/", b"")
        archive.writestr("secretX", b"words in a folder")
        nameless = zipfile.ZipInfo("x")
        nameless.filename = ""
        archive.writestr(nameless, b"no name")
        archive.writestr("last.txt", b"last words")
    told = members(file.getvalue().replace(b"secretX", b"secret/"))
    assert told == {"secret/": b"words in a folder", "": b"no name", "last.txt": b"last words"}


def test_types_of_tar_that_nobody_knows_are_files() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for kind in (b"Z", b"0", b"D", b"V", b"2"):
            entry = tarfile.TarInfo(kind.decode())
            entry.type, entry.size = kind, 0 if kind in b"V2" else 5
            archive.addfile(entry, io.BytesIO(b"words"[: entry.size]))
    assert members(file.getvalue()) == {"Z": b"words", "0": b"words"}


@pytest.mark.parametrize("make", [docx, odt, epub])
def test_a_folder_that_was_packed_is_no_document(make: Callable[[], bytes]) -> None:
    whole = make()
    name = found(whole)[0]
    assert found(whole, b"a.zip")[0] == found(whole, b"a.bak")[0] == name
    file = io.BytesIO(whole)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("letters/deal.txt", b"words beside")
    among = file.getvalue()
    if name != "epub":  # its pages may lie anywhere
        assert found(among, b"a.zip")[0] == "zip"
        assert members(among, b"a.zip")["letters/deal.txt"] == b"words beside"
    assert found(among, f"a.{name}".encode())[0] == name


def test_a_document_without_its_main_part_is_an_archive() -> None:
    data = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": "<manifest/>"})
    assert found(data, b"a.zip")[0] == "zip"
    with pytest.raises(Problem, match=r"content\.xml is missing"):
        found(data, b"a.odt")


def test_iwork_says_that_its_text_is_not_read() -> None:
    told = found(zipped({"Index/Document.iwa": b"\0", "preview.txt": b"words"}), b"a.pages")[1].members
    assert next(iter(told)).name == b"Index/Document.iwa"
    with pytest.raises(Problem, match="Pages, Numbers and Keynote") as error:
        list(told)
    assert error.value.reason is Reason.UNSUPPORTED


@pytest.mark.parametrize(
    ("data", "whose"),
    [(b"\xffWPC\0", "WordPerfect"), (bytes(60) + b"BOOKMOBI", "Kindle"), (b"\1\0\2", "this sort")],
)
def test_documents_of_formats_that_are_not_read_say_so(data: bytes, whose: str) -> None:
    with pytest.raises(Problem, match=whose) as error:
        found(data, b"old.wpd")
    assert error.value.reason is Reason.UNSUPPORTED
