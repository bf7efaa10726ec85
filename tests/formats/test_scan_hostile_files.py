"""Files made to hurt, through a whole scan: it ends, in bounded memory, and every file and member is accounted for."""

import gzip
import io
import os
import random
import signal
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from formats.archives import tar
from formats.memory_growth import Grown, children
from formats.office import docx, paragraph, zipped
from formats.pdf_objects import PAGE, PAGES, attached, made
from formats.quine import quine
from formats.test_hostile_files import BILLION, MADE, docx_of, mutated
from nearkin.api.store import Store
from nearkin.engine.workers import Workers
from nearkin.formats.adapter import Limits
from nearkin.model import Summary
from store.world import is_sound, listings, rows

ENDINGS = {"gzip": "gz", "bzip2": "bz2", "zstd": "zst"}
Told = dict[str, tuple[str, str]]  # reason and detail of every document that failed


def scanned(store: Store, folder: Path, files: dict[str, bytes], **options: object) -> tuple[Summary, Told]:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    before = children(os.getpid())  # other tests' may be among them
    summary = store.scan(folder, **options)  # type: ignore[arg-type]
    counted = rows(store, "SELECT count(*), count(*) FILTER (WHERE parent IS NULL) FROM present")
    assert counted == [(summary.documents + summary.failed, len(files))]
    assert is_sound(store)
    assert set(children(os.getpid())) <= set(before), "no worker is left"
    return summary, {one["path"]: (one["reason"], one["detail"]) for one in store.documents(failed=True).to_pylist()}


def characters(store: Store) -> dict[str, int]:
    query = "SELECT d.path, t.characters FROM present d JOIN text t ON t.id = d.text"
    return {path.decode(): number for path, number in rows(store, query)}


def nested_bomb(depth: int, width: int, size: int) -> bytes:
    data = zipped({"zeros.txt": b"0" * size})
    for _ in range(depth):
        data = zipped({f"{number}.zip": data for number in range(width)})
    return data


def pages_of_nothing(number: int, *, flat: bool) -> bytes:
    """One page, named so often: by its parent, or by its parent's thousandth, and that by its own."""
    width = number if flat else 1000
    objects = [
        b"<</Type/Catalog/Pages %d 0 R>>" % (2 if flat else 3),
        b"<</Type/Pages/Parent 3 0 R/Count %d/Kids[%s]>>" % (width, b"4 0 R " * width),
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (number, b"2 0 R " * (number // width)),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for place, one in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (place, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(made)
    return made + b"xref\n0 5\n0000000000 65535 f \n" + table + end


def test_an_archive_that_holds_itself_ends(tmp_path: Path) -> None:
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", {"quine.zip": quine()})
    deepest = "quine.zip" + "!/again.zip" * 9
    assert failed == {deepest: ("too large", "it lies in more than 8 containers")}
    assert (summary.documents, summary.failed) == (9, 1)


def bombs(scale: int) -> dict[str, bytes]:
    return {
        "flat.zip": zipped({"zeros.txt": b"0" * (3_000_000 * scale)}),
        "many.zip": zipped({f"{number}.txt": b"" for number in range(1000 * scale)}),
        "nested.zip": nested_bomb(3, 2 * scale, 100_000),
        "quine.zip": quine(),
        "fine.txt": b"a text among them",
    }


def test_bombs_are_counted_member_by_member(tmp_path: Path) -> None:
    """Small ones: all that lies in them is read."""
    summary, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", bombs(1))
    assert list(failed) == ["quine.zip" + "!/again.zip" * 9]
    nested = 1 + 2 + 4 + 8 + 8
    assert summary.documents == 2 + 1001 + nested + 9 + 1


@pytest.mark.soak
def test_bombs(tmp_path: Path) -> None:
    """300 MB in one member, 110,000 members: no more is unpacked than the limits allow."""
    files = bombs(1) | {
        "flat.zip": zipped_zeros(300 << 20),
        "many.zip": zipped({f"{number}.txt": b"" for number in range(110_000)}),
    }
    with Grown() as grown:
        _, failed = scanned(Store(tmp_path / "kin.db"), tmp_path / "docs", files)
    assert {path: reason for path, (reason, _) in failed.items() if path.count("!") < 2} == {
        "flat.zip!/zeros.txt": "too large",
        "many.zip": "too large",
    }
    assert grown.more < 2 << 30


@pytest.mark.soak
def test_nested_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 times 1 MB at the bottom of archives in archives: 100 MB may be unpacked."""
    limits = Limits(unpacked=100_000_000)
    monkeypatch.setattr("nearkin.engine.documents.Workers", partial(Workers, limits=limits))
    store, files = Store(tmp_path / "kin.db"), {"nested.zip": nested_bomb(4, 10, 1_000_000)}
    with Grown() as grown:
        summary, failed = scanned(store, tmp_path / "docs", files)
    assert failed["nested.zip"] == ("too large", "its members, at any depth, are over 100,000,000 bytes")
    assert set(failed.values()) == {failed["nested.zip"]}
    assert 200 <= summary.documents < 250
    assert grown.more < 1 << 30


def zipped_zeros(size: int) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.txt", "w", force_zip64=True) as member,
    ):
        for _ in range(size >> 20):
            member.write(b"0" * (1 << 20))
    return out.getvalue()


def deep(depth: int) -> dict[str, bytes]:
    nest = b"<div>" * depth + b"the bottom" + b"</div>" * depth
    return {
        "deep.html": b"<!DOCTYPE html><html><body>" + nest,
        "deep.xml": b"<?xml version='1.0'?>" + nest,
        "deep.docx": docx("<w:a>" * depth + paragraph("the bottom") + "</w:a>" * depth),
        "deep.mhtml": b"MIME-Version: 1.0\nContent-Type: text/html\n\n<html>" + nest,
    }


@pytest.mark.parametrize("depth", [3000, pytest.param(300_000, marks=pytest.mark.soak)])
def test_what_lies_deep_is_read(tmp_path: Path, depth: int) -> None:
    store = Store(tmp_path / "kin.db")
    summary, failed = scanned(store, tmp_path / "docs", deep(depth))
    assert failed == {}
    assert summary.documents == 4
    assert characters(store)["deep.html"] == characters(store)["deep.xml"] == len("the bottom")


def test_a_billion_laughs_are_not_laughed(tmp_path: Path) -> None:
    files = {
        "a.xml": f"{BILLION}<x>one &a9; laugh</x>".encode(),
        "b.xml": f'{BILLION}<x a="&a9;">words</x>'.encode(),
        "c.docx": docx_of(BILLION, "<w:t>one &a9; laugh</w:t>"),
        "d.html": f"{BILLION}<html>one &a9; laugh</html>".encode(),
    }
    store = Store(tmp_path / "kin.db")
    with Grown() as grown:
        _, failed = scanned(store, tmp_path / "docs", files)
    assert {path: reason for path, (reason, _) in failed.items()} == {"b.xml": "corrupt"}
    assert max(characters(store).values()) < 10_000
    assert grown.more < 500 << 20


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("number", [5000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_pages_of_nothing(tmp_path: Path, number: int, flat: bool) -> None:
    store = Store(tmp_path / "kin.db")
    files = {"pages.pdf": pages_of_nothing(number, flat=flat), "fine.txt": b"a text beside it"}
    with Grown() as grown:
        summary, failed = scanned(store, tmp_path / "docs", files)
    assert summary.documents == 1
    assert failed["pages.pdf"] in (
        ("empty", f"{number} pages without text: scanned pictures?"),
        ("timed out", "it took over 30 seconds"),
    )
    assert grown.more < 2 << 30


def variants(seeds: range) -> Iterator[tuple[str, bytes]]:
    made = {name: make() for name, make in MADE.items()}
    for seed in seeds:
        for name, whole in made.items():
            yield f"{seed}.{ENDINGS.get(name, name)}", mutated(whole, random.Random(seed))


def mutants(tmp_path: Path, seeds: range) -> Counter[str]:
    """Also twice the same: with one job, and again."""
    files = dict(variants(seeds))
    store, other = Store(tmp_path / f"{seeds.start}.db"), Store(tmp_path / f"other {seeds.start}.db")
    folder = tmp_path / f"docs {seeds.start}"
    with Grown() as grown:
        summary, failed = scanned(store, folder, files, timeout=10)
    assert grown.more < 1500 << 20
    assert summary.documents > len(files) // 10
    if seeds.start % 50 == 0:
        other.scan(folder, jobs=1, timeout=10)
        assert listings(other) == listings(store)
    again = store.scan(folder, timeout=10)
    assert (again.documents, again.failed, again.changed) == (summary.documents, summary.failed, 0)
    return Counter(reason for reason, _ in failed.values())


def test_cut_and_flipped_copies_of_every_format(tmp_path: Path) -> None:
    assert mutants(tmp_path, range(1000, 1010))["corrupt"] > 20


@pytest.mark.soak
def test_five_thousand_cut_and_flipped_copies(tmp_path: Path) -> None:
    told = sum(
        (mutants(tmp_path, range(seed, seed + 10)) for seed in range(2000, 2000 + 5100 // len(MADE), 10)), Counter()
    )
    assert set(told) <= {"corrupt", "encrypted", "too large", "timed out", "unsupported", "empty"}, told


def killed_workers(tmp_path: Path, *, files: int, every: float) -> int:
    """Scans whose workers are killed now and then: each costs at most its document, and the next scan reads that. Most
    cost none: a worker that was alive and dies before it answers is taken to have died of something else, and another
    is asked. Told: how many were killed."""
    folder = tmp_path / "docs"
    store, fresh = Store(tmp_path / "kin.db"), Store(tmp_path / "fresh.db")
    made = {f"{number}.docx": docx(paragraph(f"document {number} " * 50)) for number in range(files)}
    over = threading.Event()
    killed: set[int] = set()

    def kill() -> None:
        dice = random.Random()
        while not over.wait(dice.uniform(0, every)):
            for worker in children(os.getpid())[:1]:
                with suppress(OSError):
                    os.kill(worker, signal.SIGKILL)
                    killed.add(worker)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        summary, failed = scanned(store, folder, made)
    finally:
        over.set()
        killer.join()
    assert summary.documents + summary.failed == files
    assert {reason for reason, _ in failed.values()} <= {"crashed"}
    assert len(failed) <= len(killed)
    store.scan(folder)
    fresh.scan(folder)
    assert listings(store) == listings(fresh)
    assert listings(store)["failed"] == []
    return len(killed)


def test_workers_that_are_killed_cost_one_document_each(tmp_path: Path) -> None:
    killed_workers(tmp_path, files=60, every=1)


@pytest.mark.soak
def test_many_workers_are_killed(tmp_path: Path) -> None:
    assert killed_workers(tmp_path, files=2000, every=0.5) > 5


def test_what_a_damaged_archive_gave_stands_and_the_damage_is_told(tmp_path: Path) -> None:
    """A wrong checksum, and half a file: of a tar the members before it are documents, a lone file is none."""
    words = " ".join(str(number * number) for number in range(20_000)).encode()
    whole, lone = gzip.compress(tar({"a.txt": b"first " + words, "b.txt": b"second " + words})), gzip.compress(words)
    files = {}
    for name, data in (("tgz", whole), ("gz", lone)):
        files[f"0.{name}"] = data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]
        files[f"1.{name}"] = data[: 3 * len(data) // 4]
    store = Store(tmp_path / "kin.db")
    summary, failed = scanned(store, tmp_path / "docs", files)
    assert {name: reason for name, (reason, _) in failed.items()} == dict.fromkeys(files, "corrupt")
    there = [one["path"] for one in store.documents().to_pylist()]
    assert there == ["0.tgz!/a.txt", "0.tgz!/b.txt", "1.tgz!/a.txt"]
    assert (summary.documents, summary.failed) == (3, 4)


def test_what_is_attached_to_a_pdf_of_pictures_is_read(tmp_path: Path) -> None:
    names = "/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>"
    pdf = made([f"<</Type/Catalog/Pages 2 0 R{names}>>", PAGES, f"{PAGE}>>", *attached(4, "a.txt", "words of a file")])
    store = Store(tmp_path / "kin.db")
    _, failed = scanned(store, tmp_path / "docs", {"a.pdf": pdf})
    assert failed == {"a.pdf": ("empty", "1 page without text: scanned pictures?")}
    assert characters(store) == {"a.pdf!/a.txt": 15}
