"""Prose of the sample: sentences about one topic in one language, drawn at random the same way everywhere.

Almost every word is drawn, small words too: a run of 20 bytes spans two or three words, so two unrelated texts share
next to none of these runs. The words of a language are small real lists, widened by joining heads and tails.

A slot letter names a word class: N noun, A adjective, V verb in a statement, I verb in an instruction, D determiner, P
preposition, C conjunction, K number, X the product. Every class offers exactly 256 words to a topic, so that one random
byte picks one word; smaller classes repeat theirs, so that small words are common as in real prose.

Words are short on purpose: where 20 bytes (10 Cyrillic or 6 Thai letters) fit inside one word, two texts share shingles
by sharing words, and the resemblance of unrelated texts would rise above 0.05.

Random numbers are the same on every platform and Python version. Only `random()` and `getrandbits()` of the Mersenne
Twister are used: their values are fixed, those of `choice`, `shuffle` and `sample` are not promised. Logarithms and
powers are avoided: their last bit depends on the C library.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import getitem
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Random numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def below(self, limit: int) -> int:
        return int(self._source.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return low + int(self._source.random() * (high - low + 1))

    def share(self, low: float, high: float) -> float:
        return low + self._source.random() * (high - low)

    def chance(self, probability: float) -> bool:
        return self._source.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._source.random() * len(items))]

    def octets(self, count: int) -> bytes:
        return self._source.getrandbits(8 * count).to_bytes(count, "little") if count else b""

    def zipf(self, low: int, high: int) -> int:
        """Draw a size from low to high, x about as often as 1/x²: the reciprocal is uniform."""
        return min(high, int(low / (1.0 - self._source.random() * (1.0 - low / (high + 1)))))

    def distinct(self, limit: int, count: int) -> list[int]:
        """Draw `count` different whole numbers below the limit, ascending (Floyd's sampling)."""
        chosen: set[int] = set()
        for last in range(limit - count, limit):
            draw = self.below(last + 1)
            chosen.add(last if draw in chosen else draw)
        return sorted(chosen)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            drawn = self.below(last + 1)
            mixed[last], mixed[drawn] = mixed[drawn], mixed[last]
        return mixed


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
        """Return a line as the page shows it. Lines keep spaces between words for the edits; scripts that write without
        spaces lose them here."""
        return line if self.spaced else line.replace(" ", "")


def blend(whole: str, heads: str = "", tails: str = "", *, joiner: str = "", size: int = 1024) -> tuple[str, ...]:
    """Return the whole words and heads joined to tails, all different, in random order."""
    first, second = heads.split(), tails.split()
    joined = [head + joiner + tail for head in first for tail in second if head != tail]
    known = list(dict.fromkeys(whole.split()))
    coined = [word for word in dict.fromkeys(Dice(1).shuffled(joined)) if word not in known]
    return tuple(Dice(2).shuffled(known + coined[: size - len(known)]))


def stretch(words: tuple[str, ...], topic: int) -> list[str]:
    """Return the 256 words of a class that a topic uses; topics overlap, but no two are quite equal."""
    start = topic * 97 % len(words)
    return list((words * (2 + CHOICES // len(words)))[start : start + CHOICES])


def product(number: int) -> str:
    """Return a made-up product name such as "Castor 3200", another for every number below half a million."""
    names = len(_HEADS) * len(_TAILS)
    name = number * 131 % names  # 131 is coprime to 36 · 18, so all names come before one returns
    model = 100 + (number * 37 + number // names * 11) % 890
    return f"{_HEADS[name % len(_HEADS)]}{_TAILS[name // len(_HEADS)]} {model}0"


def person(number: int) -> str:
    """Return a made-up surname."""
    return f"{_HEADS[number % len(_HEADS)]}{_TAILS[number // len(_HEADS) % len(_TAILS)]}"


def coinage(number: int) -> str:
    """Return a made-up word, another for every number."""
    letters = ""
    while True:
        number, digit = divmod(number, 100)
        letters += "bdfgklmnprstvzhjwqcx"[digit // 5] + "aeiou"[digit % 5]
        if number == 0:
            return letters + "n"


_SLOT = re.compile(r"\{([A-Z])\}")
_EMOJI = "🔧🙂🚀📎🌍🔋🧰🐢"


class Prose:
    def __init__(self, language: Language, *, topic: int) -> None:
        self.language = language
        self.topic = topic
        self.product = product(topic)
        self._pools = {slot: stretch(words, topic) for slot, words in language.words.items()}
        self._pools["X"] = [self.product] * CHOICES
        self._sentences = [self._compiled(pattern) for pattern in language.sentences]
        self._nameless = [self._compiled(pattern) for pattern in language.sentences if "{X}" not in pattern]
        self._titles = [self._compiled(pattern) for pattern in language.titles]
        self._branded = [self._compiled(pattern) for pattern in language.titles if "{X}" in pattern]
        self._widest = 1 + max(len(pools) for _, pools in self._sentences)

    def passage(self, dice: Dice, size: int, *, names_product: bool = True) -> list[str]:
        """Return sentences of `size` bytes together, or a little more."""
        patterns = self._sentences if names_product else self._nameless
        lines: list[str] = []
        written = 0
        while written < size:
            count = 1 + (size - written) // 120
            random, at = dice.octets(count * self._widest), 0
            for _ in range(count):
                form, pools = patterns[random[at] % len(patterns)]
                end = at + 1 + len(pools)
                line = form % tuple(map(getitem, pools, random[at + 1 : end]))
                at = end
                lines.append(line[0].upper() + line[1:] + self.language.stop)
                written += len(line.encode())
        return lines

    def line(self, dice: Dice) -> str:
        form, pools = dice.pick(self._sentences)
        text = form % tuple(map(getitem, pools, dice.octets(len(pools))))
        return text[0].upper() + text[1:] + self.language.stop

    def title(self, dice: Dice, *, names_product: bool = False) -> str:
        form, pools = dice.pick(self._branded if names_product else self._titles)
        text = form % tuple(map(getitem, pools, dice.octets(len(pools))))
        return text[0].upper() + text[1:]

    def word(self, dice: Dice) -> str:
        """Return one word; of "feed latch" the last."""
        return dice.pick(self._pools["NAV"[dice.below(3)]]).rpartition(" ")[2]

    def _compiled(self, pattern: str) -> tuple[str, list[list[str]]]:
        return _SLOT.sub("%s", pattern), [self._pools[slot] for slot in _SLOT.findall(pattern)]


@lru_cache(maxsize=512)
def prose(language: Language, topic: int) -> Prose:
    return Prose(language, topic=topic)


def cheered(lines: list[str], dice: Dice) -> list[str]:
    """Add emoji to the ends of some lines. They are no letters: the words stay the same."""
    return [line + dice.pick(_EMOJI) if dice.chance(0.3) else line for line in lines]
