"""The text of a document while it grows, counted against the limits: a bomb is refused before it fills the memory."""

from collections.abc import Callable

from nearkin.formats.adapter import Limits, Problem
from nearkin.model import Reason


class Prose:
    def __init__(self, limits: Limits) -> None:
        self._pieces: list[str] = []
        self._left = limits.characters
        self._fresh = True  # at the start of a line

    def add(self, text: str) -> None:
        if not text:
            return
        self._left -= len(text)
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "more text than the limit allows")
        self._pieces.append(text)
        self._fresh = text[-1] == "\n"

    def end(self) -> None:
        """The line ends here, unless it has already."""
        if not self._fresh:
            self.add("\n")

    def line(self, text: str) -> None:
        self.end()
        self.add(text)
        self.end()

    def mark(self) -> Callable[[], None]:
        """What takes back all that is added after this."""
        pieces, left, fresh = len(self._pieces), self._left, self._fresh

        def undo() -> None:
            del self._pieces[pieces:]
            self._left, self._fresh = left, fresh

        return undo

    def text(self) -> str:
        return "".join(self._pieces)
