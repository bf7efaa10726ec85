"""Arguments of callers: refused with a sentence where nearkin cannot take them, and the settings they become."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from nearkin.errors import InputError, UsageError
from nearkin.scheme import Scheme, cannot_contain, cannot_share_bytes, parse_scheme
from nearkin.settings import (
    DEFAULT_SCHEME,
    NO_CONTAINMENT,
    MatchSettings,
    RunSettings,
    Settings,
    TableSettings,
    TextSettings,
    WalkSettings,
    WorkerSettings,
    checked,
)

AnyPath = str | PathLike[str]
Choice = TypeVar("Choice", bound=StrEnum)


def words(name: str, given: str | None) -> str | None:
    """A note or a name as SQLite can hold it: half a surrogate pair is written out."""
    checked(name, given, str | None)
    return None if given is None else given.encode("utf-8", "backslashreplace").decode()


def signer(by: str | None) -> str:
    """The name for the audit: the one given, or the login name. Ask for it before anything is done."""
    from nearkin.store.audit import login_name

    return words("by", by) or login_name()


def paths_of(given: AnyPath | Iterable[AnyPath]) -> tuple[Path, ...]:
    """The paths of a scan: one, or several."""
    paths = [given] if isinstance(given, str | PathLike) else list(given) if isinstance(given, Iterable) else [given]
    for path in paths:
        if not isinstance(path, str | PathLike):
            raise UsageError(f"A scan takes a path or a list of paths; {path!r:.60} is none.")
        if not fspath(path):  # to Path it is the current folder
            raise InputError("Cannot read '': no such file or directory.")
    return tuple(map(Path, paths))


def names_of(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Several names, or one: a string would be taken for a list of its letters."""
    listed = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else given
    names: tuple[str, ...] = checked(name, listed, tuple[str, ...])
    return names


def at_least_one(name: str, number: int | None) -> None:
    """Refuse numbers below 1."""
    if number is not None and checked(name, number, int) < 1:
        raise UsageError(f"{name} must be at least 1, not {number}.")


def two_names(given: object, what: str) -> tuple[str, str]:
    """Two names in a tuple or a list; `what` says in an error what they are of."""
    if isinstance(given, tuple | list) and [isinstance(name, str) for name in given] == [True, True]:
        return given[0], given[1]
    raise UsageError(f"{what}, not {given!r:.60}.")


def chosen(known: type[Choice], name: str, what: str) -> Choice:
    """One of the known names; `what` says in an error what they are of."""
    try:
        return known(name)
    except ValueError:
        raise UsageError(f"There is no {what} {name!r}; known are: {', '.join(known)}.") from None


def containment_for(scheme: Scheme, asked: float | None) -> float:
    """The limit of containment: the one asked for, or the default of schemes that can tell containment."""
    if asked is None:
        return MatchSettings().containment if scheme.contains else NO_CONTAINMENT
    if not scheme.contains:
        raise UsageError(cannot_contain(scheme.spec))
    if checked("containment", asked, float) > 1.0:
        raise UsageError(f"--containment must be greater than 0 and at most 1, not {asked:g}.")
    return asked


def refuse_no_share(**shares: float | None) -> None:
    """Refuse shares that are not between 0 and 1."""
    for name, share in shares.items():
        if share is not None and not 0.0 <= checked(name, share, float) <= 1.0:
            raise UsageError(f"{name} must be between 0 and 1, not {share:g}.")


def refuse_unmeasurable(scheme: Scheme, limits: MatchSettings, *, keep_text: bool) -> None:
    """Refuse limits that a scheme cannot measure: codes need the texts, and a cosine has no shared bytes."""
    if scheme.estimator.coded and not keep_text:
        raise UsageError(f"{scheme.spec} measures the texts themselves; leave out --no-text, or use another scheme.")
    if scheme.measure == "cosine" and limits.min_shared_bytes:
        raise UsageError(cannot_share_bytes(scheme.spec))


Group = TypeVar("Group", WalkSettings, TextSettings, MatchSettings, RunSettings, TableSettings, WorkerSettings)


class ScanOptions(TypedDict, total=False):
    """Options of a scan; defaults are those of `nearkin.settings`."""

    scheme: str
    threshold: float
    containment: float
    floor: float
    min_shared_bytes: int
    hot: float
    raw: bool
    ignore: Sequence[str]
    include: Sequence[str]
    exclude: Sequence[str]
    hidden: bool
    full: bool
    max_size: int
    jobs: int
    memory: int
    keep_text: bool
    text_column: str
    id_column: str
    html: bool
    timeout: float
    document_memory: int
    legacy_digests: bool
    custodian: str


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The tree of settings that options become; those that are None keep their defaults."""
    given = {"keep" if key == "keep_text" else key: value for key, value in options.items() if value is not None}
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}

    def part(group: type[Group]) -> Group:
        names = [field.name for field in dataclasses.fields(group) if field.name in given]
        return group(**{name: given.pop(name) for name in names})

    scheme = parse_scheme(checked("scheme", given.pop("scheme", DEFAULT_SCHEME), str))
    if "threshold" in given:  # the default floor never stands above it
        given.setdefault("floor", min(MatchSettings().floor, checked("threshold", given["threshold"], float)))
    given["containment"] = containment_for(scheme, given.get("containment"))
    settings = Settings(
        scheme.spec,
        walk=part(WalkSettings),
        text=part(TextSettings),
        match=part(MatchSettings),
        run=part(RunSettings),
        table=part(TableSettings),
        worker=part(WorkerSettings),
    )
    if given:
        raise UsageError(f"A scan has no option {next(iter(given))!r}.")
    refuse_unmeasurable(scheme, settings.match, keep_text=settings.text.keep)
    return settings
