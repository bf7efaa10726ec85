"""Print the requirements of what is named, one a line, from pyproject.toml: run, build, or an extra.

Installed apart from nearkin itself, so that a change of one source file rebuilds nearkin and nothing else.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
named = {"run": project["project"]["dependencies"], **project["project"]["optional-dependencies"]}
named["build"] = [*project["build-system"]["requires"], *named["build"]]
sys.stdout.write("".join(f"{need}\n" for name in sys.argv[1:] for need in named[name]))
