"""The sample says the truth: an independent, slow and obvious oracle finds the same families in it."""

import hashlib
import os
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from nearkin.sample.repository import write_sample
from nearkin.sample.truth import FamilyKind, RelationKind, Truth
from sample import plain_reader

WINDOW = 20
JOINED = 0.7
ATTACHED = 0.9
LEAST_PART = 200

_BLOCKS = ("p", "br", "li", "ul", "ol", "td", "tr", "table", "h2", "title", "body", "head", "html")


class VisibleText(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style")
        if tag in _BLOCKS:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")
        if tag in _BLOCKS:
            self.pieces.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data)


def read(data: bytes, path: str) -> str:
    if (told := plain_reader.text(path, data)) is not None:
        return told
    if data.startswith(b"\xff\xfe"):
        return data[2:].decode("utf-16-le")
    if not path.endswith(".html"):
        return data.decode()
    declared = re.search(rb'charset="([a-z0-9-]+)"', data)
    parser = VisibleText()
    parser.feed(data.decode(declared.group(1).decode() if declared else "utf-8"))
    parser.close()
    return "".join(parser.pieces)


def canonical(text: str) -> bytes:
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = (
        char if unicodedata.category(char)[0] in "LM" or unicodedata.category(char) == "Nd" else " " for char in folded
    )
    return " ".join("".join(kept).split()).encode()


def shingles(words: bytes) -> frozenset[bytes]:
    return frozenset(words[at : at + WINDOW] for at in range(len(words) - WINDOW + 1))


class Oracle:
    def __init__(self, root: Path) -> None:
        self.bytes = {
            name: data
            for path in documents_in(root)
            for name, data in plain_reader.members(str(path.relative_to(root)), path.read_bytes())
        }
        self.words = {
            path: canonical(read(data, path))
            for path, data in self.bytes.items()
            if not path.endswith((".png", ".zip"))
        }
        self.copies: dict[bytes, list[str]] = defaultdict(list)
        for path, words in self.words.items():
            if words:
                self.copies[words].append(path)
        self.sets = {words: shingles(words) for words in self.copies}

    def shared(self, one: str, other: str) -> tuple[float, float]:
        """Resemblance, and containment of the one in the other."""
        a, b = self.sets[self.words[one]], self.sets[self.words[other]]
        common = len(a & b)
        return common / (len(a) + len(b) - common), common / len(a)

    def pairs(self) -> set[tuple[bytes, bytes]]:
        """Contents that may have much in common: all pairs with a short one, others by sampled shingles."""
        short = [words for words, found in self.sets.items() if len(found) < 600]
        near = {(one, other) for one in short for other in self.sets if one < other or len(self.sets[other]) >= 600}
        index: dict[bytes, list[bytes]] = defaultdict(list)
        for words, found in self.sets.items():
            for shingle in found:
                if zlib.crc32(shingle) % 16 == 0:
                    index[shingle].append(words)
        seen: Counter[tuple[bytes, bytes]] = Counter()
        for holders in index.values():
            seen.update(combinations(holders, 2))
        sizes = {words: len(found) for words, found in self.sets.items()}
        return near | {pair for pair, count in seen.items() if 16 * count >= 0.2 * min(map(sizes.__getitem__, pair))}


def documents_in(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file() and path != root / "truth.json")


def digest(root: Path) -> str:
    total = hashlib.sha256((root / "truth.json").read_bytes())
    for path in documents_in(root):
        total.update(os.fsencode(path.relative_to(root)))
        total.update(path.read_bytes())
        total.update(b"%d" % path.stat().st_mtime_ns)
    return total.hexdigest()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample") / "demo"
    write_sample(root)
    return root


@pytest.fixture(scope="module")
def truth(sample: Path) -> Truth:
    return Truth.load(sample / "truth.json")


@pytest.fixture(scope="module")
def oracle(sample: Path) -> Oracle:
    return Oracle(sample)


def related(truth: Truth) -> set[frozenset[str]]:
    groups = [family.members for family in truth.families] + [relation.paths for relation in truth.relations]
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def paths_of(truth: Truth, kind: RelationKind) -> list[tuple[str, ...]]:
    return [relation.paths for relation in truth.relations if relation.kind is kind]


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path, sample: Path) -> None:
    write_sample(tmp_path / "again")
    write_sample(tmp_path / "other", seed=2)
    assert digest(tmp_path / "again") == digest(sample)
    assert digest(tmp_path / "other") != digest(sample)


@pytest.mark.parametrize("documents", [1, 50, 600, 2000])
def test_exactly_the_documents_asked_for(tmp_path: Path, documents: int) -> None:
    truth = write_sample(tmp_path / "demo", documents=documents)
    assert len(documents_in(tmp_path / "demo")) == truth.documents == documents


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError):
        write_sample(tmp_path)


def test_the_truth_survives_its_file(tmp_path: Path) -> None:
    written = write_sample(tmp_path / "demo", documents=300)
    read_back = Truth.load(tmp_path / "demo" / "truth.json")
    assert [family.members for family in read_back.families] == [family.members for family in written.families]
    assert [relation.paths for relation in read_back.relations] == [relation.paths for relation in written.relations]


def test_every_kind_is_there_and_two_fifths_are_kin(truth: Truth) -> None:
    assert {relation.kind for relation in truth.relations} == set(RelationKind)
    assert {family.kind for family in truth.families} == set(FamilyKind)
    members = [path for family in truth.families for path in family.members]
    assert len(members) == len(set(members))
    assert 0.33 <= len(members) / truth.documents <= 0.45


def test_every_path_of_the_truth_is_a_file(truth: Truth, oracle: Oracle) -> None:
    known = oracle.bytes.keys()
    assert {path for family in truth.families for path in family.members} <= known
    assert {path for relation in truth.relations for path in relation.paths} <= known


def test_office_documents_mail_and_archives_are_there(truth: Truth, oracle: Oracle) -> None:
    assert {path.rpartition(".")[2] for path in oracle.bytes} >= {"pdf", "docx", "xlsx", "eml", "zip", "html", "txt"}
    attached = [
        pair for paths in paths_of(truth, RelationKind.IDENTICAL) for pair in pairwise(paths) if "!/" in pair[1]
    ]
    assert any(".eml!/papers.zip!/" in inside for _, inside in attached)
    assert any(".zip!/papers/" in inside for _, inside in attached)
    assert all("!/" not in outside for outside, *_ in paths_of(truth, RelationKind.IDENTICAL))
    for kind in (RelationKind.SAME_WORDS, RelationKind.VERSIONS):
        endings = [{path.rpartition(".")[2] for path in paths} for paths in paths_of(truth, kind)]
        assert any({"html", "docx", "pdf"} <= some for some in endings)


def test_a_plain_sample_is_text_and_html(tmp_path: Path) -> None:
    write_sample(tmp_path / "plain", documents=200, plain=True)
    assert {path.suffix for path in documents_in(tmp_path / "plain")} == {".txt", ".html", ".png"}


def test_odd_files_are_there(oracle: Oracle) -> None:
    names = [path.rpartition("/")[2] for path in oracle.bytes]
    assert any(name.startswith("-") for name in names)
    assert any(" " in name for name in names)
    assert any('"' in name for name in names)
    assert any(not name.isascii() for name in names)
    assert sum(not data for data in oracle.bytes.values()) >= 3
    assert any(data and not data.strip() for data in oracle.bytes.values())
    assert any(b"\0" in data for path, data in oracle.bytes.items() if path.endswith(".png"))


@pytest.mark.skipif(os.name != "posix" or os.uname().sysname != "Linux", reason="other file systems refuse such names")
def test_a_name_may_be_no_utf8(oracle: Oracle) -> None:
    assert any("\udce9" in path for path in oracle.bytes)


def test_identical_and_same_words(truth: Truth, oracle: Oracle) -> None:
    for paths in paths_of(truth, RelationKind.IDENTICAL):
        assert len({oracle.bytes[path] for path in paths}) == 1
    for paths in paths_of(truth, RelationKind.SAME_WORDS):
        assert len({oracle.bytes[path] for path in paths}) == len(paths)
        assert len({oracle.words[path] for path in paths}) == 1, paths


def test_versions_and_renames_resemble(truth: Truth, oracle: Oracle, sample: Path) -> None:
    for kind in (RelationKind.VERSIONS, RelationKind.RENAMED):
        for paths in paths_of(truth, kind):
            assert all(oracle.shared(*pair)[0] >= 0.75 for pair in pairwise(paths)), paths
            stamps = [(sample / path).stat().st_mtime for path in paths]
            assert stamps == sorted(stamps)
    steps = [step for relation in truth.relations for step in relation.details.get("steps", ())]
    assert {step["placement"] for step in steps} == {"random", "even"}
    assert {1, 50} <= {step["edits"] for step in steps}


def test_parts_are_contained(truth: Truth, oracle: Oracle) -> None:
    contains = [relation for relation in truth.relations if relation.kind is RelationKind.CONTAINS]
    for relation in contains:
        container, part = relation.paths
        resemblance, containment = oracle.shared(part, container)
        length = len(oracle.sets[oracle.words[part]])
        assert containment >= 0.97
        assert resemblance < 0.5
        assert length >= 400 if relation.details["grouped"] else length < LEAST_PART
    assert {relation.details["grouped"] for relation in contains} == {True, False}
    assert any(len(oracle.words[relation.paths[0]]) > 180_000 for relation in contains)


def test_look_alikes_stay_apart_and_forms_together(truth: Truth, oracle: Oracle) -> None:
    for paths in paths_of(truth, RelationKind.LOOK_ALIKE):
        for pair in combinations(paths, 2):
            resemblance, containment = oracle.shared(*pair)
            assert resemblance < 0.6
            assert 0.45 <= containment <= 0.65
    for paths in paths_of(truth, RelationKind.SAME_FORM):
        assert len(paths) >= 6
        assert all(0.72 <= oracle.shared(*pair)[0] < 1 for pair in combinations(paths, 2))


def test_the_families_are_what_the_measures_say(truth: Truth, oracle: Oracle) -> None:
    kin = related(truth)
    leader = {words: words for words in oracle.sets}

    def find(words: bytes) -> bytes:
        while leader[words] != words:
            words = leader[words]
        return words

    parts: list[tuple[bytes, bytes]] = []
    for one, other in oracle.pairs():
        a, b = oracle.sets[one], oracle.sets[other]
        common, smaller = len(a & b), max(1, min(len(a), len(b)))
        resemblance, contained = common / max(1, len(a) + len(b) - common), common / smaller
        if resemblance >= JOINED:
            leader[find(one)] = find(other)
        elif contained >= ATTACHED and smaller >= LEAST_PART:
            parts.append((one, other) if len(a) < len(b) else (other, one))
        if frozenset((oracle.copies[one][0], oracle.copies[other][0])) not in kin:
            assert resemblance < 0.5, (oracle.copies[one], oracle.copies[other])
            assert contained < 0.8 or smaller < LEAST_PART, (oracle.copies[one], oracle.copies[other])

    groups: dict[bytes, set[str]] = defaultdict(set)
    attached = {part: find(container) for part, container in parts}
    for words, copies in oracle.copies.items():
        groups[attached.get(words, find(words))].update(copies)
    found = {frozenset(group) for group in groups.values() if len(group) > 1}
    assert found == {frozenset(family.members) for family in truth.families}
    held = {path for part in attached for path in oracle.copies[part]}
    assert held == {path for family in truth.families for path in family.parts}


def test_prose_seldom_repeats_itself(oracle: Oracle) -> None:
    """The bound that rations the edits: at least 0.82 of a page's bytes are distinct shingles."""
    for path, words in oracle.words.items():
        if 1_500 < len(words) < 20_000:
            assert len(oracle.sets[words]) >= 0.87 * len(words), path
