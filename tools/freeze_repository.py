"""A made repository for tools/freeze.py: the same bytes, names and dates on every machine, and some of everything.

Archives are stored and not deflated, as zlibs differ. Dates lie before 2021, so that whatever is later is the day of a
run. Only `random`, `getrandbits` and what is built on them draw, in one order, from one seed.
"""

import base64
import csv
import io
import json
import os
import random
import tarfile
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

SEED = 19
PEOPLE = ("anna", "bo", "chiara", "dov")
_MOMENT = (2015, 6, 1, 12, 0, 0)
_EARLIEST, _YEARS = 1_000_000_000, 600_000_000  # seconds: 2001 to 2020
_ALPHABETS = ("αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчшщыэюя", "的一是不了人我在有他这为之大来以个中上们")


class Writer:
    """Draws words and dates, and writes documents below one folder."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.dice = os.fsencode(folder), random.Random(seed)
        syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "il")]
        self.words = sorted({"".join(self.dice.choices(syllables, k=1 + n % 4)) for n in range(3000)})

    def sentence(self) -> str:
        words = self.dice.choices(self.words, k=self.dice.randint(6, 18))
        return f"{' '.join(words).capitalize()}{self.dice.choice('...;!?')}"

    def prose(self, sentences: int) -> str:
        pieces = (self.sentence() + ("\n" if self.dice.random() < 0.3 else " ") for _ in range(sentences))
        return "".join(pieces).strip() + "\n"

    def foreign(self, words: int) -> str:
        alphabet = self.dice.choice(_ALPHABETS)
        return " ".join("".join(self.dice.choices(alphabet, k=self.dice.randint(1, 9))) for _ in range(words)) + ".\n"

    def edited(self, text: str, edits: int) -> str:
        words = text.split(" ")
        for _ in range(edits):
            at = self.dice.randrange(len(words))
            words[at : at + self.dice.randint(0, 2)] = self.dice.choices(self.words, k=self.dice.randint(0, 2))
        return " ".join(words)

    def put(self, name: str | bytes, content: str | bytes) -> None:
        path = os.path.join(self.folder, os.fsencode(name))  # noqa: PTH118 - names that are no text
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        self.date(path)

    def date(self, path: bytes) -> None:
        moment = _EARLIEST + self.dice.randrange(_YEARS)
        os.utime(path, (moment, moment))


def write_repository(folder: Path, documents: int, *, seed: int = SEED) -> None:
    """About so many documents. Over a third are filled-in forms: of 3,000, more than 1,000 are nearly the same."""
    writer = Writer(folder, seed)
    _forms(writer, documents * 37 // 100)
    _letters(writer, documents * 8 // 100)
    texts = _versions(writer, documents * 18 // 100)
    _parts(writer, documents * 6 // 100)
    _copies(writer, texts, documents * 10 // 100)
    _people(writer, texts, documents * 3 // 100)
    _short(writer, documents * 2 // 100)
    _foreign(writer, documents * 3 // 100)
    _containers(writer, texts, max(1, documents // 300))
    _odd(writer)
    for n in range(documents * 10 // 100):
        writer.put(f"singles/{n % 7}/{n:04}.txt", writer.prose(writer.dice.randint(3, 40)))
    _tables(writer, texts)


def change_repository(folder: Path, *, seed: int = SEED + 1) -> None:
    """Between two scans: files are edited, deleted, moved, added and dated anew, and an archive is repacked."""
    writer = Writer(folder, seed)
    chosen = [
        path for path in _files_below(writer.folder + b"/versions") if b"/000/" not in path
    ]  # these are decided on
    writer.dice.shuffle(chosen)
    edited, moved, deleted, dated = chosen[:20], chosen[20:35], chosen[35:45], chosen[45:50]
    for n, path in enumerate(edited):
        text = Path(os.fsdecode(path)).read_text(encoding="utf-8")
        more = writer.prose(2) if n % 2 else writer.prose(30)
        writer.put(os.path.relpath(path, writer.folder), writer.edited(text, 3) + more)
    for n, path in enumerate(moved):
        target = writer.folder + f"/moved/{n}.txt".encode()
        Path(os.fsdecode(target)).parent.mkdir(exist_ok=True)
        os.rename(path, target)  # noqa: PTH104
    for path in deleted:
        os.unlink(path)  # noqa: PTH108
    for path in dated:
        writer.date(path)
    base = writer.prose(25)
    for n in range(10):
        writer.put(f"added/{n}.txt", writer.edited(base, 2 * n))
    writer.put("added/form.txt", _form(writer, 99_999))
    writer.put("boxes/0.zip", _zip([("one.txt", base.encode()), ("two.txt", writer.prose(9).encode())]))


def _files_below(folder: bytes) -> list[bytes]:
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)  # noqa: PTH118


@cache
def _blank_form() -> str:
    return Writer(Path(), 1).prose(22)


def _form(writer: Writer, number: int) -> str:
    fields = " ".join(writer.dice.choices(writer.words, k=6))
    return f"Form {number}\n{_blank_form()}Applicant: {fields}\nSum: {writer.dice.randrange(10_000)}\n"


def _forms(writer: Writer, count: int) -> None:
    for n in range(count):
        writer.put(f"forms/{n // 100:02}/form-{n:04}.txt", _form(writer, n))


def _letters(writer: Writer, count: int) -> None:
    """Different letters under one letterhead: a template."""
    head = writer.prose(5)
    for n in range(count):
        writer.put(f"letters/letter-{n:04}.txt", head + writer.prose(writer.dice.randint(6, 14)))


def _versions(writer: Writer, count: int) -> list[str]:
    """Families of two to six versions; every tenth has a container's length."""
    texts: list[str] = []
    family = 0
    while len(texts) < count:
        text = writer.prose(writer.dice.randint(60, 90) if family % 10 == 9 else writer.dice.randint(8, 25))
        for version in range(writer.dice.randint(2, 6)):
            writer.put(f"versions/{family:03}/draft-{version}.txt", text)
            texts.append(text)
            text = writer.edited(text, writer.dice.choice((1, 2, 5, 12)))
        family += 1
    return texts


def _parts(writer: Writer, count: int) -> None:
    for n in range(count // 3):
        first, second = writer.prose(8), writer.prose(12)
        writer.put(f"parts/{n:03}-a.txt", first)
        writer.put(f"parts/{n:03}-b.txt", second)
        writer.put(f"parts/whole-{n:03}.txt", writer.prose(25) + first + writer.prose(20) + second)


def _copies(writer: Writer, texts: Sequence[str], count: int) -> None:
    """The same bytes, and the same words in other bytes: case, punctuation, a page, encodings, line ends."""
    for n in range(count):
        text = writer.dice.choice(texts)
        accented = text.replace("a", "é").replace("u", "ü")
        page = "".join(f"<p>{line}</p>\n" for line in text.splitlines())
        forms: tuple[tuple[str, bytes], ...] = (
            ("txt", text.encode()),
            ("txt", text.upper().encode()),
            ("txt", text.replace(".", " -").replace("\n", "\r\n").encode()),
            ("html", f"<!doctype html><html><head><title>Page {n}</title></head><body>{page}</body></html>".encode()),
            ("txt", accented.encode("latin-1")),
            ("txt", accented.encode("utf-8")),
            ("txt", text.encode("utf-16")),
            ("txt", b"\xff\xfe" + accented.encode("utf-16-le")),
        )
        ending, content = forms[n % len(forms)]
        writer.put(f"copies/{n % 5}/{n:04}.{ending}", content)


def _people(writer: Writer, texts: Sequence[str], count: int) -> None:
    """Folders of custodians that hold much the same."""
    held = writer.dice.choices(texts, k=max(4, count // len(PEOPLE)))
    for person in PEOPLE:
        for n, text in enumerate(held):
            if writer.dice.random() < 0.8:
                writer.put(f"{person}/notes/{n:03}.txt", text)
    writer.put("anna/own.txt", writer.prose(10))


def _short(writer: Writer, count: int) -> None:
    for n in range(count):
        word = writer.dice.choice(writer.words)
        writer.put(f"short/{n:03}.txt", ("", word, f"{word} {n % 5}.", "same", f"  {word}\n", "!?", "7", "\n\n")[n % 8])


def _foreign(writer: Writer, count: int) -> None:
    """Texts and names in other scripts, and names that are not UTF-8 or hold what a terminal would obey."""
    for n in range(count):
        text = writer.foreign(writer.dice.randint(40, 120))
        writer.put(f"мир/{n:03}-文书-é.txt", text)
        writer.put(f"мир/{n:03}-again.txt", text + writer.foreign(4))
    for name in (
        b"caf\xe9.txt",
        b"\xff\xfe.txt",
        b"tab\tnew\nline.txt",
        b"esc\x1b[31m.txt",
        b"=1+1.txt",
        b"[bold].txt",
    ):
        writer.put(b"names/" + name, writer.prose(6))


def _zip(members: Sequence[tuple[str, bytes]]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as file:
        for name, content in members:
            file.writestr(zipfile.ZipInfo(name, _MOMENT), content)
    return held.getvalue()


def _tar(members: Sequence[tuple[str, bytes]]) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), 1_400_000_000
            file.addfile(member, io.BytesIO(content))
    return held.getvalue()


def _mail(n: int, body: str, attached: Sequence[tuple[str, bytes]]) -> bytes:
    head = (
        f"From: anna@example.org\r\nTo: bo@example.org\r\nSubject: Draft {n}\r\nMessage-ID: <{n}@example.org>\r\n"
        f"Date: Tue, {1 + n % 28} Mar 2016 10:00:00 +0100\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="=+="\r\n\r\n--=+=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n'
    )
    parts = [head + body.replace("\n", "\r\n")]
    for name, content in attached:
        coded = base64.encodebytes(content).decode().replace("\n", "\r\n")
        parts.append(
            f'\r\n--=+=\r\nContent-Type: application/octet-stream; name="{name}"\r\n'
            f'Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="{name}"\r\n\r\n{coded}'
        )
    return ("".join(parts) + "\r\n--=+=--\r\n").encode()


def _containers(writer: Writer, texts: Sequence[str], count: int) -> None:
    for n in range(count):
        members = [(f"in/{k}.txt", writer.dice.choice(texts).encode()) for k in range(4)]
        members.append(("in/own.txt", writer.prose(8).encode()))
        inner = _zip(members[:2])
        writer.put(f"boxes/{n}.zip", _zip([*members, ("inner.zip", inner), ("empty.txt", b"")]))
        writer.put(f"boxes/{n}.tar", _tar(members[1:]))
        mail = _mail(n, writer.prose(4), members[2:4])
        writer.put(f"mail/{n}.eml", mail)
        more = _mail(n + 50, writer.prose(5), [("box.zip", inner)])
        box = b"".join(
            b"From anna Tue Mar  1 10:00:00 2016\n" + one.replace(b"\r\n", b"\n") + b"\n" for one in (mail, more)
        )
        writer.put(f"mail/{n}.mbox", box)
        if n % 2:
            writer.put(f"boxes/copy-{n}.zip", _zip([*members, ("inner.zip", inner), ("empty.txt", b"")]))


def _odd(writer: Writer) -> None:
    """What cannot be read, has no text, is hidden, linked or named twice."""
    noise = bytes(writer.dice.getrandbits(8) for _ in range(5000))
    whole = _zip([("a.txt", writer.prose(9).encode())])
    writer.put("odd/noise.bin", noise)
    writer.put("odd/noise-again.bin", noise)
    writer.put("odd/cut.zip", whole[: len(whole) // 2])
    writer.put("odd/broken.docx", b"PK\x03\x04" + noise[:200])
    writer.put("odd/broken.pdf", b"%PDF-1.4\n" + noise[:300])
    writer.put("odd/mixed.txt", "Word \u202e odd \x00 zero " + writer.prose(5))
    writer.put("odd/long-line.txt", " ".join(writer.dice.choices(writer.words, k=3000)))
    writer.put("odd/repeated.txt", "again and " * 800)
    writer.put("odd/rich.rtf", rb"{\rtf1\ansi\deff0 {\fonttbl{\f0 Arial;}}\f0 " + writer.prose(9).encode() + b"}")
    writer.put("odd/data.xml", f"<?xml version='1.0'?><list><item>{writer.prose(6)}</item></list>")
    writer.put(".hidden/secret.txt", writer.prose(5))
    writer.put("odd/linked.txt", writer.prose(7))
    os.link(writer.folder + b"/odd/linked.txt", writer.folder + b"/odd/linked-twice.txt")
    os.symlink(b"linked.txt", writer.folder + b"/odd/pointer.txt")  # noqa: PTH211


def _tables(writer: Writer, texts: Sequence[str]) -> None:
    """Rows with ids, of which some are copies and some have no text."""
    rows = [(f"r{n}", writer.edited(writer.dice.choice(texts), n % 4), n % 3) for n in range(min(60, len(texts)))]
    rows += [("empty", "", 0), ("page", "<html><body><p>One page of words in a table.</p></body></html>", 1)]
    lines = [json.dumps({"id": name, "text": text, "n": n}) for name, text, n in rows]
    writer.put("tables/rows.jsonl", "\n".join([*lines, "{damaged", '{"id": "no text"}']) + "\n")
    held = io.StringIO(newline="")
    csv.writer(held).writerows([("id", "text", "n"), *rows[::2]])
    writer.put("tables/rows.csv", held.getvalue())
