"""What `scan --plan` shows: every number with its interval, or that it was counted."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.cli.output import chosen, emit_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from nearkin.forecast.estimate import Estimate, Forecast

NUMBERS = ("documents", "bytes", "seconds", "memory", "disk", "matches", "hot_features")


def plan(paths: tuple[Path, ...], form: str | None, options: dict[str, Any], *, quiet: bool) -> None:
    from nearkin.api.planning import plan_scan
    from nearkin.cli.progress import progress
    from nearkin.cli.unreadable import refuse_unreadable

    refuse_unreadable(*paths)
    with progress("sampling", quiet=quiet):
        found = plan_scan(paths, **options)
    form = chosen(form)
    if form == "table":
        _show(paths, found)
    else:
        emit_one(_flat(found) if form == "csv" else _record(found), form)


def _record(found: "Forecast") -> dict[str, Any]:
    numbers = {name: _number(name, getattr(found, name)) for name in NUMBERS}
    choices = [{"option": one.option, "value": one.value, "why": one.why} for one in found.choices]
    return {"estimate": True, "sampled": found.sampled, **numbers, "hot_over": found.hot_over, "choices": choices}


def _flat(found: "Forecast") -> dict[str, Any]:
    flat: dict[str, Any] = {"sampled": found.sampled}
    for name in NUMBERS:
        number = _number(name, getattr(found, name))
        flat |= {name: number["value"], f"{name}_low": number["low"], f"{name}_high": number["high"]}
    return flat | {f"choice {one.option}": one.value for one in found.choices}


def _number(name: str, one: "Estimate") -> dict[str, Any]:
    """Whole numbers, but for seconds."""
    digits = 2 if name == "seconds" else None
    return {
        "value": round(one.value, digits),
        "low": round(one.low, digits),
        "high": round(one.high, digits),
        "exact": one.exact,
    }


def _show(paths: tuple[Path, ...], found: "Forecast") -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count, safe, shortened
    from nearkin.cli.wording import seconds as in_words
    from nearkin.cli.wording import size as size_in_words

    screen = Screen()
    where = shortened(", ".join(safe(str(path)) for path in paths), screen.width - 30)
    screen.line(("nearkin", "bold"), f" would scan {where}")
    screen.heading("Estimates", f"from a sample of {count(found.sampled, 'documents')}; nothing was written")

    def told(one: "Estimate", words: "Callable[[float], str]") -> str:
        if one.exact:
            return f"{words(one.value)}  counted"
        return f"about {words(one.value)}  ({words(one.low)} to {words(one.high)})"

    def whole(value: float) -> str:
        return count(round(value))

    def size(value: float) -> str:
        return size_in_words(round(value))

    screen.facts(
        [
            ("documents", told(found.documents, whole)),
            ("to read", told(found.bytes, size)),
            ("time", told(found.seconds, in_words)),
            ("memory", told(found.memory, size)),
            ("disk", told(found.disk, size)),
            ("matches", told(found.matches, whole)),
            ("hot", f"{told(found.hot_features, whole)}, features shared by more than {count(found.hot_over)} texts"),
        ]
    )
    screen.heading("Settings it would choose")
    screen.facts([(one.option, f"{one.value}  {one.why}") for one in found.choices])
