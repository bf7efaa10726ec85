"""Canonical text against its definition in oracle/canon.py."""

import hashlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import unicodedata2 as ucd
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from oracle import canon as oracle

ROOT = Path(__file__).resolve().parents[2]
MODES = st.integers(0, 15)

SAMPLES = (
    "Größe, Straße; ÄÖÜ! naïve café Ångström İstanbul ışık ΣΊΣΥΦΟΣ ὈΔΥΣΣΕΎΣ ᾳ ᾴ ǰ ﬁ ﬄ Ⅷ ² ½ ㈱ ﷺ №7 ℡ ẞ "
    "الْعَرَبِيَّةُ كتـــاب لا ﻻ हिन्दी में क़लम ड़ ज़ क्षत्रिय বাংলা কো தமிழ் கொ తెలుగు ಕೋ ไทย น้ำ ทำ ລາວ ຳ မြန်မာ ខ្មែរ "
    "漢字，仮名。カタカナ ﾊﾟ ガ が 한국어 \u1112\u1161\u11ab \u1112\u1161 각 ᄀ ᅡ ㄱ ﾡ "
    "עִבְרִית שָׁלוֹם Ελληνικά русский Ёж й ѷ հայերեն ქართული ᲐᲑ Ꭰꭰ ꮿ 👩\u200d💻 ❤\ufe0f 🇩🇪 1\ufe0f\u20e3 "
    "\U0001d400\U0001d7d8 "
    "\u0301 \u0327\u0301 e\u0301\u0327 e\u0327\u0301 \u0345 α\u0345\u0301 =\u0338 ≠ ¨ "
    "\u00ad \u200b \u200d \u034f "
    "\u115f \u1160 \ufeff \u2028 \x85 \x00 \t\r\n ̈ ̈́ "
    "\U00016d63\U00016d67 \U00016d67\U00016d67 \U000113c2\U000113b8"
)
MIXED = st.text(
    st.one_of(
        st.sampled_from(SAMPLES),
        st.sampled_from("ab Z9.-\u0301\u0327\u0316\u200d"),
        st.characters(codec="utf-8"),
    )
)


def native(text: str, ignore: int = oracle.DEFAULT) -> str:
    return _native.canonical(text.encode(), ignore).decode()


def tool(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@settings(max_examples=400)
@given(MIXED, MODES)
def test_canonical_is_the_oracle_s(text: str, ignore: int) -> None:
    assert native(text, ignore) == oracle.canonical(text, ignore)


@settings(max_examples=400)
@given(MIXED, MODES)
def test_the_map_is_the_oracle_s(text: str, ignore: int) -> None:
    expected, origins = oracle.canonical_map(text, ignore)
    data, origin = _native.canonical_map(text.encode(), ignore)
    assert data.decode() == expected
    assert origin.dtype == np.uint64
    assert origin.tolist() == [o for c, o in zip(expected, origins, strict=True) for _ in c.encode()]
    assert (np.diff(origin.astype(np.int64)) >= 0).all()


@cache
def code_points() -> list[int]:
    """All, but of those that are alike only some: CJK, Hangul, Tangut, private ones and those that mean nothing yet."""
    steps = {range(0x3400, 0xD7A4): 97, range(0x17000, 0x18D00): 97}
    steps |= {range(0xE000, 0xF900): 997, range(0x20000, 0xE0000): 997, range(0xE01F0, 0x110000): 997}
    codes = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000 and (ucd.category(chr(c)) != "Cn" or c % 97 == 0)]
    return [c for c in codes if c % next((step for alike, step in steps.items() if c in alike), 1) == 0]


@pytest.mark.parametrize("ignore", [3, 0, 15])
def test_every_code_point_alone_and_in_context(ignore: int) -> None:
    """In context: between letters, after a mark, before marks, after a symbol."""
    plain = code_points()
    for start in range(0, len(plain), 400):
        chars = [chr(c) for c in plain[start : start + 400]]
        for text in (
            "\n".join(chars),
            "".join(f"a{c}b" for c in chars),
            "".join(f" {c}\u0301\u0327x\u0308{c}" for c in chars),
            "".join(f"<{c}\u094d{c}\u1161" for c in chars),
        ):
            assert native(text, ignore) == oracle.canonical(text, ignore)


@settings(max_examples=400)
@given(MIXED, MODES)
def test_twice_is_once(text: str, ignore: int) -> None:
    once = native(text, ignore)
    assert native(once, ignore) == once
    assert ucd.normalize("NFC", once) == once
    assert "  " not in once
    assert once == once.strip(" ")


@settings(max_examples=300)
@given(MIXED, MODES)
def test_normal_forms_of_the_input_do_not_matter(text: str, ignore: int) -> None:
    expected = native(ucd.normalize("NFC", text), ignore)
    assert native(ucd.normalize("NFD", text), ignore) == expected
    if "\u0345" not in ucd.normalize("NFD", text):  # it folds to a letter, and so blocks the marks written after it
        assert native(text, ignore) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        (" \t\r\n ", ""),
        ("Hello,  World!\r\nIt's 5 €.", "hello world it s 5"),
        ("-5", "5"),
        ("GRÖSSE Größe große", "grösse grösse grosse"),
        ("İI ıi", "i\u0307i ıi"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"),
        ("ﬁne Ａｂｃ１２", "fine abc12"),
        ("cafe\u0301 caf\u00e9", "café café"),
        ("e\u0301\u0327 e\u0327\u0301", "ȩ\u0301 ȩ\u0301"),
        ("co\u00adoperate zero\u200bwidth", "cooperate zerowidth"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af 한글", "한글 한글"),
        ("كتـاب", "كتـاب"),
        ("نَّ", "نَّ"),
        ("ﻻ", "لا"),
        ("हिन्दी।", "हिन्दी"),
        ("น้ำ", "น้\u0e4dา"),
        ("漢字，仮名。", "漢字 仮名"),
        ("ﾊﾟ パ", "パ パ"),
        ("a👩\u200d💻b", "a b"),
        ("1\ufe0f\u20e3", "1\u20e3"),
        ("½ cup", "1 2 cup"),
        ("- \u0301a", "a"),
        ("x\u0301", "x\u0301"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert native(text) == words == oracle.canonical(text)


@pytest.mark.parametrize(
    ("ignore", "words"),
    [
        (0, "Ça: 3½ co-op, hindi हि!"),
        (oracle.CASE, "ça: 31⁄2 co-op, hindi हि!"),
        (oracle.DIGITS | oracle.PUNCTUATION, "Ça co op hindi हि"),
        (oracle.ACCENTS | oracle.DEFAULT, "ca 31 2 co op hindi हि"),
    ],
)
def test_what_is_ignored_is_a_setting(ignore: int, words: str) -> None:
    text = "Ça: 3½  co-op,\nhindi हि!"
    assert native(text, ignore) == words.replace("½", "1⁄2")


@given(st.binary(max_size=60), MODES)
def test_bytes_that_are_not_utf8_separate(data: bytes, ignore: int) -> None:
    words = []
    at = 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                words.append(data[at : at + size].decode())
            except UnicodeDecodeError:
                continue
            at += size
            break
        else:
            words.append("\n")
            at += 1
    assert _native.canonical(data, ignore).decode() == oracle.canonical("".join(words), ignore)


def test_an_unknown_setting_is_refused() -> None:
    for kernel in (_native.canonical, _native.canonical_map):
        with pytest.raises(ValueError, match="IGNORE_"):
            kernel(b"words", 16)


def test_long_texts() -> None:
    for unit in (
        "word ",
        "ﷺ",
        "\u0301",
        "e\u0301",
        "a\u0316\u0301\u0316",
        "\u200d",
        "Ⱥ",
        "क्ष",
        "1½",
        "\u0344\u0316",
    ):
        text = "x" + unit * 1_500
        assert native(text) == oracle.canonical(text)


def test_the_committed_tables_are_those_the_tool_makes() -> None:
    for name, text in tool("tables").files().items():
        assert (ROOT / "native" / "tables" / name).read_text() == text, f"run tools/tables.py: {name}"


def test_canonical_text_is_frozen() -> None:
    """Stored signatures are made of canonical text: if it changes, their version must change with it."""
    every = "".join(f"a{chr(c)}b {chr(c)}\u0301" for c in range(0x30000) if not 0xD800 <= c < 0xE000)
    digests = [
        hashlib.blake2b(_native.canonical(every.encode(), ignore), digest_size=32).digest() for ignore in range(16)
    ]
    assert (
        hashlib.blake2b(b"".join(digests), digest_size=32).hexdigest()
        == "5ac4aa56bee533fb6e8a073c9278f5f6945202cce8dcac605775a99f31f1e775"
    )
