"""Words of one language: small real lists, widened by joining heads and tails.

A slot letter names a word class: N noun, A adjective, V verb in a statement, I verb in an instruction,
D determiner, P preposition, C conjunction, K number, X the product. Every class offers exactly 256 words to a
topic, so that one random byte picks one word; smaller classes repeat theirs, so that little words stay common
as in real prose.

Words are short on purpose: where 20 bytes (10 Cyrillic or 6 Thai letters) fit inside one word, two texts
share shingles by sharing words, and resemblance between strangers would rise above 0.05.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from nearkin.lab.dice import Dice

CHOICES = 256


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_HEADS = words(
    "Cast Meri Vel Ori Tal Lumi Quan Sere Bor Del Fara Gal Hal Ista Jun Kor Lin Mar Neb Opa Pel Ran Sol Tor "
    "Umb Var Wes Xan Yar Zen Alt Bri Cor Dra Elm Fen"
)
_TAILS = words("or ano ix ian ent ara eon ura olis antis ello ina ode avis imo astra ique un")


@dataclass(frozen=True, eq=False)
class Language:
    code: str
    words: Mapping[str, tuple[str, ...]]
    sentences: tuple[str, ...]
    titles: tuple[str, ...]
    spaced: bool = True
    stop: str = "."

    @cached_property
    def longest_word(self) -> int:
        return max(len(word.encode()) for words in self.words.values() for word in words)

    def shown(self, line: str) -> str:
        """Lines keep spaces between words, for the edits; scripts without them lose them on the page."""
        return line if self.spaced else line.replace(" ", "")


def blend(whole: str, heads: str = "", tails: str = "", *, joiner: str = "", size: int = 1024) -> tuple[str, ...]:
    """The whole words, then heads joined to tails, all different and mixed."""
    first, second = heads.split(), tails.split()
    joined = [head + joiner + tail for head in first for tail in second if head != tail]
    known = list(dict.fromkeys(whole.split()))
    coined = [word for word in dict.fromkeys(Dice(1).shuffled(joined)) if word not in known]
    return tuple(Dice(2).shuffled(known + coined[: size - len(known)]))


def stretch(words: tuple[str, ...], topic: int) -> list[str]:
    """The 256 words of a class that a topic uses; topics overlap, no two stretches are quite equal."""
    start = topic * 97 % len(words)
    return list((words * (2 + CHOICES // len(words)))[start : start + CHOICES])


def product(number: int) -> str:
    """A made-up product name, another for every number below half a million: "Castor 3200"."""
    names = len(_HEADS) * len(_TAILS)
    name = number * 131 % names  # 131 is coprime to 36 · 18, so all names come before one returns
    model = 100 + (number * 37 + number // names * 11) % 890
    return f"{_HEADS[name % len(_HEADS)]}{_TAILS[name // len(_HEADS)]} {model}0"


def person(number: int) -> str:
    """A made-up surname."""
    return f"{_HEADS[number % len(_HEADS)]}{_TAILS[number // len(_HEADS) % len(_TAILS)]}"


def coinage(number: int) -> str:
    """A single made-up word, another for every number."""
    letters = ""
    while True:
        number, digit = divmod(number, 100)
        letters += "bdfgklmnprstvzhjwqcx"[digit // 5] + "aeiou"[digit % 5]
        if number == 0:
            return letters + "n"
