"""Names that stand together, cut so that they look unlike: what is cut out of each alone is often what differs."""

from collections import defaultdict
from collections.abc import Sequence

from nearkin.cli.wording import cells, ending, shortened, upto

LEAST = 12  # columns; in fewer there is no room for three pieces
MOST_PLACES = 3  # where names differ; of more the last ones are shown


def apart(names: Sequence[str], width: int) -> list[str]:
    """Each in at most so many columns, as it would be alone unless another looks the same. Two names always differ
    then; of many that differ in several places some may not."""
    shown = [shortened(name, width) for name in names]
    if width < LEAST:
        return shown
    found = _parted(names, shown, width, ())
    if len(set(found)) == len(set(names)):
        return found
    # What told some apart gave way to what tells others: all are cut in the same places.
    return _parted(names, ["" for _ in names], width, ())


def _parted(names: Sequence[str], shown: list[str], width: int, places: tuple[int, ...]) -> list[str]:
    """Those that look the same are cut around the first letter that differs, and if they still do, the next one."""
    alike: dict[str, set[str]] = defaultdict(set)
    for name, short in zip(names, shown, strict=True):
        alike[short].add(name)
    told = dict[str, str]()
    for same in alike.values():
        if len(same) > 1:
            group = sorted(same)
            letters = enumerate(zip(group[0], group[-1], strict=False))
            first = next((at for at, (one, other) in letters if one != other), len(group[0]))
            around = (*places, first)[-MOST_PLACES:]
            cut = [_around(name, around, width) for name in group]
            told |= zip(group, _parted(group, cut, width, around) if len(set(cut)) > 1 else cut, strict=True)
    return [told.get(name, short) for name, short in zip(names, shown, strict=True)]


def _around(name: str, places: tuple[int, ...], width: int) -> str:
    """Its beginning, a piece around each of these places, and its end."""
    room = width - 1 - len(places)  # without the …
    each = room * 2 // 5 // len(places)
    shown = upto(name, room // 5)
    end = len(shown)
    for at in places:
        begin = max(at - len(ending(name[:at], each // 3)), end)
        piece = upto(name[begin:], each)
        shown += piece if begin == end else f"…{piece}"
        end = begin + len(piece)
    left = width - cells(shown)
    return shown + (name[end:] if cells(name[end:]) <= left else f"…{ending(name[end:], left - 1)}")
