"""How texts are made canonical and signed, as the native core is told.

Apart from those who read files: `match` reads none, and their modules take longer to import than 10,000 texts to sign.
"""

from nearkin import _native
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon


def recipe(scheme: Scheme, canon: Canon, *, max_size: int) -> _native.Recipe:
    return _native.Recipe(
        scheme=scheme.native(), raw=canon.raw, ignore=canon.mask, lines=canon.lines, max_size=max_size
    )
