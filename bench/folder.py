"""The folder every tool scans: its documents in byte order, and parts of it small enough to judge exactly."""

import os
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nearkin.read.walk import Unreadable, walk
from nearkin.sample.repository import write_sample
from nearkin.settings import WalkSettings


@dataclass(frozen=True)
class Folder:
    path: Path
    documents: tuple[bytes, ...]  # relative, in byte order; pairs are pairs of places in this tuple
    generated: bool = False

    @classmethod
    def of(cls, path: Path, *, generated: bool = False) -> "Folder":
        root = path.resolve()
        met = walk(root, (root,), WalkSettings())
        return cls(root, tuple(sorted(path for path in met if not isinstance(path, Unreadable))), generated)

    @cached_property
    def files(self) -> list[bytes]:
        return [os.fsencode(self.path) + b"/" + document for document in self.documents]

    def warm(self) -> int:
        """Read every file once, so that no tool pays for the disk. Says how many bytes there are."""
        return sum(len(Path(os.fsdecode(file)).read_bytes()) for file in self.files)

    def part(self, most: int) -> tuple[int, ...]:
        """Places of at most so many documents, evenly apart."""
        count = len(self.documents)
        return tuple(range(count)) if count <= most else tuple(i * count // most for i in range(most))

    def copy_part(self, most: int, target: Path) -> "Folder":
        for place in self.part(most):
            copy = target / os.fsdecode(self.documents[place])
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(os.fsdecode(self.files[place]), copy)
        return Folder.of(target, generated=self.generated)


def generate(target: Path, *, documents: int) -> Folder:
    write_sample(target, documents=documents, plain=True)
    return Folder.of(target, generated=True)
