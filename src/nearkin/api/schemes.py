"""Schemes: which there are, how large a sample should be, and the signatures of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.api.scans import refuse_unreadable
from nearkin.api.texts import canon_for
from nearkin.query.lookup import NamedDocument, find_document, from_bytes
from nearkin.query.records import Record
from nearkin.scheme import SCHEMES, Estimator, Scheme, Signature, parse_scheme, place
from nearkin.scheme import sign as sign_canonical
from nearkin.scheme.plan import Plan
from nearkin.settings import DEFAULT_SCHEME, TextSettings
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class SchemeDescription:
    """A scheme as `nearkin schemes` lists it: what it does, when to use it, its limits and its cost."""

    name: str
    keys: list[str]
    containment: bool  # whether it tells containment (this and the next two: Cherkasova 2009, Table 1)
    intervals: bool  # whether estimates have intervals
    size: str  # of signatures: fixed or variable
    estimates: str
    does: str
    use: str
    cannot: str
    cost: str
    paper: str
    example: str


def list_schemes() -> list[SchemeDescription]:
    """Every scheme there is."""
    listed = []
    for name, known in SCHEMES.items():
        scheme = known.scheme()
        listed.append(
            SchemeDescription(
                name,
                list(known.keys),
                scheme.contains,
                scheme.sampled,
                "fixed" if scheme.limit else "variable",
                known.estimates,
                known.does,
                known.use,
                known.cannot,
                known.cost,
                known.paper,
                known.example,
            )
        )
    return listed


def plan_schemes(
    *,
    error: float = 0.05,
    resemblance: float = 0.7,
    confidence: float = 0.99,
    length: int | None = None,
    window: int = 20,
    bits: int = 64,
) -> Plan:
    """How large a sample must be for such an error, and which schemes keep that many of a document of this length."""
    return Plan(error, resemblance, confidence, length, window, bits)


def plan_record(plan: Plan) -> Record:
    """A plan with the fields of JSON."""
    return {
        "error": plan.error,
        "resemblance": plan.resemblance,
        "confidence": plan.confidence,
        "sample": plan.sample,
        "signature_bytes": plan.signature_bytes,
        "bytes": plan.length,
        "min": plan.smallest,
        "sketch": plan.slots,
        "adaptive": plan.adaptive,
        "mod": plan.fixed,
        "rule": plan.rule,
        "rule_entries": plan.rule_entries,
        "bits": plan.bits,
        "false_equality": plan.false_equality,
        "bias": plan.bias,
    }


def learn_reference_from(path: Path) -> str:
    """The spec of scheme fuzzy with how often words begin with each letter learnt from a folder, a file or a store."""
    from nearkin.query.signatures import learn_from
    from nearkin.scheme.fuzzy import Fuzzy
    from nearkin.scheme.spec import parse_spec

    refuse_unreadable(path)
    return learn_from(path, Fuzzy.parse(parse_spec("fuzzy")), Canon.of(TextSettings())).spec


@dataclass(frozen=True)
class SignedDocument:
    """A document with its signature."""

    document: NamedDocument
    signature: Signature
    scheme: Scheme
    canonical: bytes  # the text that was signed

    @property
    def spec(self) -> str:
        """The scheme in full."""
        return self.scheme.spec

    @property
    def has_number(self) -> bool:
        """Whether the signature is one number, as under scheme si."""
        return self.scheme.estimator is Estimator.RANGE

    @property
    def number(self) -> int | None:
        """Under scheme si: the similarity index, if the text has one."""
        return similarity_index(self.signature)

    def features(self) -> Iterator[Record]:
        """Features in text order, each with its weight and the byte of the canonical text where it begins."""
        for weight, feature, offset in place(self.canonical, self.scheme):
            yield {"weight": weight, "feature": f"{feature:016x}", "offset": offset}

    def digest(self) -> Record:
        """A hash of all features, how many they are and what they weigh."""
        return digest_record(self.signature)


def sign_document(
    store: Path, name: str, scheme: str | None, data: bytes | None, *, raw: bool, ignore: Sequence[str]
) -> SignedDocument:
    """Sign a file, or a document of the store by its path there, or the bytes of a file of this name."""
    how = parse_scheme(scheme or DEFAULT_SCHEME)
    canon = canon_for(raw, ignore, how)
    document = find_document(name, store, raw=raw) if data is None else from_bytes(name, data, raw=raw)
    text = canon.apply(document.text or b"")
    return SignedDocument(document, sign_canonical(text, how), how, text)


def similarity_index(signature: Signature) -> int | None:
    """The number of scheme si; features are the same bits without a sign."""
    return next(iter(signature.features.astype("i8").tolist()), None)


def digest_record(signature: Signature) -> Record:
    """A hash of all features, how many they are and what they weigh."""
    return {"digest": signature.digest, "features": len(signature), "weight": int(signature.weights.sum())}


def signature_table(records: list[Record], *, scoped: bool) -> "pa.Table":
    """One row a text: its first document, and the digest of its signature."""
    import pyarrow as pa

    place = [("path", pa.string()), *([("scope", pa.string())] if scoped else [])]
    figures = [("digest", pa.string()), ("features", pa.int64()), ("weight", pa.int64())]
    return pa.Table.from_pylist(records, schema=pa.schema([*place, *figures]))
