"""The C++20 core. Kernels are in native/kernels, conversions in native/bindings.cpp."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Blob = bytes | bytearray
Bool = NDArray[np.bool_]
U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

VERSION: str  # of nearkin

# Rabin fingerprints: x^64 + POLYNOMIAL is the modulus. `fingerprints` gives one per window, in order.
POLYNOMIAL: int

def fingerprint(text: bytes) -> int: ...
def fingerprints(text: bytes, window: int) -> U64: ...

# Digests and encodings.
def sha256(data: bytes, portable: bool = False) -> bytes: ...
def sha256_all(data: list[bytes], portable: bool = False) -> list[bytes]: ...
def valid_utf8(data: bytes) -> bool: ...
def count_code_points(utf8: bytes) -> int: ...

# What sniff says. OTHER is text in an encoding that is not UTF-8. UNREAD, which only a batch says: nobody has looked.
EMPTY: int
TEXT: int
HTML: int
BINARY: int
OTHER: int
UNREAD: int

def sniff(data: bytes, named_html: bool) -> int: ...

# Whether UTF-8 is a page.
def is_html(text: bytes, named_html: bool) -> bool: ...
def is_named_html(path: bytes) -> bool: ...

# 0: neither UTF-16 nor UTF-32 without a mark; 1 and 2: UTF-16, little- and big-endian; 3 and 4: UTF-32.
def wide_without_mark(data: bytes) -> int: ...

# JSON with the escapes of its strings undone; any other text as it is.
def unescaped_json(text: bytes) -> bytes: ...

# The text a reader of a page sees; UTF-8 in, UTF-8 out. xml: it is XHTML, whatever it begins with.
def visible_text(html: bytes, *, xml: bool = False) -> bytes: ...

# The same, and what the page says of itself: key, NUL, value, NUL … (see html.hpp).
def page(html: bytes) -> tuple[bytes, bytes]: ...
def page_json(properties: bytes) -> str | None:
    """Return the JSON of a page's properties; empty without any, None if Python has to read their values."""

# Bits of what canonical text ignores.
IGNORE_CASE: int
IGNORE_PUNCTUATION: int
IGNORE_DIGITS: int
IGNORE_ACCENTS: int

# Words separated by single spaces, on request line by line. The map gives, for every byte, the index of its character
# in the input.
def canonical(text: bytes, ignore: int, *, lines: bool = False) -> bytes: ...
def canonical_all(texts: list[bytes], ignore: int, threads: int, *, lines: bool = False) -> list[bytes]: ...
def canonical_map(text: bytes, ignore: int, *, lines: bool = False) -> tuple[bytes, U64]: ...

# The code of a word; empty where it has no Latin letter.
def soundex(word: bytes) -> bytes: ...

class Shingler:
    def __init__(self, *, unit: str, window: int, label: bool, seed: int, bits: int) -> None: ...
    def count(self, text: bytes) -> int: ...
    def all(self, text: bytes) -> U64:
        """In no order."""
    def placed(self, text: bytes) -> tuple[U64, U64, U64]:
        """Offsets, fingerprints, and bytes up to the next shingle, in order of the text."""

class Scheme: ...

def shingles(*, shingler: Shingler, modulus: int, sample: int, most: int) -> Scheme: ...
def sketch(*, shingler: Shingler, slots: int) -> Scheme: ...
def bsw(*, shingler: Shingler, modulus: int) -> Scheme: ...
def similarity_index(
    *, method: int, stream: str, stop_words: bool, vowels_or_duplicates: bool, k: int, window: int, seed: int
) -> Scheme: ...
def smallest(*, shingler: Shingler, n: int, modulus: int) -> Scheme: ...
def tttd(
    *, window: int, min: int, max: int, divisor: int, backup: int, residue: int, seed: int, bits: int
) -> Scheme: ...
def fuzzy(*, classes: list[int], reference: list[int], borders: list[list[tuple[int, ...]]]) -> Scheme: ...

# The kernels of the two, on fingerprints in the order of a text. `portable`: without special instructions.
def slot_minima(fingerprints: U64, slots: int, portable: bool = False) -> U64: ...
def chunk_minima(fingerprints: U64, modulus: int) -> U64: ...

# Features ascending, weights (empty where every feature weighs `modulus`), modulus.
def sign(scheme: Scheme, text: bytes) -> tuple[U64, U32, int]: ...

# Offsets, features, weights in order of offset.
def place(scheme: Scheme, text: bytes) -> tuple[U64, U64, U32]: ...

class Recipe:
    raw: bool
    max_size: int
    def __init__(self, *, scheme: Scheme, raw: bool, ignore: int, lines: bool, max_size: int) -> None: ...

class Suspects:
    """Files that may be of a format: those with such an ending are, and whoever begins as one does may be."""

    def __init__(self, *, endings: list[bytes], marks: list[bytes]) -> None: ...
    def by_name(self, path: bytes) -> bool: ...
    def by_content(self, bytes: bytes, kind: int) -> bool: ...

NO_OWNER: int

class Batch:
    """Rows as columns."""

    errors: list[int]
    kinds: list[int]
    sizes: list[int]
    mtimes: list[int]
    ctimes: list[int]
    inodes: list[int]  # as SQLite can hold them
    owners: list[int]  # NO_OWNER: not known
    characters: list[int]
    lengths: list[int]
    moduli: list[int]
    digests: list[bytes | None]  # of the bytes; none where they could not be read
    contents: list[bytes | None]  # of the canonical text; none where there is no text
    features: list[bytearray]
    weights: list[bytearray] | None
    def __len__(self) -> int: ...
    named: list[int]  # rows that are suspects by their name: nothing but their digest is known
    marked: list[int]  # … and by how they begin
    stores: list[int]  # rows that are stores of nearkin: nothing was taken from them
    copies: list[int]  # rows of bytes met before, whose text and features are those of the first
    held: int  # bytes of texts, canonical texts and features
    # Both only once: they are not kept.
    def take_texts(self) -> list[bytes]: ...
    # All texts end to end, where they are, until they are dropped.
    def lend_texts(self) -> U8: ...
    def drop_texts(self) -> None: ...
    def take_canonical(self) -> list[bytes]: ...

class Copies:
    """What the files were found to be that were read so far, by their bytes."""

# May stop early, with fewer rows than paths, when the texts grow large. Copies come without text and features; batches
# must be stored in the order of their turns.
def ingest_files(
    folder: bytes,  # as all paths begin, with its slash
    paths: list[bytes],
    recipe: Recipe,
    suspects: Suspects | None = None,
    copies: Copies | None = None,
    turn: int = 0,
) -> Batch: ...

# For each 1 where size, times of change and inode are these; a ctime of 0 is not compared.
def unchanged(
    paths: list[bytes], sizes: list[int], mtimes: list[int], ctimes: list[int], inodes: list[int], threads: int
) -> bytes: ...

# What lies in a folder, as prefix + name, in byte order. And which of the paths are no plain files: a FOLDER, a file
# that is WATCHED, by its inode or because its name ends as a hint says, or what could not be told, by the error's
# number. And how many links and special files (pipes, sockets, devices) were passed over.
# OSError: the folder cannot be looked into. `ask`: as on a file system that does not tell with the names what they are.
FOLDER: int
WATCHED: int

def list_folder(
    folder: bytes, prefix: bytes, *, hidden: bool, watched: list[int], hints: list[bytes] = ..., ask: bool = False
) -> tuple[list[bytes], list[tuple[int, int]], tuple[int, int]]: ...

# Whether a file that begins so is a store of nearkin; so many bytes are enough.
STORE_HEADER: int

def is_store_header(bytes: bytes) -> bool: ...
def ingest_bytes(bytes: list[bytes], named_html: list[bool], recipe: Recipe) -> Batch: ...
def ingest_texts(texts: list[bytes], html: list[bool], recipe: Recipe) -> Batch: ...

# Only what texts say counts: strings must be ASCII, and the batch has neither texts nor digests of them.
def ingest_contents(texts: list[str | bytes], recipe: Recipe) -> Batch: ...

# The same for texts end to end; ValueError: one is not UTF-8.
def ingest_column(offsets: I64, data: U8, recipe: Recipe) -> Batch: ...

NOTHING: int  # the content of a text that says nothing

class HeldTexts:
    """Some canonical texts, read natively without a copy."""

    complete: bool  # none of them is empty
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def __getitem__(self, at: int) -> bytes: ...

class HeldFeatures:
    """Some contents' features in native memory, in the order in which they were asked for."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[U64]: ...
    def __getitem__(self, at: int) -> U64: ...
    def joined(self) -> U64: ...  # end to end

class TextContents:
    """Texts in memory as a store would hold them: each distinct canonical text once, in the order of digests."""

    # Bytes. Texts are not kept from the first batch on that has no room, but for one very long text; of features then
    # none are.
    def __init__(self, *, for_texts: int = ..., for_features: int = ...) -> None: ...
    def add(self, batch: Batch) -> None:
        """The next texts. The batch is empty afterwards."""
    def put_in_order(self, *, weighted: bool) -> None:
        """Once, after the last; what follows is there then."""
    def put_in_order_of(self, digests: list[bytes]) -> bool:
        """Likewise, in the order of these contents. Whether all are known with signatures that need no weights; of
        those that are not known the texts are empty."""
    def features_of(self, rows: I64) -> HeldFeatures:
        """Where they are; row -1 has none."""
    def texts(self, rows: Sequence[int]) -> HeldTexts: ...
    holding: U32  # by text: its content
    # By content.
    lengths: I64
    offsets: U64
    features: U64  # put together when they are asked for: the join reads them where they are
    weights: U32
    moduli: U64

class JoinOptions:
    """What a join looks for. A threshold over 1 is one that nothing reaches."""

    def __init__(
        self,
        *,
        estimator: str,
        sampled: bool,
        limit: int,
        contains: bool,
        resemblance: float,
        containment: float,
        floor: float,
        confidence: float,
        floor_reach: int,
        floor_most: int,
        short_part: int,
        short_sample: int,
        hot: int,
        threads: int,
    ) -> None:
        """Options as `JoinOptions`, `Evidence` and `ThresholdOptions` of native/kernels/join/candidates.hpp explain
        them. ValueError: the estimator is unknown, or its limit is missing or superfluous."""

class JoinResult:
    """Candidate pairs, a < b, sorted by (a, b). The arrays show the kernel's memory; nothing is copied."""

    @property
    def a(self) -> U32: ...
    @property
    def b(self) -> U32: ...
    @property
    def shared(self) -> U64: ...
    @property
    def size_a(self) -> U64: ...
    @property
    def size_b(self) -> U64: ...
    @property
    def united(self) -> U64: ...
    @property
    def strong(self) -> Bool: ...
    @property
    def hot_contents(self) -> U32:
        """Contents with a hot feature in their prefix, ascending."""
    @property
    def hot_features(self) -> int:
        """The number of hot features."""
    @property
    def hot_links(self) -> int:
        """The number of pairs that only stars have met."""

def candidates(
    offsets: U64,
    features: U64 | TextContents,
    weights: U32,
    moduli: U64,
    options: JoinOptions,
    *,
    touched: U8,
    common: U64,
) -> JoinResult:
    """Join lists in memory. Features lie end to end, or where the contents hold them."""

class BoundedJoin:
    """The join of a collection whose lists do not fit into memory. It finds the same candidates.

    First all lists are added, in any order. Then each stage is done, part by part. Then come the stars, and then the
    join of each pair of bins.
    """

    class Stage(Enum):
        COUNT = 0
        ORDER = 1
        LINK = 2
        REACH = 3
        DISTRIBUTE = 4

    PARTS: int  # of every stage
    bins: int
    spilled: int  # bytes written to temporary files
    def __init__(self, folder: str, moduli: U64, options: JoinOptions, *, weighted: bool, memory: int) -> None: ...
    def add(self, rows: U32, offsets: U64, features: U64, weights: U32) -> None: ...
    def work(self, stage: Stage, start: int, stop: int) -> None: ...
    def stars(self) -> JoinResult: ...
    def pairs(self) -> list[tuple[int, int]]: ...
    def join(self, bin: int, other: int) -> JoinResult: ...

# How many features the lists a[i] and b[i] have in common; ascending, as postings are.
def shared(offsets: U64, features: U64, a: U32, b: U32, *, threads: int) -> U64: ...

# shared, size_a, size_b, bytes in common at least; `shared` may be 0 for pairs that reach neither bound. Shingles that
# are `ignored` (ascending, of all bits and seed 0) count nowhere.
def verify(
    texts: list[bytes] | HeldTexts,
    a: U32,
    b: U32,
    *,
    shingler: Shingler,
    resemblance: float,
    containment: float,
    threads: int,
    ignored: U64 | None = None,
) -> tuple[U64, U64, U64, U64]: ...

# One pair, never given up, slice by slice: the same numbers (shared, sizes, bytes in both) in so many parts of memory.
def measure_long(
    a: bytes,
    b: bytes,
    *,
    shingler: Shingler,
    slices: int,
    ignored: U64 | None = None,
) -> tuple[int, int, int, int]: ...

class Bars:
    """What lists must share to count. A bar over 1 is one that nothing reaches."""

    def __init__(
        self,
        *,
        estimator: str,
        sampled: bool,
        limit: int,
        contains: bool,
        resemblance: float,
        containment: float,
        floor: float,
        confidence: float,
    ) -> None: ...

class Segment:
    """From features to the contents that have them: in memory, or in a file mapped into it."""

    contents: I64  # by rank
    features: int
    postings: int
    size: int  # bytes
    @staticmethod
    def of(
        contents: I64,
        offsets: U64,
        features: U64 | HeldFeatures,  # end to end, or as they are held
        weights: U32,
        moduli: U64,
        *,
        base: int,
        levels: int,
        ignored: U64,
        token: bytes,
    ) -> Segment:
        """In memory; moduli are base · 2^level. Features that are ignored (ascending) count nowhere."""
    @staticmethod
    def open(path: str, token: bytes) -> Segment:
        """RuntimeError: not this segment, or damaged; OSError: not there or not to be read."""
    @staticmethod
    def merge(segments: list[Segment], path: str, *, token: bytes) -> None: ...
    def save(self, path: str) -> None: ...
    def populate(self) -> None: ...
    def intact(self) -> bool:
        """Reads all of it."""
    def search(self, features: U64, weights: U32, *, modulus: int, bars: Bars) -> tuple[I64, U64, U64, U64, U64]:
        """Content, shared, size of the query, size of the content, modulus compared at. Features ascending, each once;
        modulus 1 where they are all there are."""
    def lists(self, features: U64) -> tuple[U64, I64]:
        """Offsets, and for each feature the contents that have it."""
    def __len__(self) -> int: ...

# Terms of a text in order; how many begin with each letter; each distinct one's fingerprint, ascending, and its count.
def terms(text: bytes) -> list[bytes]: ...
def letter_counts(text: bytes) -> U64: ...
def term_frequencies(text: bytes) -> tuple[U64, U64]: ...

class Collisions:
    """Pairs of texts with a feature in common: a < b, sorted by (a, b), some at a time."""

    def __init__(self, offsets: U64, features: U64) -> None: ...
    def next(self, most: int) -> tuple[U32, U32]: ...

# Common passages of two canonical texts (or of raw bytes): their starts and ends in a and in b, in bytes, and what they
# are: 0 in one order in both, 1 moved, 2 there once more. Edits by words in the same columns, after their number; None:
# more than `most`. Which others hold a window of a text (1 or 0).
Places = tuple[U64, U64, U64, U64]

def passages(a: bytes, b: bytes, *, least: int, raw: bool) -> tuple[Places, U8]: ...
def word_edits(a: bytes, b: bytes, *, most: int) -> tuple[int, Places] | None: ...
def holding(text: bytes, others: list[bytes], *, window: int, threads: int) -> bytes: ...

# Runs of white space as one space: the text, and where the runs of several bytes began and ended. Whether a text is in
# composed form, by the blocks of its characters alone: False says nothing.
def fold_spaces(text: bytes) -> tuple[bytes, U64, U64]: ...
def surely_composed(text: bytes) -> bool: ...

class Anchors:
    def __init__(self, kept: bytes, *, window: int) -> None: ...
    def runs(self, text: bytes) -> U8:
        """One bit for each window of a text, set only where the kept text has it."""
    def met(self) -> U8:
        """One bit for each window of the kept text, set only where a text has it that was asked for."""

class WindowSet:
    def __init__(self, *, window: int, part: int, parts: int, room: int = 0) -> None: ...
    def add(self, text: bytes, *, owner: int | None, skip: U8) -> None:
        """Windows whose bit is not set. Without an owner a text only asks."""
    def note(self, text: bytes, *, owner: int, skip: U8) -> None:
        """The text owns those that are there, too; none is added."""
    def held(self, text: bytes, *, several: bool, skip: U8) -> U8:
        """Windows that are skipped or somebody's, or of several texts."""
    def __len__(self) -> int: ...

class WindowCounts:
    def __init__(self, *, window: int, modulus: int) -> None: ...
    def add(self, text: bytes) -> None: ...
    def shares(self) -> tuple[I64, I64]:
        """Of each text its distinct windows, and how many of the others' are among them."""

# Characters, missing, residue, respaced, stretches of residue; of the first so many where they begin and end, in bytes
# and in characters. A reading: its length, what was changed (starts, ends, new lengths); kept, anywhere, whole of it.
def certify(
    text: bytes,
    *,
    raw: bool,
    window: int,
    kept: U8,
    anywhere: U8,
    whole: bool,
    reading: tuple[int, U64, U64, U64, U8, U8, bool] | None,
    listed: int,
) -> tuple[int, int, int, int, int, list[tuple[int, int, int, int]]]: ...

# NaN where a text has no terms.
def cosines(texts: list[bytes], a: U32, b: U32, *, threads: int) -> F64: ...
def intervals(k: U64, n: U64, *, confidence: float, threads: int = 1) -> tuple[F64, F64]: ...

# P(X < least) + P(X > most) of a binomial X.
def binomial_outside(n: int, p: float, *, least: int, most: int) -> float: ...

# Where the links are: those of most strength first, of equals those of which there is more of something else, then by
# nodes. Neither may be negative.
def strongest_first(a: U32, b: U32, strength: F64, more: F64, *, threads: int = 1) -> U32: ...
def components(nodes: int, a: U32, b: U32) -> U32: ...

# Views of families. A link is two nodes and a strength, each pair once; NO_LINK stands for none. The order in which
# links come never matters: the strongest is taken first, of equal ones the one with the smallest nodes.
NO_LINK: int

# Of families end to end: how much the payloads of pairs resemble each other, and how many features the two have
# together; of those asked, which lists are nearest, and the most that its payload resembles one of theirs; by family
# the median of how many features the payloads of those asked have, and of what not nearly all have the share that
# several have. Pairs and those asked are told by their place in the family.
def payloads(
    offsets: U64,
    features: U64,
    moduli: U64,
    rows: U32,
    ends: U64,
    a: U32,
    b: U32,
    pair_ends: U64,
    asked: U32,
    asked_ends: U64,
    *,
    most: float,
    nearly_all: float,
    beside: int,
    threads: int,
) -> tuple[F64, U64, U32, F64, F64, F64]: ...

# By label: links inside, their strengths together, and the weakest. For chains every link must lie inside, and the
# weakest is of those that hold the chain together.
def tally(label: U32, a: U32, b: U32, strength: F64, *, chains: bool) -> tuple[U64, F64, U32]: ...

# Of each node its principal, and the link to it.
def principals(order: U32, a: U32, b: U32, strength: F64) -> tuple[U32, U32]: ...

# Of each node the smallest node of its complete-link cluster.
def cliques(nodes: int, a: U32, b: U32, strength: F64) -> U32: ...

# Of each node the one in whose family it belongs as a part, or itself. Only those alone (not 0) may be parts.
def homes(
    alone: U8,
    a: U32,
    b: U32,
    a_in_b: F64,
    b_in_a: F64,
    size_a: I64,
    size_b: I64,
    *,
    share: float,
    size: int,
) -> U32: ...

# How features in common become a resemblance, in `greedy`.
OVERLAP: int
SMALLEST: int
SLOTS: int

# For every signature the row that founded its cluster, and its resemblance to what represents the cluster at the end.
# `most` is n for SMALLEST.
def greedy(
    offsets: U64,
    features: U64,
    weights: U32,
    moduli: U64,
    order: U32,
    *,
    threshold: float,
    agreement: int,
    most: int,
    popular: bool,
) -> tuple[U32, F64]: ...

# Rows on their way into SQLite, by columns: lists and tuples of values, arrays of numbers. `number` is what the table
# nearkin_rows is asked for.
class Feed:
    def __init__(self, columns: list[Any]) -> None: ...
    @property
    def number(self) -> int: ...

# The library under the module of this file; None: under one that is part of the program.
class FedSqlite:
    def __init__(self, module: str | None = None) -> None: ...
    @property
    def lends(self) -> bool: ...
    def offer(self) -> None: ...
    def withdraw(self) -> None: ...

FEED_COLUMNS: int

class Column:
    """One of the core's own, for a feed."""

    def __len__(self) -> int: ...

# Batches on their way into a store that holds nothing else. Rows that are not plain are left to Python.
def rows_apart(batch: Batch, raw: bool) -> list[int]: ...
def chosen_rows(batch: Batch, rows: list[int]) -> Batch: ...
def properties_for_python(batch: Batch) -> list[bytes]:
    """Return the properties of those pages whose values Python has to read; none once the JSON is filled in."""

def fill_property_json(batch: Batch, from_python: list[str]) -> None:
    """Write the properties of a batch's pages as JSON, once, with the given JSON of `properties_for_python`."""

def property_json(batch: Batch) -> list[str | None]:
    """Return the JSON of each row's properties, after `fill_property_json`."""

# Place and length of each text that is not empty and no copy, among those that are lent.
def text_places(batch: Batch, raw: bool) -> U64: ...

class Packed:
    """Compressed texts, by row; None where there is none."""

    bytes: int
    def __iter__(self) -> Iterator[bytearray | None]: ...

# `texts`: one for each of the places; `empty`: for those that have none.
def packed(batch: Batch, raw: bool, texts: Sequence[Blob], empty: bytes) -> Packed: ...
def distinct_owners(batch: Batch) -> list[int]: ...

class ContentIds:
    """Ids of contents, by their digests."""

    def __len__(self) -> int: ...
    def get(self, digest: bytes, /) -> int | None: ...
    def __setitem__(self, digest: bytes, number: int, /) -> None: ...

class TextIds:
    """Ids of texts, by digest of the bytes, extractor and content."""

    def __len__(self) -> int: ...
    def get(self, key: tuple[bytes, str, int], /) -> int | None: ...
    def __setitem__(self, key: tuple[bytes, str, int], number: int, /) -> None: ...

class Filed:
    """Columns of what was filed away: of documents, of contents and of texts that are new."""

    documents: int
    contents: int
    texts: int
    content_ids: Column
    content_digests: Column
    content_lengths: Column
    moduli: Column
    features: Column
    weights: Column | None
    text_ids: Column
    text_digests: Column
    text_contents: Column
    characters: Column
    sizes: Column
    mtimes: Column
    ctimes: Column
    inodes: Column
    digests: Column
    document_texts: Column
    properties: Column
    def extractors(self, by_kind: list[str]) -> Column: ...
    def packed(self, texts: Packed) -> Column: ...
    def owners(self, known: list[int], names: list[str | None]) -> Column: ...
    def by_kind(self, names: list[str] | list[str | None]) -> Column: ...

def file_away(
    batch: Batch,
    raw: bool,
    extractors: list[str],
    contents: ContentIds,
    texts: TextIds,
    next_content: int,
    next_text: int,
) -> Filed: ...
