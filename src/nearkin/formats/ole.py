"""Old binary files of Microsoft programs: no permissive, well-kept library reads their text.

What can be told is told: Word, Excel and PowerPoint files with a password are such a file around the encrypted one.
"""

from typing import BinaryIO

from nearkin.formats.found import Found, Limits, Problem
from nearkin.model import Reason

ENCRYPTED = ("EncryptedPackage", "\x09DRMContent")


def read(file: BinaryIO, limits: Limits) -> Found:
    import olefile

    with olefile.OleFileIO(file) as storage:
        if any(storage.exists(stream) for stream in ENCRYPTED):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
    raise Problem(Reason.UNSUPPORTED, "an old binary file of Word, PowerPoint, Works or Visio")
