"""Checks of this machine: does nearkin compute here what it computes elsewhere, and can a store lie here?"""

import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import shake_128
from pathlib import Path

from nearkin.api.store import Store
from nearkin.engine.workers import Workers
from nearkin.errors import NearkinError
from nearkin.formats.adapter import Problem
from nearkin.scheme.golden import kernels_agree, recomputed
from nearkin.store.bulk import is_bulk_insert_active
from nearkin.store.database import file_system, is_network
from nearkin.text.digest import digests

SIZES = (*range(130), 1000, 4096, 100_000)  # of SHA-256's input: every place in its blocks of 64 bytes


class Status(StrEnum):
    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One check and its result."""

    name: str
    status: Status
    detail: str


def selftest(folder: Path) -> Iterator[Check]:
    """Make the checks, one by one. The folder is where a store would lie; nothing is left in it."""
    yield _digests()
    yield _kernels()
    for spec, same in recomputed():
        if same:
            yield Check(spec, Status.OK, "signs as it always did")
        else:
            yield Check(spec, Status.FAILED, "signs differently here: stores made elsewhere cannot be used")
    yield from _sandbox()
    yield _store(folder)
    yield _bulk_insert()
    yield _place(folder)


def _digests() -> Check:
    for size in SIZES:
        if len(set(digests(shake_128(b"%d" % size).digest(size)).values())) != 1:
            return Check("sha256", Status.FAILED, f"unlike ways give unlike digests of {size} bytes")
    return Check("sha256", Status.OK, "with and without the processor's help the same as Python's")


def _kernels() -> Check:
    if kernels_agree():
        return Check("kernels", Status.OK, "sketch finds the same with and without the processor's vectors")
    return Check("kernels", Status.FAILED, "sketch finds otherwise with the processor's vectors than without")


def _sandbox() -> Iterator[Check]:
    """Have a worker try what one that reads a hostile document must not be able to do."""
    with Workers() as workers:
        try:
            attempts = workers.probe()
        except Problem as problem:
            yield Check("sandbox", Status.FAILED, f"no worker can be started: {problem.detail}")
            return
        except OSError as error:
            yield Check("sandbox", Status.FAILED, f"cannot be tried: {(error.strerror or str(error)).lower()}")
            return
    for what, refused in attempts["refused"].items():
        if refused:
            yield Check(f"sandbox: {what}", Status.OK, f"tried by a worker and refused, by {attempts['by']} or limits")
        else:
            yield Check(f"sandbox: {what}", Status.NOTE, "this system does not bar workers from it")


def _store(folder: Path) -> Check:
    """Scan three documents, two of which are alike, and read the result again."""
    text = " ".join(shake_128(b"store").digest(2000).hex(" ").split())
    try:
        with tempfile.TemporaryDirectory(prefix="nearkin-selftest-", dir=folder) as made:
            documents, path = Path(made) / "documents", Path(made) / "selftest.db"
            documents.mkdir()
            for name, content in {"a.txt": text, "b.txt": text[:5500], "c.txt": text[::-1]}.items():
                (documents / name).write_text(content)
            store = Store.open(path)
            store.scan(documents, jobs=1)
            matches = [(match["a"], match["b"], match["exact"]) for match in store.matches().to_pylist()]
            mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        return Check("store", Status.FAILED, f"cannot be made in {folder}: {(error.strerror or str(error)).lower()}")
    except NearkinError as error:
        return Check("store", Status.FAILED, f"cannot be used in {folder}: {error}")
    if matches != [("a.txt", "b.txt", True)]:
        return Check("store", Status.FAILED, f"read back from {folder} it says otherwise than it should: {matches}")
    if mode & 0o077:
        return Check("store", Status.NOTE, f"in {folder} others can read it: this file system keeps no permissions")
    return Check("store", Status.OK, f"written to {folder} and read again")


def _bulk_insert() -> Check:
    if is_bulk_insert_active():
        return Check("bulk insert", Status.OK, "active: SQLite reads whole columns")
    return Check("bulk insert", Status.NOTE, "not active: this Python hides its SQLite, so scans take longer")


def _place(folder: Path) -> Check:
    kind = file_system(folder)
    if kind is None:
        return Check("file system", Status.NOTE, "this system does not say of which kind it is")
    if is_network(kind):
        share = f"{kind} is a network share, where two machines must not use one store"
        return Check("file system", Status.NOTE, f"{share}; choose a local --store")
    return Check("file system", Status.OK, kind)
