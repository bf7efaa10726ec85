"""A compressed file as a stream of bytes, told by its first bytes, a little at a time."""

import bz2
import gzip
import io
import lzma
from typing import IO, BinaryIO, cast


def unpacked(file: BinaryIO) -> IO[bytes]:
    """The stream of its bytes; the file itself if it is not compressed. Reading may raise what the libraries raise."""
    mark = file.read(6)
    file.seek(0)
    if mark.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if mark.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if mark.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(file)
    if mark.startswith(b"\x28\xb5\x2f\xfd"):
        from nearkin.formats.zstd_stream import ZstdStream

        return io.BufferedReader(ZstdStream(file), 1 << 16)
    return file
