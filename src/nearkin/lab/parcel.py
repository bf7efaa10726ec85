"""Archives of the same bytes everywhere: members are stored, not deflated, as zlibs differ, and have one time."""

import io
import zipfile
from collections.abc import Mapping

_MOMENT = (2020, 1, 1, 0, 0, 0)
_UNIX = 3


def parcel(members: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as file:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, _MOMENT)
            member.create_system = _UNIX
            member.external_attr = 0o644 << 16
            file.writestr(member, data)
    return held.getvalue()
