"""Templates as listings show them, and templates found by their names."""

import sqlite3

import numpy as np

from nearkin.errors import InputError
from nearkin.matching.template import among, features_of, left_out, passages_in, plain_shingler, shingles_of
from nearkin.query.records import Record
from nearkin.report.suggestions import excerpt
from nearkin.scheme import Scheme, parse_scheme
from nearkin.scheme.shingler import Shingler
from nearkin.store import runs
from nearkin.store.contents import Contents, present_contents
from nearkin.store.scopes import naming
from nearkin.store.signatures import Signatures, signatures
from nearkin.store.templates import Features, Template, all_templates, stored_features
from nearkin.text.canon import Canon

HAVE = 0.8  # share of a template's features that a document has which has the template


def find_template(connection: sqlite3.Connection, name: str) -> Template:
    """By name, or by number."""
    templates = all_templates(connection)
    for one in templates:
        if one.name == name:
            return one
    for one in templates:
        if str(one.id) == name:
            return one
    raise InputError(f"There is no template {name}; list them with: nearkin template list{naming(connection)}")


def templates_changed(connection: sqlite3.Connection) -> bool:
    """Whether the last run's scores were made with other templates than there are now."""
    run = runs.last(connection)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    return left_out(connection, run.scheme, scheme, canon).state != run.counts.get("template_state", 0)


def template_records(connection: sqlite3.Connection) -> list[Record]:
    templates = all_templates(connection)
    if not templates:
        return []
    run = runs.last(connection)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    contents = present_contents(connection, run.scheme)
    signed = signatures(connection, run.scheme, contents)
    copies = contents.copies
    known = stored_features(connection, run.scheme)
    shingler = plain_shingler(scheme) or Shingler(20)
    records = []
    for one in templates:
        features = known[one.id] if one.id in known else features_of(one, scheme, canon)
        records.append(
            {
                "id": one.id,
                "name": one.name,
                "source": one.source,
                "tolerance": one.tolerance,
                "documents": _holders(signed, contents, copies.tolist(), scheme, features),
                "shingles": len(shingles_of(passages_in(one, canon), shingler)),
                "passages": len(one.passages),
                "excerpt": excerpt(one.passages),
                "by": one.by,
                "note": one.note,
                "at": one.at,
            }
        )
    return records


def _holders(
    signed: Signatures, contents: Contents, copies: list[int], scheme: Scheme, features: Features
) -> int | None:
    """Documents that have most of what their sample can show of a template; None where samples are of fixed size."""
    if scheme.limit or scheme.estimator.coded:
        return None
    has = np.concatenate([[0], np.cumsum(among(signed.features, features))])
    offsets = signed.offsets.astype(np.int64)
    found = has[offsets[1:]] - has[offsets[:-1]]
    needed = np.zeros(len(contents), np.float64)
    for modulus in np.unique(signed.moduli):
        # bsw keeps one in so many, but not those a modulus says.
        shown = np.count_nonzero(features % modulus == 0) if scheme.sampled else len(features) / int(modulus)
        needed[signed.moduli == modulus] = HAVE * shown
    return int(np.array(copies)[(found >= needed) & (found > 0)].sum()) if len(contents) else 0
