"""Choices of callers, refused with a sentence where a scheme or nearkin does not know them."""

from collections.abc import Iterable
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar

from nearkin.errors import InputError, UsageError
from nearkin.scheme import Scheme, cannot_contain, cannot_share_bytes
from nearkin.settings import NO_CONTAINMENT, MatchSettings, checked

Choice = TypeVar("Choice", bound=StrEnum)


def words(name: str, given: str | None) -> str | None:
    """As SQLite can hold them: half a surrogate pair is written out."""
    checked(name, given, str | None)
    return None if given is None else given.encode("utf-8", "backslashreplace").decode()


def signer(by: str | None) -> str:
    """Who is told in the audit; asked before anything is done."""
    from nearkin.store.audit import login_name

    return words("by", by) or login_name()


def paths_of(given: str | PathLike[str] | Iterable[str | PathLike[str]]) -> tuple[Path, ...]:
    some = [given] if isinstance(given, str | PathLike) else list(given) if isinstance(given, Iterable) else [given]
    for one in some:
        if not isinstance(one, str | PathLike):
            raise UsageError(f"A scan takes a path or a list of paths; {one!r:.60} is none.")
        if not fspath(one):  # to Path it is the current folder
            raise InputError("Cannot read '': no such file or directory.")
    return tuple(map(Path, some))


def names_of(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """One alone may be given as it is: gone through it would be its letters."""
    some = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else given
    found: tuple[str, ...] = checked(name, some, tuple[str, ...])
    return found


def at_least_one(name: str, number: int | None) -> None:
    if number is not None and checked(name, number, int) < 1:
        raise UsageError(f"{name} must be at least 1, not {number}.")


def two_names(given: object, what: str) -> tuple[str, str]:
    if isinstance(given, tuple | list) and [isinstance(one, str) for one in given] == [True, True]:
        return given[0], given[1]
    raise UsageError(f"{what}, not {given!r:.60}.")


def chosen(known: type[Choice], name: str, what: str) -> Choice:
    try:
        return known(name)
    except ValueError:
        raise UsageError(f"There is no {what} {name!r}; known are: {', '.join(known)}.") from None


def containment_for(scheme: Scheme, asked: float | None) -> float:
    if asked is None:
        return MatchSettings().containment if scheme.contains else NO_CONTAINMENT
    if not scheme.contains:
        raise UsageError(cannot_contain(scheme.spec))
    if checked("containment", asked, float) > 1.0:
        raise UsageError(f"--containment must be greater than 0 and at most 1, not {asked:g}.")
    return asked


def refuse_no_share(**shares: float | None) -> None:
    for name, share in shares.items():
        if share is not None and not 0.0 <= checked(name, share, float) <= 1.0:
            raise UsageError(f"{name} must be between 0 and 1, not {share:g}.")


def refuse_unmeasurable(scheme: Scheme, limits: MatchSettings, *, keep_text: bool) -> None:
    """What codes find is measured on the texts, and not all measures tell how many bytes are shared."""
    if scheme.estimator.coded and not keep_text:
        raise UsageError(f"{scheme.spec} measures the texts themselves; leave out --no-text, or use another scheme.")
    if scheme.measure == "cosine" and limits.min_shared_bytes:
        raise UsageError(cannot_share_bytes(scheme.spec))
