"""What a glob means, letter by letter."""

from collections.abc import Callable


def is_meant(glob: str, path: str, *, folder: bool) -> bool:
    """Whether a line of .gitignore, but for `!` and `#`, means this file or folder; what it lies in does not count."""
    anchored = glob.startswith("./")
    while glob.startswith("./"):
        glob = glob[2:].lstrip("/")
    if glob.endswith("/") and not folder:
        return False
    while glob.endswith("/"):
        glob = glob[:-1]
    if anchored or "/" in glob:
        return _fits(glob.lstrip("/"), path, begins=True)
    return _fits(glob, path.split("/")[-1], begins=True)


def is_covered(glob: str, path: str) -> bool:
    """The same, or a folder above it is meant; names mean files, unless they end in a slash."""
    if is_meant(glob, path, folder=False):
        return True
    parts = path.split("/")
    above = ["/".join(parts[:length]) for length in range(1, len(parts))]
    return "/" in glob and any(is_meant(glob, one, folder=True) for one in above)


def _fits(glob: str, path: str, *, begins: bool) -> bool:
    """`begins`: the glob's next letter is the first of a name."""
    if not glob:
        return not path
    stars = len(glob) - len(glob.lstrip("*"))
    rest = glob[stars:]
    if stars >= 2 and begins and not rest:
        return path != ""
    if stars >= 2 and begins and rest.startswith("/"):
        starts = [0, *(at + 1 for at, letter in enumerate(path) if letter == "/")]
        return any(_fits(rest[1:], path[start:], begins=True) for start in starts)
    if stars:
        within = path.split("/")[0]
        return any(_fits(rest, path[taken:], begins=False) for taken in range(len(within) + 1))
    letters, rest = _letters(glob)
    return path != "" and letters(path[0]) and _fits(rest, path[1:], begins=glob[0] == "/")


def _letters(glob: str) -> tuple[Callable[[str], bool], str]:
    """Whether a letter is one that the glob begins with, and what follows of the glob."""
    if glob[0] == "?":
        return lambda letter: letter != "/", glob[1:]
    if glob[0] == "\\" and len(glob) > 1:
        return lambda letter: letter == glob[1], glob[2:]
    if glob[0] == "[" and (end := _end_of_class(glob)) is not None:
        negated = glob[1] in "!^"
        members = _members(glob[2 if negated else 1 : end])
        return lambda letter: letter != "/" and (letter in members) != negated, glob[end + 1 :]
    return lambda letter: letter == glob[0], glob[1:]


def _end_of_class(glob: str) -> int | None:
    first = at = 2 if glob[1:2] in ("!", "^") else 1
    while at < len(glob):
        if glob[at] == "]" and at > first:
            return at
        at += 2 if glob[at] == "\\" else 1
    return None


def _members(inside: str) -> set[str]:
    found = set()
    while inside:
        first, inside = _one(inside)
        if inside.startswith("-") and len(inside) > 1:
            last, inside = _one(inside[1:])
            found |= {chr(code) for code in range(ord(first), ord(last) + 1)}
        else:
            found.add(first)
    return found


def _one(inside: str) -> tuple[str, str]:
    at = 1 if inside[0] == "\\" and len(inside) > 1 else 0
    return inside[at], inside[at + 1 :]
