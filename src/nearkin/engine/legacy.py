"""MD5 and SHA-1 of the bytes: for lists that others keep. Broken both, they decide nothing here; SHA-256 does.

Only where asked for: they would make a scan of plain files slower by what docs/decisions/023-workers.md says.
"""

import hashlib

from nearkin.model import Readings


def add_legacy_digests(readings: Readings, root: bytes) -> None:
    """Of files that were just read, and so are still at hand; not of one that has changed since."""
    for i, (path, digest) in enumerate(zip(readings.paths, readings.digests, strict=True)):
        if digest is None:
            continue
        try:
            with open(root + b"/" + path, "rb") as file:
                data = file.read()
        except OSError:
            continue
        if hashlib.sha256(data).digest() == digest:
            readings.md5[i], readings.sha1[i] = legacy_digests(data)


def legacy_digests(data: bytes) -> tuple[bytes, bytes]:
    md5, sha1 = (hashlib.new(name, data, usedforsecurity=False) for name in ("md5", "sha1"))
    return md5.digest(), sha1.digest()


def legacy_digests_of(path: bytes) -> tuple[bytes, bytes]:
    """Of a file of any size."""
    md5, sha1 = (hashlib.new(name, usedforsecurity=False) for name in ("md5", "sha1"))
    with open(path, "rb") as file:
        while some := file.read(1 << 20):
            md5.update(some)
            sha1.update(some)
    return md5.digest(), sha1.digest()
