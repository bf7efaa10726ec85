"""Copies among files, attachments, members of archives and rows of tables, as they come, change and go, with templates:
a store that is kept up to date says what one made from nothing says (decision 029)."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.containers import mail, zipped
from formats.office import docx, paragraph
from nearkin.api.store import Store
from nearkin.engine import documents, reader
from nearkin.store import document_writer
from oracle.prose import prose
from store.world import is_sound, listings

SPECS = ["mod:window=20,sample=200,most=64", "exact:window=20", "mod:window=20,n=8"]
FORM = prose(77, 700)
CUT_SHORT = """
import os, signal, sys
from pathlib import Path
from nearkin.api.store import Store
from nearkin.engine import documents, reader
from nearkin.read import table
from nearkin.store import document_writer as writer

reader.BATCH_FILES, writer.TRANSACTION_FILES, documents.TOGETHER, table.ROWS_AT_ONCE = 3, 4, 4, 4
left = int(sys.argv[4])


def tell(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)


how = {"text_column": "text", "id_column": "id", "jobs": 2}
Store(Path(sys.argv[1])).scan(sys.argv[2], scheme=sys.argv[3], progress=tell, **how)
"""
ENDINGS = [".txt", ".html", ".log", "", ".docx", ".zip", ".eml", ".jsonl"]


class Copied:
    """Few texts in many places: nearly everything is a copy of something, in another place or form."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self.folder, self.dice = folder, dice
        folder.mkdir()

    def text(self) -> bytes:
        dice = self.dice
        said = prose(dice.randrange(12), dice.choice([0, 30, 600, 600]))
        said += dice.choice([b"", b"", b" <b>and</b> more", FORM, prose(dice.randrange(12), 300)])
        return said if dice.random() < 0.9 else said.decode().encode("utf-16")

    def data(self, ending: str) -> bytes:
        dice = self.dice
        if ending == ".docx":
            return docx(paragraph(prose(dice.randrange(5), 400).decode()))
        if ending == ".zip":
            names = dice.sample(["a.txt", "b.html", "c.docx", "d.eml"], dice.randrange(4))
            return zipped({name: self.data(name[1:]) for name in names})
        if ending == ".eml":
            attached = {"report.docx": self.data(".docx")} if dice.random() < 0.5 else {}
            return mail(prose(dice.randrange(4), 300).decode(), attached, number=dice.randrange(2))
        if ending == ".jsonl":
            rows = ({"id": str(n), "text": self.text().decode("utf-8", "replace")} for n in range(dice.randrange(1, 9)))
            return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        return self.text()

    def there(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def change(self, times: int) -> None:
        dice = self.dice
        for _ in range(times):
            known = dice.choice(self.there() or [None])
            folder = self.folder / str(dice.randrange(3))
            folder.mkdir(exist_ok=True)
            ending = dice.choice(ENDINGS)
            place = folder / f"{dice.randrange(20)}{ending}"
            kind = dice.random()
            if known is None or kind < 0.4:
                place.write_bytes(self.data(ending))
            elif kind < 0.7:
                place.with_suffix(known.suffix).write_bytes(known.read_bytes())
            elif kind < 0.75:  # by another name: perhaps something else
                place.write_bytes(known.read_bytes())
            elif kind < 0.85:
                os.utime(known, ns=(dice.randrange(10**18), dice.randrange(10**18)))
            elif kind < 0.93:
                known.rename(place.with_suffix(known.suffix))
            else:
                known.unlink()
        if not any(path.suffix == ".jsonl" for path in self.there()):  # a scan for tables wants one
            (self.folder / "some.jsonl").write_bytes(self.data(".jsonl"))


def lead(tmp_path: Path, seed: int, *, steps: int, kills: bool = False) -> None:
    dice = random.Random(seed)
    tree, store = Copied(tmp_path / f"docs {seed}", dice), Store(tmp_path / f"{seed}.db")
    templates: dict[str, bytes] = {}
    for step in range(steps):
        tree.change(40 if step == 0 else dice.randrange(12))
        how = {"text_column": "text", "id_column": "id", "jobs": dice.randint(1, 3)}
        spec = dice.choice([SPECS[0], *SPECS])
        for _ in range(dice.choice([0, 0, 1, 2]) if kills else 0):
            command = [
                sys.executable,
                "-c",
                CUT_SHORT,
                str(store.path),
                str(tree.folder),
                spec,
                str(dice.randrange(25)),
            ]
            assert subprocess.run(command, check=False).returncode in (0, -signal.SIGKILL)
            tree.change(dice.randrange(4))
        store.scan(tree.folder, scheme=spec, keep_text=step > 0 or dice.random() < 0.7, **how)  # type: ignore[arg-type]
        if step == 0:
            continue
        if dice.random() < 0.5:
            name = f"form {step}"
            templates[name] = dice.choice([FORM, prose(dice.randrange(12), 300)])
            store.add_template(text=templates[name], name=name)
        elif templates and dice.random() < 0.5:
            name = dice.choice(sorted(templates))
            del templates[name]
            store.remove_template(name)
        fresh = Store(tmp_path / f"{seed} {step}.db")
        fresh.scan(tree.folder, scheme=spec, **how)  # type: ignore[arg-type]
        for name, text in templates.items():
            fresh.add_template(text=text, name=name)
        assert listings(store) == listings(fresh), (seed, step, spec)
        assert is_sound(store)
        assert store.verify() == []


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches and transactions of a few, so that copies are not in those of their firsts."""
    monkeypatch.setattr(reader, "BATCH_FILES", 3)
    monkeypatch.setattr(document_writer, "TRANSACTION_FILES", 4)
    monkeypatch.setattr(documents, "TOGETHER", 4)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(2))
def test_what_is_kept_up_to_date_is_as_good_as_new(seed: int, tmp_path: Path) -> None:
    lead(tmp_path, seed, steps=2)


@pytest.mark.soak
@pytest.mark.usefixtures("small")
def test_copies_for_long(tmp_path: Path) -> None:
    start = random.SystemRandom().getrandbits(40)
    for seed in range(start, start + 25):
        lead(tmp_path, seed, steps=6, kills=seed % 2 == 0)
