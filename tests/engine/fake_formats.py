"""A table of formats for tests: a ZIP of members, a mail, and documents that do what they say to whoever reads them."""

import ctypes
import email
import email.policy
import io
import os
import signal
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nearkin.formats.adapter import ContainerMember, Extraction, Limits, Problem
from nearkin.formats.registry import BY_NAME
from nearkin.model import Reason


@dataclass(frozen=True)
class Format:
    name: str
    media: str
    extensions: tuple[str, ...]
    version: int = 1


FORMATS = (
    # What has another number is read again.
    Format("zip", "application/zip", (".zip",), BY_NAME["zip"].version),
    Format("eml", "message/rfc822", (".eml",), BY_NAME["eml"].version),
    Format("deed", "application/x-deed", (".deed",)),
)
DEED = b"\x00DEED "


def detect(head: bytes, name: bytes, file: BinaryIO) -> Format | None:
    zipped, mail, deed = FORMATS
    if head.startswith(b"PK"):
        return zipped
    if head.startswith(DEED):
        return deed
    return mail if name.endswith(b".eml") and b": " in head else None


def read_with(kind: Format, file: BinaryIO, limits: Limits) -> Extraction:
    return {"zip": _zip, "eml": _mail, "deed": _do}[kind.name](file, limits)


def _zip(file: BinaryIO, limits: Limits) -> Extraction:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise Problem(Reason.CORRUPT, str(error)) from error

    def members() -> Iterator[ContainerMember]:
        taken = 0
        for at, info in enumerate(archive.infolist()):
            if info.is_dir():
                continue
            if at >= limits.members:
                raise Problem(Reason.TOO_LARGE, f"it has more than {limits.members:,} members")
            if info.flag_bits & 1:
                yield ContainerMember.failed(
                    os.fsencode(info.filename), Problem(Reason.ENCRYPTED, "a password is needed")
                )
                continue
            with archive.open(info) as stream:
                data = stream.read(limits.unpacked - taken + 1)
            taken += len(data)
            if taken > limits.unpacked:
                raise Problem(Reason.TOO_LARGE, f"its members are over {limits.unpacked:,} bytes")
            yield ContainerMember(os.fsencode(info.filename), data)

    return Extraction(None, members=members())


def _mail(file: BinaryIO, limits: Limits) -> Extraction:
    mail = email.message_from_binary_file(file, policy=email.policy.default)
    time.sleep(float(mail["x-nap"] or 0))
    body = mail.get_body(("plain",))
    kept = {"message-id": str(mail["message-id"] or ""), "from": str(mail["from"] or ""), "title": str(mail["subject"])}
    members = [
        ContainerMember((part.get_filename() or "").encode(), part.get_payload(decode=True) or b"")  # type: ignore[arg-type]
        for part in mail.iter_attachments()
    ]
    return Extraction("" if body is None else body.get_content(), kept, members)


def _do(file: BinaryIO, limits: Limits) -> Extraction:
    """The document says what it does to its reader."""
    what, _, rest = file.read().removeprefix(DEED).decode().partition(" ")
    match what:
        case "exit":
            os._exit(7)
        case "segfault":
            ctypes.string_at(0)
        case "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        case "hang":
            time.sleep(1000)
        case "until":
            while not os.path.exists(rest):  # noqa: PTH110
                time.sleep(0.01)
        case "spin":
            while True:
                pass
        case "eat":
            bytearray(1 << 40)
        case "grow":
            hoard = []
            while True:
                hoard.append(bytearray(1 << 24))
        case "print":
            for _ in range(100):  # 30 MB, where a pipe holds 1
                sys.stdout.write("x" * 100_000)
                sys.stderr.write("y" * 100_000)
                os.write(1, b"z" * 100_000)
        case "shout":
            return Extraction("loud " * (limits.characters // 2))
        case "recurse":
            return _do(io.BytesIO(DEED + b"recurse"), limits)
        case "raise":
            raise ValueError("no such thing")
        case "encrypted":
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        case "write":
            try:
                with open(rest, "w") as out:
                    out.write("x")
            except OSError as error:
                return Extraction(f"refused {error.errno}")
        case "thread":
            started = threading.Thread(target=sys.getsizeof, args=(rest,))
            started.start()
            started.join()
        case "import":
            raise ModuleNotFoundError(f"No module named {rest!r}", name=rest)
        case "killed":
            if not Path(rest).exists():
                os.kill(os.getpid(), signal.SIGKILL)
        case "work":
            while time.process_time() < float(rest) + 0.3:
                pass
        case "drip":
            return Extraction(None, members=_dripping())
        case "letter":
            return Extraction(f"the text of a letter, {rest}", members=_halfway())
        case "halfway":
            return Extraction(None, members=_halfway())
    return Extraction(f"{what} {rest}", {"title": what})


def _halfway() -> Iterator[ContainerMember]:
    yield ContainerMember(b"first.txt", b"the first member is read before the second kills the worker")
    os._exit(1)


def _dripping() -> Iterator[ContainerMember]:
    while True:
        time.sleep(0.05)
        yield ContainerMember(b"drop.txt", b"drop")
