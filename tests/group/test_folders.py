"""Folder trees against all pairs of them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.group.folders import FolderEntry, Trees

PARENTS = [0, 0, 0, 1, 1, 2, 5, 7, 7]  # two scopes, 0 and 7


def around(folder: int) -> set[int]:
    return {folder} if PARENTS[folder] == folder else {folder} | around(PARENTS[folder])


filed = st.builds(
    lambda folder, exact, joined: FolderEntry(folder, exact, 100 + exact // 2 if joined else -exact - 1),
    st.integers(0, len(PARENTS) - 1),
    st.integers(0, 7),
    st.just(True),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(filed, max_size=25), st.sampled_from([0.4, 0.75, 1.0]))
def test_figures_are_those_of_all_pairs(documents: list[FolderEntry], share: float) -> None:
    found = Trees(PARENTS, documents).overlaps(least=2, share=share)
    below = {folder: [one for one in documents if folder in around(one.folder)] for folder in range(len(PARENTS))}

    def side(b: int, a: int) -> tuple[int, int]:
        same = [one for one in below[b] if one.exact in {other.exact for other in below[a]}]
        alike = [one for one in below[b] if one.family in {other.family for other in below[a]}]
        return len(same), len(alike) - len(same)

    for one in found:
        assert (one.b.same, one.b.near) == side(one.b.folder, one.a.folder)
        assert (one.a.same, one.a.near) == side(one.a.folder, one.b.folder)
        assert one.b.share >= max(share, one.a.share)
        assert one.a.folder not in around(one.b.folder)
        assert one.b.folder not in around(one.a.folder)
    listed = [{one.a.folder, one.b.folder} for one in found]
    for b, own in below.items():
        others = [a for a in below if a not in around(b) and b not in around(a)]
        if len(own) >= 2 and any(sum(side(b, a)) >= share * len(own) for a in others):
            assert any(pair & around(b) for pair in listed), b


def test_the_outer_trees_stand_for_the_inner() -> None:
    parents = [0, 0, 1, 1, 0, 4, 4]  # a/x a/y b/x b/y
    documents = [
        FolderEntry(folder, number, -number) for number in range(1, 7) for folder in (2 + number % 2, 5 + number % 2)
    ]
    found = Trees(parents, [*documents, FolderEntry(1, 99, -99)]).overlaps(least=2, share=0.5)
    assert [(one.a.folder, one.b.folder, one.a.only, one.b.only) for one in found] == [(1, 4, 1, 0)]
