"""Files that are there whole or not at all: written beside, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nearkin.errors import InputError
from nearkin.read.walk import explain


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """Where to write; it takes the place of `path` when all went well. A link stays one, its target is replaced."""
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.is_dir():
            raise InputError(f"Cannot write {path}: it is a folder.")
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            yield part
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        # Libraries have words of their own: "error writing bytes to file. Detail: …".
        said = explain(error) if error.errno is None else os.strerror(error.errno).lower()
        raise InputError(f"Cannot write {path}: {said}.") from error
