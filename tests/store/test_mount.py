"""Which file system a folder lies on."""

from pathlib import Path

import pytest

from cli.world import Called
from nearkin.errors import StoreError
from nearkin.store.database import connect, file_system, is_network, mount_of

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


@pytest.mark.skipif(mount_of(Path("/")) is None, reason="not Linux, or a chroot that is no mount of its own")
def test_on_this_machine(tmp_path: Path) -> None:
    assert file_system(tmp_path)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_no_store_is_made_or_opened_on_a_network_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    share = tmp_path / "our share"
    share.mkdir()
    connect(share / "copied.db", create=True).close()
    before = (share / "copied.db").read_bytes()
    (tmp_path / "a.txt").write_text("a text")
    mounts = tmp_path / "mounts"
    place = str(share).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/export {place} {kind} rw 0 0\n")
    monkeypatch.setattr("nearkin.store.database.MOUNTS", mounts)
    for name in ("new.db", "copied.db"):
        with pytest.raises(StoreError, match=rf"network share \({kind} at {share}\).*local disk"):
            connect(share / name, create=True)
    assert not (share / "new.db").exists()
    assert (share / "copied.db").read_bytes() == before
    called = Called("scan", tmp_path / "a.txt", "--store", share / "new.db")
    assert called.code == 4
    assert called.err.count("\n") == 1
    assert str(share) in called.err
    connect(tmp_path / "local.db", create=True).close()  # beside it all is well
