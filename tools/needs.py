"""Print the requirements of nearkin, its build and the named extras, one a line, from pyproject.toml.

Installed apart from nearkin itself, so that a change of one source file rebuilds nearkin and nothing else.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
needs = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
for extra in sys.argv[1:]:
    needs += project["project"]["optional-dependencies"][extra]
sys.stdout.write("\n".join(needs) + "\n")
