"""The page: readable without a script, and driven in headless Chromium where that is installed."""

import json
import re
import shutil
import subprocess
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cli.world import Called, edited, prose, write
from nearkin.query.totals import Totals
from nearkin.report import page as page_file
from nearkin.report.page_parts import bars, family_sizes

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
VOID = {"meta", "input", "br", "link", "img", "rect", "line"}


@pytest.fixture(scope="module")
def page(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "all.html"
    assert Called("report", path, "--store", store, "-q").code == 0
    return path


class Balanced(HTMLParser):
    """Fails where tags do not close as they opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["td"]:
            self.cells.append(data)


def test_it_is_whole_and_needs_no_network(page: Path) -> None:
    text = page.read_text()
    reader = Balanced()
    reader.feed(text)
    assert reader.open == []
    assert not re.search(r"https?://|src=|@import|url\(", text)
    assert "default-src &#x27;none&#x27;" in text


def test_without_a_script_every_table_can_be_read(page: Path) -> None:
    reader = Balanced()
    reader.feed(page.read_text())
    for name in ("part.txt", "=formula.txt", "copies/manual-1.html", "caf\\xe9.txt", "esc\\x1b[31m\\n.txt"):
        assert name in reader.cells, name


def test_it_begins_with_what_was_run(page: Path) -> None:
    text = page.read_text()
    settings = ("mod:window=20,sample=200,most=64", "Families join at a resemblance of")
    for told in (*settings, "Broder 1997", "Date of the run"):
        assert told in text
    assert text.index("What was run") < text.index('<section id="identical"')


def test_names_are_never_markup(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {b"<script>alert(1)<": prose(1), b"</script><b>.txt": edited(prose(1), 9)})
    assert Called("scan", docs, "--store", tmp_path / "kin.db", "-q", "--format", "json").code == 0
    assert Called("report", tmp_path / "x.html", "--store", tmp_path / "kin.db", "-q").code == 0
    text = (tmp_path / "x.html").read_text()
    assert "<script>alert" not in text
    assert "</script><b>" not in text
    reader = Balanced()
    reader.feed(text)
    assert reader.open == []


def test_what_does_not_fit_is_said(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "MOST", 2)
    assert Called("report", tmp_path / "x.html", "--store", store, "-q").code == 0
    text = (tmp_path / "x.html").read_text()
    assert "nearkin report matches.csv --table matches" in text
    data = re.search(r'id="matches".*?application/json">(.*?)</script>', text, re.S)
    assert data is not None
    assert len(json.loads(data[1])) == 2


def test_links_only_if_asked(page: Path, store: Path, tmp_path: Path) -> None:
    assert "file://" not in page.read_text()
    assert Called("report", tmp_path / "x.html", "--links", "--store", store, "-q").code == 0
    assert "/caf%E9.txt" in (tmp_path / "x.html").read_text()


def test_bars_say_their_numbers() -> None:
    none: dict[str, Any] = {field.name: 0 for field in fields(Totals) if field.type is int}
    totals = Totals(**none, by_size={2: 5, 4: 1, 700: 2})
    assert [count for _, count in family_sizes(totals)] == [5, 0, 1, 0, 0, 0, 0, 2]
    assert "2: 5 families" in bars(family_sizes(totals), "families")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_hundred_thousand_rows_are_windowed_sorted_and_filtered_and_a_family_opens(
    page: Path, tmp_path: Path
) -> None:
    """In one go: a browser takes its time to start."""
    text = page.read_text()
    rows = [[n / 100_000, 0.5, 0.5, 0.5, n, "exact", f"a/{n}.txt", f"b/{n}.txt"] for n in range(100_000)]
    start = text.index('application/json">', text.index('<section id="matches"')) + len('application/json">')
    script = """
      const live = document.querySelector("#matches .live"), told = [];
      const first = () => live.querySelector(".line").textContent;
      told.push(live.querySelectorAll(".line").length, live.querySelector(".tools span").textContent, first());
      live.querySelector(".head button").click(); told.push(first());
      const input = live.querySelector("input");
      input.value = "A/777 b/"; input.dispatchEvent(new Event("input"));
      setTimeout(() => {
        told.push(live.querySelector(".tools span").textContent, first());
        document.querySelector("#families .line").click();
        told.push(document.querySelector("#families .opened tbody").rows.length);
        document.body.textContent = JSON.stringify(told);
      }, 500);
    """
    large = tmp_path / "large.html"
    end = text[text.index("</script>", start) :].replace("</body>", f"<script>{script}</script></body>")
    large.write_text(text[:start] + json.dumps(rows) + end)
    how = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path}/chrome",
    ]
    assert CHROMIUM
    done = subprocess.run(
        [CHROMIUM, *how, "--virtual-time-budget=4000", "--dump-dom", f"file://{large}"],
        capture_output=True,
        timeout=120,
        check=False,
    )
    found = re.search(r"<body>(\[.*\])</body>", done.stdout.decode(), re.S)
    assert found is not None
    drawn, listed, first, strongest, filtered, left, members = json.loads(found[1])
    assert 10 < drawn < 60
    assert listed == "100,000 listed"
    assert first.endswith("b/0.txt")
    assert strongest.endswith("b/99999.txt")
    assert filtered == "111 of 100,000 listed"
    assert left.endswith("b/77799.txt")
    assert members == 5


def test_passages_of_the_strongest_pairs_are_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    shared = "the lever at the back of the machine is turned to the left, <b>slowly</b>, until it stops"
    (folder / "a.txt").write_text(f"{shared}. First of all, mind your fingers and the cat.")
    (folder / "b.txt").write_text(f"{shared}. First of all, mind your fingers and the dog.")
    assert Called("scan", folder, "--store", tmp_path / "kin.db").code == 0
    assert Called("report", tmp_path / "kin.html", "--store", tmp_path / "kin.db").code == 0
    page = (tmp_path / "kin.html").read_text()
    assert "Passages in common" in page
    assert "the lever at the back of the machine is turned to the left, &lt;b&gt;slowly" in page
    assert "a.txt and b.txt" in page
