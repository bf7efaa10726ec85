"""A small tree with copies, versions and what must not be touched."""

import zipfile
from pathlib import Path

from cli.world import Called, prose, write

FILES: dict[bytes, str] = {
    b"a/report.txt": prose(1),
    b"b/report copy.txt": prose(1),
    b"c/caf\xe9.txt": prose(1),
    b"a/longer.txt": prose(1) + " and a last sentence that nobody else has.",
    b"negative/plus.txt": prose(2) + " it was 5 degrees",
    b"negative/minus.txt": prose(2) + " it was -5 degrees",
}


USUAL = ("--prefer", "folder:a", "--prefer", "largest")  # dates of files just written would decide otherwise


class Tree:
    def __init__(self, folder: Path, files: dict[bytes, str] | None = None) -> None:
        self.root = write(folder / "tree", FILES if files is None else files)
        self.store = folder / "store.db"
        self.plan = folder / "plan.json"
        self.journal = folder / "plan.json.journal"
        self.quarantine = folder / ".plan.json.quarantine"

    def archive(self) -> None:
        with zipfile.ZipFile(self.root / "box.zip", "w") as box:
            box.writestr("report.txt", prose(1))

    def scan(self) -> None:
        done = Called("scan", self.root, "--store", self.store, "-q")
        assert done.code == 0, done.err

    def keep(self, *more: object) -> Called:
        return Called("keep", "--store", self.store, "--format", "jsonl", *more)

    def planned(self, *more: object) -> None:
        self.scan()
        done = self.keep("--plan", self.plan, *USUAL, *more)
        assert done.code == 0, done.err

    def apply(self, action: str, *more: object) -> Called:
        return self.keep("--apply", self.plan, "--action", action, *more)

    def undo(self) -> Called:
        return self.keep("--undo", self.journal)

    def state(self) -> dict[str, tuple[int, bytes, int, bool]]:
        """Every file: its inode, bytes, time and whether it is a link."""
        return {
            str(path.relative_to(self.root)): (
                path.lstat().st_ino,
                path.read_bytes(),
                path.lstat().st_mtime_ns,
                path.is_symlink(),
            )
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }
