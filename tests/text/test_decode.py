"""Bytes to text in many encodings: marked, declared, guessed."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.text.decode import Decoded, decode, wide_without_mark
from nearkin.text.kind import TextKind, sniff

TEXTS = {
    "de": (
        "Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung "
        "aller staatlichen Gewalt. Das Deutsche Volk bekennt sich darum zu unverletzlichen und "
        "unveräußerlichen Menschenrechten als Grundlage jeder menschlichen Gemeinschaft, des "
        "Friedens und der Gerechtigkeit in der Welt. Für Österreich gilt Ähnliches, größtenteils "
        "übrigens auch für die süddeutschen Länder. "
    ),
    "ru": (
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом "
        "и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен "
        "обладать всеми правами и всеми свободами, провозглашенными настоящей Декларацией, без "
        "какого бы то ни было различия. "
    ),
    "ja": (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、"
        "理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、"
        "人種、皮膚の色、性、言語、宗教、政治上その他の意見、国民的若しくは社会的出身、財産、"
        "門地その他の地位又はこれに類するいかなる事由による差別をも受けることなく、"
        "この宣言に掲げるすべての権利と自由とを享有することができる。"
    ),
    "zh": (
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
        "人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解、"
        "国籍或社会出身、财产、出生或其他身份等任何区别。并且不得因一人所属的国家或领土的政治的、"
        "行政的或者国际的地位之不同而有所区别，无论该领土是独立领土、托管领土、"
        "非自治领土或者处于其他任何主权受限制的情况之下。"
    ),
    "tw": (
        "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。"
        "人人有資格享有本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教、政治或其他見解、"
        "國籍或社會出身、財產、出生或其他身分等任何區別。"
    ),
    "ko": (
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 "
        "이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 인종, "
        "피부색, 성, 언어, 종교, 정치적 또는 기타의 견해, 민족적 또는 사회적 출신, 재산, 출생 또는 "
        "기타의 신분과 같은 어떠한 종류의 차별이 없이, 이 선언에 규정된 모든 권리와 자유를 향유할 "
        "자격이 있다."
    ),
    "ar": (
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل "
        "بعضهم بعضا بروح الإخاء. لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان، "
        "دون أي تمييز، كالتمييز بسبب العنصر أو اللون أو الجنس أو اللغة أو الدين أو الرأي السياسي أو "
        "أي رأي آخر. "
    ),
    "pl": (
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
        "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy "
        "człowiek posiada wszystkie prawa i wolności zawarte w niniejszej Deklaracji bez względu na "
        "jakiekolwiek różnice rasy, koloru, płci, języka, wyznania, poglądów politycznych i innych "
        "przekonań, narodowości, pochodzenia społecznego, majątku, urodzenia lub jakiegokolwiek "
        "innego stanu. "
    ),
    "tr": (
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
        "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Herkes, "
        "ırk, renk, cinsiyet, dil, din, siyasi veya diğer herhangi bir akide, milli veya içtimai "
        "menşe, servet, doğuş veya herhangi diğer bir fark gözetilmeksizin işbu Beyannamede ilan "
        "olunan tekmil haklardan ve bütün hürriyetlerden istifade edebilir. "
    ),
    "el": (
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
        "προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα "
        "αδελφοσύνης. Κάθε άνθρωπος δικαιούται να επικαλείται όλα τα δικαιώματα και όλες τις "
        "ελευθερίες που προκηρύσσει η παρούσα Διακήρυξη. "
    ),
    "he": (
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה "
        "עליהם לנהוג איש ברעהו ברוח של אחווה. כל אדם זכאי לזכויות ולחרויות שנקבעו בהכרזה זו ללא "
        "הפליה כלשהיא מטעמי גזע, צבע, מין, לשון, דת, דעה פוליטית או דעה בבעיות אחרות. "
    ),
}
ENCODINGS = [
    ("de", "latin-1"),
    ("de", "cp1252"),
    ("ru", "koi8-r"),
    ("ru", "cp1251"),
    ("ru", "iso8859-5"),
    ("ru", "cp866"),
    ("ja", "shift_jis"),
    ("ja", "euc_jp"),
    ("zh", "gb18030"),
    ("zh", "gbk"),
    ("tw", "big5"),
    ("ko", "euc_kr"),
    ("ar", "cp1256"),
    ("ar", "iso8859-6"),
    ("pl", "iso8859-2"),
    ("pl", "cp1250"),
    ("tr", "iso8859-9"),
    ("el", "iso8859-7"),
    ("el", "cp1253"),
    ("he", "cp1255"),
]

# What a page would say of itself, and what Python calls the same.
DECLARED = [
    ("de", "iso-8859-1", "cp1252"),
    ("de", "ISO-8859-15", "iso8859-15"),
    ("ja", "Shift_JIS", "cp932"),
    ("ja", "x-sjis", "cp932"),
    ("ja", "EUC-JP", "euc-jp"),
    ("zh", "gb2312", "gb18030"),
    ("zh", "GB18030", "gb18030"),
    ("tw", "big5", "big5"),
    ("ko", "euc-kr", "euc-kr"),
    ("ru", "koi8-r", "koi8-r"),
    ("ru", "windows-1251", "cp1251"),
    ("ar", "windows-1256", "cp1256"),
    ("pl", "iso-8859-2", "iso8859-2"),
    ("tr", "iso-8859-9", "cp1254"),
    ("he", "windows-1255", "cp1255"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_long_texts_are_guessed(language: str, encoding: str) -> None:
    text = TEXTS[language] * (1 + 300 // len(TEXTS[language]))
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("shape", ['<meta charset="{}">', "<META http-equiv=x content='text/html; charset={}' />"])
@pytest.mark.parametrize(("language", "label", "encoding"), DECLARED)
def test_a_declared_charset_is_believed(language: str, label: str, encoding: str, shape: str) -> None:
    page = f"<!-- <meta charset=koi8-u> --><html>{shape.format(label)}<title>{TEXTS[language][:15]}</title>"
    assert decode(page.encode(encoding), html=True).text == page


def test_xml_declares_its_encoding() -> None:
    page = f"<?xml version='1.0' encoding='windows-1251'?><p>{TEXTS['ru'][:9]}</p>"
    assert decode(page.encode("cp1251")) == Decoded(page, "windows-1251")


@pytest.mark.parametrize("label", ["utf-8", "utf-16", "x-unknown", "rot13", "base64", "unicode_escape", ""])
def test_a_declaration_that_cannot_be_is_not_believed(label: str) -> None:
    page = f"<meta charset='{label}'><p>Größe naïve \\u0041</p>"
    assert decode(page.encode("cp1252"), html=True) == Decoded(page, "windows-1252")


def test_a_declaration_that_reads_nothing_is_not_believed() -> None:
    page = "<meta charset=euc-jp>" + TEXTS["ru"]
    assert decode(page.encode("koi8-r"), html=True).text == page


def test_a_meta_tag_in_plain_text_declares_nothing() -> None:
    text = "<meta charset=koi8-r> Größe"
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Größe",
        "café",
        "naïve – “quoted”",
        "El niño cumplió años",
        "não é só",
        "smörgåsbord på ön",
        "10 € à cœur",
    ],
)
def test_short_latin_is_windows_1252(text: str) -> None:
    assert decode(text.encode("cp1252")) == Decoded(text, "windows-1252")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_marks(mark: bytes, encoding: str) -> None:
    for text in ("", "words", *TEXTS.values()):
        assert decode(mark + text.encode(encoding)) == Decoded(text, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    assert decode(TEXTS["de"].encode(encoding)) == Decoded(TEXTS["de"], encoding)


def test_bytes_that_no_encoding_has_are_replaced() -> None:
    assert decode(b"\xff\xfea\x00\x00\xd8b\x00").text == "a\ufffdb"
    assert decode(b"\xff\xfea").text == "\ufffd"


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_utf8_is_read_as_it_is(text: str) -> None:
    data = b"words " + text.encode()
    assert decode(data) == Decoded("words " + text, "utf-8")


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_become_text(data: bytes, html: bool) -> None:
    decode(data, html=html).text.encode()


def test_a_long_text_is_guessed_by_its_start() -> None:
    text = TEXTS["ja"] * 1500
    assert decode(text.encode("shift_jis")).text == text


@pytest.mark.parametrize(
    "broken",
    [
        "文档在五个文件夹里，编辑过的版本失去了联系。".encode()[:-1],
        "文档在五个文件夹里\xff".encode("utf-8", "replace").replace(b"?", b"\xff")
        + "，编辑过的版本失去了联系。".encode(),
        ("Prüfregler und Größe für die Türverriegelung. " * 4).encode() + b"\xc3",
    ],
    ids=["cut", "stray byte", "lone lead"],
)
def test_utf8_with_a_broken_byte_is_still_utf8(broken: bytes) -> None:
    decoded = decode(broken)
    assert decoded.encoding == "utf-8"
    assert decoded.text == broken.decode("utf-8", "replace")


WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", WIDE)
def test_wide_text_of_any_script_needs_no_mark(language: str, encoding: str) -> None:
    for text in (TEXTS[language], TEXTS[language][:60] + "\r\n", TEXTS[language] * 40, "😀 " + TEXTS[language]):
        data = text.encode(encoding)
        assert sniff(data) is TextKind.OTHER
        assert decode(data) == Decoded(text, encoding)


@pytest.mark.parametrize("language", TEXTS)
def test_other_encodings_are_not_wide(language: str) -> None:
    for encoding in (
        "utf-8",
        "cp1251",
        "cp932",
        "euc-jp",
        "gb18030",
        "big5hkscs",
        "cp949",
        "cp1253",
        "cp1255",
        "cp1256",
    ):
        data = TEXTS[language].encode(encoding, "ignore")
        assert wide_without_mark(data) is None
        assert wide_without_mark(data[1:] + b"\n") is None


@pytest.mark.parametrize(("language", "encoding"), [("ja", "iso2022_jp_ext"), ("ko", "iso2022_kr"), ("zh", "hz")])
def test_ascii_that_switches_between_character_sets(language: str, encoding: str) -> None:
    text = "In ASCII: " + TEXTS[language] + "\nand ASCII ~ again"
    data = text.encode(encoding, "ignore")
    assert data.isascii()
    assert sniff(data) is TextKind.OTHER
    assert decode(data) == Decoded(data.decode(encoding), encoding)
    assert TEXTS[language][:8] in decode(data).text


@pytest.mark.parametrize(
    "data", [b"cleared \x1b$ and \x1b[0m", b'(format t "~{~a~^, ~}" list)', b"~{~}", b"\x1b$B", b"regex ~{2,3}~} x"]
)
def test_escapes_of_other_sorts_are_text_as_it_is(data: bytes) -> None:
    assert decode(data) == Decoded(data.decode(), "utf-8")


@pytest.mark.parametrize(
    "shape", ["<html><meta charset=iso-2022-jp><p>{}</p>", "<?xml encoding='ISO-2022-JP'?><a>{}</a>"]
)
def test_pages_that_switch_between_character_sets(shape: str) -> None:
    page = shape.format(TEXTS["ja"])
    assert decode(page.encode("iso-2022-jp"), html=True).text == page
