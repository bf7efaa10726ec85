"""A comparison and a trace as records: the fields that JSON, CSV and Arrow tables share."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from nearkin.matching.passages import Passage
from nearkin.query.comparison import Comparison
from nearkin.query.records import Name, backslashed, surrogate_escaped
from nearkin.query.trace import Trace, Traced
from nearkin.report.arrow_tables import marked_partial
from nearkin.scheme import Estimate

if TYPE_CHECKING:
    import pyarrow as pa


def passage_records(passages: Iterable[Passage]) -> list[dict[str, int]]:
    return [asdict(one) for one in passages]


def comparison_record(
    a: str, b: str, a_size: int, b_size: int, found: Comparison, spec: str, payload: float | None
) -> dict[str, Any]:
    record = {
        "a": a,
        "b": b,
        "resemblance": _value(found.resemblance),
        "a_in_b": _value(found.a_in_b),
        "b_in_a": _value(found.b_in_a),
        "cosine": _value(found.cosine),
        "relation": found.relation,
        "relation_details": list(found.details),
        "tier": found.tier,
        "shared_bytes": found.shared_bytes,
        "a_size": a_size,
        "b_size": b_size,
        "scheme": spec,
        "exact": found.resemblance.exact if found.resemblance else None,
        "low": found.resemblance and found.resemblance.low,
        "high": found.resemblance and found.resemblance.high,
        "collision_error": found.collision and found.collision.error,
        "collision_chance": found.collision and found.collision.chance,
        "similar": _value(found.similar),
        "template": "with",
        "payload": payload,
        "word_distance": found.word_distance,
        "word_distance_over": found.words_over,
        "a_covered": found.a_covered,
        "b_covered": found.b_covered,
        "passages": passage_records(found.passages),
    }
    if beside := found.shingles:
        record |= {
            "shingle_resemblance": _value(beside.resemblance),
            "shingle_a_in_b": _value(beside.a_in_b),
            "shingle_b_in_a": _value(beside.b_in_a),
            "shingle_shared_bytes": beside.shared_bytes,
        }
    return record


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def traced_record(traced: Traced, trace: Trace, *, scoped: bool, name: Name = surrogate_escaped) -> dict[str, Any]:
    return {
        "path": name(traced.location),
        **({"scope": traced.location.scope} if scoped else {}),
        "share": traced.share,
        "share_of_all": trace.share,
        "passages": passage_records(traced.passages),
    }


def traced_table(trace: Trace, *, scoped: bool) -> "pa.Table":
    import pyarrow as pa

    place = pa.struct([(field, pa.int64()) for field in ("a_start", "a_end", "b_start", "b_end")])
    schema = pa.schema(
        [
            ("path", pa.string()),
            *([("scope", pa.string())] if scoped else []),
            ("share", pa.float64()),
            ("share_of_all", pa.float64()),
            ("passages", pa.list_(place)),
        ]
    )
    records = [traced_record(one, trace, scoped=scoped, name=backslashed) for one in trace.documents]
    return marked_partial(pa.Table.from_pylist(records, schema=schema), [f"Incomplete: {one}." for one in trace.unseen])
