"""What a scan would take and find, before it is done."""

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from nearkin.api.options import paths_of
from nearkin.api.scan_options import ScanOptions, settings_of

if TYPE_CHECKING:
    from nearkin.forecast.estimate import Forecast


def plan_scan(paths: str | PathLike[str] | Iterable[str | PathLike[str]], **options: Unpack[ScanOptions]) -> "Forecast":
    """Documents, bytes, time, memory, disk, matches and hot features to expect of `Store.scan` with these options, from
    a sample. Nothing is written."""
    from nearkin.environment import version
    from nearkin.forecast.estimate import forecast
    from nearkin.forecast.rehearsal import rehearse
    from nearkin.forecast.survey import survey
    from nearkin.read.table import check_tables, columns_of
    from nearkin.read.walk import check_starts

    settings = settings_of(options)
    starts = check_starts(paths_of(paths))
    if (columns := columns_of(settings.table)) is not None:
        check_tables(starts, settings.walk, columns)
    found = survey(starts, settings)
    return forecast(found, rehearse(found, settings, version()), settings)
