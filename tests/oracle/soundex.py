"""American Soundex in the words of its rules."""

import re
import unicodedata
from itertools import pairwise

GROUPS = {"bfpv": "1", "cgjkqsxz": "2", "dt": "3", "l": "4", "mn": "5", "r": "6"}
DIGIT = {letter: digit for letters, digit in GROUPS.items() for letter in letters}
APART = {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n", "œ": "oe"}


def soundex(word: str) -> str:
    """Empty where there is no Latin letter."""
    plain = "".join(APART.get(char, char) for char in unicodedata.normalize("NFKD", word).casefold())
    letters = re.sub("[^a-z]", "", unicodedata.normalize("NFKD", plain))
    if not letters:
        return ""
    spoken = letters[0] + re.sub("[hw]", "", letters[1:])
    digits = [DIGIT.get(letter, "0") for letter in spoken]
    kept = [digit for before, digit in pairwise(digits) if digit != before and digit != "0"]
    return (letters[0].upper() + "".join(kept) + "000")[:4]
