"""The file system a store would lie on. SQLite's log needs memory that all readers share: network shares have none."""

from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "glusterfs", "gpfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf"}
)


@dataclass(frozen=True)
class Mount:
    kind: str
    point: Path

    @property
    def network(self) -> bool:
        return is_network(self.kind)


def file_system(folder: Path, mounts: Path | None = None) -> str | None:
    """Its kind, as the system names it; None where it does not say."""
    mount = mount_of(folder, mounts)
    return mount.kind if mount else None


def mount_of(folder: Path, mounts: Path | None = None) -> Mount | None:
    try:
        lines = (mounts or MOUNTS).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    here = f"{folder.resolve()}/"
    kind, best = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        where = f"{_plain(fields[1]).rstrip('/')}/"
        # The deepest mount; of two on one place the later hides the earlier. As strings: every command opens a store.
        if here.startswith(where) and len(where) >= len(best):
            kind, best = fields[2], where
    return Mount(kind, Path(best)) if best else None


def is_network(kind: str | None) -> bool:
    return kind in NETWORK


def _plain(name: str) -> str:
    """Blanks and the like are written as octal numbers there."""
    for code in ("040", "011", "012", "134"):
        name = name.replace(f"\\{code}", chr(int(code, 8)))
    return name
