"""Names of what lies in a container: as the container says, and unambiguous.

folder//./a.txt → folder/a.txt        no empty parts, so nothing begins at a root
../../etc/passwd → %2E%2E/%2E%2E/etc/passwd    names are never used as paths, and must not look like ways out
odd!/name → odd%21/name               `!/` stands between a container and what lies in it, and nowhere else
"" → #7                               the seventh member; so is one whose name another has, as name#7
"""

from nearkin.read.table import MEMBER

LONGEST = 4096  # bytes, as of a path on disk


class MemberNames:
    """Of one container; remembers which were given."""

    def __init__(self) -> None:
        self._given: set[bytes] = set()

    def of(self, name: bytes, number: int) -> bytes:
        wanted = _plain(name)
        unique = wanted if wanted and len(wanted) <= LONGEST else wanted[:LONGEST] + b"#%d" % number
        if unique in self._given:
            unique += b"#%d" % number
        while unique in self._given:
            unique += b"#"
        self._given.add(unique)
        return unique


def _plain(name: bytes) -> bytes:
    parts = [part for part in name.replace(b"\0", b"%00").split(b"/") if part not in (b"", b".")]
    safe = b"/".join(b"%2E%2E" if part == b".." else part for part in parts)
    return safe.replace(MEMBER, b"%21/")
