"""Choices of callers, refused with a sentence where a scheme or nearkin does not know them."""

from enum import StrEnum
from typing import TypeVar

from nearkin.errors import UsageError
from nearkin.scheme import Scheme, cannot_contain, cannot_share_bytes
from nearkin.settings import NO_CONTAINMENT, MatchSettings, checked

Choice = TypeVar("Choice", bound=StrEnum)


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
        raise UsageError(f"--containment must be over 0 and at most 1, not {asked:g}.")
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
