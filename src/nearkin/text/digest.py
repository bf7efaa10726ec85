"""Digests of bytes: SHA-256 by the native core, MD5 and SHA-1 for load files of other programs.

hashlib is imported in the functions that call it: it loads OpenSSL, and few scans ask for these digests.
"""

from nearkin import _native


def digests(data: bytes) -> dict[str, bytes]:
    """SHA-256 in three ways, which `nearkin selftest` compares: by the processor's own instructions where it has them,
    without them, and by Python's library."""
    import hashlib

    return {
        "native": _native.sha256(data),
        "portable": _native.sha256(data, portable=True),
        "library": hashlib.sha256(data).digest(),
    }


def legacy_digests(data: bytes) -> tuple[bytes, bytes]:
    """MD5 and SHA-1 of these bytes."""
    import hashlib

    md5, sha1 = (hashlib.new(name, data, usedforsecurity=False) for name in ("md5", "sha1"))
    return md5.digest(), sha1.digest()


def legacy_digests_of_file(path: bytes) -> tuple[bytes, bytes]:
    """MD5 and SHA-1 of a file of any size."""
    import hashlib

    md5, sha1 = (hashlib.new(name, usedforsecurity=False) for name in ("md5", "sha1"))
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            md5.update(block)
            sha1.update(block)
    return md5.digest(), sha1.digest()
