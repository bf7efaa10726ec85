"""What a scan can be told, as one flat list, and the tree of settings it becomes."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from nearkin.api.options import containment_for, refuse_unmeasurable
from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme
from nearkin.settings import (
    DEFAULT_SCHEME,
    MatchSettings,
    RunSettings,
    Settings,
    TableSettings,
    TextSettings,
    WalkSettings,
    WorkerSettings,
    checked,
)

Group = TypeVar("Group", WalkSettings, TextSettings, MatchSettings, RunSettings, TableSettings, WorkerSettings)


class ScanOptions(TypedDict, total=False):
    """What a scan can be told; defaults are those of `nearkin.settings`."""

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
    """The tree of settings from options without one; those that are None are left at their defaults."""
    given = {"keep" if key == "keep_text" else key: value for key, value in options.items() if value is not None}
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}

    def part(group: type[Group]) -> Group:
        names = [field.name for field in dataclasses.fields(group) if field.name in given]
        return group(**{name: given.pop(name) for name in names})

    scheme = parse_scheme(checked("scheme", given.pop("scheme", DEFAULT_SCHEME), str))
    if "threshold" in given:  # a floor that nobody asked for never stands above it
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
