"""Freeze signatures: add rows to src/nearkin/scheme/golden.py for specs that have none. No row is ever changed here.

python tools/golden.py              every example of `nearkin schemes` that is not frozen yet
python tools/golden.py SPEC...      these specs
"""

import sys
from pathlib import Path

from nearkin.scheme import SCHEMES, golden, parse_scheme

TABLE = Path(__file__).resolve().parents[1] / "src" / "nearkin" / "scheme" / "golden.py"
END = "}  # fmt: skip\n"


def main(specs: list[str]) -> int:
    changed = [spec for spec, same in golden.recomputed() if not same]
    if changed:
        sys.stderr.write(
            f"These sign differently than they did: {', '.join(changed)}. Undo that, or raise FORMAT, empty the table"
            " and freeze all anew.\n"
        )
        return 1
    wanted = specs or [spec for known in SCHEMES.values() for spec in known.example.split(" or ")]
    stored = dict.fromkeys(parse_scheme(spec).spec for spec in wanted)
    rows = [f'    "{spec}": "{golden.frozen_digest(spec)}",\n' for spec in stored if spec not in golden.GOLDEN]
    source = TABLE.read_text(encoding="utf-8")
    TABLE.write_text(source.replace(END, "".join(rows) + END, 1), encoding="utf-8")
    sys.stdout.write("".join(rows) or "nothing to add\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
