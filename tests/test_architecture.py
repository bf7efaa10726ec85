"""docs/architecture.md is true: the names in its picture, glossary and recipes exist, and a recipe can be followed."""

import re
import sys
import tomllib
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest

import nearkin.scheme
from cli.world import Called, listed

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCES = ROOT / "src" / "nearkin"
SVG = "{http://www.w3.org/2000/svg}"


def section(title: str) -> str:
    """The text below a heading, up to the next one of its level or above."""
    level = len(title) - len(title.lstrip("#"))
    return re.split(rf"^#{{1,{level}}} ", PAGE.split(f"\n{title}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def rows(table: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return found[2:]


def module_exists(name: str) -> bool:
    return (SOURCES / f"{name}.py").is_file() or (SOURCES / name / "__init__.py").is_file()


def test_every_module_in_the_picture_exists() -> None:
    picture = ElementTree.parse(ROOT / "docs" / "architecture.svg")
    drawn = [text for text in picture.iter(f"{SVG}text") if text.get("class") == "module"]
    names = [name for text in drawn for name in (text.text or "").split()]
    assert len(names) > 30
    assert [name for name in names if not module_exists(name)] == []


def test_every_package_is_listed_in_the_order_of_its_layer() -> None:
    named = [name for row in rows(PAGE.split("## ")[0]) for name in re.findall(r"`(\w+)`", row[0])]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [re.findall(r"nearkin\.(\w+)", layer) for layer in contracts[0]["layers"]]
    below = {name: depth for depth, names in enumerate(layers) for name in names}
    depths = [below[name] for name in named if name in below]
    assert depths == sorted(depths)
    assert {name for name in below if (SOURCES / name).is_dir()} <= set(named)


def test_the_glossary_has_at_most_twenty_words_each_at_home_where_it_says() -> None:
    words = rows(section("## Twenty words"))
    assert 15 <= len(words) <= 20
    for word, meaning, home in words:
        assert meaning
        text = (SOURCES / home.strip("`")).read_text(encoding="utf-8").lower()
        first = word.split(",")[0]
        assert first in text or first.replace(" ", "_") in text, f"{home} does not speak of a {first}"


def test_every_file_in_the_recipes_exists() -> None:
    paths = re.findall(r"`((?:src|native|tests|docs)/[\w./-]+|[a-z_]+/[a-z_]+\.py)`", section("## Four recipes"))
    assert len(paths) > 10
    for path in paths:
        place = path.rpartition("/")[0] if "NAME" in path else path  # a file that the recipe adds has only its folder
        assert (ROOT / place).exists() or (SOURCES / place).exists(), path


def test_the_recipe_for_a_scheme_can_be_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and the row of the catalogue are those of the page; then the new scheme signs, scans and is listed."""
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", section("### Add a scheme"), re.M | re.S)
    file, row = map(dedent, blocks)
    package = tmp_path / "scheme"
    package.mkdir()
    (package / "pairs.py").write_text(file)
    monkeypatch.setattr(nearkin.scheme, "__path__", [*nearkin.scheme.__path__, str(package)])
    entries: dict[str, nearkin.scheme.CatalogueEntry] = {}
    exec(compile(f"entries.update({{{row}}})", "row", "exec"), {"entries": entries, **vars(nearkin.scheme)})
    for name, entry in entries.items():
        monkeypatch.setitem(nearkin.scheme.SCHEMES, name, entry)
    try:
        assert nearkin.resemblance("lift the cover", "Lift the cover!", scheme="pairs:") == 1.0
        folder = tmp_path / "documents"
        folder.mkdir()
        (folder / "a.txt").write_text("lift the cover and clean the tray")
        (folder / "b.txt").write_text("lift the cover and take the tray")
        store = tmp_path / "kin.db"
        assert Called("scan", folder, "--scheme", "pairs:", "--threshold", "0.3", "--store", store).code == 0
        (match,) = listed("matches", store)
        assert match["resemblance"] == pytest.approx(4 / 8)
        assert "pairs" in Called("schemes").out
    finally:
        sys.modules.pop("nearkin.scheme.pairs", None)
