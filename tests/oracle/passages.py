"""Common passages and edits by words, the slow and obvious way."""

Run = tuple[int, int]


def maximal_runs(text: str, other: str, least: int, *, words: bool) -> list[Run]:
    """Runs of a text that lie in the other one and in no longer such run."""
    runs = []
    for start in range(len(text)):
        if words and text[start] == " ":
            continue
        end = start
        while end < len(text) and text[start : end + 1] in other:
            end += 1
        while words and end > start and text[end - 1] == " ":
            end -= 1
        if end - start >= least:
            runs.append((start, end))
    return [run for run in runs if not any(a <= run[0] and run[1] <= b and (a, b) != run for a, b in runs)]


def chosen_runs(text: str, other: str, least: int, covered: set[int], *, words: bool) -> list[Run]:
    """At each place not covered yet the run that reaches farthest, unless it adds too little."""
    runs, covered, found = maximal_runs(text, other, least, words=words), set(covered), []
    for place in range(len(text)):
        around = [run for run in runs if run[0] <= place < run[1]]
        if place in covered or not around:
            continue
        run = max(around, key=lambda one: one[1])
        if len(set(range(place, run[1])) - covered) >= least:
            found.append(run)
            covered |= set(range(*run))
    return found


def distance(a: list[str], b: list[str]) -> int:
    """Of two lists of words: put in, taken out, replaced."""
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        before, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != other)))
    return row[-1]
