"""A mailbox is cut where mails begin, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.test_archives import members
from formats.test_detect import told
from formats.test_visible_text import found

FROM = b"From ann@example.org Mon Jan  1 10:00:00 2024\n"
FIRST = b"From: ann@example.org\nSubject: one\n"
LINES = [
    b"From the beginning of the project\n", b"From: here\n", b"words\n", b"\n", b">From Monday on\n", FROM,
    b"From bob Tue Jan  2 10:00\n", b"From now on Mon Jan  1 10:00:00 2024\n",
]  # fmt: skip


def mails(data: bytes) -> list[bytes]:
    return [one.data for one in found(data, b"a.mbox")[1].members]


@pytest.mark.parametrize(
    "line",
    [
        FROM,
        b"From - Mon Jan 01 10:00:00 2024\n",
        b"From MAILER-DAEMON Mon Jan  1 10:00:00 CET 2024\r\n",
        b"From 1495@xxx Mon Jan 01 10:00:00 +0000 2024\n",
        b"From ann at example.org  Mon Jan  1 10:00:00 2024\n",
        b"From ann@example.org Mon, 1 Jan 2024 10:00:00 +0100\n",
        b"From ann@example.org\n",
    ],
)
def test_lines_that_begin_a_mail(line: bytes) -> None:
    assert mails(line + FIRST + b"\nbody\n\n" + line + FIRST + b"\nmore\n") == [
        FIRST + b"\nbody\n\n",
        FIRST + b"\nmore\n",
    ]
    assert told(line + FIRST) == ("mbox" if b"10:00" in line else None)


@pytest.mark.parametrize("line", [LINES[0], LINES[6], LINES[7], FROM])
def test_sentences_stay_in_their_mail(line: bytes) -> None:
    body = b"\nhello\n\n" + line + b"and no field here\n"
    assert mails(FROM + FIRST + body) == [FIRST + body]


def test_a_mail_may_say_how_long_it_is() -> None:
    body = b"hello\n\n" + FROM + b"Subject: quoted\n\nend\n"
    length = f"Content-Length: {len(body)}\n\n".encode()
    assert mails(FROM + FIRST + length + body + b"\n" + FROM + FIRST) == [FIRST + length + body + b"\n", FIRST]
    assert mails(FROM + FIRST + length + body) == [FIRST + length + body]
    wrong = f"Content-Length: {len(body) - 9}\n\n".encode()
    assert len(mails(FROM + FIRST + wrong + body)) == 2


@given(st.lists(st.sampled_from(LINES), max_size=12), st.integers(0, 300))
def test_no_line_is_lost(lines: list[bytes], length: int) -> None:
    body = b"".join(lines)
    data = FROM + FIRST + f"Content-Length: {length}\n\n".encode() + body
    kept = b"".join(mails(data))
    assert kept.count(b"words\n") == body.count(b"words\n")
    assert kept.count(b"From the beginning") == body.count(b"From the beginning")
    assert kept.count(FROM) + len(mails(data)) >= data.count(FROM)


def test_a_mailbox_of_another_sort_is_cut_alike() -> None:
    line = b"From somebody 2024-01-01\n"
    assert mails(line + FIRST + b"\nFrom here on\n\n" + line + FIRST) == [FIRST + b"\nFrom here on\n\n", FIRST]


def test_a_text_that_is_only_named_like_one_is_text() -> None:
    assert told(b"From here on\nwords\n", b"a.mbox") is None
    assert members(FROM + FIRST) == {"1.eml": FIRST}
