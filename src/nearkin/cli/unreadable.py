"""Files and folders that are there and cannot be read: wrong input, and said before anything is made of them."""

import os
from pathlib import Path

from nearkin.errors import InputError


def refuse_unreadable(*paths: Path) -> None:
    """Where none of them can be opened; one that can is enough to go on with, as a scan does."""
    told = ""
    for path in paths:
        try:
            if path.is_dir():
                with os.scandir(path):
                    return
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))  # a FIFO is refused later, not waited for
            return
        except OSError as error:
            told = told or f"Cannot read {path}: {(error.strerror or str(error)).lower()}."
    raise InputError(told)
