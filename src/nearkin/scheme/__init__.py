"""Schemes: each turns a text into a signature. SCHEMES is the catalogue of all of them, each in a file of its own.

This is the door to them: a scheme's file is imported when the scheme is first asked for, because making the classes of
all of them took a sixth of the time that `import nearkin` takes.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimate, Estimator, Signature, cannot_contain
from nearkin.scheme.spec import Spec, parse_spec

__all__ = [
    "FORMAT",
    "SCHEMES",
    "Estimate",
    "Estimator",
    "Scheme",
    "Signature",
    "cannot_contain",
    "cannot_share_bytes",
    "keeps_lines",
    "likeness",
    "parse_scheme",
    "place",
    "sign",
    "signed",
]

# The layout and meaning of stored features. The number is raised whenever the same text would sign differently.
FORMAT = 2


class Scheme(Protocol):
    """What the rest of nearkin knows of a scheme."""

    @property
    def spec(self) -> str: ...
    @property
    def window(self) -> int: ...
    @property
    def shingler(self) -> Shingler | None:
        """The shingles by which texts are measured exactly; None where they are not measured by shingles."""

    @property
    def measure(self) -> str:
        """What is counted: shingles, bytes, or terms (cosine)."""

    @property
    def sampled(self) -> bool:
        """Whether a signature is a sample with a theory, so that scores are estimates with intervals."""

    @property
    def estimator(self) -> Estimator: ...
    @property
    def limit(self) -> int:
        """How many features a signature has at most; 0 where they grow with the text."""

    @property
    def contains(self) -> bool:
        """Whether signatures tell containment (Cherkasova 2009, Table 1)."""

    def native(self) -> _native.Scheme: ...


class SchemeClass(Protocol):
    """The class of a scheme: it reads specs."""

    keys: tuple[str, ...]

    def parse(self, spec: Spec, /) -> Scheme: ...


@dataclass(frozen=True)
class CatalogueEntry:
    """What `nearkin schemes` says of a scheme, and where its class is defined."""

    home: str  # module and name of the class
    example: str
    estimates: str
    paper: str
    does: str = ""
    use: str = ""  # when to use it
    cannot: str = ""  # what it cannot say
    cost: str = ""

    @property
    def scheme_class(self) -> SchemeClass:
        module, _, name = self.home.partition(":")
        scheme_class: SchemeClass = getattr(import_module(module), name)
        return scheme_class

    @property
    def keys(self) -> tuple[str, ...]:
        return self.scheme_class.keys

    def parse(self, spec: Spec) -> Scheme:
        return self.scheme_class.parse(spec)

    def scheme(self) -> Scheme:
        """The scheme of the first example. What it can tell (Cherkasova 2009, Table 1), all with its name can."""
        return self.parse(parse_spec(self.example.split(" or ")[0]))


SCHEMES: dict[str, CatalogueEntry] = {
    "exact": CatalogueEntry(
        "nearkin.scheme.mod:Exact",
        "exact:window=20",
        "resemblance and containment, exactly",
        "Broder 1997 §2",
        does="keeps every shingle",
        use="for small collections, and to check what others estimate",
        cannot="(no limits)",
        cost="8 bytes per byte of text; slowest to compare",
    ),
    "mod": CatalogueEntry(
        "nearkin.scheme.mod:Mod",
        "mod:window=20,sample=200,most=64 or mod:window=20,n=100",
        "resemblance and containment, with intervals",
        "Broder 1997 §3, Cherkasova 2009",
        does="keeps the shingles whose fingerprint is 0 mod n; with sample and most, n grows with the text",
        use="first choice: the default, and the sampled scheme that sees parts in containers",
        cannot="say much about short texts when n is fixed: fewer than n shingles may leave none",
        cost="8 bytes per n bytes of text; adaptive: 100 to 200 features up to 12 kB, then one per 64 bytes",
    ),
    "min": CatalogueEntry(
        "nearkin.scheme.min:Min",
        "min:window=20,n=100 or min:window=20,n=100,mod=8",
        "resemblance, with intervals",
        "Broder 1997 §3 and §4.1, Cherkasova 2009",
        does="keeps the n smallest shingles, or those of a mod sample",
        use="for signatures of one size with estimates that are exact for short texts",
        cannot="tell how much of a part is in a container",
        cost="8 bytes for each of at most n features, however long the text",
    ),
    "sketch": CatalogueEntry(
        "nearkin.scheme.sketch:Sketch",
        "sketch:window=20,n=100",
        "resemblance, with intervals",
        "Cherkasova 2009 §2",
        does="keeps in each of n slots the smallest shingle under the slot's own hash function",
        use="for signatures of one size, compared place by place",
        cannot="tell how much of a part is in a container",
        cost="8 bytes per slot, however long the text",
    ),
    "bsw": CatalogueEntry(
        "nearkin.scheme.bsw:Bsw",
        "bsw:window=20,n=100",
        "resemblance and containment, without intervals",
        "Cherkasova 2009 §2",
        does="cuts the text by its content into chunks of about n windows and keeps the smallest shingle of each",
        use="to compare with Cherkasova 2009, and where no stretch of a text may stay unsampled",
        cannot="say how far off it is: no sampling theory, no intervals",
        cost="8 bytes per n bytes of text",
    ),
    "chunk": CatalogueEntry(
        "nearkin.scheme.chunk:Chunk",
        "chunk:mean=100",
        "resemblance and containment in bytes of whole chunks, a lower bound",
        "Forman 2005 §2.2",
        does="ends a chunk wherever the fingerprint of the last bytes is r mod D, however short or long it is",
        use="to compare with systems that cut this way, and to measure what tttd gains",
        cannot="see what tttd cannot; runs of one character give no chunk, or one per byte",
        cost="12 bytes per `mean` bytes of text",
    ),
    "tttd": CatalogueEntry(
        "nearkin.scheme.tttd:Tttd",
        "tttd:mean=100",
        "resemblance and containment in bytes of whole chunks, a lower bound",
        "Forman 2005 §2",
        does="cuts the text by its content into chunks and keeps a hash and the length of each",
        use="for bytes in common, and where the list of chunks itself is wanted",
        cannot="see changes closer together than chunks; no intervals",
        cost="12 bytes per `mean` bytes of text",
    ),
    "si": CatalogueEntry(
        "nearkin.scheme.similarity_index:SimilarityIndex",
        "si:method=3,stream=soundex,variation=B,k=40",
        "one number; those within 30 % are verified on the texts",
        "Roth 2011 §3",
        does="turns a text into one number, close to that of a similar text",
        use="where another system's database must find candidates by a range of numbers",
        cannot="tell resemblance or containment: both come from the texts, which must be kept",
        cost="8 bytes per text; a scan compares all pairs in range, a tenth of all: not for large collections",
    ),
    "fuzzy": CatalogueEntry(
        "nearkin.scheme.fuzzy:Fuzzy",
        "fuzzy:classes=18,intervals=3,variants=3",
        "cosine of documents that share a code, exactly; 8 to 9 of 10 pairs of cosine 0.8 do",
        "Stein 2005 §3",
        does="makes a few codes of how often words begin with which letters; equal codes are candidates",
        use="for texts on the same subject in other words, in near-constant time per query; scan with --threshold 0.9",
        cannot="say anything about parts, texts without Latin letters, or fewer than 50 terms",
        cost="8 bytes per variant; texts must be kept",
    ),
}


def parse_scheme(text: str) -> Scheme:
    spec = parse_spec(text)
    entry = SCHEMES.get(spec.name)
    if entry is None:
        raise UsageError(f"There is no scheme {spec.name!r}; known are: {', '.join(SCHEMES)}.")
    return entry.parse(spec)


def cannot_share_bytes(spec: str) -> str:
    """The sentence that says why a scheme gives no bytes in common: a cosine counts none."""
    return f"{spec} does not tell shared bytes; leave out --min-shared-bytes."


def keeps_lines(scheme: Scheme) -> bool:
    """Whether texts must be made canonical line by line."""
    return scheme.shingler is not None and scheme.shingler.lines


def likeness(scheme: Scheme) -> str:
    """The name of a scheme's score, wherever people see it."""
    return "cosine" if scheme.measure == "cosine" else "resemblance"


def sign(text: bytes, scheme: Scheme) -> Signature:
    """Sign a canonical text."""
    features, weights, modulus = _native.sign(scheme.native(), text)
    return signed(scheme, modulus, features, weights)


def signed(scheme: Scheme, modulus: int, features: NDArray[np.uint64], weights: NDArray[np.uint32]) -> Signature:
    """Make a signature from its parts. Without weights every feature weighs as much as the modulus."""
    if not len(weights):
        weights = np.full(len(features), modulus, dtype=np.uint32)
    return Signature(
        features,
        weights,
        scheme.spec,
        modulus,
        scheme.sampled,
        estimator=scheme.estimator,
        limit=scheme.limit,
        contains=scheme.contains,
    )


def place(text: bytes, scheme: Scheme) -> list[tuple[int, int, int]]:
    """Where each feature stands in a canonical text: (weight, feature, offset) in order of offset."""
    offsets, features, weights = _native.place(scheme.native(), text)
    return list(zip(weights.tolist(), features.tolist(), offsets.tolist(), strict=True))
