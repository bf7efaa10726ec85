"""A worker: a process that takes documents apart, one at a time, and can be lost without harm.

    requests   {"name", "file" or bytes as the body}                 one document; files come open, by a socket
    answers    plain                                                 no format of the table: it is read natively
               document {extractor, media, digest, properties …}     what it is; the body is its text
               member {name, mtime_ns, reason …}                     one that lies in it; the body is its bytes
               problem {reason, detail}                              why it cannot be read, or not to its end
               lacking {package}                                     nearkin is not installed whole: nobody's fault here
               end                                                   always last

It confines itself before it sees any document, opens none itself, and ends when its pipe does. Nothing a library prints
can get among the frames: standard output and error go nowhere.
"""

import hashlib
import io
import os
import socket
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from nearkin.engine.sandbox import allow_seconds, confine, needed
from nearkin.engine.worker_protocol import Header, packed, unpack_from
from nearkin.formats.adapter import LIBRARIES, Limits, Problem
from nearkin.model import Reason

if TYPE_CHECKING:
    from nearkin.formats.adapter import ContainerMember

HEAD = 8192  # bytes that a format is recognised by
TOGETHER = 1 << 16  # bytes sent in one piece
LONGEST = 1 << 40  # bytes of a request: what nearkin itself sends is not doubted


def main(options: dict[str, Any]) -> None:
    asked, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    sys.setrecursionlimit(2000)
    formats = import_module(options["formats"])
    files = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, options["files"])
    readable = needed((options["formats"], "nearkin", "nearkin._native", *LIBRARIES))
    barred = confine(memory=options["memory"], parent=options["parent"], readable=readable)
    with os.fdopen(asked, "rb") as stream:
        _Worker(formats, Limits(**options["limits"]), options["seconds"], barred, answers, files).serve(stream)


class _Worker:
    def __init__(
        self, formats: Any, limits: Limits, seconds: float, barred: str, answers: int, files: socket.socket
    ) -> None:
        self._formats = formats
        self._limits = limits
        self._seconds = seconds
        self._barred = barred
        self._answers = answers
        self._files = files
        self._held: list[bytes] = []  # sent with the next answer

    def serve(self, asked: BinaryIO) -> None:
        """Answer requests. A worker that ran out of memory once says so and ends: it may be left with little."""
        while (frame := unpack_from(asked.read, longest=LONGEST)) is not None:
            header, body = frame
            if header["kind"] == "probe":
                self._send({"kind": "end", "by": self._barred, "refused": self._tried(header)})
                continue
            self._start_clock()
            try:
                self._read(header, body)
            except MemoryError:
                del body, frame
                self._send(_problem(Problem(Reason.TOO_LARGE, "it needs more memory than a worker may have")))
                self._send({"kind": "end", "spent": True})
                return
            self._send({"kind": "end"})

    def _start_clock(self) -> None:
        allow_seconds(self._seconds)

    def _read(self, header: Header, body: bytes) -> None:
        try:
            with self._handed() if header["file"] else io.BytesIO(body) as file:
                self._take_apart(header, file)
        except Problem as problem:
            if isinstance(problem.__cause__, MemoryError):
                raise problem.__cause__ from None
            self._send(_problem(problem))
        except MemoryError:
            raise
        except RecursionError:
            self._send(_problem(Problem(Reason.TOO_LARGE, "it is nested too deeply")))
        except OSError as error:
            detail = (error.strerror or str(error)).lower()
            self._send(_problem(Problem(Reason.UNREADABLE if header["file"] else Reason.CORRUPT, detail)))
        except ImportError as error:  # a library that is missing says nothing about the document
            name = (error.name or "").partition(".")[0]
            if isinstance(error, ModuleNotFoundError) and name in LIBRARIES:
                self._send({"kind": "lacking", "package": name})
            else:
                self._send(_problem(Problem(Reason.CRASHED, f"a library cannot be loaded: {error}")))
        except Exception as error:  # a parser that fails says something about the document
            detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._send(_problem(Problem(Reason.CORRUPT, detail[:200])))

    def _take_apart(self, header: Header, file: BinaryIO) -> None:
        name = bytes.fromhex(header["name"])
        stamp = _stamp(file) if header["file"] else {}
        head = file.read(HEAD)
        file.seek(0)
        kind = self._formats.detect(head, name, file)
        if kind is None:
            self._send({"kind": "plain"})
            return
        file.seek(0)
        extractor = f"{kind.name}/{kind.version}"
        self._send({"kind": "kind", "extractor": extractor, "media": kind.media, **stamp, "digest": _digest(file)})
        file.seek(0)
        content = self._formats.read_with(kind, file, self._limits)
        text = b"" if content.text is None else content.text.encode("utf-8", "replace")
        properties = {str(key): str(value) for key, value in content.properties.items() if value}
        about = {"has_text": content.text is not None, "holds": content.members != (), "properties": properties}
        # If it has no members, the end is all that follows: nearkin need not wake up for each.
        self._send({"kind": "document", **about}, text, holds_back=content.members == ())
        del text
        if content.problem is not None:
            self._send(_problem(content.problem))
        for member in content.members:
            self._hand_out(member)
        if stamp and _stamp(file) != stamp:
            raise Problem(Reason.UNREADABLE, "it was written to while it was read")

    def _hand_out(self, member: "ContainerMember") -> None:
        header: Header = {"kind": "member", "name": member.name.hex(), "mtime_ns": member.mtime_ns}
        if member.problem is not None:
            header |= {"reason": member.problem.reason, "detail": member.problem.detail}
        self._send(header, member.data)
        self._start_clock()

    def _handed(self) -> BinaryIO:
        _, (handle,), _, _ = socket.recv_fds(self._files, 1, 1)
        try:
            return open(handle, "rb")
        except OSError:  # a folder
            os.close(handle)
            raise

    def _tried(self, header: Header) -> dict[str, bool]:
        from nearkin.engine.sandbox_selftest import tried

        with self._handed() as file:
            return tried(bytes.fromhex(header["path"]), file.fileno())

    def _send(self, header: Header, body: bytes = b"", *, holds_back: bool = False) -> None:
        self._held += packed(header, body)
        if holds_back:
            return
        pieces, self._held = self._held, []
        short = sum(map(len, pieces)) <= TOGETHER
        for piece in (b"".join(pieces),) if short else pieces:
            view = memoryview(piece)
            while view:
                view = view[os.write(self._answers, view) :]


def _digest(file: BinaryIO) -> str:
    whole = hashlib.sha256()
    while some := file.read(1 << 20):
        whole.update(some)
    return whole.hexdigest()


def _stamp(file: BinaryIO) -> Header:
    status = os.fstat(file.fileno())
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
        "owner": status.st_uid,
    }


def _problem(problem: Problem) -> Header:
    return {"kind": "problem", "reason": problem.reason, "detail": problem.detail[:500]}
