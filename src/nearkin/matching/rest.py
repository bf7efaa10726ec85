"""The rest of a store: what this scan did not read but must compare, made ready from the kept texts.

Texts made canonical in another way, and contents signed by another scheme or format, are stale: they are made anew,
never compared as they are.
"""

import sqlite3
from collections.abc import Iterator

from nearkin.engine import local
from nearkin.errors import UsageError
from nearkin.scheme import Scheme, sign
from nearkin.store.contents import other_canons, texts_of, unsigned_contents
from nearkin.store.renewal import renewable
from nearkin.store.text_writer import add_signatures
from nearkin.store.writer import Writer
from nearkin.text.canon import Canon


def refuse_other_canons(connection: sqlite3.Connection, canon: Canon, *, scope: int, below: tuple[bytes, ...]) -> None:
    """Before anything is read: a store whose documents cannot all be compared would be of no use."""
    if other := other_canons(connection, canon.spec, scope, below):
        raise UsageError(
            f"{other:,} documents of this store were read with other text settings and cannot be compared with these;"
            " scan them in the same way, or use another --store."
        )


def renew_texts(writer: Writer, scheme: Scheme, canon: Canon) -> int:
    """Make kept texts canonical as this scan does, where another way was taken; how many contents that gave."""
    how = local.recipe(scheme, canon, max_size=1 << 50)
    renewed: set[bytes | None] = set()
    for versions, texts in renewable(writer.connection, writer.canon):
        readings = local.ingest_again(texts, versions, how)
        writer.renew(versions, readings)
        renewed.update(readings.contents)
    writer.flush()
    return len(renewed)


def sign_rest(connection: sqlite3.Connection, scheme: Scheme, canon: Canon, *, scheme_id: int, canon_id: int) -> int:
    """Sign contents that another scan signed in another way; how many there were."""
    wanted = unsigned_contents(connection, scheme_id, canon_id)

    def rows() -> Iterator[tuple[int, int, bytes, bytes | None]]:
        for content, text in texts_of(connection, wanted):
            signature = sign(canon.apply(text), scheme)
            weights = signature.weights.astype("<u4").tobytes() if scheme.measure == "bytes" else None
            yield content, signature.modulus, signature.features.astype("<u8").tobytes(), weights

    if wanted:
        add_signatures(connection, scheme_id, list(rows()), coded=scheme.estimator.coded)
        if left := unsigned_contents(connection, scheme_id, canon_id):
            raise UsageError(
                f"{len(left):,} texts of this store were signed with another scheme and not kept;"
                " scan their folders too, or use another --store."
            )
    return len(wanted)
