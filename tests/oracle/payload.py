"""What is left of a family without what most of its members have: the definition, slow and obvious."""

from collections import Counter
from math import ceil
from statistics import median

Lists = list[list[int]]


def at_one_modulus(lists: Lists, moduli: list[int]) -> Lists:
    return [[feature for feature in one if feature % max(moduli) == 0] for one in lists]


def payloads(lists: Lists, most: float) -> Lists:
    counts = Counter(feature for one in lists for feature in one)
    return [[feature for feature in one if counts[feature] < ceil(most * len(lists))] for one in lists]


def alike(a: list[int], b: list[int], nothing: float) -> float:
    united = {*a, *b}
    return len({*a} & {*b}) / len(united) if united else nothing


def nearest(lists: Lists, asked: int, beside: int) -> list[int]:
    others = [at for at in range(len(lists)) if at != asked]
    return sorted(others, key=lambda at: (-alike(lists[asked], lists[at], 0.0), at))[:beside]


def best(lists: Lists, most: float, asked: int, beside: int) -> float:
    left = payloads(lists, most)
    return max(alike(left[asked], left[other], 1.0) for other in nearest(lists, asked, beside))


def median_size(lists: Lists, most: float, asked: list[int]) -> float:
    left = payloads(lists, most)
    return float(median(len(left[one]) for one in asked)) if asked else 0.0


def partly(lists: Lists, nearly_all: float, asked: list[int]) -> float:
    counts = Counter(feature for one in lists for feature in one)
    times = [counts[feature] for one in asked for feature in lists[one]]
    several = sum(1 < number < nearly_all * len(lists) for number in times)
    return several / (several + times.count(1)) if several else 0.0
