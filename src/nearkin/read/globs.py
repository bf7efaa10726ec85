"""Globs: which paths `--include` and `--exclude` mean. A glob is written as a line of .gitignore is:

    *.txt       a name, at any depth
    drafts/*    a path from the scanned root: there is a slash in it
    /notes      the same, for a name: `./notes` too
    drafts/     folders only
    *  ?  [a-z] [!a-z]  stay within a name; `\\*` is an asterisk
    **/notes    at any depth, also at the root
    drafts/**   everything below

Names that are not UTF-8 are matched as Python shows them: a byte that is no character is one `?`.
"""

import os
import re
from dataclasses import dataclass, field
from re import Pattern

from nearkin.settings import WalkSettings

SPECIAL = re.compile(
    r"(?P<any_folders>(?:(?<=/)|^)\*\*+/)"
    r"|(?P<all_below>(?:(?<=/)|^)\*\*+\Z)"
    r"|(?P<stars>\*+)"
    r"|(?P<one>\?)"
    r"|\[(?P<negated>[!^]?+)(?P<members>(?:\\.|[^\\])(?:\\.|[^\]\\])*)\]"
    r"|\\(?P<escaped>.)"
    r"|(?P<plain>.)",
    re.DOTALL,
)
MEMBER = re.compile(r"\\?(?P<first>.)(?:-\\?(?P<last>.))?", re.DOTALL)
NEVER, NOT_SLASH = "(?!)", "[^/]"


@dataclass
class Glob:
    """One glob. `is_path`: it is about paths from the root, not about names."""

    text: str
    pattern: Pattern[str] = field(init=False)
    is_path: bool = field(init=False)
    folders_only: bool = field(init=False)
    has_matched: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        here = re.match(r"(?:\./+)+", self.text)
        glob = self.text[here.end() :] if here else self.text
        self.folders_only = glob.endswith("/")
        glob = glob.rstrip("/")
        self.is_path = here is not None or "/" in glob
        anywhere = "" if self.is_path else "(?:.*/)?"
        self.pattern = re.compile(anywhere + _as_pattern(glob.lstrip("/")), re.DOTALL)

    def match(self, path: str, *, folder: bool) -> bool:
        """Whether the glob means this file or folder itself; folders above it do not count."""
        if (self.folders_only and not folder) or not self.pattern.fullmatch(path):
            return False
        self.has_matched = True
        return True


class Globs:
    """Several globs, and which of them have matched so far."""

    def __init__(self, globs: tuple[str, ...]) -> None:
        self._globs = [Glob(glob) for glob in globs]

    def __bool__(self) -> bool:
        return bool(self._globs)

    def match(self, path: bytes, *, folder: bool) -> bool:
        """Whether a glob means this file or folder. All are tried: each remembers whether it has matched."""
        name = os.fsdecode(path) if self._globs else ""
        return True in [glob.match(name, folder=folder) for glob in self._globs]

    def cover(self, path: bytes) -> bool:
        """Whether a glob means this file, or a folder above it by its path. A name is about files only, unless it ends
        in a slash: `--include 'a*'` does not take in everything below a folder `attic`."""
        name = os.fsdecode(path)
        return True in [glob.match(name, folder=False) or _covers(glob, name) for glob in self._globs]

    @property
    def idle(self) -> tuple[str, ...]:
        """The globs that have matched nothing so far."""
        return tuple(glob.text for glob in self._globs if not glob.has_matched)


class PathFilter:
    """Chooses the files of a walk by their paths from the root. After the walk it knows which globs were idle."""

    def __init__(self, settings: WalkSettings) -> None:
        self._include, self._exclude = Globs(settings.include), Globs(settings.exclude)

    def __bool__(self) -> bool:
        return bool(self._include or self._exclude)

    def takes_file(self, path: bytes) -> bool:
        included = not self._include or self._include.cover(path)
        return not self._exclude.match(path, folder=False) and included

    def enters_folder(self, path: bytes) -> bool:
        return not self._exclude.match(path, folder=True)

    @property
    def idle(self) -> tuple[str, ...]:
        """Options that made no difference, as they are typed: `--exclude drafts/`. A walk does not enter hidden and
        excluded folders, so a glob about their files is among them."""
        return (
            *(f"--include {glob}" for glob in self._include.idle),
            *(f"--exclude {glob}" for glob in self._exclude.idle),
        )


def _covers(glob: Glob, path: str) -> bool:
    if not glob.is_path and not glob.folders_only:
        return False
    return any(glob.match(path[: slash.start()], folder=True) for slash in re.finditer("/", path))


def _as_pattern(glob: str) -> str:
    """A glob as a regular expression. The text after a star is looked for at its first place only where another star
    follows in the same name: tried at all places, long names with many dashes take seconds. `fnmatch` does the same."""
    names = [[""]]  # the pieces between the stars of each name
    for special in SPECIAL.finditer(glob):
        if special.lastgroup == "stars":
            names[-1].append("")
        elif special.lastgroup in ("any_folders", "all_below") or special[0] == "/":
            names += [[_piece(special)], [""]]
        else:
            names[-1][-1] += _piece(special)
    return "".join(map(_name_pattern, names))


def _name_pattern(between: list[str]) -> str:
    first, *after_stars = between
    if not after_stars:
        return first
    *middle, last = after_stars
    return first + "".join(f"(?>{NOT_SLASH}*?{piece})" for piece in middle) + f"{NOT_SLASH}*{last}"


def _piece(special: re.Match[str]) -> str:
    match special.lastgroup:
        case "any_folders":
            return "(?:.*/)?"
        case "all_below":
            return ".+"
        case "one":
            return NOT_SLASH
        case "members":
            return _one_of(special["members"], negated=bool(special["negated"]))
        case _:
            return re.escape(special["escaped"] or special["plain"])


def _one_of(members: str, *, negated: bool) -> str:
    ranges = [(member["first"], member["last"] or member["first"]) for member in MEMBER.finditer(members)]
    inside = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in ranges if first <= last)
    if not inside:
        return NOT_SLASH if negated else NEVER
    return f"(?!/)[{'^' if negated else ''}{inside}]"
