"""Archives of every sort with the same two members."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable

import zstandard

from formats.office import zipped

MEMBERS = {"folder/a.txt": b"the first member", "b.html": b"<p>the second member</p>" * 100}


def plain_zip() -> bytes:
    return zipped(dict(MEMBERS))


def tar(members: dict[str, bytes] = MEMBERS) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), 1700000000
            archive.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("../../etc/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return file.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}
