"""Writes native/tables: the HTML5 entities and what canonical text needs of Unicode.

Run `python tools/tables.py` after a change here; a test compares the committed files with what this makes.
"""

import html.entities
from collections.abc import Iterable
from pathlib import Path

import unicode_tables

TABLES = Path(__file__).resolve().parent.parent / "native" / "tables"
WIDTH = 118


def wrapped(items: Iterable[str]) -> str:
    """Comma-separated items on lines of at most WIDTH characters."""
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) + 2 > WIDTH:
            lines.append("")
        lines[-1] += f"{item}, " if lines[-1] else f"  {item}, "
    return "\n".join(line.rstrip() for line in lines)


def c_string(text: str) -> str:
    """A C++ literal of the UTF-8 of a text; octal escapes cannot swallow the character after them."""
    return '"' + "".join(chr(b) if 32 < b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in text.encode()) + '"'


def entities() -> str:
    named = sorted(html.entities.html5.items(), key=lambda pair: pair[0].encode())
    # The HTML kernel reserves six fifths of its input for its output.
    assert all(5 * len(text.encode()) <= 6 * (len(name) + 1) for name, text in named)
    return f"""\
// Made by tools/tables.py from html.entities.html5: the named references of HTML5, sorted by bytes.
#pragma once

#include <string_view>

namespace nearkin::tables {{

struct Entity {{
  std::string_view name;  // without the ampersand, with the semicolon where it has one
  std::string_view text;
}};

inline constexpr Entity kEntities[] = {{
{wrapped(f"{{{c_string(name)}, {c_string(text)}}}" for name, text in named)}
}};

}}  // namespace nearkin::tables
"""


def files() -> dict[str, str]:
    return {"entities.hpp": entities(), "unicode_tables.hpp": unicode_tables.header()}


if __name__ == "__main__":
    for name, text in files().items():
        (TABLES / name).write_text(text)
