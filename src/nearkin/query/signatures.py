"""The signatures of a whole store (Forman 2005 §2.5 step 1): every content, named by its first document.

Stored ones are given as they are; contents that no scan signed in this way are signed now from their kept texts. One
content at a time: memory does not grow with the store.
"""

import sqlite3
from collections.abc import Iterator

from nearkin.errors import UsageError
from nearkin.model import Location
from nearkin.scheme import FORMAT, Scheme, Signature, parse_scheme, sign, signed
from nearkin.store import runs
from nearkin.store.contents import count_without_source, named_contents, scheme_of, texts_of
from nearkin.store.signatures import signature_of
from nearkin.text.canon import Canon


def stored_signatures(
    connection: sqlite3.Connection, spec: str | None
) -> tuple[Scheme, Iterator[tuple[Location, Signature]]]:
    """In byte order of the paths; under the scheme of the last scan unless one is given. Some have no features."""
    run = runs.last(connection)
    scheme = parse_scheme(run.spec if spec is None else spec)
    canon = Canon.parse(runs.canon_of(connection, run))
    number = scheme_of(connection, scheme.spec, canon.spec, FORMAT)
    if missing := count_without_source(connection, number):
        raise UsageError(
            f"{missing:,} texts of this store were not kept and never signed with {scheme.spec};"
            " scan their folders with that --scheme."
        )
    return scheme, _signed(connection, scheme, canon, number)


def _signed(
    connection: sqlite3.Connection, scheme: Scheme, canon: Canon, number: int | None
) -> Iterator[tuple[Location, Signature]]:
    for location, content in named_contents(connection):
        stored = None if number is None else signature_of(connection, number, content)
        if stored is None:
            ((_, text),) = texts_of(connection, [content])
            yield location, sign(canon.apply(text), scheme)
        else:
            modulus, features, weights = stored
            yield location, signed(scheme, modulus, features, weights)
