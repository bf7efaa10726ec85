"""The table of formats for tests, in a worker whose kernel knows no Landlock."""

from engine.fake_formats import FORMATS, detect, read_with
from nearkin.engine import landlock

__all__ = ["FORMATS", "detect", "read_with"]

landlock.CREATE = 100_000  # no call has this number
