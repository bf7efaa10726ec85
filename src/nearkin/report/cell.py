"""A value as a cell of CSV. None is a formula to a spreadsheet: a path that begins like one gets ./ before it, which
names the same file, any other text an apostrophe. Lists are JSON."""

import json
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any, *, is_path: bool) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case list() | tuple() | dict():
            return json.dumps(value)
        case str() if value.startswith(FORMULA):
            # ./-x.txt is the same file as -x.txt, and no formula.
            return f"./{value}" if is_path else f"'{value}"
        case _:
            return str(value)
