"""Of texts in memory: sign, resemblance, containment, match and families. What a text is: nearkin.api.text."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin.api.options import chosen, containment_for, refuse_unmeasurable
from nearkin.api.several import named_texts, texts_to_sign
from nearkin.api.text import EXACT, IGNORED, Text, Texts, canon_for, canonical
from nearkin.errors import UsageError
from nearkin.matching.score import cosine_of
from nearkin.scheme import Estimator, Scheme, cannot_contain, parse_scheme
from nearkin.scheme import sign as sign_canonical
from nearkin.scheme.signature import Signature
from nearkin.settings import DEFAULT_SCHEME, MatchSettings, RunSettings
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa


def sign(text: Text, scheme: str = DEFAULT_SCHEME, *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> Signature:
    """The text's features and their weights under a scheme."""
    how = parse_scheme(scheme)
    canon = canon_for(raw, ignore, how)
    return dataclasses.replace(sign_canonical(canonical(text, canon) or b"", how), canon=canon.spec)


def resemblance(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of both texts together is in both. None where the samples are too small to tell.

    Under scheme fuzzy the cosine of their term vectors, whether or not they share a code; under si that of exact
    shingles, whether or not their numbers are near.
    """
    how = parse_scheme(scheme)
    return _compared(a, b, how, canon_for(raw, ignore, how), Signature.resemblance, of_nothing=0.0)


def containment(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of `a` is in `b`. None where the samples are too small to tell, or `a` alone is empty."""
    how = parse_scheme(scheme)
    if not how.contains:
        raise UsageError(cannot_contain(how.spec))
    return _compared(a, b, how, canon_for(raw, ignore, how), Signature.containment, of_nothing=None)


def match(
    texts: Texts,
    *,
    threshold: float = 0.7,
    containment: float | None = None,
    scheme: str = DEFAULT_SCHEME,
    min_shared_bytes: int = 0,
    raw: bool = False,
    ignore: Sequence[str] = IGNORED,
    all_copies: bool = True,
    hot: float = MatchSettings().hot,
    jobs: int | None = None,
) -> "pa.Table":
    """All pairs of texts that reach a threshold, strongest first, verified on the texts as in a scan.

    Where more than `hot` texts are nearly the same (under 1: that share of all), each is paired with one of them, not
    with every other. The table's metadata then say so, under `nearkin.partial`.

    Containment is 0.9 unless given, and not looked for by schemes that cannot tell it. `texts` may be a dict, anything
    iterable, or a column of Arrow, polars or pandas; they are named by their keys or their positions. Without
    `all_copies` equal texts are named once: by the first of them, to which the others are then paired. A text without
    a letter or digit is in no pair.
    """
    from nearkin.query.arrow_tables import pair_table
    from nearkin.query.in_memory import Collection

    how = parse_scheme(scheme)
    limits = MatchSettings(
        threshold=threshold,
        containment=containment_for(how, containment),
        floor=threshold,
        min_shared_bytes=min_shared_bytes,
        hot=hot,
    )
    refuse_unmeasurable(how, limits, keep_text=True)
    run = RunSettings() if jobs is None else RunSettings(jobs=jobs)
    canon = canon_for(raw, ignore, how)
    collection = Collection.of(texts_to_sign(texts, "match", raw=raw), how, canon, jobs=run.jobs)
    pairs, unlisted = collection.pairs(how, limits, run, all_copies=all_copies)
    return pair_table(pairs, _plain(collection.texts.names), scheme=how.spec, limits=limits, unlisted=unlisted)


def learn_reference(texts: Texts, scheme: str = "fuzzy", *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> str:
    """The spec of `scheme` with how often words begin with each letter learnt from texts (Stein 2005 §3 step 3)."""
    from nearkin.scheme.fuzzy import Fuzzy

    how = parse_scheme(scheme)
    if not isinstance(how, Fuzzy):
        raise UsageError(f"{how.spec} has no reference to learn; only fuzzy has.")
    items = named_texts(texts, "learn_reference")
    canon = canon_for(raw, ignore, how)
    return how.learnt(canonical(text, canon) or b"" for _, text in items).spec


def families(
    pairs: "pa.Table", *, view: str = "chain", threshold: float = 0.7, containment: float | None = None
) -> "pa.Table":
    """Group what `match` found, in the view chain, pivot or clique. Texts of resemblance 1 count as copies; ids are the
    names of the pivots.

    The table has no `bytes`, as that of `Store.families` has: pairs do not tell how large their texts are.

    Parts are attached at a containment of 0.9 unless another is given. Below the limits that `match` was given not all
    pairs are there: the table's metadata then say so, under `nearkin.partial`.
    """
    from nearkin.model import View
    from nearkin.query.arrow_tables import (
        IN_PIECES,
        family_table,
        marked_partial,
        missing_below,
        refuse_no_pairs,
        scheme_of,
        unlisted_of,
    )
    from nearkin.query.in_memory import families_of_pairs

    refuse_no_pairs(pairs)
    how = chosen(View, view, "view")
    if how is View.GREEDY:
        raise UsageError("The greedy view needs signatures, not pairs; use: Store.families(view='greedy').")
    scheme = parse_scheme(scheme_of(pairs) or EXACT)
    limits = MatchSettings(threshold=threshold, containment=containment_for(scheme, containment), floor=threshold)
    unlisted = unlisted_of(pairs)
    found = families_of_pairs(pairs, limits, scheme, how, unlisted)
    told = family_table(found, name=pairs.schema.field("a").type, sizes=False, view=how)
    pieces = [IN_PIECES] if unlisted and how is not View.CLIQUE else []
    return marked_partial(told, [*missing_below(pairs, limits), *pieces])


def _compared(
    a: Text, b: Text, scheme: Scheme, canon: Canon, measure: Callable[..., Any], *, of_nothing: float | None
) -> float | None:
    """`of_nothing`: what the measure is where only the first text is empty."""
    if type(a) is type(b) and a == b:
        return 1.0
    first, second = canonical(a, canon), canonical(b, canon)
    if first is None or second is None:
        return None  # unlike bytes without text: nothing can be said
    if first == second:
        return 1.0
    if not first:
        return of_nothing
    if not second:
        return 0.0
    if scheme.measure == "cosine":
        return cosine_of(first, second)
    # Two numbers say nothing of how much: under si the texts do, as in a scan.
    how = parse_scheme(EXACT) if scheme.estimator is Estimator.RANGE else scheme
    estimate = measure(sign_canonical(first, how), sign_canonical(second, how))
    return None if estimate is None else float(estimate.value)


def _spelled(name: str) -> str:
    """Bytes that are not UTF-8 with \\xNN, and what is not even a byte, half a surrogate pair, with \\uNNNN."""
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()


def _plain(names: list[Any]) -> list[Any]:
    """Names as an Arrow column can hold them: integers of 64 bits, else UTF-8."""
    kinds = set(map(type, names))
    if kinds != {int} and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        names, kinds = [int(name) for name in names], {int}  # as keys from NumPy or an index of pandas are
    if kinds == {int} and names and min(names) >= -(1 << 63) and max(names) < 1 << 63:
        return names
    plain = [_spelled(str(name)) for name in names]
    if len(set(plain)) < len(plain):
        twice = next(name for name, times in Counter(plain).items() if times > 1)
        raise UsageError(f"Two texts have names that are both written {twice!r}, as 1 and '1' are; name them apart.")
    return plain
