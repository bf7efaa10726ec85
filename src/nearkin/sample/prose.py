"""Sentences about one topic, in one language.

Almost every word is drawn, the little ones too: a run of 20 bytes spans two or three words, so two texts that
have nothing to do with each other share next to none of them.
"""

import re
from functools import lru_cache
from operator import getitem

from nearkin.lab.dice import Dice
from nearkin.lab.vocabulary import CHOICES, Language, product, stretch

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
        """Sentences of size bytes together, or a little more."""
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
        """One word; of "feed latch" the latter."""
        return dice.pick(self._pools["NAV"[dice.below(3)]]).rpartition(" ")[2]

    def _compiled(self, pattern: str) -> tuple[str, list[list[str]]]:
        return _SLOT.sub("%s", pattern), [self._pools[slot] for slot in _SLOT.findall(pattern)]


@lru_cache(maxsize=512)
def prose(language: Language, topic: int) -> Prose:
    return Prose(language, topic=topic)


def cheered(lines: list[str], dice: Dice) -> list[str]:
    """Emoji stuck to the ends of some lines. They are no letters: the words stay what they were."""
    return [line + dice.pick(_EMOJI) if dice.chance(0.3) else line for line in lines]
