"""The file that a ZIP archive is written to. It says once that there is no room, and nothing when it is closed.

A ZipFile that is given up writes its end when it is collected, perhaps after the file was closed, and Python prints
what comes of that on the screen.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any


class ZipTarget(io.BufferedWriter):
    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._over = False  # failed or closed
        self._place = 0  # where it would be, were it not

    def write(self, data: Any) -> int:
        self._place += len(data)
        return self._once(super().write, data) or len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = place
        return self._once(super().seek, place, whence) or place

    def tell(self) -> int:
        return self._once(super().tell) or self._place

    def flush(self) -> None:
        self._once(super().flush)

    def close(self) -> None:
        try:
            self._once(super().close)
        finally:
            self._over = True
            self.raw.close()

    def _once(self, does: Callable[..., Any], *given: Any) -> Any:
        if self._over:
            return None
        try:
            return does(*given)
        except OSError:
            self._over = True
            raise
