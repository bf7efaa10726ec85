"""Digests of bytes, in every way this machine can compute them."""

from hashlib import sha256

from nearkin import _native


def digests(data: bytes) -> dict[str, bytes]:
    """SHA-256 by the instructions of the processor where it has them, without them, and by Python's library."""
    return {
        "native": _native.sha256(data),
        "portable": _native.sha256(data, portable=True),
        "library": sha256(data).digest(),
    }
