"""The Python surface: sign, resemblance, containment, match and families of texts, and the store.

A text is a str, taken as it reads, or bytes, read as a scan reads a file: sniffed, decoded, stripped to what
a reader of a page sees. Either is made canonical as in a scan, unless `raw` is set. Tables are Arrow tables.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

from nearkin.errors import UsageError
from nearkin.matching.cosine import cosine_of
from nearkin.model import Summary, View
from nearkin.read.extract import extract
from nearkin.scheme import Estimator, Scheme, cannot_contain, cannot_share_bytes, keeps_lines, parse_scheme
from nearkin.scheme import sign as sign_canonical
from nearkin.scheme.fuzzy import Fuzzy
from nearkin.scheme.signature import Signature
from nearkin.settings import (
    DEFAULT_SCHEME,
    NO_CONTAINMENT,
    MatchSettings,
    RunSettings,
    Settings,
    TextSettings,
    WalkSettings,
)
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa

Text = str | bytes
Texts = Mapping[Any, Text] | Iterable[Text]
AnyPath = str | PathLike[str]
Choice = TypeVar("Choice", bound=StrEnum)
Group = TypeVar("Group", WalkSettings, TextSettings, MatchSettings, RunSettings)

EXACT = "exact:window=20"
IGNORED = TextSettings().ignore


def sign(text: Text, scheme: str = DEFAULT_SCHEME, *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> Signature:
    """The text's features and their weights under a scheme."""
    how = parse_scheme(scheme)
    return sign_canonical(_canonical(text, _canon(raw, ignore, how)) or b"", how)


def resemblance(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of both texts together is in both. None where the samples are too small to tell.

    Under scheme fuzzy the cosine of their term vectors, whether or not they share a code; under si that of exact
    shingles, whether or not their numbers are near.
    """
    how = parse_scheme(scheme)
    return _compared(a, b, how, _canon(raw, ignore, how), Signature.resemblance)


def containment(
    a: Text, b: Text, scheme: str = EXACT, *, raw: bool = False, ignore: Sequence[str] = IGNORED
) -> float | None:
    """How much of `a` is in `b`. None where the samples are too small to tell."""
    how = parse_scheme(scheme)
    if not how.contains:
        raise UsageError(cannot_contain(how.spec))
    return _compared(a, b, how, _canon(raw, ignore, how), Signature.containment)


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
    jobs: int | None = None,
) -> "pa.Table":
    """All pairs of texts that reach a threshold, strongest first, verified on the texts as in a scan.

    Containment is 0.9 unless given, and not looked for by schemes that cannot tell it. Texts are named by their keys
    or their positions. Without `all_copies` equal texts are named once: by the
    first of them, to which the others are then paired.
    """
    from nearkin.report.collection import Collection
    from nearkin.report.tables import match_table

    if isinstance(texts, str | bytes):
        raise UsageError("match takes a list, a dict or an iterable of texts, not one text.")
    how = parse_scheme(scheme)
    items = list(texts.items()) if isinstance(texts, Mapping) else list(enumerate(texts))
    limits = MatchSettings(
        threshold=threshold,
        containment=_containment_for(how, containment),
        floor=threshold,
        min_shared_bytes=min_shared_bytes,
    )
    _refuse_unmeasurable(how, limits, keep_text=True)
    run = RunSettings() if jobs is None else RunSettings(jobs=jobs)
    extracted = [_extracted(text, raw) or b"" for _, text in items]
    canon = _canon(raw, ignore, how)
    collection = Collection.of(_plain([name for name, _ in items]), extracted, canon, jobs=run.jobs)
    records = collection.equal_pairs(min_shared_bytes, all_copies=all_copies)
    records += collection.similar_pairs(how, limits, run, all_copies=all_copies)
    records.sort(key=lambda r: (-r["resemblance"], -max(r["a_in_b"] or 0.0, r["b_in_a"] or 0.0), r["a"], r["b"]))
    for record in records:
        record["a"], record["b"] = collection.names[record["a"]], collection.names[record["b"]]
    return match_table(records, name=_type_of(collection.names), scheme=how.spec)


def learn_reference(texts: Texts, scheme: str = "fuzzy", *, raw: bool = False, ignore: Sequence[str] = IGNORED) -> str:
    """The spec of `scheme` with how often words begin with each letter learnt from texts (Stein 2005 §3 step 3)."""
    how = parse_scheme(scheme)
    if not isinstance(how, Fuzzy):
        raise UsageError(f"{how.spec} has no reference to learn; only fuzzy has.")
    canon = _canon(raw, ignore, how)
    every = texts.values() if isinstance(texts, Mapping) else texts
    return how.learnt(_canonical(text, canon) or b"" for text in every).spec


def families(
    pairs: "pa.Table", *, view: str = "chain", threshold: float = 0.8, containment: float | None = None
) -> "pa.Table":
    """Group what `match` found. Texts of resemblance 1 count as copies; ids are the names of the pivots.

    Parts are attached at a containment of 0.9 unless another is given.
    """
    from nearkin.report.pairs import families_of_pairs
    from nearkin.report.tables import family_table, scheme_of

    if _chosen(View, view, "view") is View.GREEDY:
        raise UsageError("The greedy view needs signatures, not pairs; use: Store.families(view='greedy').")
    scheme = parse_scheme(scheme_of(pairs) or EXACT)
    limits = MatchSettings(threshold=threshold, containment=_containment_for(scheme, containment), floor=threshold)
    found = families_of_pairs(pairs.to_pylist(), limits, scheme)
    return family_table(found, name=pairs.schema.field("a").type, sizes=False)


class ScanOptions(TypedDict, total=False):
    """What a scan can be told; defaults are those of `nearkin.settings`."""

    scheme: str
    threshold: float
    containment: float
    floor: float
    min_shared_bytes: int
    raw: bool
    ignore: Sequence[str]
    include: Sequence[str]
    exclude: Sequence[str]
    hidden: bool
    max_size: int
    jobs: int
    memory: int
    keep_text: bool


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The tree of settings from options without one; those that are None are left at their defaults."""
    given = {"keep" if key == "keep_text" else key: value for key, value in options.items() if value is not None}
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}

    def part(group: type[Group]) -> Group:
        names = [field.name for field in dataclasses.fields(group) if field.name in given]
        return group(**{name: given.pop(name) for name in names})

    scheme = parse_scheme(given.pop("scheme", DEFAULT_SCHEME))
    given["containment"] = _containment_for(scheme, given.get("containment"))
    settings = Settings(scheme.spec, part(WalkSettings), part(TextSettings), part(MatchSettings), part(RunSettings))
    if given:
        raise UsageError(f"A scan has no option {next(iter(given))!r}.")
    _refuse_unmeasurable(scheme, settings.match, keep_text=settings.text.keep)
    return settings


@dataclass(frozen=True)
class Store:
    """What nearkin knows of a repository, in one file. Nothing is held open between calls."""

    path: Path

    @classmethod
    def open(cls, path: AnyPath, *, create: bool = True) -> Self:
        """The file is made by the first scan, if `create` allows; one that is no store is refused at once."""
        from nearkin.store.database import connect

        store = cls(Path(path))
        if store.path.exists() or not create:
            connect(store.path).close()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def scan(
        self,
        paths: AnyPath | Iterable[AnyPath],
        *,
        scope: str | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Unpack[ScanOptions],
    ) -> Summary:
        """Read, sign, store, match and group. Wrong options or paths are refused before a store is made."""
        from nearkin.pipeline import Scan
        from nearkin.read.walk import check_starts
        from nearkin.store.database import connect, explained

        settings = settings_of(options)
        starts = check_starts(
            tuple(map(Path, [paths] if isinstance(paths, str | PathLike) else [fspath(path) for path in paths]))
        )
        connection = connect(self.path, create=True, write=True)
        try:
            with explained(self.path):
                scan = Scan(connection, self.path, settings, _version(), progress or _nothing)
                return scan.run(starts, scope_name=scope)
        finally:
            connection.close()

    def documents(self, *, failed: bool = False) -> "pa.Table":
        from nearkin.report.fields import backslashed, document_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import document_table
        from nearkin.store.documents import present

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = present(connection, failed=failed)
        records = [document_record(document, scoped=scoped, name=backslashed) for document in found]
        return document_table(records, scoped=scoped)

    def identical(self) -> "pa.Table":
        from nearkin.report.fields import backslashed, identical_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import identical_table
        from nearkin.store.documents import identical_groups

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = identical_groups(connection)
        records = [identical_record(group, scoped=scoped, name=backslashed) for group in found]
        return identical_table(records, scoped=scoped)

    def matches(
        self,
        *,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        min_shared_bytes: int = 0,
        all_copies: bool = False,
    ) -> "pa.Table":
        """Scored pairs, at the scan's thresholds unless told otherwise. Shared bytes are a lower bound."""
        from nearkin.report.fields import backslashed, match_record
        from nearkin.report.matches import list_matches
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import match_table

        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_matches(
                connection,
                min_resemblance=min_resemblance,
                min_containment=min_containment,
                min_shared_bytes=min_shared_bytes,
                all_copies=all_copies,
            )
        records = [match_record(one, scoped=scoped, name=backslashed) for one in found]
        return match_table(records, scoped=scoped)

    def check(
        self,
        text: Text,
        *,
        scheme: str | None = None,
        limit: int | None = None,
        min_resemblance: float | None = None,
        min_containment: float | None = None,
        all_copies: bool = False,
    ) -> "pa.Table":
        """What in the store is the same as, resembles, contains or lies in a text, the most like first."""
        from hashlib import sha256

        from nearkin.report.check import Checker
        from nearkin.report.fields import backslashed, similar_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import similar_table

        if limit is not None and limit < 1:
            raise UsageError(f"A limit must be 1 or more, not {limit}.")
        with opened(self.path) as connection:
            limits = {"min_resemblance": min_resemblance, "min_containment": min_containment}
            checker = Checker.of(connection, scheme, **limits)
            scoped = is_scoped(connection)
            extracted = _extracted(text, checker.canon.raw)
            data = text.encode("utf-8", "replace") if isinstance(text, str) else text
            found = checker.check(sha256(data).digest(), extracted, limit=limit, all_copies=all_copies)
        return similar_table([similar_record(one, scoped=scoped, name=backslashed) for one in found], scoped=scoped)

    def families(
        self, *, view: str = "chain", threshold: float | None = None, representative: str = "first"
    ) -> "pa.Table":
        """Families at the scan's threshold unless another is given.

        The greedy view is made from signatures, around a `representative`: the first member of a family, or its most
        popular features.
        """
        from nearkin.group.greedy import Representative
        from nearkin.report.families import list_families
        from nearkin.report.fields import backslashed, family_record
        from nearkin.report.reading import is_scoped, opened
        from nearkin.report.tables import family_table

        how = _chosen(View, view, "view")
        around = _chosen(Representative, representative, "representative")
        if around is not Representative.FIRST and how is not View.GREEDY:
            raise UsageError("Only the greedy view has a representative; use: Store.families(view='greedy', …).")
        with opened(self.path) as connection:
            scoped = is_scoped(connection)
            found = list_families(connection, view=how, threshold=threshold, representative=around)
        records = [family_record(family, scoped=scoped, name=backslashed) for family in found]
        return family_table(records, scoped=scoped, estimates=how is View.GREEDY)


def _chosen(known: type[Choice], name: str, what: str) -> Choice:
    try:
        return known(name)
    except ValueError:
        raise UsageError(f"There is no {what} {name!r}; known are: {', '.join(known)}.") from None


def _containment_for(scheme: Scheme, asked: float | None) -> float:
    if asked is None:
        return MatchSettings().containment if scheme.contains else NO_CONTAINMENT
    if not scheme.contains:
        raise UsageError(cannot_contain(scheme.spec))
    if asked > 1.0:
        raise UsageError(f"--containment must be over 0 and at most 1, not {asked:g}.")
    return asked


def _canon(raw: bool, ignore: Sequence[str], scheme: Scheme) -> Canon:
    return Canon.of(TextSettings(raw=raw, ignore=tuple(ignore)), lines=keeps_lines(scheme))


def _extracted(text: Text, raw: bool) -> bytes | None:
    """None: there is no text in it."""
    if isinstance(text, str):
        return text.encode("utf-8", "replace")
    if isinstance(text, bytes):
        return extract(text, raw=raw).text
    raise UsageError(f"A text is a str or bytes, not {type(text).__name__}.")


def _canonical(text: Text, canon: Canon) -> bytes | None:
    extracted = _extracted(text, canon.raw)
    return None if extracted is None else canon.apply(extracted)


def _compared(a: Text, b: Text, scheme: Scheme, canon: Canon, measure: Callable[..., Any]) -> float | None:
    if type(a) is type(b) and a == b:
        return 1.0
    first, second = _canonical(a, canon), _canonical(b, canon)
    if first is None or second is None:
        return None  # unlike bytes without text: nothing can be said
    if first == second:
        return 1.0
    if not first or not second:
        return 0.0
    if scheme.measure == "cosine":
        return cosine_of(first, second)
    # Two numbers say nothing of how much: under si the texts do, as in a scan.
    how = parse_scheme(EXACT) if scheme.estimator is Estimator.RANGE else scheme
    estimate = measure(sign_canonical(first, how), sign_canonical(second, how))
    return None if estimate is None else float(estimate.value)


def _refuse_unmeasurable(scheme: Scheme, limits: MatchSettings, *, keep_text: bool) -> None:
    """What codes find is measured on the texts, and not all measures tell how many bytes are shared."""
    if scheme.estimator.coded and not keep_text:
        raise UsageError(f"{scheme.spec} measures the texts themselves; leave out --no-text, or use another scheme.")
    if scheme.measure == "cosine" and limits.min_shared_bytes:
        raise UsageError(cannot_share_bytes(scheme.spec))


def _plain(names: list[Any]) -> list[Any]:
    """Names as an Arrow column can hold them: integers, else UTF-8."""
    if all(type(name) is int for name in names):
        return names
    return [str(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names]


def _type_of(names: list[Any]) -> "pa.DataType":
    import pyarrow as pa

    return pa.int64() if all(type(name) is int for name in names) else pa.string()


def _version() -> str:
    from importlib.metadata import version

    return version("nearkin")


def _nothing(_stage: str, _documents: int, _bytes: int) -> None:
    pass
