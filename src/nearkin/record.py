"""One definition for each record: its fields give SQL its columns, NumPy and Arrow their types and JSON its names.

A record is a dataclass. Each attribute says what it holds as `Annotated[type, Field(...)]`; a `ClassVar` that is a
`Field` is stored, or listed, without being an attribute of the object. Their order is the order of listings.

    @dataclass(frozen=True, slots=True)
    class Match:
        a: Annotated[Location, Field("The first document of one text.", "INTEGER NOT NULL", "<u4", arrow="path")]
        a_scope: ClassVar = Field("The scope of a.", arrow="string", source="a.scope", when=("scoped",))
        size_a: ClassVar = Field("Shingles of a.", "INTEGER NOT NULL", "<i8")

A new field is one line there. One that is stored names in `since` the version of the store that brings it, which the
schema (nearkin.store.schema) then adds to older stores.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cached_property, lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args

ARROW = {float: "float64", int: "int64", bool: "bool", str: "string"}
FIRST_VERSION = 1


class Field(NamedTuple):
    """One field of a record, and its name and type in each of the record's forms."""

    meaning: str  # one sentence, which stands beside the column in the store
    sql: str = ""  # type and constraints of the stored column; empty: it is not stored
    dtype: str = ""  # NumPy's type of the stored column; empty: it is never read as an array
    arrow: str = ""  # Arrow's type, or the name of a record; "path" where a document's name stands; empty: not listed
    listed: str = ""  # its name in listings where that is not the attribute's
    source: str = ""  # the attribute its value comes from, with dots, where that is not its own
    when: tuple[str, ...] = ()  # the conditions under all of which it is listed
    since: int = FIRST_VERSION  # version of the store that added the column
    name: str = ""  # of the attribute and of the stored column; filled in by the schema

    @property
    def nullable(self) -> bool:
        """Whether the stored column may be NULL."""
        return "NOT NULL" not in self.sql


class Schema:
    """The fields of a record, in the order of listings. They are read when first asked for: start-up asks for none."""

    def __init__(self, record: type) -> None:
        self.record = record

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return tuple(_declared(self.record))

    def __getitem__(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    @property
    def stored(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.sql)

    @property
    def attributes(self) -> list[str]:
        """The stored columns that objects hold under the same name."""
        held = {attribute.name for attribute in fields(self.record)}
        return [field.name for field in self.stored if field.name in held]

    @property
    def dtypes(self) -> dict[str, str]:
        """NumPy's types of the columns that are read as arrays, by name."""
        return {field.name: field.dtype for field in self.fields if field.dtype}

    def listed(self, *conditions: str) -> tuple[Field, ...]:
        """The fields of listings under these conditions."""
        return tuple(field for field in self.fields if field.arrow and set(field.when) <= set(conditions))

    def names(self, *conditions: str) -> list[str]:
        """The names of listings under these conditions: keys of JSON, columns of CSV and Arrow."""
        return [field.listed or field.name for field in self.listed(*conditions)]

    def columns(self, prefix: str = "") -> str:
        """The stored columns as SQL lists them."""
        return ", ".join(f"{prefix}{field.name}" for field in self.stored)

    def create(
        self,
        table: str,
        columns: str,
        *,
        keys: Iterable[str] = (),
        constraints: Iterable[str] = (),
        rowid: bool = True,
    ) -> str:
        """The statement that creates the table as the first version of the store with it had it.

        `columns` names them in the order in which stores have them, which is not that of listings. Columns of later
        versions are not among them: `added` appends these.
        """
        lines = [(key, "") for key in keys]
        lines += [(f"{name} {self[name].sql}", self[name].meaning) for name in columns.split()]
        lines += [(constraint, "") for constraint in constraints]
        last = len(lines) - 1
        inside = "".join(
            f"    {line}{',' if at < last else ''}{f'  -- {meaning}' if meaning else ''}\n"
            for at, (line, meaning) in enumerate(lines)
        )
        return f"CREATE TABLE {table} (\n{inside}){'' if rowid else ' WITHOUT ROWID'};\n"

    def added(self, table: str, version: int) -> str:
        """The statements that add what this version of the store brings."""
        new = (field for field in self.stored if field.since == version)
        return "".join(
            f"-- {field.meaning}\nALTER TABLE {table} ADD COLUMN {field.name} {field.sql};\n" for field in new
        )


@lru_cache
def values_of(schema: Schema, *conditions: str) -> Callable[[object], dict[str, Any]]:
    """A function that makes a dict of a record's listed fields, with the attributes as they are.

    All are taken by one call: of half a million matches one call a field takes half as long again.
    """
    names = schema.names(*conditions)
    taken = attrgetter(*(field.source or field.name for field in schema.listed(*conditions)))
    return lambda record: dict(zip(names, taken(record), strict=True))


def _declared(record: type) -> Iterable[Field]:
    """The fields of a class, after those of the classes it extends."""
    for parent in reversed(record.__mro__):
        for name, annotation in vars(parent).get("__annotations__", {}).items():
            if hasattr(annotation, "__metadata__"):  # it is Annotated
                kind, field = annotation.__origin__, annotation.__metadata__[0]
                yield field._replace(name=name, arrow=field.arrow or _arrow(kind))
            elif isinstance(field := vars(parent).get(name), Field):
                yield field._replace(name=name)


def _arrow(kind: Any) -> str:
    """Arrow's type for a type of Python's, whether or not it may be None."""
    if isinstance(kind, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    return next(arrow for base, arrow in ARROW.items() if kind is base or (base is str and issubclass(kind, str)))
