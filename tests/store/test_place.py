"""Which file system a folder lies on."""

from pathlib import Path

import pytest

from nearkin.store.place import MOUNTS, file_system, is_network

TABLE = """\
/dev/sda1 / ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
server:/export /mnt/our\\040share nfs4 rw 0 0
overlay /mnt/twice overlay rw 0 0
//server/share /mnt/twice cifs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind", "network"),
    [
        ("/", "ext4", False),
        ("/home/x", "ext4", False),
        ("/tmp", "tmpfs", False),
        ("/tmp/deep/er", "tmpfs", False),
        ("/tmpother", "ext4", False),
        ("/mnt/our share/a", "nfs4", True),
        ("/mnt/twice", "cifs", True),
    ],
)
def test_the_deepest_mount_decides(folder: str, kind: str, network: bool, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(TABLE)
    assert file_system(Path(folder), mounts) == kind
    assert is_network(kind) is network


def test_where_the_system_does_not_say(tmp_path: Path) -> None:
    assert file_system(tmp_path, tmp_path / "missing") is None
    (tmp_path / "empty").touch()
    assert file_system(tmp_path, tmp_path / "empty") is None
    assert not is_network(None)


@pytest.mark.skipif(not MOUNTS.exists(), reason="only Linux lists its mounts there")
def test_on_this_machine(tmp_path: Path) -> None:
    assert file_system(tmp_path)
