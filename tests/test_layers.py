"""What the import linter cannot see: compiled modules, and what `import nearkin` costs."""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nearkin
from nearkin.environment import version

SOURCES = Path(nearkin.__file__).parent
CALLERS = {"text", "scheme", "matching", "engine", "group", "store", "read", "environment.py"}
HEAVY = {"numpy", "pyarrow", "rich", "zstandard", "sqlite3", "click"}


def calls_native(path: Path) -> bool:
    """A name that is imported for type checkers only calls nothing."""
    tree = ast.parse(path.read_text())
    for branch in ast.walk(tree):
        if isinstance(branch, ast.If) and isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING":
            branch.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "nearkin":
            if any(name.name == "_native" for name in node.names):
                return True
        elif (isinstance(node, ast.ImportFrom) and node.module == "nearkin._native") or (
            isinstance(node, ast.Import) and any(name.name == "nearkin._native" for name in node.names)
        ):
            return True
    return False


def test_only_those_who_may_call_the_native_core() -> None:
    callers = {path.relative_to(SOURCES).parts[0] for path in SOURCES.rglob("*.py") if calls_native(path)}
    assert callers == CALLERS


def test_it_is_compiled_as_what_is_installed() -> None:
    assert metadata.version("nearkin") == version()


def loaded_after(code: str) -> set[str]:
    script = f"import sys; {code}; print(*(name for name in sys.modules if '.' not in name))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.rpartition("\n\n")[2].split())


def test_importing_nearkin_loads_nothing() -> None:
    assert not loaded_after("import nearkin") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    code = "from nearkin.cli.main import main; main(['--help']); print()"
    assert not loaded_after(code) & (HEAVY - {"click"})


def test_match_loads_only_the_scheme_it_is_asked_for() -> None:
    script = "import sys, nearkin; nearkin.match(['one text', 'another']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "nearkin.scheme.mod" in loaded
    assert not loaded & {"nearkin.scheme.tttd", "nearkin.scheme.fuzzy", "nearkin.text.kind"}
    # The columns of a match come from nearkin.model; what only stores and families need stays away.
    assert not loaded & {"nearkin.query.families", "nearkin.group.grouping", "nearkin.store.contents"}


def test_a_scan_loads_nothing_that_few_scans_need(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("A few words.")
    arguments = ["scan", str(tmp_path / "documents"), "--store", str(tmp_path / "kin.db"), "--quiet"]
    script = f"import sys; from nearkin.cli.main import main; main({arguments}); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {"nearkin.group.grouping", "numpy"} <= loaded
    assert not loaded & {
        "_hashlib",
        "csv",
        "charset_normalizer",
        "email",
        "importlib.metadata",
        "pyarrow",
        "rich",
        "socket",
        "zipfile",
    }
    assert not loaded & {"nearkin.formats.detect", "nearkin.scheme.fuzzy"}
    assert not loaded & {"nearkin.matching.feature_index", "nearkin.matching.increment"}
