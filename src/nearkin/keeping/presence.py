"""Which documents are still where the last scan found them. One that is not can neither stay nor vouch for others."""

import os
import stat
from itertools import accumulate

from nearkin.read.table import MEMBER


class Presence:
    """Asks about each file once, however many documents lie in it."""

    def __init__(self) -> None:
        self._files: dict[bytes, bool] = {}

    def has(self, root: bytes, path: bytes, *, inside: bool) -> bool:
        """What lies in a container is there as long as that is; a text that was only checked in is in no folder."""
        if not root:
            return True
        places = accumulate(path.split(MEMBER), lambda outer, inner: outer + MEMBER + inner) if inside else [path]
        return any(self._is_file(os.path.join(root, place)) for place in places)  # noqa: PTH118  names need not be UTF-8

    def _is_file(self, path: bytes) -> bool:
        """A link in its place is no document: scans pass over it."""
        if path not in self._files:
            try:
                self._files[path] = stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                self._files[path] = False
        return self._files[path]
