"""The C++20 core: kernels in native/kernels, conversions in native/bindings. Each section below is one binding file.

Texts are UTF-8 in bytes. Lists of lists lie end to end: the features of content i go from offsets[i] to offsets[i + 1],
ascending. Without weights every feature weighs the same. A pair i is the contents (or texts, or nodes) a[i] and b[i].
"""

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
Bits = U8  # eight in each byte
Spans = tuple[U64, U64, U64, U64]  # starts and ends in a, starts and ends in b, in bytes

VERSION: str  # of nearkin

# --- text.cpp: digests, encodings, kinds of files, pages, canonical text

def sha256(data: bytes, portable: bool = False) -> bytes: ...
def sha256_all(data: list[bytes], portable: bool = False) -> list[bytes]: ...
def valid_utf8(data: bytes) -> bool: ...
def count_code_points(utf8: bytes) -> int: ...

# Kinds of files, as `sniff` recognises them.
EMPTY: int
TEXT: int
HTML: int
BINARY: int
OTHER: int  # text in an encoding that is not UTF-8
UNREAD: int  # only in a batch: the file was not looked at

def sniff(data: bytes, named_html: bool) -> int: ...
def is_html(text: bytes, named_html: bool) -> bool: ...
def is_named_html(path: bytes) -> bool: ...
def detect_wide(data: bytes) -> int:
    """Recognise encodings without a byte order mark: 1 and 2 are UTF-16, little- and big-endian, 3 and 4 are UTF-32
    likewise, 0 is none of them."""

def unescaped_json(text: bytes) -> bytes:
    """Return JSON with the escapes of its strings decoded, and any other text as it is."""

def visible_text(html: bytes, *, xml: bool = False) -> bytes:
    """Return the text that a reader of a page sees. `xml` says that it is XHTML, however it begins."""

def page(html: bytes) -> tuple[bytes, bytes]:
    """Return the visible text of a page and its properties: key, NUL, value, NUL … (html.hpp)."""

def page_json(properties: bytes) -> str | None:
    """Return the JSON of a page's properties; empty without any, None if Python has to read their values."""

# Bits of what canonical text ignores.
IGNORE_CASE: int
IGNORE_PUNCTUATION: int
IGNORE_DIGITS: int
IGNORE_ACCENTS: int

def canonical(text: bytes, ignore: int, *, lines: bool = False) -> bytes:
    """Return the words of a text separated by single spaces, on request line by line."""

def canonical_all(texts: list[bytes], ignore: int, threads: int, *, lines: bool = False) -> list[bytes]: ...
def canonical_map(text: bytes, ignore: int, *, lines: bool = False) -> tuple[bytes, U64]:
    """Return canonical text, and for each of its bytes the index of its character in the input."""

def soundex(word: bytes) -> bytes:
    """Return the code of a word; empty if it has no Latin letter."""

def terms(text: bytes) -> list[bytes]:
    """Return the terms of a text in order."""

def letter_counts(text: bytes) -> U64:
    """Return how many terms begin with each letter."""

# --- sign.cpp: fingerprints and signatures

POLYNOMIAL: int  # of Rabin fingerprints: x^64 + POLYNOMIAL is the modulus

def fingerprint(text: bytes) -> int: ...
def fingerprints(text: bytes, window: int) -> U64:
    """Return the fingerprint of each window, in order."""

class Shingler:
    def __init__(self, *, unit: str, window: int, label: bool, seed: int, bits: int) -> None: ...
    def count(self, text: bytes) -> int: ...
    def all(self, text: bytes) -> U64:
        """Return the fingerprints of all shingles, in no order."""
    def placed(self, text: bytes) -> tuple[U64, U64, U64]:
        """Return offsets, fingerprints, and bytes up to the next shingle, in order of the text."""

class Scheme: ...

def mod(*, shingler: Shingler, modulus: int, sample: int, most: int) -> Scheme: ...
def smallest(*, shingler: Shingler, n: int, modulus: int) -> Scheme: ...
def sketch(*, shingler: Shingler, slots: int) -> Scheme: ...
def bsw(*, shingler: Shingler, modulus: int) -> Scheme: ...
def similarity_index(
    *, method: int, stream: str, stop_words: bool, vowels_or_duplicates: bool, k: int, window: int, seed: int
) -> Scheme: ...
def tttd(
    *, window: int, min: int, max: int, divisor: int, backup: int, residue: int, seed: int, bits: int
) -> Scheme: ...
def fuzzy(*, classes: list[int], reference: list[int], borders: list[list[tuple[int, ...]]]) -> Scheme: ...
def slot_minima(fingerprints: U64, slots: int, portable: bool = False) -> U64:
    """Apply the kernel of `sketch` to fingerprints. `portable` does without special instructions."""

def chunk_minima(fingerprints: U64, modulus: int) -> U64:
    """Apply the kernel of `bsw` to fingerprints in the order of a text."""

def sign(scheme: Scheme, text: bytes) -> tuple[U64, U32, int]:
    """Return features ascending, weights (empty if every feature weighs `modulus`), and the modulus."""

def place(scheme: Scheme, text: bytes) -> tuple[U64, U64, U32]:
    """Return offsets, features and weights in order of the offsets."""

# --- ingest.cpp: files and texts read, signed and kept

FOLDER: int
WATCHED: int

def list_folder(
    folder: bytes, prefix: bytes, *, hidden: bool, watched: list[int], hints: list[bytes] = ..., ask: bool = False
) -> tuple[list[bytes], list[tuple[int, int]], tuple[int, int]]:
    """List a folder.

    First comes what lies in it, as prefix + name, in byte order. Then the rows that are no plain files, each with what
    it is: a FOLDER, a file that is WATCHED (by its inode, or because its name ends as a hint does), or the number of
    the error that hid what it is. Then the numbers of links and of special files (pipes, sockets, devices) passed over.
    `ask` looks each file up, as is necessary on file systems that give names only. OSError: the folder cannot be read.
    """

STORE_HEADER: int  # bytes that `is_store_header` needs

def is_store_header(bytes: bytes) -> bool:
    """Test whether a file that begins so is a store of nearkin."""

def unchanged(
    paths: list[bytes], sizes: list[int], mtimes: list[int], ctimes: list[int], inodes: list[int], threads: int
) -> bytes:
    """Return 1 for each path whose size, times of change and inode are the given ones. A ctime of 0 is not compared."""

class Recipe:
    """How a text becomes canonical text and a signature."""

    raw: bool
    max_size: int
    def __init__(self, *, scheme: Scheme, raw: bool, ignore: int, lines: bool, max_size: int) -> None: ...

class Suspects:
    """Recognises files that may be of a format: by the ending of their name, or by how they begin."""

    def __init__(self, *, endings: list[bytes], marks: list[bytes]) -> None: ...
    def by_name(self, path: bytes) -> bool: ...
    def by_content(self, bytes: bytes, kind: int) -> bool: ...

NO_OWNER: int

class Batch:
    """Documents as columns. Lists of rows are at the end of them."""

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
    digests: list[bytes | None]  # of the bytes; None if they could not be read
    contents: list[bytes | None]  # of the canonical text; None without text
    features: list[bytearray]
    weights: list[bytearray] | None
    named: list[int]  # rows that are suspects by their name: only their digest is known
    marked: list[int]  # rows that are suspects by how they begin
    stores: list[int]  # rows that are stores of nearkin: nothing was read from them
    copies: list[int]  # rows whose bytes were read before: text and features are those of the first
    held: int  # bytes of texts, canonical texts and features
    def __len__(self) -> int: ...
    def take_texts(self) -> list[bytes]:
        """Return the texts and drop them from the batch."""
    def take_canonical(self) -> list[bytes]:
        """Return the canonical texts and drop them from the batch."""
    def lend_texts(self) -> U8:
        """Return all texts end to end where they lie, until they are dropped."""
    def drop_texts(self) -> None: ...

class Copies:
    """What the files read so far were, by the digest of their bytes."""

def ingest_files(
    folder: bytes,
    paths: list[bytes],
    recipe: Recipe,
    suspects: Suspects | None = None,
    copies: Copies | None = None,
    turn: int = 0,
) -> Batch:
    """Read and sign the files of a folder, which ends with a slash.

    Stops early, with fewer rows than paths, when the texts grow large. Copies come without text and features, so
    batches must be stored in the order of their turns.
    """

def ingest_bytes(bytes: list[bytes], named_html: list[bool], recipe: Recipe) -> Batch: ...
def ingest_texts(texts: list[bytes], html: list[bool], recipe: Recipe) -> Batch: ...
def ingest_contents(texts: list[str | bytes], recipe: Recipe) -> Batch:
    """Sign texts. Strings must be ASCII. The batch has neither texts nor digests of their bytes."""

def ingest_column(offsets: I64, data: U8, recipe: Recipe) -> Batch:
    """Do the same for texts end to end. ValueError: one is not UTF-8."""

NOTHING: int  # the content of a text without words

class HeldTexts:
    """Some canonical texts, read natively without a copy."""

    complete: bool  # none of them is empty
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def __getitem__(self, at: int) -> bytes: ...

class HeldFeatures:
    """The features of some contents, in native memory and in the order in which they were asked for."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[U64]: ...
    def __getitem__(self, at: int) -> U64: ...
    def joined(self) -> U64:
        """Return them end to end."""

class TextContents:
    """Texts in memory as a store holds them: each distinct canonical text once, in the order of digests.

    All but `add` needs the contents put in order first, once, after the last batch.
    """

    holding: U32  # by text: its content
    # By content:
    lengths: I64
    offsets: U64
    features: U64  # copied together on demand: the join reads them where they lie
    weights: U32
    moduli: U64
    def __init__(self, *, for_texts: int = ..., for_features: int = ...) -> None:
        """Set the limits in bytes. From the first batch that has no room, texts are dropped, except for one very long
        text, and features are dropped altogether."""
    def add(self, batch: Batch) -> None:
        """Take the next texts out of a batch, which is empty afterwards."""
    def put_in_order(self, *, weighted: bool) -> None: ...
    def put_in_order_of(self, digests: list[bytes]) -> bool:
        """Put them in the order of these contents. Return whether all are known with signatures that need no weights;
        the texts of unknown contents are empty."""
    def features_of(self, rows: I64) -> HeldFeatures:
        """Return features where they lie. Row -1 has none."""
    def texts(self, rows: Sequence[int]) -> HeldTexts: ...

# --- join.cpp: joins, collisions, cosines, intervals

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

def shared(offsets: U64, features: U64, a: U32, b: U32, *, threads: int) -> U64:
    """Return how many features the two lists of each pair have in common."""

class Collisions:
    """Pairs of texts with a feature in common: a < b, sorted by (a, b), some at a time."""

    def __init__(self, offsets: U64, features: U64) -> None: ...
    def next(self, most: int) -> tuple[U32, U32]: ...

def term_frequencies(text: bytes) -> tuple[U64, U64]:
    """Return the fingerprint of each distinct term, ascending, and how often it occurs."""

def cosines(texts: list[bytes], a: U32, b: U32, *, threads: int) -> F64:
    """Return the cosine of each pair; NaN if a text has no terms."""

def intervals(k: U64, n: U64, *, confidence: float, threads: int = 1) -> tuple[F64, F64]:
    """Return the bounds of Clopper and Pearson's interval for each k out of n."""

def binomial_outside(n: int, p: float, *, least: int, most: int) -> float:
    """Return P(X < least) + P(X > most) of a binomial X."""

# --- verify.cpp: pairs measured on their texts, and passages they share

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
) -> tuple[U64, U64, U64, U64]:
    """Return shared shingles, size of a, size of b, and a lower bound of the bytes in common.

    `shared` may be 0 for pairs that reach neither threshold. Ignored shingles (ascending, of all bits and seed 0) count
    nowhere.
    """

def measure_long(
    a: bytes, b: bytes, *, shingler: Shingler, slices: int, ignored: U64 | None = None
) -> tuple[int, int, int, int]:
    """Return the same numbers of one pair, however little it shares, slice by slice: memory is divided by `slices`."""

def passages(a: bytes, b: bytes, *, least: int, raw: bool) -> tuple[Spans, U8]:
    """Return the common passages of two canonical texts (or of raw bytes), and what each is: 0 in the same order in
    both, 1 moved, 2 a repetition."""

def word_edits(a: bytes, b: bytes, *, most: int) -> tuple[int, Spans] | None:
    """Return the number of edits by words and where they are; None if there are more than `most`."""

def holding(text: bytes, others: list[bytes], *, window: int, threads: int) -> bytes:
    """Return 1 for each other text that has a window of this text, else 0."""

# --- index.cpp: segments of the feature index

class Thresholds:
    """What lists must share to match. A threshold over 1 is one that nothing reaches."""

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
    """An index from features to the contents that have them, in memory or in a mapped file."""

    contents: I64  # by rank
    features: int
    postings: int
    size: int  # bytes
    @staticmethod
    def of(
        contents: I64,
        offsets: U64,
        features: U64 | HeldFeatures,
        weights: U32,
        moduli: U64,
        *,
        base: int,
        levels: int,
        ignored: U64,
        token: bytes,
    ) -> Segment:
        """Build a segment in memory. Moduli are base · 2^level. Ignored features (ascending) count nowhere."""
    @staticmethod
    def open(path: str, token: bytes) -> Segment:
        """Map a file. RuntimeError: it is another segment, or damaged. OSError: it is missing or cannot be read."""
    @staticmethod
    def merge(segments: list[Segment], path: str, *, token: bytes) -> None: ...
    def save(self, path: str) -> None: ...
    def populate(self) -> None:
        """Map every page at once, ahead of the first searches."""
    def intact(self) -> bool:
        """Read the whole segment and compare its checksums."""
    def search(
        self, features: U64, weights: U32, *, modulus: int, thresholds: Thresholds
    ) -> tuple[I64, U64, U64, U64, U64]:
        """Return content, shared, size of the query, size of the content, and the modulus compared at, of each match.
        Features are ascending and distinct; modulus 1 says that they are complete."""
    def lists(self, features: U64) -> tuple[U64, I64]:
        """Return offsets, and for each feature the contents that have it."""
    def __len__(self) -> int: ...

# --- group.cpp: families
#
# A link is two nodes and a strength, each pair once. The order in which links come never matters: the strongest is
# taken first, of equal ones the one with the smallest nodes.

NO_LINK: int

def components(nodes: int, a: U32, b: U32) -> U32: ...
def strongest_first(a: U32, b: U32, strength: F64, more: F64, *, threads: int = 1) -> U32:
    """Return the order of links by strength, then by `more`, both descending, then by nodes. Neither is negative."""

def tally(label: U32, a: U32, b: U32, strength: F64, *, chains: bool) -> tuple[U64, F64, U32]:
    """Return by label the number of links inside, the sum of their strengths, and the weakest link.

    For chains every link must lie inside, and the weakest is one of those that hold the chain together.
    """

def principals(order: U32, a: U32, b: U32, strength: F64) -> tuple[U32, U32]:
    """Return the principal of each node, and the link to it."""

def cliques(nodes: int, a: U32, b: U32, strength: F64) -> U32:
    """Return the smallest node of each node's complete-link cluster."""

def homes(
    alone: U8, a: U32, b: U32, a_in_b: F64, b_in_a: F64, size_a: I64, size_b: I64, *, share: float, size: int
) -> U32:
    """Return for each node the node in whose family it belongs as a part, or itself. Only nodes that are `alone` (not
    0) may be parts."""

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
) -> tuple[F64, U64, U32, F64, F64, F64]:
    """Compare payloads, the features of a member that not nearly all of its family have. Families lie end to end; pairs
    and asked members are places in their family.

    Returns for each pair the resemblance of the two payloads and the size of their union; for each asked member the
    nearest lists and the greatest resemblance of its payload to one of theirs; for each family the median size of the
    asked payloads, and the share of the features not nearly all have that several have.
    """

# Ways in which `greedy` makes a resemblance of features in common.
OVERLAP: int
SMALLEST: int
SLOTS: int

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
) -> tuple[U32, F64]:
    """Return for each signature the row that founded its cluster, and its resemblance to what represents the cluster
    at the end. `most` is n for SMALLEST."""

# --- keep.cpp: certificates

def fold_spaces(text: bytes) -> tuple[bytes, U64, U64]:
    """Return a text with each white space as one space, and where those of several bytes began and ended."""

def surely_composed(text: bytes) -> bool:
    """Test by the blocks of its characters alone whether a text is in composed form. False proves nothing."""

class Anchors:
    def __init__(self, kept: bytes, *, window: int) -> None: ...
    def runs(self, text: bytes) -> Bits:
        """Return one bit for each window of a text, set only if the kept text has it."""
    def matched(self) -> Bits:
        """Return one bit for each window of the kept text, set only if a text given to `runs` has it."""

class WindowSet:
    def __init__(self, *, window: int, part: int, parts: int, room: int = 0) -> None: ...
    def add(self, text: bytes, *, owner: int | None, skip: Bits) -> None:
        """Add the windows whose bit is not set. Without an owner they are added and owned by nobody."""
    def add_owner(self, text: bytes, *, owner: int, skip: Bits) -> None:
        """Make the text an owner of those of its windows that are in the set. None is added."""
    def owned(self, text: bytes, *, several: bool, skip: Bits) -> Bits:
        """Return which windows are skipped or have an owner, or several owners."""
    def __len__(self) -> int: ...

class WindowCounts:
    def __init__(self, *, window: int, modulus: int) -> None: ...
    def add(self, text: bytes) -> None: ...
    def shares(self) -> tuple[I64, I64]:
        """Return for each text the number of its distinct windows, and how many windows of the others are among
        them."""

def certify(
    text: bytes,
    *,
    raw: bool,
    window: int,
    kept: Bits,
    anywhere: Bits,
    whole: bool,
    reading: tuple[int, U64, U64, U64, Bits, Bits, bool] | None,
    listed: int,
) -> tuple[int, int, int, int, int, list[tuple[int, int, int, int]]]:
    """Return characters, missing, residue, respaced, and stretches of residue; and the start and end, in bytes and in
    characters, of the first `listed` stretches.

    A reading is its length, what was changed (starts, ends, new lengths), and its own `kept`, `anywhere` and `whole`.
    """

# --- sqlite.cpp: batches on their way into SQLite

class Feed:
    """Rows on their way into SQLite by columns: lists and tuples of values, arrays of numbers."""

    def __init__(self, columns: list[Any]) -> None: ...
    @property
    def number(self) -> int:
        """The number by which the table nearkin_rows finds it."""

class FedSqlite:
    """The SQLite library that this extension module has loaded; None: the one that is part of the program."""

    def __init__(self, module: str | None = None) -> None: ...
    @property
    def lends(self) -> bool: ...
    def offer(self) -> None: ...
    def withdraw(self) -> None: ...

FEED_COLUMNS: int

class Column:
    """A native column for a feed."""

    def __len__(self) -> int: ...

def rows_apart(batch: Batch, raw: bool) -> list[int]:
    """Return the rows that Python must process: those that are not plain."""

def chosen_rows(batch: Batch, rows: list[int]) -> Batch: ...
def properties_for_python(batch: Batch) -> list[bytes]:
    """Return the properties of those pages whose values Python has to read; none once the JSON is filled in."""

def fill_property_json(batch: Batch, from_python: list[str]) -> None:
    """Write the properties of a batch's pages as JSON, once, with the given JSON of `properties_for_python`."""

def property_json(batch: Batch) -> list[str | None]:
    """Return the JSON of each row's properties, after `fill_property_json`."""

def text_places(batch: Batch, raw: bool) -> U64:
    """Return start and length, among the lent texts, of each text that is not empty and no copy."""

class Packed:
    """Compressed texts by row; None for rows without one."""

    bytes: int
    def __iter__(self) -> Iterator[bytearray | None]: ...

def packed(batch: Batch, raw: bool, texts: Sequence[Blob], empty: bytes) -> Packed:
    """Take a compressed text for each of the `text_places`, and `empty` for texts without letters."""

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
    """Columns of a batch whose contents and texts have ids: of its documents, and of the new contents and texts."""

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
