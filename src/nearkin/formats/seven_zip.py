"""7-Zip archives."""

from typing import BinaryIO

from nearkin.formats.found import Found, Limits, Problem
from nearkin.model import Reason


def read(file: BinaryIO, limits: Limits) -> Found:
    raise Problem(Reason.UNSUPPORTED, "7-Zip archives are not read")
