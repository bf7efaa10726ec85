"""Texts of very similar paragraphs line up as a careful reader would line them up."""

import random

import pytest

from nearkin.matching.passages import IN_ORDER, MOVED, REPEATED, placed, spans_in
from nearkin.query.alignment import align
from nearkin.report.word_marks import joined, rows
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon

CANON = Canon.of(TextSettings())
DUTIES = [
    "deliver the goods",
    "pay the fees",
    "insure the premises",
    "keep the records",
    "train the staff",
    "report defects",
]
KINDS = {IN_ORDER: "in order", MOVED: "moved", REPEATED: "repeated"}


def clause(number: int, duty: str, days: int) -> str:
    return (
        f"{number}. The Supplier shall {duty} within {days} days of receipt of a written notice from the Customer,"
        f" failing which the Customer may terminate this Agreement in accordance with clause {number + 3}."
    )


DUTY = [(f"{DUTIES[at % 6]} of part {chr(65 + at // 6)}", 10 + 5 * (at % 4)) for at in range(60)]
CONTRACT = [clause(at + 1, *duty) for at, duty in enumerate(DUTY)]


def changes(a: list[str], b: list[str], by: str = "\n\n") -> list[tuple[str, str]]:
    """What differs, word by word, in order."""
    first, second = by.join(a), by.join(b)
    spans = spans_in(CANON.apply(first.encode()), CANON.apply(second.encode()), raw=False)
    passages = placed(spans, first.encode(), second.encode(), CANON)
    alignment = align(spans, passages, first.encode(), second.encode(), CANON)
    told = []
    for row in rows(alignment, first, second, CANON):
        sides = [joined(word for word in side if word.changed) for side in (row.a, row.b)]
        if not row.block.same and any(sides):
            told.append((sides[0], sides[1]))
    return told


def kinds(a: list[str], b: list[str], by: str = "\n\n") -> list[str]:
    spans = spans_in(CANON.apply(by.join(a).encode()), CANON.apply(by.join(b).encode()), raw=False)
    return [KINDS[kind] for kind in spans.kind.tolist()]


def test_clauses_edited_in_a_contract_of_similar_clauses() -> None:
    edited = list(CONTRACT)
    edited[30] = edited[30].replace("within 20 days", "within 45 days")
    edited[41] = edited[41].replace("a written notice", "an electronic message")
    assert changes(CONTRACT, edited) == [("20", "45"), ("a written notice", "an electronic message")]
    assert kinds(CONTRACT, edited) == ["in order"] * 3


def test_rows_edited_in_a_table_of_similar_rows() -> None:
    chance = random.Random(1)
    rows_ = [
        f"{1000 + at} | Bolt M{chance.choice([4, 5, 6, 8])} x {chance.choice([10, 20, 30])} | steel, zinc plated |"
        f" {chance.choice([10, 20, 50])} pcs | {chance.choice(['0.10', '0.12', '0.20'])} EUR | in stock"
        for at in range(120)
    ]
    edited = list(rows_)
    edited[20] = edited[20].replace("in stock", "sold out")
    edited[80] = edited[80].replace("zinc plated", "plain")
    assert changes(rows_, edited, "\n") == [("in stock", "sold out"), ("zinc plated", "plain")]


def test_a_clause_put_in_is_told_from_its_beginning_to_its_end() -> None:
    more = clause(16, "publish the accounts", 15).replace("16.", "16a.")
    assert changes(CONTRACT, [*CONTRACT[:16], more, *CONTRACT[16:]]) == [("", more.replace("\n", " "))]
    assert changes([*CONTRACT[:16], more, *CONTRACT[16:]], CONTRACT) == [(more.replace("\n", " "), "")]


def test_a_clause_pasted_twice_is_put_in_and_leads_to_where_it_stands() -> None:
    pasted = [*CONTRACT, CONTRACT[7]]
    assert changes(CONTRACT, pasted) == [("", CONTRACT[7])]
    assert kinds(CONTRACT, pasted) == ["in order", "repeated"]


def test_what_was_renumbered_is_not_told_as_moved() -> None:
    put_in = [*DUTY[:16], ("publish the accounts", 15), *DUTY[16:]]
    told = changes(CONTRACT, [clause(at + 1, *duty) for at, duty in enumerate(put_in)])
    assert len(told) == 1 + 44
    assert told[1] == ("20. 18.", "21. 19.")
    assert told[-1] == ("63.", "64.")


def test_a_clause_that_was_moved_is_told_as_moved() -> None:
    moved = [*CONTRACT[:10], *CONTRACT[11:45], CONTRACT[10], *CONTRACT[45:]]
    assert kinds(CONTRACT, moved) == ["in order", "moved", "in order", "in order"]


def test_a_block_that_was_moved_is_told_as_moved_though_its_lines_resemble_those_in_its_place() -> None:
    assert kinds(CONTRACT, CONTRACT[30:] + CONTRACT[:30]) == ["moved", "in order"]


def in_order_share(a: list[str], b: list[str]) -> float:
    first = CANON.apply(" ".join(a).encode())
    spans = spans_in(first, CANON.apply(" ".join(b).encode()), raw=False)
    kept = spans.kind == IN_ORDER
    return float((spans.a_end - spans.a_start)[kept].sum()) / len(first)


def test_lists_of_which_every_entry_differs_stand_beside_each_other() -> None:
    def entries(seed: int) -> list[str]:
        chance = random.Random(seed)
        return [
            f"The Supplier shall {chance.choice(DUTIES)} of part {chance.choice('ABCDEFG')} within"
            f" {chance.choice([10, 20, 30])} days of receipt of a written notice from the Customer, failing which the"
            " Customer may terminate this Agreement."
            for _ in range(400)
        ]

    assert in_order_share(entries(1), entries(2)) > 0.8


NAMES = ["Anna Berg", "Carl Dorn", "Eva Falk", "Gerd Holm", "Ida Jansen", "Karl Lund", "Mia Nord", "Otto Palm"]
TOWNS = ["Bonn", "Köln", "Trier", "Mainz", "Essen", "Hagen", "Hamm", "Unna"]


def test_sections_of_a_form_follow_their_contents_and_not_their_numbers() -> None:
    def section(number: int, name: str, town: str, amount: int) -> str:
        return (
            f"Section {number}: Claimant\nName of the claimant: {name}\nPlace of residence: {town}\n"
            f"Amount claimed in euros: {amount}\nI declare that the above is true and complete to the best of my"
            " knowledge.\nSignature of the claimant: ____________"
        )

    filled = [(NAMES[at], TOWNS[at], 100 * at + 50) for at in range(8)]
    again = [*filled[:4], ("Paul Quist", "Neuss", 777), *filled[4:]]
    again[6] = ("Karl Lund-Meyer", "Hagen", 999)
    a, b = ([section(at + 1, *one) for at, one in enumerate(form)] for form in (filled, again))
    spans = spans_in(CANON.apply("\n".join(a).encode()), CANON.apply("\n".join(b).encode()), raw=False)
    first, second = CANON.apply("\n".join(a).encode()), CANON.apply("\n".join(b).encode())
    kept = [at for at in range(len(spans)) if spans.kind[at] == IN_ORDER]
    for name in NAMES:
        one, other = first.index(CANON.apply(name.encode())), second.index(CANON.apply(name.encode()))
        (beside,) = [at for at in kept if spans.a_start[at] <= one < spans.a_end[at]]
        assert spans.b_start[beside] - spans.a_start[beside] == other - one, name


@pytest.mark.parametrize(("written", "was", "becomes"), [("arabic", "يدفع", "ينشر"), ("chinese", "支付", "公布")])
def test_other_scripts(written: str, was: str, becomes: str) -> None:
    arabic = "المادة {}: يلتزم الطرف الثاني بأن يدفع الرسوم خلال {} يوما من تاريخ استلام إشعار خطي من الطرف الأول."
    chinese = (
        "第{}条 乙方应当在收到甲方书面通知之日起{}日内支付费用，否则甲方有权依照本合同的约定解除合同并要求赔偿损失。"
    )
    form = arabic if written == "arabic" else chinese
    articles = [form.format(at + 1, 10 + 5 * (at % 4)) for at in range(24)]
    edited = [*articles[:10], articles[10].replace(was, becomes), *articles[11:]]
    assert changes(articles, edited, "\n") == [(was, becomes)]
    assert kinds(articles, edited, "\n") == ["in order"] * 2
