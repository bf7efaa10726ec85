"""What is taken apart, and what became of it."""

from dataclasses import dataclass, field
from hashlib import sha256

from nearkin.engine.budget import Budget
from nearkin.engine.handover import HandedOver
from nearkin.engine.worker_protocol import Header
from nearkin.engine.workers import Asked
from nearkin.formats.adapter import Problem
from nearkin.model import NO_OWNER, Reason
from nearkin.read.member_names import MemberNames
from nearkin.read.table import MEMBER
from nearkin.read.walk import stored_inode

OF_THE_REST = (Reason.TOO_LARGE, Reason.TIMED_OUT, Reason.CRASHED, Reason.CORRUPT)


@dataclass(slots=True)
class Source:
    """A file, or bytes that lie in a container."""

    path: bytes  # as the store names it
    file: bytes | None = None  # where it lies
    data: bytes = b""
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    owner: int = NO_OWNER
    digest: bytes | None = None
    depth: int = 0  # containers it lies in
    problem: Problem | None = None  # it could not be taken out
    budget: Budget | None = None  # of the file, for all that lies in it

    @classmethod
    def of_file(cls, base: bytes, one: HandedOver) -> "Source":
        return cls(one.path, base + one.path, b"", *one[1:])

    @property
    def asked(self) -> Asked:
        return Asked(self.path.rpartition(b"/")[2], self.file, self.data, self.budget)


@dataclass(slots=True)
class Entry:
    """A document of a format, as a worker tells of it."""

    source: Source
    media: str = "application/octet-stream"
    reader: str | None = None
    text: bytes | None = None
    properties: dict[str, str] = field(default_factory=dict)
    members: int = 0
    holds: bool = False  # it may have members
    problem: Problem | None = None
    plain: bool = False  # of no format: for the kernels
    names: MemberNames = field(default_factory=MemberNames)

    def heed(self, header: Header, body: bytes) -> Source | None:
        """An answer; of a member, what it is."""
        match header["kind"]:
            case "plain":
                self.plain = True
            case "kind":
                self.media, self.reader = str(header["media"]), str(header["extractor"])
                self.source.digest = bytes.fromhex(header["digest"])
                if "inode" in header:
                    self.source.size, self.source.owner = int(header["size"]), int(header["owner"])
                    self.source.mtime_ns, self.source.ctime_ns = int(header["mtime_ns"]), int(header["ctime_ns"])
                    self.source.inode = stored_inode(int(header["inode"]))
            case "document":
                self.text = body if header["has_text"] else None
                self.holds = bool(header["holds"])
                self.properties = {str(key): str(value) for key, value in header["properties"].items()}
            case "problem":
                self.problem = _problem(header)
            case "member":
                return self._member(header, body)
        return None

    def settle(self) -> Source | None:
        """The text of a mail stands, whatever became of what is attached: that fails, as one member more. What was
        written to while it was read has no text that could stand."""
        if not self.holds or self.text is None or self.problem is None or self.problem.reason not in OF_THE_REST:
            return None
        rest = self.lost(f"part-{self.members + 1}".encode(), self.problem)
        self.problem = None
        return rest

    def lost(self, name: bytes, problem: Problem) -> Source:
        """A member that cannot be taken out."""
        told = {"name": name.hex(), "mtime_ns": 0, "reason": problem.reason, "detail": problem.detail}
        return self._member(told, b"")

    def _member(self, header: Header, body: bytes) -> Source:
        self.members += 1
        problem = _problem(header) if "reason" in header else None
        return Source(
            path=self.source.path + MEMBER + self.names.of(bytes.fromhex(header["name"]), self.members),
            data=body,
            size=len(body),
            mtime_ns=int(header["mtime_ns"]),
            owner=self.source.owner,
            digest=None if problem else sha256(body).digest(),
            depth=self.source.depth + 1,
            problem=problem,
            budget=self.source.budget,
        )


def _problem(header: Header) -> Problem:
    return Problem(Reason(header["reason"]), str(header["detail"]))
