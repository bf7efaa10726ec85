"""The settings of a run, as one frozen tree of inert values. Nothing here reads files or keeps state.

The defaults are what a newcomer gets; docs/decisions gives the reason for each.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, get_args

from nearkin import environment
from nearkin.errors import UsageError

DEFAULT_SCHEME = "mod:window=20,sample=200,most=64"
SPREAD = 0.5  # families whose most distant members resemble each other by less are pointed out
NO_CONTAINMENT = 2.0  # a threshold that nothing reaches, for schemes that do not estimate containment
IGNORABLE = ("case", "punctuation", "digits", "accents")
KINDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple[str, ...]: "a list of strings",
}


def checked(name: str, value: Any, kind: Any) -> Any:
    """Return a value if it is of the given kind, else raise UsageError. Numbers of NumPy become plain ones."""
    if get_args(kind)[1:] == (type(None),):
        return None if value is None else checked(name, value, get_args(kind)[0])
    number = isinstance(value, Real) and not isinstance(value, bool)
    if kind is int and number and isinstance(value, Integral):
        return int(value)
    if kind is float and number:
        return value if type(value) in (int, float) else float(value)
    if kind in (bool, str) and isinstance(value, kind):
        return value
    if kind == tuple[str, ...] and isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return value
    option = "keep-text" if name == "keep" else name.replace("_", "-")
    raise UsageError(f"--{option} must be {KINDS[kind]}, not {value!r:.60}.")


def in_units(size: int) -> str:
    """Return a size as options take it: 64M, or the plain number where no unit divides it."""
    for unit, worth in (("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if size and size % worth == 0:
            return f"{size // worth}{unit}"
    return str(size)


@dataclass(frozen=True)
class Checked:
    """Settings that check the kinds of their values."""

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            value = checked(setting.name, getattr(self, setting.name), setting.type)
            object.__setattr__(self, setting.name, value)


@dataclass(frozen=True)
class WalkSettings(Checked):
    """Which files are read."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    full: bool = False  # read also files that look unchanged
    max_size: int = 256 << 20
    legacy_digests: bool = False  # also MD5 and SHA-1 of the bytes
    custodian: str | None = None  # the rule that gives a document its custodian

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.max_size <= 1 << 50:
            raise UsageError(f"--max-size must be between 1 byte and 1024T, not {in_units(self.max_size)}.")


@dataclass(frozen=True)
class TextSettings(Checked):
    """What of the texts is compared, and whether texts are stored."""

    raw: bool = False
    ignore: tuple[str, ...] = ("case", "punctuation")
    keep: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.ignore:
            if name not in IGNORABLE:
                raise UsageError(f"Cannot ignore {name!r}; choose from: {', '.join(IGNORABLE)}.")


@dataclass(frozen=True)
class MatchSettings(Checked):
    """What makes a match, and which matches are stored."""

    threshold: float = 0.7
    containment: float = 0.9
    floor: float = 0.5
    min_shared_bytes: int = 0
    weak_matches: int = 20  # matches between the floor and the thresholds that are stored for each content
    weak_reach: int = 32  # weak matches are searched by features in at most so many contents
    confidence: float = 0.99  # of every interval shown, and of the bound that decides which pairs are verified
    part_shingles: int = 200  # shorter parts are listed, but never grouped …
    part_sample: int = 4  # … and parts with fewer sampled features are searched by rare features only
    hot: float = 1000  # a feature in more prefixes is hot: its contents are linked as a star; under 1: a share of all

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("threshold", "containment", "floor"):
            value = getattr(self, name)
            if not 0.0 < value <= 1.0 and (name, value) != ("containment", NO_CONTAINMENT):
                raise UsageError(f"--{name} must be greater than 0 and at most 1, not {value:g}.")
        if self.floor > self.threshold:
            raise UsageError(f"--floor ({self.floor:g}) must not exceed --threshold ({self.threshold:g}).")
        if not 0.0 < self.hot <= 1 << 31 or (self.hot >= 1 and self.hot != int(self.hot)):
            raise UsageError(f"--hot must be a whole number of documents or a share below 1, not {self.hot:g}.")
        if self.min_shared_bytes < 0:
            raise UsageError(f"--min-shared-bytes must be 0 or more, not {self.min_shared_bytes}.")

    def hot_among(self, contents: int) -> int:
        """Return in how many prefixes a feature may be before it is hot, among so many contents."""
        return int(self.hot) if self.hot >= 1 else max(2, int(self.hot * contents))


@dataclass(frozen=True)
class TableSettings(Checked):
    """How tables are read: row by row, where a text column is named."""

    text_column: str | None = None
    id_column: str | None = None
    html: bool = False  # every text is HTML, even if it does not look like it

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, given in (("id-column", self.id_column is not None), ("html", self.html)):
            if given and self.text_column is None:
                raise UsageError(f"--{name} is for tables only; also give --text-column.")

    @property
    def how(self) -> str | None:
        """How tables are read, in the words that are stored with their documents; None: not row by row."""
        if self.text_column is None:
            return None
        by = "row number" if self.id_column is None else f"column {self.id_column!r}"
        return f"rows by {by}, {'HTML' if self.html else 'text'} of column {self.text_column!r}"


MOST_JOBS, LEAST_MEMORY = 512, 64 << 20


@dataclass(frozen=True)
class RunSettings(Checked):
    """How much of the machine a run may use."""

    jobs: int = field(default_factory=lambda: min(environment.cores(), MOST_JOBS))
    memory: int = field(default_factory=lambda: max(LEAST_MEMORY, environment.memory() // 4))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.jobs <= MOST_JOBS:
            raise UsageError(f"--jobs must be between 1 and {MOST_JOBS}, not {self.jobs}.")
        if not LEAST_MEMORY <= self.memory <= 1 << 50:
            raise UsageError(f"--memory must be between 64M and 1024T, not {in_units(self.memory)}.")


@dataclass(frozen=True)
class WorkerSettings(Checked):
    """What a worker may spend on one document that is neither plain text nor HTML."""

    timeout: float = 30.0  # seconds
    document_memory: int = 1 << 30  # bytes of address space

    @property
    def timed_out(self) -> str:
        """The detail of a document that took too long. A later scan sees by it whether the time limit has changed."""
        return f"it took over {self.timeout:g} seconds"

    @property
    def container_timed_out(self) -> str:
        """The detail of a container that took too long, and of its members that were not read."""
        return f"its container took longer than one of its size may, at {self.timeout:g} seconds a document"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.1 <= self.timeout <= 86_400:
            raise UsageError(f"--timeout must be between 0.1 and 86400 seconds, not {self.timeout:g}.")
        if not 128 << 20 <= self.document_memory <= 1 << 50:
            given = in_units(self.document_memory)
            raise UsageError(f"--document-memory must be between 128M and 1024T, not {given}.")


@dataclass(frozen=True)
class Settings:
    """All settings of a run."""

    scheme: str = DEFAULT_SCHEME
    walk: WalkSettings = field(default_factory=WalkSettings)
    text: TextSettings = field(default_factory=TextSettings)
    match: MatchSettings = field(default_factory=MatchSettings)
    run: RunSettings = field(default_factory=RunSettings)
    table: TableSettings = field(default_factory=TableSettings)
    worker: WorkerSettings = field(default_factory=WorkerSettings)

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Settings":
        """Read settings that a run has stored. Settings that are newer than that run have their defaults."""
        tree = json.loads(text)

        def part(group: type[Any], name: str) -> Any:
            known = {field.name for field in dataclasses.fields(group)}
            given = {key: value for key, value in tree.get(name, {}).items() if key in known}
            return group(**{key: tuple(value) if isinstance(value, list) else value for key, value in given.items()})

        groups: dict[str, type[Any]] = {"walk": WalkSettings, "text": TextSettings, "match": MatchSettings}
        groups |= {"run": RunSettings, "table": TableSettings, "worker": WorkerSettings}
        return cls(tree["scheme"], **{name: part(group, name) for name, group in groups.items()})
